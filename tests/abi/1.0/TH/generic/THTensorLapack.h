/* TH/generic/THTensorLapack.h: linear algebra on matrices; float and double. */
#ifndef TH_GENERIC_FILE
#define TH_GENERIC_FILE "generic/THTensorLapack.h"
#else

/* Where a and b may be NULL (gesv, trtrs, gels, syev, geev, gesvd2, getri, potr?, pstrf, geqrf, orgqr, ormqr, bt*) the result
 * tensors ra_, rb_ or rv_ are the input. A result is stored by columns, as LAPACK has it; where it is the input too and
 * its size fits, it keeps its strides. A square result of the right size, stored neither by rows nor by columns and not
 * the input, is filled as the original did: its memory is n columns of n numbers, whatever its strides say.
 * A failed computation changes no other result. */

/* ---- Solving. b: a matrix, or a vector, whose solution is a matrix of one column. Errors: arguments 1 and 2,
 *      dimensions and sizes; a singular matrix ----------------------------------------------------------------------- */

/* A x = b: rb_ gets x, ra_ the LU factors. */
TH_API void THTensor_(gesv)(THTensor *rb_, THTensor *ra_, THTensor *b_, THTensor *a_);

/* A triangular. uplo "U" or "L", trans "N" or "T", diag "N" or "U" (unit). */
TH_API void THTensor_(trtrs)(THTensor *rb_, THTensor *ra_, THTensor *b_, THTensor *a_, const char *uplo,
                             const char *trans, const char *diag);

/* Least squares, or the shortest solution; rb_ keeps max(rows, columns) rows, the solution on top. Under TH_COMPAT=7 it
 * has the solution's rows only. */
TH_API void THTensor_(gels)(THTensor *rb_, THTensor *ra_, THTensor *b_, THTensor *a_);

/* ---- Eigenvalues and singular values ----------------------------------------------------------------------------- */

/* Symmetric: re_ ascending, rv_ the vectors where jobz is "V". */
TH_API void THTensor_(syev)(THTensor *re_, THTensor *rv_, THTensor *a_, const char *jobz, const char *uplo);

/* General: re_ is n x 2 (real, imaginary), rv_ the right vectors where jobvr is "V". */
TH_API void THTensor_(geev)(THTensor *re_, THTensor *rv_, THTensor *a_, const char *jobvr);

/* a = U diag(s) V'. jobu "A" all columns of U and V, "S" min(rows, columns), "N" none: zeros. gesvd2 gives LAPACK's
 * overwritten matrix too. Errors: argument 6, another jobu; NaN or infinity in a. */
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

/* QR: both factors; LAPACK's compact form; Q from it, as many columns as tau has elements, the rest left as they are;
 * a product of c with Q. Errors of orgqr and ormqr: argument 3, a tau that does not fit a; 4, a c that does not. */
TH_API void THTensor_(qr)(THTensor *rq_, THTensor *rr_, THTensor *a);
TH_API void THTensor_(geqrf)(THTensor *ra_, THTensor *rtau_, THTensor *a);
TH_API void THTensor_(orgqr)(THTensor *ra_, THTensor *a, THTensor *tau);
TH_API void THTensor_(ormqr)(THTensor *ra_, THTensor *a, THTensor *tau, THTensor *c, const char *side,
                             const char *trans);

/* LU of each matrix of a batch, and solutions from it; b is batch x n or batch x n x columns. With rinfo_, matrices that
 * are singular are marked in it; with NULL they are an error, and so is pivot 0. Error: argument 4, pivots that are
 * not from 1 to n. */
TH_API void THTensor_(btrifact)(THTensor *ra_, THIntTensor *rpivots_, THIntTensor *rinfo_, int pivot, THTensor *a);
TH_API void THTensor_(btrisolve)(THTensor *rb_, THTensor *b, THTensor *atf, THIntTensor *pivots);

#endif
