// c_api/th/linear_algebra/blas.h: column-major linear algebra for every type.
#pragma once

#include <cstdint>

namespace th {
namespace blas {

template <typename T> void swap(int64_t n, T *x, int64_t incx, T *y, int64_t incy);
template <typename T> void copy(int64_t n, T *x, int64_t incx, T *y, int64_t incy);
template <typename T> void scal(int64_t n, T a, T *x, int64_t incx);
template <typename T> void axpy(int64_t n, T a, T *x, int64_t incx, T *y, int64_t incy);
template <typename T> T dot(int64_t n, T *x, int64_t incx, T *y, int64_t incy);
template <typename T>
void gemv(char trans, int64_t m, int64_t n, T alpha, T *a, int64_t lda, T *x, int64_t incx, T beta, T *y, int64_t incy);
template <typename T>
void ger(int64_t m, int64_t n, T alpha, T *x, int64_t incx, T *y, int64_t incy, T *a, int64_t lda);
template <typename T>
void gemm(char transa, char transb, int64_t m, int64_t n, int64_t k, T alpha, T *a, int64_t lda, T *b, int64_t ldb,
          T beta, T *c, int64_t ldc);

}  // namespace blas
}  // namespace th
