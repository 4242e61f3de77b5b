/* TH/generic/THTensorLapack.h: linear algebra on matrices; float and double. */
#ifndef TH_GENERIC_FILE
#define TH_GENERIC_FILE "generic/THTensorLapack.h"
#else

/* ---- Solving. Errors: dimensions and sizes; a singular matrix ---------------------------------------------------- */

/* A x = b: rb_ gets x, ra_ the LU factors. */
TH_API void THTensor_(gesv)(THTensor *rb_, THTensor *ra_, THTensor *b_, THTensor *a_);

/* A triangular. uplo "U" or "L", trans "N" or "T", diag "N" or "U" (unit). */
TH_API void THTensor_(trtrs)(THTensor *rb_, THTensor *ra_, THTensor *b_, THTensor *a_, const char *uplo,
                             const char *trans, const char *diag);

/* Least squares; rb_ keeps max(rows, columns) rows. */
TH_API void THTensor_(gels)(THTensor *rb_, THTensor *ra_, THTensor *b_, THTensor *a_);

/* ---- Eigenvalues and singular values ----------------------------------------------------------------------------- */

/* Symmetric: re_ ascending, rv_ the vectors where jobz is "V". */
TH_API void THTensor_(syev)(THTensor *re_, THTensor *rv_, THTensor *a_, const char *jobz, const char *uplo);

/* General: re_ is n x 2 (real, imaginary), rv_ the right vectors where jobvr is "V". */
TH_API void THTensor_(geev)(THTensor *re_, THTensor *rv_, THTensor *a_, const char *jobvr);

/* a = U diag(s) V'. jobu "A" all columns of U and V, "S" min(rows, columns), "N" none. gesvd2 gives LAPACK's
 * overwritten matrix too. */
TH_API void THTensor_(gesvd)(THTensor *ru_, THTensor *rs_, THTensor *rv_, THTensor *a, const char *jobu);
TH_API void THTensor_(gesvd2)(THTensor *ru_, THTensor *rs_, THTensor *rv_, THTensor *ra_, THTensor *a,
                              const char *jobu);

/* ---- Factors and inverses ---------------------------------------------------------------------------------------- */

/* The inverse by LU. */
TH_API void THTensor_(getri)(THTensor *ra_, THTensor *a);

/* Cholesky: the factor; the solution of a x = b from it; the inverse from it. */
TH_API void THTensor_(potrf)(THTensor *ra_, THTensor *a, const char *uplo);
TH_API void THTensor_(potrs)(THTensor *rb_, THTensor *b_, THTensor *a_, const char *uplo);
TH_API void THTensor_(potri)(THTensor *ra_, THTensor *a, const char *uplo);

/* Cholesky with pivoting; rpiv_ counts from 1; tol < 0: LAPACK's default. */
TH_API void THTensor_(pstrf)(THTensor *ra_, THIntTensor *rpiv_, THTensor *a, const char *uplo, real tol);

/* QR: both factors; LAPACK's compact form; Q from it; a product with Q. */
TH_API void THTensor_(qr)(THTensor *rq_, THTensor *rr_, THTensor *a);
TH_API void THTensor_(geqrf)(THTensor *ra_, THTensor *rtau_, THTensor *a);
TH_API void THTensor_(orgqr)(THTensor *ra_, THTensor *a, THTensor *tau);
TH_API void THTensor_(ormqr)(THTensor *ra_, THTensor *a, THTensor *tau, THTensor *c, const char *side,
                             const char *trans);

/* LU of each matrix of a batch, and solutions from it. */
TH_API void THTensor_(btrifact)(THTensor *ra_, THIntTensor *rpivots_, THIntTensor *rinfo_, int pivot, THTensor *a);
TH_API void THTensor_(btrisolve)(THTensor *rb_, THTensor *b, THTensor *atf, THIntTensor *pivots);

#endif
