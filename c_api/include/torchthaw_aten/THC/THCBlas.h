/* THC/THCBlas.h: BLAS of THC by cuBLAS, on PyTorch's handle of the current device and stream. Matrices are column-major.
 *
 * Scalars are on the host. Errors are c10::Error. Sizes and leading dimensions must fit an int, as cuBLAS wants it.
 */
#ifndef TORCHTHAW_ATEN_THC_BLAS_H
#define TORCHTHAW_ATEN_THC_BLAS_H

#include "THCGeneral.h"

#include <cublas_v2.h>

#include <cstdint>
#include <limits>

namespace torchthaw_aten {

inline int blas_size(int64_t value, const char *name) {
    TORCH_CHECK(value >= 0 && value <= std::numeric_limits<int>::max(), name, ": expected 0 to ",
                std::numeric_limits<int>::max(), ", got ", value);
    return static_cast<int>(value);
}

inline cublasOperation_t blas_operation(char trans) {
    if (trans == 'n' || trans == 'N') return CUBLAS_OP_N;
    if (trans == 't' || trans == 'T') return CUBLAS_OP_T;
    TORCH_CHECK(trans == 'c' || trans == 'C', "trans: expected n, t or c, got ", trans);
    return CUBLAS_OP_C;
}

inline cublasHandle_t blas() {
    cublasHandle_t handle = at::cuda::getCurrentCUDABlasHandle();
    TORCH_CUDABLAS_CHECK(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST));
    return handle;
}

/* cuBLAS refuses a leading dimension below the number of rows also where there is but one column. */
inline int leading(int64_t ld, int64_t rows, int64_t columns, const char *name) {
    return blas_size(columns == 1 && ld < rows ? rows : ld, name);
}

}  // namespace torchthaw_aten

namespace torchthaw_aten {

/* One set of functions for each type: S and float, D and double. */
#define TORCHTHAW_ATEN_BLAS(letter, real)                                                                              \
    /* y = alpha x + y */                                                                                              \
    inline void letter##axpy(int64_t n, real a, real *x, int64_t incx, real *y,                                        \
                                          int64_t incy) {                                                              \
        TORCH_CUDABLAS_CHECK(cublas##letter##axpy(blas(), blas_size(n, "n"), &a, x, static_cast<int>(incx), y,         \
                                                  static_cast<int>(incy)));                                            \
    }                                                                                                                  \
    /* x . y, which waits for the GPU */                                                                               \
    inline real letter##dot(int64_t n, real *x, int64_t incx, real *y, int64_t incy) {                                 \
        real result;                                                                                                   \
        TORCH_CUDABLAS_CHECK(cublas##letter##dot(blas(), blas_size(n, "n"), x, static_cast<int>(incx), y,              \
                                                 static_cast<int>(incy), &result));                                    \
        return result;                                                                                                 \
    }                                                                                                                  \
    /* y = alpha op(a) x + beta y; a is m x n */                                                                       \
    inline void letter##gemv(char trans, int64_t m, int64_t n, real alpha, real *a,                                    \
                                          int64_t lda, real *x, int64_t incx, real beta, real *y, int64_t incy) {      \
        TORCH_CUDABLAS_CHECK(cublas##letter##gemv(                                                                     \
            blas(), blas_operation(trans), blas_size(m, "m"), blas_size(n, "n"), &alpha, a, leading(lda, m, n, "lda"), \
            x, static_cast<int>(incx), &beta, y, static_cast<int>(incy)));                                             \
    }                                                                                                                  \
    /* a = alpha x y^T + a; a is m x n */                                                                              \
    inline void letter##ger(int64_t m, int64_t n, real alpha, real *x, int64_t incx, real *y,                          \
                                         int64_t incy, real *a, int64_t lda) {                                         \
        TORCH_CUDABLAS_CHECK(cublas##letter##ger(blas(), blas_size(m, "m"), blas_size(n, "n"), &alpha, x,              \
                                                 static_cast<int>(incx), y, static_cast<int>(incy), a,                 \
                                                 leading(lda, m, n, "lda")));                                          \
    }                                                                                                                  \
    /* c = alpha op(a) op(b) + beta c; op(a) is m x k, op(b) k x n */                                                  \
    inline void letter##gemm(char transa, char transb, int64_t m, int64_t n, int64_t k,                                \
                                          real alpha, real *a, int64_t lda, real *b, int64_t ldb, real beta, real *c,  \
                                          int64_t ldc) {                                                               \
        const bool ta = blas_operation(transa) != CUBLAS_OP_N, tb = blas_operation(transb) != CUBLAS_OP_N;             \
        TORCH_CUDABLAS_CHECK(cublas##letter##gemm(                                                                     \
            blas(), blas_operation(transa), blas_operation(transb), blas_size(m, "m"), blas_size(n, "n"),              \
            blas_size(k, "k"), &alpha, a, leading(lda, ta ? k : m, ta ? m : k, "lda"), b,                              \
            leading(ldb, tb ? n : k, tb ? k : n, "ldb"), &beta, c, leading(ldc, m, n, "ldc")));                        \
    }                                                                                                                  \
    /* The same for `count` products; the arrays of pointers are on the GPU. */                                        \
    inline void letter##gemmBatched(char transa, char transb, int64_t m, int64_t n,                                    \
                                                 int64_t k, real alpha, const real *a[], int64_t lda, const real *b[], \
                                                 int64_t ldb, real beta, real *c[], int64_t ldc, int64_t count) {      \
        const bool ta = blas_operation(transa) != CUBLAS_OP_N, tb = blas_operation(transb) != CUBLAS_OP_N;             \
        TORCH_CUDABLAS_CHECK(cublas##letter##gemmBatched(                                                              \
            blas(), blas_operation(transa), blas_operation(transb), blas_size(m, "m"), blas_size(n, "n"),              \
            blas_size(k, "k"), &alpha, a, leading(lda, ta ? k : m, ta ? m : k, "lda"), b,                              \
            leading(ldb, tb ? n : k, tb ? k : n, "ldb"), &beta, c, leading(ldc, m, n, "ldc"),                          \
            blas_size(count, "batchCount")));                                                                          \
    }                                                                                                                  \
    /* The same for matrices at equal distances. */                                                                    \
    inline void letter##gemmStridedBatched(                                                                            \
        char transa, char transb, int64_t m, int64_t n, int64_t k, real alpha, const real *a, int64_t lda,             \
        int64_t stride_a, const real *b, int64_t ldb, int64_t stride_b, real beta, real *c, int64_t ldc,               \
        int64_t stride_c, int64_t count) {                                                                             \
        const bool ta = blas_operation(transa) != CUBLAS_OP_N, tb = blas_operation(transb) != CUBLAS_OP_N;             \
        TORCH_CUDABLAS_CHECK(cublas##letter##gemmStridedBatched(                                                       \
            blas(), blas_operation(transa), blas_operation(transb), blas_size(m, "m"), blas_size(n, "n"),              \
            blas_size(k, "k"), &alpha, a, leading(lda, ta ? k : m, ta ? m : k, "lda"), stride_a, b,                    \
            leading(ldb, tb ? n : k, tb ? k : n, "ldb"), stride_b, &beta, c, leading(ldc, m, n, "ldc"), stride_c,      \
            blas_size(count, "batchCount")));                                                                          \
    }

