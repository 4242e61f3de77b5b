// cuda_on_cpu/runtime/libraries/blas.cpp: cuBLAS by plain loops over columns, with sums in double precision.
#include <cublas_v2.h>
#include <cuda_on_cpu/access.h>
#include <cuda_on_cpu/runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

struct cublasContext {
    cudaStream_t stream = nullptr;
    cublasPointerMode_t pointer_mode = CUBLAS_POINTER_MODE_HOST;
    cublasMath_t math_mode = CUBLAS_DEFAULT_MATH;
};

namespace {

constexpr cublasStatus_t good = CUBLAS_STATUS_SUCCESS, bad = CUBLAS_STATUS_INVALID_VALUE;
using Handle = cublasHandle_t;
using Op = cublasOperation_t;

double number(float x) { return x; }
double number(double x) { return x; }
double number(__half x) { return double(float(x)); }
template <typename T> void put(T &to, double x) { to = T(x); }
void put(__half &to, double x) { to = __half(float(x)); }

bool is_operation(Op op) { return op == CUBLAS_OP_N || op == CUBLAS_OP_T || op == CUBLAS_OP_C; }

// A matrix by columns, or its transpose.
template <typename T> struct Matrix {
    const T *data;
    int64_t ld;
    bool transposed;
    double at(int64_t i, int64_t j) const { return number(data[transposed ? i * ld + j : j * ld + i]); }
};

// What earlier work on the handle's stream came to, which a product fails with, too.
cublasStatus_t earlier(Handle handle) {
    cudaStream_t stream;
    const cublasStatus_t status = cublasGetStream_v2(handle, &stream);
    return status ? status : cudaStreamQuery(stream) ? CUBLAS_STATUS_EXECUTION_FAILED : good;
}

template <typename T, typename S>
cublasStatus_t product(Handle handle, Op ta, Op tb, int64_t m, int64_t n, int64_t k, const S *alpha, const T *a,
                       int64_t lda, const T *b, int64_t ldb, const S *beta, T *c, int64_t ldc) {
    if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!is_operation(ta) || !is_operation(tb) || m < 0 || n < 0 || k < 0 || lda < std::max<int64_t>(1, ta ? k : m) ||
        ldb < std::max<int64_t>(1, tb ? n : k) || ldc < std::max<int64_t>(1, m) || !alpha || !beta)
        return bad;
    if (const cublasStatus_t status = earlier(handle)) return status;
    const cuda_on_cpu::Access access;
    const Matrix<T> left{a, lda, ta != CUBLAS_OP_N}, right{b, ldb, tb != CUBLAS_OP_N};
    const double by = number(*alpha), keep = number(*beta);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++) {
            double sum = 0;
            if (by != 0)
                for (int64_t l = 0; l < k; l++) sum += left.at(i, l) * right.at(l, j);
            T &to = c[j * ldc + i];
            put(to, keep == 0 ? by * sum : by * sum + keep * number(to));
        }
    return good;
}

// Where element i of a vector with a step is: a negative step starts at its end.
template <typename T> T *element(T *x, int n, int step, int i) {
    return x + (step < 0 ? int64_t(i - n + 1) : int64_t(i)) * step;
}
template <typename T> double dot(int n, const T *x, int incx, const T *y, int incy) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += number(*element(x, n, incx, i)) * number(*element(y, n, incy, i));
    return sum;
}

// L and U in place of a, and rows exchanged where there are pivots, which count from 1. The first pivot of 0, or 0.
template <typename T> int factors(int n, T *a, int lda, int *pivots) {
    int info = 0;
    for (int k = 0; k < n; k++) {
        T *column = a + int64_t(k) * lda;
        int best = k;
        for (int i = k + 1; pivots && i < n; i++)
            if (std::abs(column[i]) > std::abs(column[best])) best = i;
        if (pivots) pivots[k] = best + 1;
        for (int j = 0; best != k && j < n; j++) std::swap(a[int64_t(j) * lda + k], a[int64_t(j) * lda + best]);
        if (column[k] == 0) {
            info = info ? info : k + 1;
            continue;
        }
        for (int i = k + 1; i < n; i++) {
            const T by = column[i] /= column[k];
            for (int j = k + 1; j < n; j++) a[int64_t(j) * lda + i] -= by * a[int64_t(j) * lda + k];
        }
    }
    return info;
}

