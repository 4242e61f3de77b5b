// c_api/thc/math/blas.cpp: the BLAS functions, by cuBLAS on the current stream.
#include "thc/math/blas.h"

#include "thc/runtime/errors.h"
#include "thc/runtime/export.h"
#include "thc/runtime/handles.h"

#include <THC/THCBlas.h>

#include <climits>

namespace th {
namespace blas {
namespace {

int operation(char trans) {
    switch (trans) {
    case 'n': return 0;
    case 't': return 1;
    case 'c': return 2;
    default: TH_ERROR("trans must be one of: t, n, c");
    }
}

int narrow_to_int(const char *function, int64_t value) {
    TH_CHECK(value >= INT_MIN && value <= INT_MAX, "%s: expected sizes and strides of at most %d, got %lld", function,
             INT_MAX, (long long)value);
    return int(value);
}

// A function of cuBLAS called through its name, with the handle first. Half has a letter of its own.
template <typename T> const char letter = 'S';
template <> const char letter<double> = 'D';
template <> const char letter<half> = 'H';

template <typename T, typename... Arguments> void call(const char *name, Arguments... arguments) {
    char symbol[64];
    snprintf(symbol, sizeof symbol, "cublas%c%s", letter<T>, name);
    auto *function = reinterpret_cast<int (*)(void *, Arguments...)>(cublas_function(symbol));
    CUBLAS_CHECK(function(blas_handle(), arguments...));
}

}  // namespace

template <typename T> T dot(int64_t n, T *x, int64_t incx, T *y, int64_t incy) {
    if (n == 1) incx = incy = 1;
    const int n_ = narrow_to_int("dot", n), incx_ = narrow_to_int("dot", incx), incy_ = narrow_to_int("dot", incy);
    T result;
    if constexpr (std::is_same<T, half>::value) {
        constexpr int half_type = 2, float_type = 0;  // cudaDataType
        auto *function = reinterpret_cast<int (*)(void *, int, const void *, int, int, const void *, int, int, void *,
                                                  int, int)>(cublas_function("cublasDotEx"));
        CUBLAS_CHECK(function(blas_handle(), n_, x, half_type, incx_, y, half_type, incy_, &result, half_type,
                              float_type));
    } else {
        call<T>("dot_v2", n_, static_cast<const T *>(x), incx_, static_cast<const T *>(y), incy_, &result);
    }
    return result;
}

template <typename T>
void gemv(char trans, int64_t m, int64_t n, T alpha, T *a, int64_t lda, T *x, int64_t incx, T beta, T *y,
          int64_t incy) {
    if constexpr (std::is_same<T, half>::value) {  // y, with its stride as leading dimension, is the row of a product
        const bool plain = operation(trans) == 0;
        gemm<T>('n', plain ? 't' : 'n', 1, plain ? m : n, plain ? n : m, alpha, x, incx, a, lda, beta, y, incy);
    } else {
        if (n == 1) lda = m;
        call<T>("gemv_v2", operation(trans), narrow_to_int("gemv", m), narrow_to_int("gemv", n),
                static_cast<const T *>(&alpha), static_cast<const T *>(a), narrow_to_int("gemv", lda),
                static_cast<const T *>(x), narrow_to_int("gemv", incx), static_cast<const T *>(&beta), y,
                narrow_to_int("gemv", incy));
    }
}

template <typename T>
void ger(int64_t m, int64_t n, T alpha, T *x, int64_t incx, T *y, int64_t incy, T *a, int64_t lda) {
    if constexpr (std::is_same<T, half>::value) {
        gemm<T>('t', 'n', m, n, 1, alpha, x, incx, y, incy, half(1.f), a, lda);
    } else {
        if (n == 1) lda = m;
        call<T>("ger_v2", narrow_to_int("ger", m), narrow_to_int("ger", n), static_cast<const T *>(&alpha),
                static_cast<const T *>(x), narrow_to_int("ger", incx), static_cast<const T *>(y),
                narrow_to_int("ger", incy), a, narrow_to_int("ger", lda));
    }
}

namespace {

// Sizes of a product as cuBLAS takes them; a leading dimension that nothing depends on is repaired.
struct Product {
    int ta, tb, m, n, k, lda, ldb, ldc;

