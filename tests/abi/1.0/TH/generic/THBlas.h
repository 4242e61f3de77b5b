/* TH/generic/THBlas.h: the BLAS of column-major matrices, for every type. */
#ifndef TH_GENERIC_FILE
#define TH_GENERIC_FILE "generic/THBlas.h"
#else

/* ---- Vectors: n elements, every incx-th -------------------------------------------------------------------------- */

TH_API void THBlas_(swap)(int64_t n, real *x, int64_t incx, real *y, int64_t incy);
TH_API void THBlas_(copy)(int64_t n, real *x, int64_t incx, real *y, int64_t incy);

/* x = a x; y = a x + y. */
TH_API void THBlas_(scal)(int64_t n, real a, real *x, int64_t incx);
TH_API void THBlas_(axpy)(int64_t n, real a, real *x, int64_t incx, real *y, int64_t incy);

/* sum of x[i] * y[i]. */
TH_API real THBlas_(dot)(int64_t n, real *x, int64_t incx, real *y, int64_t incy);

/* ---- Matrices: column-major, leading dimension lda --------------------------------------------------------------- */

/* y = alpha op(a) x + beta y; a is m x n, transposed where trans is 't' or 'T'. beta 0 does not read y. */
TH_API void THBlas_(gemv)(char trans, int64_t m, int64_t n, real alpha, real *a, int64_t lda, real *x, int64_t incx,
                          real beta, real *y, int64_t incy);

/* a = alpha x y' + a. */
TH_API void THBlas_(ger)(int64_t m, int64_t n, real alpha, real *x, int64_t incx, real *y, int64_t incy, real *a,
                         int64_t lda);

/* c = alpha op(a) op(b) + beta c; c is m x n, op(a) m x k. Leading dimensions do not matter where there is one
 * column. beta 0 does not read c. */
TH_API void THBlas_(gemm)(char transa, char transb, int64_t m, int64_t n, int64_t k, real alpha, real *a, int64_t lda,
                          real *b, int64_t ldb, real beta, real *c, int64_t ldc);

#endif
