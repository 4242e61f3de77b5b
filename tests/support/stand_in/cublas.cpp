// tests/support/stand_in/cublas.cpp: a stand-in for cuBLAS, loaded as the library loads the real one.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace {

struct Handle {
    void *stream, *workspace;
    int math_mode;
};

// A use of cuBLAS that the real one would answer with wrong results, or much later.
void require(bool condition, const char *what) {
    if (condition) return;
    std::fprintf(stderr, "cublas stand-in: %s\n", what);
    std::abort();
}

// output = alpha a b + beta output, by columns.
template <typename T>
int multiply(void *handle, int transpose_a, int transpose_b, int64_t m, int64_t n, int64_t k, const T *alpha,
             const T *a, int64_t lda, const T *b, int64_t ldb, const T *beta, T *c, int64_t ldc) {
    require(static_cast<Handle *>(handle)->workspace, "a product before the workspace was set for this stream");
    require(lda >= (transpose_a ? k : m) && ldb >= (transpose_b ? n : k) && ldc >= m, "columns that overlap");
    for (int64_t column = 0; column < n; ++column)
        for (int64_t row = 0; row < m; ++row) {
            long double sum = 0;
            for (int64_t i = 0; i < k; ++i)
                sum += static_cast<long double>(a[transpose_a ? row * lda + i : i * lda + row]) *
                       b[transpose_b ? i * ldb + column : column * ldb + i];
            T &to = c[column * ldc + row];
            to = static_cast<T>(*alpha * sum + (*beta == 0 ? 0 : *beta * static_cast<long double>(to)));
        }
    return 0;
}

Handle *last = nullptr;

}  // namespace

extern "C" {

int cublasCreate_v2(void **handle) {
    *handle = last = new Handle{};  // the library keeps its handles for good, and this one is reachable from `last`
    return 0;
}

int cublasSetStream_v2(void *handle, void *stream) {
    auto *h = static_cast<Handle *>(handle);
    h->stream = stream;
    h->workspace = nullptr;
    return 0;
}

int cublasSetWorkspace_v2(void *handle, void *workspace, size_t size) {
    require(reinterpret_cast<uintptr_t>(workspace) % 256 == 0, "a workspace that is not aligned to 256 bytes");
    for (size_t i = 0; i < size; i += 4096) static_cast<char *>(workspace)[i] = 1;
    if (size) static_cast<char *>(workspace)[size - 1] = 1;
    static_cast<Handle *>(handle)->workspace = workspace;
    return 0;
}

int cublasSetMathMode(void *handle, int mode) {
    static_cast<Handle *>(handle)->math_mode = mode;
    return 0;
}

int cublasSgemm_v2_64(void *handle, int transpose_a, int transpose_b, int64_t m, int64_t n, int64_t k,
                      const float *alpha, const float *a, int64_t lda, const float *b, int64_t ldb, const float *beta,
                      float *c, int64_t ldc) {
    return multiply(handle, transpose_a, transpose_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

int cublasDgemm_v2_64(void *handle, int transpose_a, int transpose_b, int64_t m, int64_t n, int64_t k,
                      const double *alpha, const double *a, int64_t lda, const double *b, int64_t ldb,
                      const double *beta, double *c, int64_t ldc) {
    return multiply(handle, transpose_a, transpose_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

// For tests: the stream and math mode of the last handle made.
void *stand_in_stream(void) { return last ? last->stream : nullptr; }
int stand_in_math_mode(void) { return last ? last->math_mode : -1; }

}
