// c_api/th/linear_algebra/blas_exports.h: what blas.cpp exports for each type.
TH_BLAS(void, swap, int64_t, real *, int64_t, real *, int64_t)
TH_BLAS(void, copy, int64_t, real *, int64_t, real *, int64_t)
TH_BLAS(void, scal, int64_t, real, real *, int64_t)
TH_BLAS(void, axpy, int64_t, real, real *, int64_t, real *, int64_t)
TH_BLAS(real, dot, int64_t, real *, int64_t, real *, int64_t)
TH_BLAS(void, gemv, char, int64_t, int64_t, real, real *, int64_t, real *, int64_t, real, real *, int64_t)
TH_BLAS(void, ger, int64_t, int64_t, real, real *, int64_t, real *, int64_t, real *, int64_t)
TH_BLAS(void, gemm, char, char, int64_t, int64_t, int64_t, real, real *, int64_t, real *, int64_t, real, real *,
        int64_t)