// b = the solution x of P L U x = b, or of its transpose.
template <typename T>
void solve(bool transposed, int n, int columns, const T *a, int lda, const int *pivots, T *b, int ldb) {
    const Matrix<T> lu{a, lda, transposed};
    for (int c = 0; c < columns; c++, b += ldb) {
        for (int k = 0; !transposed && pivots && k < n; k++) std::swap(b[k], b[pivots[k] - 1]);
        for (int i = 0; i < n; i++) {  // L, or the transpose of U
            double sum = double(b[i]);
            for (int j = 0; j < i; j++) sum -= lu.at(i, j) * double(b[j]);
            b[i] = T(transposed ? sum / lu.at(i, i) : sum);
        }
        for (int i = n - 1; i >= 0; i--) {
            double sum = double(b[i]);
            for (int j = i + 1; j < n; j++) sum -= lu.at(i, j) * double(b[j]);
            b[i] = T(transposed ? sum : sum / lu.at(i, i));
        }
        for (int k = n - 1; transposed && pivots && k >= 0; k--) std::swap(b[k], b[pivots[k] - 1]);
    }
}

}  // namespace

extern "C" {
#define API CUDA_ON_CPU_EXPORT cublasStatus_t
API cublasCreate_v2(Handle *handle) { return handle ? (*handle = new cublasContext, good) : bad; }
API cublasDestroy_v2(Handle handle) { return delete handle, good; }
API cublasGetVersion_v2(Handle, int *version) { return *version = CUBLAS_VERSION, good; }
API cublasSetStream_v2(Handle handle, cudaStream_t stream) { return handle->stream = stream, good; }
API cublasGetStream_v2(Handle handle, cudaStream_t *stream) { return *stream = handle->stream, good; }
API cublasSetPointerMode_v2(Handle handle, cublasPointerMode_t mode) { return handle->pointer_mode = mode, good; }
API cublasGetPointerMode_v2(Handle handle, cublasPointerMode_t *mode) { return *mode = handle->pointer_mode, good; }
API cublasSetMathMode(Handle handle, cublasMath_t mode) { return handle->math_mode = mode, good; }
API cublasGetMathMode(Handle handle, cublasMath_t *mode) { return *mode = handle->math_mode, good; }
API cublasSetAtomicsMode(Handle, cublasAtomicsMode_t) { return good; }
API cublasSetWorkspace_v2(Handle, void *, size_t) { return good; }

#define STATUS(name) case name: return #name;
CUDA_ON_CPU_EXPORT const char *cublasGetStatusName(cublasStatus_t status) {
    switch (status) {
        STATUS(CUBLAS_STATUS_SUCCESS)
        STATUS(CUBLAS_STATUS_NOT_INITIALIZED)
        STATUS(CUBLAS_STATUS_ALLOC_FAILED)
        STATUS(CUBLAS_STATUS_INVALID_VALUE)
        STATUS(CUBLAS_STATUS_ARCH_MISMATCH)
        STATUS(CUBLAS_STATUS_MAPPING_ERROR)
        STATUS(CUBLAS_STATUS_EXECUTION_FAILED)
        STATUS(CUBLAS_STATUS_INTERNAL_ERROR)
        STATUS(CUBLAS_STATUS_NOT_SUPPORTED)
        STATUS(CUBLAS_STATUS_LICENSE_ERROR)
    }
    return "an unknown status";
}
CUDA_ON_CPU_EXPORT const char *cublasGetStatusString(cublasStatus_t status) { return cublasGetStatusName(status); }

#define GEMM(name, T, I)                                                                                               \
    API name(Handle handle, Op ta, Op tb, I m, I n, I k, const T *alpha, const T *a, I lda, const T *b, I ldb,         \
             const T *beta, T *c, I ldc) {                                                                             \
        return product(handle, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);                                  \
    }
#define STRIDED(S, T)                                                                                                  \
    API cublas##S##gemmStridedBatched(Handle handle, Op ta, Op tb, int m, int n, int k, const T *alpha, const T *a,    \
                                      int lda, long long sa, const T *b, int ldb, long long sb, const T *beta, T *c,   \
                                      int ldc, long long sc, int count) {                                              \
        for (int i = 0; i < count; i++)                                                                                \
            if (const auto status = product(handle, ta, tb, m, n, k, alpha, a + i * sa, lda, b + i * sb, ldb, beta,    \
                                            c + i * sc, ldc))                                                          \
                return status;                                                                                         \
        return good;                                                                                                   \
    }
