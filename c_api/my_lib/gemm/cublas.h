// c_api/my_lib/gemm/cublas.h: the few functions of cuBLAS that are used, declared here and found when first needed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace my_lib {

// Names, numbers and argument lists are those of cuBLAS's ABI, the same in 12 and 13.
struct Cublas {
    using handle = void *;
    enum { success = 0, no_transpose = 0, transpose = 1, default_math = 0, tf32_math = 3 };

    int (*create)(handle *);
    int (*set_stream)(handle, void *stream);
    int (*set_workspace)(handle, void *workspace, size_t size);
    int (*set_math_mode)(handle, int mode);
    int (*sgemm)(handle, int transpose_a, int transpose_b, int64_t m, int64_t n, int64_t k, const float *alpha,
                 const float *a, int64_t lda, const float *b, int64_t ldb, const float *beta, float *c, int64_t ldc);
    int (*dgemm)(handle, int transpose_a, int transpose_b, int64_t m, int64_t n, int64_t k, const double *alpha,
                 const double *a, int64_t lda, const double *b, int64_t ldb, const double *beta, double *c,
                 int64_t ldc);
};

// The library, loaded on the first call; null with the error set where there is none. Not for two threads at once.
const Cublas *cublas();

}  // namespace my_lib