TORCHTHAW_ATEN_BLAS(S, float)
TORCHTHAW_ATEN_BLAS(D, double)
#undef TORCHTHAW_ATEN_BLAS

}  // namespace torchthaw_aten

/* `state` is not evaluated: a source may only declare it. */
#define THCudaBlas_Saxpy(state, ...) (torchthaw_aten::Saxpy(__VA_ARGS__))
#define THCudaBlas_Sdot(state, ...) (torchthaw_aten::Sdot(__VA_ARGS__))
#define THCudaBlas_Sgemv(state, ...) (torchthaw_aten::Sgemv(__VA_ARGS__))
#define THCudaBlas_Sger(state, ...) (torchthaw_aten::Sger(__VA_ARGS__))
#define THCudaBlas_Sgemm(state, ...) (torchthaw_aten::Sgemm(__VA_ARGS__))
#define THCudaBlas_SgemmBatched(state, ...) (torchthaw_aten::SgemmBatched(__VA_ARGS__))
#define THCudaBlas_SgemmStridedBatched(state, ...) (torchthaw_aten::SgemmStridedBatched(__VA_ARGS__))
#define THCudaBlas_Daxpy(state, ...) (torchthaw_aten::Daxpy(__VA_ARGS__))
#define THCudaBlas_Ddot(state, ...) (torchthaw_aten::Ddot(__VA_ARGS__))
#define THCudaBlas_Dgemv(state, ...) (torchthaw_aten::Dgemv(__VA_ARGS__))
#define THCudaBlas_Dger(state, ...) (torchthaw_aten::Dger(__VA_ARGS__))
#define THCudaBlas_Dgemm(state, ...) (torchthaw_aten::Dgemm(__VA_ARGS__))
#define THCudaBlas_DgemmBatched(state, ...) (torchthaw_aten::DgemmBatched(__VA_ARGS__))
#define THCudaBlas_DgemmStridedBatched(state, ...) (torchthaw_aten::DgemmStridedBatched(__VA_ARGS__))

#endif