GEMM(cublasSgemm_v2, float, int)
GEMM(cublasDgemm_v2, double, int)
GEMM(cublasHgemm, __half, int)
GEMM(cublasSgemm_v2_64, float, int64_t)
GEMM(cublasDgemm_v2_64, double, int64_t)
STRIDED(S, float)
STRIDED(D, double)
STRIDED(H, __half)

#define LEVELS(S, T)                                                                                                   \
    API cublas##S##gemmBatched(Handle handle, Op ta, Op tb, int m, int n, int k, const T *alpha, const T *const *a,    \
                               int lda, const T *const *b, int ldb, const T *beta, T *const *c, int ldc, int count) {  \
        for (int i = 0; i < count; i++)                                                                                \
            if (const auto status = product(handle, ta, tb, m, n, k, alpha, a[i], lda, b[i], ldb, beta, c[i], ldc))    \
                return status;                                                                                         \
        return good;                                                                                                   \
    }                                                                                                                  \
    API cublas##S##gemv_v2(Handle, Op op, int m, int n, const T *alpha, const T *a, int lda, const T *x, int incx,     \
                           const T *beta, T *y, int incy) {                                                            \
        if (!is_operation(op) || m < 0 || n < 0 || lda < std::max(1, m) || !incx || !incy) return bad;                 \
        const Matrix<T> matrix{a, lda, op != CUBLAS_OP_N};                                                             \
        const int rows = op ? n : m, columns = op ? m : n;                                                             \
        for (int i = 0; i < rows; i++) {                                                                               \
            double sum = 0;                                                                                            \
            for (int j = 0; j < columns; j++) sum += matrix.at(i, j) * number(*element(x, columns, incx, j));          \
            T &to = *element(y, rows, incy, i);                                                                        \
            to = T(*beta == 0 ? *alpha * sum : *alpha * sum + double(*beta) * to);                                     \
        }                                                                                                              \
        return good;                                                                                                   \
    }                                                                                                                  \
    API cublas##S##ger_v2(Handle, int m, int n, const T *alpha, const T *x, int incx, const T *y, int incy, T *a,      \
                          int lda) {                                                                                   \
        if (m < 0 || n < 0 || lda < std::max(1, m) || !incx || !incy) return bad;                                      \
        for (int j = 0; j < n; j++)                                                                                    \
            for (int i = 0; i < m; i++)                                                                                \
                a[int64_t(j) * lda + i] += T(double(*alpha) * *element(x, m, incx, i) * *element(y, n, incy, j));      \
        return good;                                                                                                   \
    }                                                                                                                  \
    API cublas##S##dot_v2(Handle, int n, const T *x, int incx, const T *y, int incy, T *result) {                      \
        return *result = T(dot(n, x, incx, y, incy)), good;                                                            \
    }                                                                                                                  \
    API cublas##S##axpy_v2(Handle, int n, const T *alpha, const T *x, int incx, T *y, int incy) {                      \
        for (int i = 0; i < n; i++) *element(y, n, incy, i) += *alpha * *element(x, n, incx, i);                       \
        return good;                                                                                                   \
    }                                                                                                                  \
    API cublas##S##scal_v2(Handle, int n, const T *alpha, T *x, int incx) {                                            \
        for (int i = 0; i < n; i++) *element(x, n, incx, i) *= *alpha;                                                 \
        return good;                                                                                                   \
    }                                                                                                                  \
    API cublas##S##copy_v2(Handle, int n, const T *x, int incx, T *y, int incy) {                                      \
        for (int i = 0; i < n; i++) *element(y, n, incy, i) = *element(x, n, incx, i);                                 \
        return good;                                                                                                   \
    }                                                                                                                  \
    API cublas##S##nrm2_v2(Handle, int n, const T *x, int incx, T *result) {                                           \
        return *result = T(std::sqrt(dot(n, x, incx, x, incx))), good;                                                 \
    }                                                                                                                  \
    API cublas##S##asum_v2(Handle, int n, const T *x, int incx, T *result) {                                           \
        double sum = 0;                                                                                                \
        for (int i = 0; i < n; i++) sum += std::fabs(double(*element(x, n, incx, i)));                                 \
        return *result = T(sum), good;                                                                                 \
    }                                                                                                                  \
    API cublas##S##getrfBatched(Handle, int n, T *const *a, int lda, int *pivots, int *info, int count) {              \
        if (n < 0 || lda < std::max(1, n)) return bad;                                                                 \
        for (int i = 0; i < count; i++) info[i] = factors(n, a[i], lda, pivots ? pivots + i * n : nullptr);            \
        return good;                                                                                                   \
    }                                                                                                                  \
    API cublas##S##getrsBatched(Handle, Op op, int n, int columns, const T *const *a, int lda, const int *pivots,      \
                                T *const *b, int ldb, int *info, int count) {                                          \
        *info = 0;                                                                                                     \
        if (!is_operation(op) || n < 0 || lda < std::max(1, n) || ldb < std::max(1, n)) return bad;                    \
        for (int i = 0; i < count; i++)                                                                                \
            solve(op != CUBLAS_OP_N, n, columns, a[i], lda, pivots ? pivots + i * n : nullptr, b[i], ldb);             \
        return good;                                                                                                   \
    }                                                                                                                  \
    API cublas##S##getriBatched(Handle, int n, const T *const *a, int lda, const int *pivots, T *const *c, int ldc,    \
                                int *info, int count) {                                                                \
        if (n < 0 || lda < std::max(1, n) || ldc < std::max(1, n)) return bad;                                         \
        for (int i = 0; i < count; i++) {                                                                              \
            for (int j = 0; j < n; j++)                                                                                \
                for (int k = 0; k < n; k++) c[i][int64_t(j) * ldc + k] = j == k;                                       \
            solve(false, n, n, a[i], lda, pivots ? pivots + i * n : nullptr, c[i], ldc);                               \
            info[i] = 0;                                                                                               \
        }                                                                                                              \
        return good;                                                                                                   \
    }
