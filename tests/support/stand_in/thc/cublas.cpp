// tests/support/stand_in/thc/cublas.cpp: a stand-in for cuBLAS, loaded as libthc loads the real one: plain loops over
// columns.
#include <cuda_fp16.h>

#include <dlfcn.h>

#include <cmath>
#include <cstdlib>
#include <utility>

namespace {

struct Handle {
    void *stream;
    int device;  // the one that was current when it was made
};

int current_device() {
    auto *ask = reinterpret_cast<int (*)(int *)>(dlsym(RTLD_DEFAULT, "cudaGetDevice"));  // of the program
    int device = -1;
    if (ask) ask(&device);
    return device;
}

void require(bool condition) {
    if (!condition) std::abort();
}

template <typename T>
int product(void *handle, int ta, int tb, int m, int n, int k, const T *alpha, const T *a, int lda, const T *b, int ldb,
            const T *beta, T *c, int ldc) {
    require(handle && lda >= (ta ? k : m) && ldb >= (tb ? n : k) && ldc >= m);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            double sum = 0;
            for (int l = 0; l < k; l++)
                sum += double(a[ta ? int64_t(i) * lda + l : int64_t(l) * lda + i]) *
                       double(b[tb ? int64_t(l) * ldb + j : int64_t(j) * ldb + l]);
            T &to = c[int64_t(j) * ldc + i];
            to = T(float(*beta) == 0 ? double(*alpha) * sum : double(*alpha) * sum + double(*beta) * double(to));
        }
    return 0;
}

// Rows are exchanged where there are pivots, which count from 1. The info is the first pivot that is 0, or 0.
template <typename T> int factors(int n, T *a, int lda, int *pivots) {
    int info = 0;
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; pivots && i < n; i++)
            if (std::abs(a[int64_t(k) * lda + i]) > std::abs(a[int64_t(k) * lda + best])) best = i;
        if (pivots) pivots[k] = best + 1;
        for (int j = 0; best != k && j < n; j++) std::swap(a[int64_t(j) * lda + k], a[int64_t(j) * lda + best]);
        const T pivot = a[int64_t(k) * lda + k];
        if (pivot == 0 && !info) info = k + 1;
        for (int i = k + 1; pivot != 0 && i < n; i++) {
            const T by = a[int64_t(k) * lda + i] /= pivot;
            for (int j = k + 1; j < n; j++) a[int64_t(j) * lda + i] -= by * a[int64_t(j) * lda + k];
        }
    }
    return info;
}

// b = the solution x of (P L U) x = b, or of its transpose.
template <typename T>
void solve(bool transposed, int n, int columns, const T *a, int lda, const int *pivots, T *b, int ldb) {
    const auto at = [=](int i, int j) { return double(a[int64_t(j) * lda + i]); };
    for (int c = 0; c < columns; c++, b += ldb) {
        for (int k = 0; !transposed && pivots && k < n; k++) std::swap(b[k], b[pivots[k] - 1]);
        for (int i = 0; i < n; i++) {  // L, or the transpose of U
            double sum = double(b[i]);
            for (int j = 0; j < i; j++) sum -= (transposed ? at(j, i) : at(i, j)) * double(b[j]);
            b[i] = T(transposed ? sum / at(i, i) : sum);
        }
        for (int i = n - 1; i >= 0; i--) {
            double sum = double(b[i]);
            for (int j = i + 1; j < n; j++) sum -= (transposed ? at(j, i) : at(i, j)) * double(b[j]);
            b[i] = T(transposed ? sum : sum / at(i, i));
        }
        for (int k = n - 1; transposed && pivots && k >= 0; k--) std::swap(b[k], b[pivots[k] - 1]);
    }
}

}  // namespace

extern "C" {

int cublasCreate_v2(void **handle) { return *handle = new Handle{nullptr, current_device()}, 0; }
int stand_in_device(void *handle) { return static_cast<Handle *>(handle)->device; }
int cublasSetStream_v2(void *handle, void *stream) { return static_cast<Handle *>(handle)->stream = stream, 0; }
int cublasGetStream_v2(void *handle, void **stream) { return *stream = static_cast<Handle *>(handle)->stream, 0; }

#define GEMM(letter, T, name)                                                                                          \
    int cublas##letter##name(void *handle, int ta, int tb, int m, int n, int k, const T *alpha, const T *a, int lda,   \
                             const T *b, int ldb, const T *beta, T *c, int ldc) {                                      \
        return product(handle, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);                                  \
    }                                                                                                                  \
    int cublas##letter##gemmStridedBatched(void *handle, int ta, int tb, int m, int n, int k, const T *alpha,          \
                                           const T *a, int lda, long long sa, const T *b, int ldb, long long sb,       \
                                           const T *beta, T *c, int ldc, long long sc, int count) {                    \
        for (int i = 0; i < count; i++)                                                                                \
            product(handle, ta, tb, m, n, k, alpha, a + i * sa, lda, b + i * sb, ldb, beta, c + i * sc, ldc);          \
        return 0;                                                                                                      \
    }