    Product(const char *function, char transa, char transb, int64_t m, int64_t n, int64_t k, int64_t lda, int64_t ldb,
            int64_t ldc)
        : ta(operation(transa)), tb(operation(transb)), m(narrow_to_int(function, m)), n(narrow_to_int(function, n)),
          k(narrow_to_int(function, k)), lda(narrow_to_int(function, (ta ? m : k) == 1 ? (ta ? k : m) : lda)),
          ldb(narrow_to_int(function, (tb ? k : n) == 1 ? (tb ? n : k) : ldb)),
          ldc(narrow_to_int(function, n == 1 ? m : ldc)) {}
};

}  // namespace

template <typename T>
void gemm(char transa, char transb, int64_t m, int64_t n, int64_t k, T alpha, const T *a, int64_t lda, const T *b,
          int64_t ldb, T beta, T *c, int64_t ldc) {
    const Product p("gemm", transa, transb, m, n, k, lda, ldb, ldc);
    call<T>(std::is_same<T, half>::value ? "gemm" : "gemm_v2", p.ta, p.tb, p.m, p.n, p.k,
            static_cast<const T *>(&alpha), a, p.lda, b, p.ldb, static_cast<const T *>(&beta), c, p.ldc);
}

template <typename T>
void gemm_strided(char transa, char transb, int64_t m, int64_t n, int64_t k, T alpha, const T *a, int64_t lda,
                  int64_t stride_a, const T *b, int64_t ldb, int64_t stride_b, T beta, T *c, int64_t ldc,
                  int64_t stride_c, int64_t count) {
    const Product p("gemmStridedBatched", transa, transb, m, n, k, lda, ldb, ldc);
    call<T>("gemmStridedBatched", p.ta, p.tb, p.m, p.n, p.k, static_cast<const T *>(&alpha), a, p.lda,
            (long long)stride_a, b, p.ldb, (long long)stride_b, static_cast<const T *>(&beta), c, p.ldc,
            (long long)stride_c, narrow_to_int("gemmStridedBatched", count));
}

namespace {

template <typename T>
void gemm_batched(char transa, char transb, int64_t m, int64_t n, int64_t k, T alpha, const T **a, int64_t lda,
                  const T **b, int64_t ldb, T beta, T **c, int64_t ldc, int64_t count) {
    const Product p("gemmBatched", transa, transb, m, n, k, lda, ldb, ldc);
    call<T>("gemmBatched", p.ta, p.tb, p.m, p.n, p.k, static_cast<const T *>(&alpha), a, p.lda, b, p.ldb,
            static_cast<const T *>(&beta), c, p.ldc, narrow_to_int("gemmBatched", count));
}

}  // namespace

template <typename T> void getrf(int n, T **a, int lda, int *pivot, int *info, int count) {
    call<T>("getrfBatched", n, a, lda, pivot, info, count);
}

template <typename T>
void getrs(char trans, int n, int nrhs, const T **a, int lda, int *pivot, T **b, int ldb, int *info, int count) {
    call<T>("getrsBatched", operation(trans), n, nrhs, a, lda, static_cast<const int *>(pivot), b, ldb, info, count);
}

namespace {

template <typename T> void getri(int n, const T **a, int lda, int *pivot, T **c, int ldc, int *info, int count) {
    call<T>("getriBatched", n, a, lda, static_cast<const int *>(pivot), c, ldc, info, count);
}

}  // namespace

#define THC_INSTANTIATE(T)                                                                                             \
    template T dot(int64_t, T *, int64_t, T *, int64_t);                                                               \
    template void gemv(char, int64_t, int64_t, T, T *, int64_t, T *, int64_t, T, T *, int64_t);                        \
    template void ger(int64_t, int64_t, T, T *, int64_t, T *, int64_t, T *, int64_t);                                  \
    template void gemm(char, char, int64_t, int64_t, int64_t, T, const T *, int64_t, const T *, int64_t, T, T *,       \
                       int64_t);                                                                                       \
    template void gemm_strided(char, char, int64_t, int64_t, int64_t, T, const T *, int64_t, int64_t, const T *,       \
                               int64_t, int64_t, T, T *, int64_t, int64_t, int64_t);
THC_INSTANTIATE(half)
THC_INSTANTIATE(float)
THC_INSTANTIATE(double)

#define THC_INSTANTIATE_LU(T)                                                                                          \
    template void getrf(int, T **, int, int *, int *, int);                                                            \
    template void getrs(char, int, int, const T **, int, int *, T **, int, int *, int);
THC_INSTANTIATE_LU(float)
THC_INSTANTIATE_LU(double)

}  // namespace blas
}  // namespace th

