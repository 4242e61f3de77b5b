// c_api/th/linear_algebra/blas.cpp: the BLAS functions: a library's for float and double, plain loops for the rest.
#include "th/linear_algebra/blas.h"

#include "base/once.h"
#include "th/linear_algebra/blas_library.h"
#include "th/linear_algebra/helpers.h"
#include "th/runtime/export.h"

#include <algorithm>
#include <utility>

namespace th {
namespace blas {
namespace {

bool transposed(char trans) { return trans == 't' || trans == 'T'; }

// The library counts in int.
template <typename... Counts> bool fit_int(Counts... counts) {
    return ((counts >= INT_MIN && counts <= INT_MAX) && ...);
}

template <typename T> struct Routines;  // X(name, returns, parameters...) with T for the element
#define TH_ROUTINES(X)                                                                                                 \
    X(dot, T, const int *, const T *, const int *, const T *, const int *)                                             \
    X(axpy, void, const int *, const T *, const T *, const int *, T *, const int *)                                    \
    X(gemv, void, const char *, const int *, const int *, const T *, const T *, const int *, const T *, const int *,   \
      const T *, T *, const int *, size_t)                                                                             \
    X(ger, void, const int *, const int *, const T *, const T *, const int *, const T *, const int *, T *,             \
      const int *)                                                                                                     \
    X(gemm, void, const char *, const char *, const int *, const int *, const int *, const T *, const T *,             \
      const int *, const T *, const int *, const T *, T *, const int *, size_t, size_t)
#define TH_MEMBER(name, returns, ...) returns (*name)(__VA_ARGS__);
#define TH_FIND(name, returns, ...) reinterpret_cast<returns (*)(__VA_ARGS__)>(blas_routine(prefix #name)),
#define prefix "s"
template <> struct Routines<float> {
    using T = float;
    TH_ROUTINES(TH_MEMBER)
    static Routines find() { return {TH_ROUTINES(TH_FIND)}; }
};
#undef prefix
#define prefix "d"
template <> struct Routines<double> {
    using T = double;
    TH_ROUTINES(TH_MEMBER)
    static Routines find() { return {TH_ROUTINES(TH_FIND)}; }
};
#undef prefix

template <typename T> const Routines<T> &library() {
    static base::Once<Routines<T>> routines;
    return routines.get(Routines<T>::find);
}

// body(first, number) for parts of [0, size): one for each thread that may take part, but no more than the whole has
// grains of work.
template <typename Body> void share(int64_t size, double grains, const Body &body) {
    const int most = grains < 2 ? 1 : int(std::min<double>(product_threads(), grains));
    constexpr int64_t step = 32;  // parts are multiples of what a kernel takes at a time
    const int64_t length = ((size + most - 1) / most + step - 1) / step * step;
    if (most < 2 || length >= size) {
        body(int64_t(0), size);
        return;
    }
    auto part = [&](int number) { body(number * length, std::min(length, size - number * length)); };
    run_with_helpers(int((size + length - 1) / length),
                     [](void *opaque, int number) { (*static_cast<decltype(part) *>(opaque))(number); }, &part);
}

// What is worth a thread, which takes about 50 µs to wake: multiplications and additions of a matrix product, and
// elements of a matrix that is read once.
constexpr double product_grain = 1 << 22, element_grain = 1 << 18;

// y = beta y; beta 0 does not read y.
template <typename T> void scale(int64_t n, T beta, T *y, int64_t incy) {
    if (beta == 1) return;
    for (int64_t i = 0; i < n; i++) y[i * incy] = beta == 0 ? T(0) : T(beta * y[i * incy]);
}

}  // namespace

template <typename T> void swap(int64_t n, T *x, int64_t incx, T *y, int64_t incy) {
    for (int64_t i = 0; i < n; i++) std::swap(x[i * incx], y[i * incy]);
}

template <typename T> void copy(int64_t n, T *x, int64_t incx, T *y, int64_t incy) {
    for (int64_t i = 0; i < n; i++) y[i * incy] = x[i * incx];
}

template <typename T> void scal(int64_t n, T a, T *x, int64_t incx) {
    for (int64_t i = 0; i < n; i++) x[i * incx] = a == 0 ? T(0) : T(a * x[i * incx]);
}

template <typename T> void axpy(int64_t n, T a, T *x, int64_t incx, T *y, int64_t incy) {
    if constexpr (is_floating<T>) {
        if (library<T>().axpy && fit_int(n, incx, incy)) {
            const int n_ = int(n), incx_ = n == 1 ? 1 : int(incx), incy_ = n == 1 ? 1 : int(incy);
            library<T>().axpy(&n_, &a, x, &incx_, y, &incy_);
            return;
        }
    }
    for (int64_t i = 0; i < n; i++) y[i * incy] = T(y[i * incy] + a * x[i * incx]);
}

template <typename T> T dot(int64_t n, T *x, int64_t incx, T *y, int64_t incy) {
    if constexpr (is_floating<T>) {
        if (library<T>().dot && fit_int(n, incx, incy)) {
            const int n_ = int(n), incx_ = n == 1 ? 1 : int(incx), incy_ = n == 1 ? 1 : int(incy);
            return library<T>().dot(&n_, x, &incx_, y, &incy_);
        }
    }
    Accumulate<T> sum = 0;
    for (int64_t i = 0; i < n; i++) sum += Accumulate<T>(x[i * incx]) * y[i * incy];
    return T(sum);
}

template <typename T>
void gemv(char trans, int64_t m, int64_t n, T alpha, T *a, int64_t lda, T *x, int64_t incx, T beta, T *y,
          int64_t incy) {
    if (n == 1) lda = m;
    if constexpr (is_floating<T>) {
        if (library<T>().gemv && fit_int(m, n, lda, incx, incy) && lda >= std::max<int64_t>(1, m) && incx > 0 &&
            incy > 0) {
            const bool t = transposed(trans);
            const char trans_ = t ? 't' : 'n';
            const int lda_ = int(lda), incx_ = int(incx), incy_ = int(incy);
            share(t ? n : m, double(m) * double(n) / element_grain, [&](int64_t first, int64_t number) {
                const int m_ = int(t ? m : number), n_ = int(t ? number : n);
                library<T>().gemv(&trans_, &m_, &n_, &alpha, a + first * (t ? lda : 1), &lda_, x, &incx_, &beta,
                                  y + first * incy, &incy_, 1);
            });
            return;
        }
    }
    if (transposed(trans)) {
        for (int64_t j = 0; j < n; j++) {
            Accumulate<T> sum = 0;
            for (int64_t i = 0; i < m; i++) sum += Accumulate<T>(x[i * incx]) * a[j * lda + i];
            T &out = y[j * incy];
            out = beta == 0 ? T(alpha * sum) : T(beta * out + alpha * sum);
        }
        return;
    }
    scale(m, beta, y, incy);
    for (int64_t j = 0; j < n; j++) {
        const T factor = T(alpha * x[j * incx]);
        for (int64_t i = 0; i < m; i++) y[i * incy] = T(y[i * incy] + factor * a[j * lda + i]);
    }
}

template <typename T>
void ger(int64_t m, int64_t n, T alpha, T *x, int64_t incx, T *y, int64_t incy, T *a, int64_t lda) {
    if (n == 1) lda = m;
    if constexpr (is_floating<T>) {
        if (library<T>().ger && fit_int(m, n, lda, incx, incy) && lda >= std::max<int64_t>(1, m) && incx > 0 &&
            incy > 0) {
            const int m_ = int(m), lda_ = int(lda), incx_ = int(incx), incy_ = int(incy);
            share(n, double(m) * double(n) / element_grain, [&](int64_t first, int64_t number) {
                const int n_ = int(number);
                library<T>().ger(&m_, &n_, &alpha, x, &incx_, y + first * incy, &incy_, a + first * lda, &lda_);
            });
            return;
        }
    }
    for (int64_t j = 0; j < n; j++) {
        const T factor = T(alpha * y[j * incy]);
        for (int64_t i = 0; i < m; i++) a[j * lda + i] = T(a[j * lda + i] + factor * x[i * incx]);
    }
}

template <typename T>
void gemm(char transa, char transb, int64_t m, int64_t n, int64_t k, T alpha, T *a, int64_t lda, T *b, int64_t ldb,
          T beta, T *c, int64_t ldc) {
    const bool ta = transposed(transa), tb = transposed(transb);
    if (n == 1) ldc = m;
    if ((ta ? m : k) == 1) lda = ta ? k : m;
    if ((tb ? k : n) == 1) ldb = tb ? n : k;
    if constexpr (is_floating<T>) {
        const bool lda_fits = lda >= std::max<int64_t>(1, ta ? k : m);
        const bool ldb_fits = ldb >= std::max<int64_t>(1, tb ? n : k);
        if (library<T>().gemm && fit_int(m, n, k, lda, ldb, ldc) && lda_fits && ldb_fits &&
            ldc >= std::max<int64_t>(1, m)) {
            const char ta_ = ta ? 't' : 'n', tb_ = tb ? 't' : 'n';
            const int k_ = int(k), lda_ = int(lda), ldb_ = int(ldb), ldc_ = int(ldc);
            const bool columns = n >= m;  // of c; else its rows
            const double grains = double(m) * double(n) * double(k) / product_grain;
            share(columns ? n : m, grains, [&](int64_t first, int64_t number) {
                const int m_ = int(columns ? m : number), n_ = int(columns ? number : n);
                T *const a_ = columns ? a : a + first * (ta ? lda : 1);
                T *const b_ = columns ? b + first * (tb ? 1 : ldb) : b;
                library<T>().gemm(&ta_, &tb_, &m_, &n_, &k_, &alpha, a_, &lda_, b_, &ldb_, &beta,
                                  c + first * (columns ? ldc : 1), &ldc_, 1, 1);
            });
            return;
        }
    }
    for (int64_t j = 0; j < n; j++) {
        T *column = c + j * ldc;
        if (ta) {  // dot products of columns
            for (int64_t i = 0; i < m; i++) {
                Accumulate<T> sum = 0;
                for (int64_t l = 0; l < k; l++)
                    sum += Accumulate<T>(a[i * lda + l]) * (tb ? b[l * ldb + j] : b[j * ldb + l]);
                column[i] = beta == 0 ? T(alpha * sum) : T(beta * column[i] + alpha * sum);
            }
            continue;
        }
        scale(m, beta, column, 1);
        for (int64_t l = 0; l < k; l++) {
            const T factor = T(alpha * (tb ? b[l * ldb + j] : b[j * ldb + l]));
            for (int64_t i = 0; i < m; i++) column[i] = T(column[i] + factor * a[l * lda + i]);
        }
    }
}

#define TH_INSTANTIATE(Real, T, accreal)                                                                               \
    template void swap(int64_t, T *, int64_t, T *, int64_t);                                                           \
    template void copy(int64_t, T *, int64_t, T *, int64_t);                                                           \
    template void scal(int64_t, T, T *, int64_t);                                                                      \
    template void axpy(int64_t, T, T *, int64_t, T *, int64_t);                                                        \
    template T dot(int64_t, T *, int64_t, T *, int64_t);                                                               \
    template void gemv(char, int64_t, int64_t, T, T *, int64_t, T *, int64_t, T, T *, int64_t);                        \
    template void ger(int64_t, int64_t, T, T *, int64_t, T *, int64_t, T *, int64_t);                                  \
    template void gemm(char, char, int64_t, int64_t, int64_t, T, T *, int64_t, T *, int64_t, T, T *, int64_t);
TH_EVERY_REAL(TH_INSTANTIATE)
#undef TH_INSTANTIATE

}  // namespace blas
}  // namespace th

extern "C" {
#define TH_BLAS(returns, name, ...) TH_EXPORT(returns, THBlas_(name), ::th::blas::name<real>, __VA_ARGS__)
#define TH_GENERIC_FILE "th/linear_algebra/blas_exports.h"
#include <TH/THGenerateAllTypes.h>
}