GEMM(S, float, gemm_v2)
GEMM(D, double, gemm_v2)
GEMM(H, half, gemm)

#define FLOATS(letter, T)                                                                                              \
    int cublas##letter##gemmBatched(void *handle, int ta, int tb, int m, int n, int k, const T *alpha,                 \
                                    const T *const *a, int lda, const T *const *b, int ldb, const T *beta,             \
                                    T *const *c, int ldc, int count) {                                                 \
        for (int i = 0; i < count; i++)                                                                                \
            product(handle, ta, tb, m, n, k, alpha, a[i], lda, b[i], ldb, beta, c[i], ldc);                            \
        return 0;                                                                                                      \
    }                                                                                                                  \
    int cublas##letter##gemv_v2(void *handle, int trans, int m, int n, const T *alpha, const T *a, int lda,            \
                                const T *x, int incx, const T *beta, T *y, int incy) {                                 \
        return product(handle, 0, trans ? 0 : 1, 1, trans ? n : m, trans ? m : n, alpha, x, incx, a, lda, beta, y,     \
                       incy);                                                                                          \
    }                                                                                                                  \
    int cublas##letter##ger_v2(void *handle, int m, int n, const T *alpha, const T *x, int incx, const T *y, int incy, \
                               T *a, int lda) {                                                                        \
        const T one = 1;                                                                                               \
        return product(handle, 1, 0, m, n, 1, alpha, x, incx, y, incy, &one, a, lda);                                  \
    }                                                                                                                  \
    int cublas##letter##dot_v2(void *handle, int n, const T *x, int incx, const T *y, int incy, T *result) {           \
        const T one = 1, zero = 0;                                                                                     \
        return product(handle, 0, 1, 1, 1, n, &one, x, incx, y, incy, &zero, result, 1);                               \
    }
FLOATS(S, float)
FLOATS(D, double)

#define FACTORS(letter, T)                                                                                             \
    int cublas##letter##getrfBatched(void *handle, int n, T *const *a, int lda, int *pivots, int *info, int count) {   \
        require(handle && lda >= n);                                                                                   \
        for (int i = 0; i < count; i++) info[i] = factors(n, a[i], lda, pivots ? pivots + i * n : nullptr);            \
        return 0;                                                                                                      \
    }                                                                                                                  \
    int cublas##letter##getrsBatched(void *handle, int trans, int n, int columns, const T *const *a, int lda,          \
                                     const int *pivots, T *const *b, int ldb, int *info, int count) {                  \
        require(handle && lda >= n && ldb >= n);                                                                       \
        for (int i = 0; i < count; i++)                                                                                \
            solve(trans != 0, n, columns, a[i], lda, pivots ? pivots + i * n : nullptr, b[i], ldb);                    \
        *info = 0;                                                                                                     \
        return 0;                                                                                                      \
    }                                                                                                                  \
    int cublas##letter##getriBatched(void *handle, int n, const T *const *a, int lda, const int *pivots, T *const *c,  \
                                     int ldc, int *info, int count) {                                                  \
        require(handle && lda >= n && ldc >= n);                                                                       \
        for (int i = 0; i < count; i++) {                                                                              \
            for (int j = 0; j < n; j++)                                                                                \
                for (int k = 0; k < n; k++) c[i][int64_t(j) * ldc + k] = j == k;                                       \
            solve(false, n, n, a[i], lda, pivots ? pivots + i * n : nullptr, c[i], ldc);                               \
            info[i] = 0;                                                                                               \
        }                                                                                                              \
        return 0;                                                                                                      \
    }
FACTORS(S, float)
FACTORS(D, double)

int cublasDotEx(void *handle, int n, const void *x, int, int incx, const void *y, int, int incy, void *result, int,
                int) {
    const half one = 1.f, zero = 0.f;
    return product(handle, 0, 1, 1, 1, n, &one, static_cast<const half *>(x), incx, static_cast<const half *>(y), incy,
                   &zero, static_cast<half *>(result), 1);
}
}