LEVELS(S, float)
LEVELS(D, double)

API cublasDotEx(Handle, int n, const void *x, cudaDataType type, int incx, const void *y, cudaDataType y_type, int incy,
                void *result, cudaDataType result_type, cudaDataType) {
    if (type != y_type || type != result_type) return CUBLAS_STATUS_NOT_SUPPORTED;
    const auto into = [&](auto *typed) {
        using T = std::remove_pointer_t<decltype(typed)>;
        return put(*typed, dot(n, static_cast<const T *>(x), incx, static_cast<const T *>(y), incy)), good;
    };
    if (type == CUDA_R_32F) return into(static_cast<float *>(result));
    if (type == CUDA_R_64F) return into(static_cast<double *>(result));
    return type == CUDA_R_16F ? into(static_cast<__half *>(result)) : CUBLAS_STATUS_NOT_SUPPORTED;
}
API cublasSgemmEx(Handle handle, Op ta, Op tb, int m, int n, int k, const float *alpha, const void *a, cudaDataType type,
                  int lda, const void *b, cudaDataType b_type, int ldb, const float *beta, void *c, cudaDataType c_type,
                  int ldc) {
    if (type != b_type || type != c_type) return CUBLAS_STATUS_NOT_SUPPORTED;
    const auto into = [&](auto *typed) {
        using T = std::remove_pointer_t<decltype(typed)>;
        return product(handle, ta, tb, m, n, k, alpha, static_cast<const T *>(a), lda, static_cast<const T *>(b), ldb,
                       beta, typed, ldc);
    };
    if (type == CUDA_R_32F) return into(static_cast<float *>(c));
    return type == CUDA_R_16F ? into(static_cast<__half *>(c)) : CUBLAS_STATUS_NOT_SUPPORTED;
}
}
