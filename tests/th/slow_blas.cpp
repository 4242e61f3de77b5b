// tests/th/slow_blas.cpp: a BLAS and LAPACK library for test_forks.cpp, which takes a while to load and, as OpenBLAS does,
// registers a handler for forks meanwhile.
#include <atomic>
#include <cstddef>
#include <pthread.h>
#include <unistd.h>

namespace {

std::atomic<bool> was_forked{false};

__attribute__((constructor)) void load() {
    usleep(400000);
    pthread_atfork(nullptr, nullptr, [] { was_forked = true; });
}

}  // namespace

extern "C" {

// What it says instead of a result: U(3, 3) is zero.
void dgesv_(const int *, const int *, double *, const int *, int *, double *, const int *, int *info) { *info = 3; }

void openblas_set_num_threads(int) {}

// c = a b, without transposes and strides: enough for square matrices of ones.
void sgemm_(const char *, const char *, const int *m, const int *n, const int *k, const float *, const float *,
            const int *, const float *, const int *, const float *, float *c, const int *ldc, size_t, size_t) {
    for (int j = 0; j < *n; j++)
        for (int i = 0; i < *m; i++) c[ptrdiff_t(j) * *ldc + i] = float(*k);
}
}
