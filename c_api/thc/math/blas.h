// c_api/thc/math/blas.h: column-major linear algebra on the GPU for half, float and double.
#pragma once

#include "thc/runtime/types.h"

namespace th {
namespace blas {

// `trans` is 'n', 't' or 'c'. Sizes that do not fit an int are an Error.
template <typename T> T dot(int64_t n, T *x, int64_t incx, T *y, int64_t incy);
template <typename T>
void gemv(char trans, int64_t m, int64_t n, T alpha, T *a, int64_t lda, T *x, int64_t incx, T beta, T *y, int64_t incy);
template <typename T>
void ger(int64_t m, int64_t n, T alpha, T *x, int64_t incx, T *y, int64_t incy, T *a, int64_t lda);
template <typename T>
void gemm(char transa, char transb, int64_t m, int64_t n, int64_t k, T alpha, const T *a, int64_t lda, const T *b,
          int64_t ldb, T beta, T *c, int64_t ldc);
template <typename T>
void gemm_strided(char transa, char transb, int64_t m, int64_t n, int64_t k, T alpha, const T *a, int64_t lda,
                  int64_t stride_a, const T *b, int64_t ldb, int64_t stride_b, T beta, T *c, int64_t ldc,
                  int64_t stride_c, int64_t count);

// LU of `count` matrices, addressed on the GPU, and solutions from it, for float and double; rows are numbered from 1.
// `pivot` NULL: rows are not exchanged. `info` of getrf is on the GPU, that of getrs is not.
template <typename T> void getrf(int n, T **a, int lda, int *pivot, int *info, int count);
template <typename T>
void getrs(char trans, int n, int nrhs, const T **a, int lda, int *pivot, T **b, int ldb, int *info, int count);

}  // namespace blas
}  // namespace th