extern "C" {
#define THC_BLAS(returns, name, function, ...) THC_EXPORT(returns, name, ::th::blas::function, __VA_ARGS__)
#define THC_BLAS_OF(prefix, T)                                                                                         \
    THC_BLAS(T, THCudaBlas_##prefix##dot, dot<T>, int64_t, T *, int64_t, T *, int64_t)                                 \
    THC_BLAS(void, THCudaBlas_##prefix##gemm, gemm<T>, char, char, int64_t, int64_t, int64_t, T, T *, int64_t, T *,    \
             int64_t, T, T *, int64_t)
#define THC_BLAS_OF_FLOATS(prefix, T)                                                                                  \
    THC_BLAS(void, THCudaBlas_##prefix##gemv, gemv<T>, char, int64_t, int64_t, T, T *, int64_t, T *, int64_t, T, T *,  \
             int64_t)                                                                                                  \
    THC_BLAS(void, THCudaBlas_##prefix##ger, ger<T>, int64_t, int64_t, T, T *, int64_t, T *, int64_t, T *, int64_t)    \
    THC_BLAS(void, THCudaBlas_##prefix##gemmBatched, gemm_batched<T>, char, char, int64_t, int64_t, int64_t, T,        \
             const T **, int64_t, const T **, int64_t, T, T **, int64_t, int64_t)                                      \
    void THCudaBlas_##prefix##gemmStridedBatched(                                                                      \
        THCState *, char ta, char tb, int64_t m, int64_t n, int64_t k, T alpha, const T *a, int64_t lda,               \
        int64_t stride_a, const T *b, int64_t ldb, int64_t stride_b, T beta, T *c, int64_t ldc, int64_t stride_c,      \
        int64_t count) {                                                                                               \
        th::guarded([&] {                                                                                              \
            th::blas::gemm_strided<T>(ta, tb, m, n, k, alpha, a, lda, stride_a, b, ldb, stride_b, beta, c, ldc,        \
                                      stride_c, count);                                                                \
        });                                                                                                            \
    }                                                                                                                  \
    THC_BLAS(void, THCudaBlas_##prefix##getrf, getrf<T>, int, T **, int, int *, int *, int)                            \
    THC_BLAS(void, THCudaBlas_##prefix##getrs, getrs<T>, char, int, int, const T **, int, int *, T **, int, int *,     \
             int)                                                                                                      \
    THC_BLAS(void, THCudaBlas_##prefix##getri, getri<T>, int, const T **, int, int *, T **, int, int *, int)
THC_BLAS_OF(S, float)
THC_BLAS_OF(D, double)
THC_BLAS_OF(H, half)
THC_BLAS_OF_FLOATS(S, float)
THC_BLAS_OF_FLOATS(D, double)
}
