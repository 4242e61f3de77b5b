/* TH/generic/THTensorConv.h: convolution and cross-correlation in two and three dimensions. */
#ifndef TH_GENERIC_FILE
#define TH_GENERIC_FILE "generic/THTensorConv.h"
#else

/* ---- On raw arrays: r_ += alpha * (t_ op k_). t_ is ir x ic, k_ is kr x kc; steps sr, sc (3-D: it, kt, st first).
 *      Nothing happens where the kernel does not fit or a step is below 1 -------------------------------------------- */

/* "valid": r_ is ((ir - kr) / sr + 1) x ((ic - kc) / sc + 1). Conv flips the kernel, XCorr does not; Rev puts the
 * kernel where the steps are: ir - (kr - 1) * sr rows. */
TH_API void THTensor_(validXCorr2Dptr)(real *r_, real alpha, real *t_, int64_t ir, int64_t ic, real *k_, int64_t kr,
                                       int64_t kc, int64_t sr, int64_t sc);
TH_API void THTensor_(validConv2Dptr)(real *r_, real alpha, real *t_, int64_t ir, int64_t ic, real *k_, int64_t kr,
                                      int64_t kc, int64_t sr, int64_t sc);
TH_API void THTensor_(validXCorr2DRevptr)(real *r_, real alpha, real *t_, int64_t ir, int64_t ic, real *k_, int64_t kr,
                                          int64_t kc, int64_t sr, int64_t sc);

/* "full": r_ is ((ir - 1) * sr + kr) x ((ic - 1) * sc + kc). */
TH_API void THTensor_(fullXCorr2Dptr)(real *r_, real alpha, real *t_, int64_t ir, int64_t ic, real *k_, int64_t kr,
                                      int64_t kc, int64_t sr, int64_t sc);
TH_API void THTensor_(fullConv2Dptr)(real *r_, real alpha, real *t_, int64_t ir, int64_t ic, real *k_, int64_t kr,
                                     int64_t kc, int64_t sr, int64_t sc);

TH_API void THTensor_(validXCorr3Dptr)(real *r_, real alpha, real *t_, int64_t it, int64_t ir, int64_t ic, real *k_,
                                       int64_t kt, int64_t kr, int64_t kc, int64_t st, int64_t sr, int64_t sc);
TH_API void THTensor_(validConv3Dptr)(real *r_, real alpha, real *t_, int64_t it, int64_t ir, int64_t ic, real *k_,
                                      int64_t kt, int64_t kr, int64_t kc, int64_t st, int64_t sr, int64_t sc);
TH_API void THTensor_(fullXCorr3Dptr)(real *r_, real alpha, real *t_, int64_t it, int64_t ir, int64_t ic, real *k_,
                                      int64_t kt, int64_t kr, int64_t kc, int64_t st, int64_t sr, int64_t sc);
TH_API void THTensor_(fullConv3Dptr)(real *r_, real alpha, real *t_, int64_t it, int64_t ir, int64_t ic, real *k_,
                                     int64_t kt, int64_t kr, int64_t kc, int64_t st, int64_t sr, int64_t sc);
TH_API void THTensor_(validXCorr3DRevptr)(real *r_, real alpha, real *t_, int64_t it, int64_t ir, int64_t ic, real *k_,
                                          int64_t kt, int64_t kr, int64_t kc, int64_t st, int64_t sr, int64_t sc);

/* ---- On tensors: r_ = beta * r_ + alpha * (t_ op k_). vf: "V" valid or "F" full; xc: "X" correlation or "C"
 *      convolution. r_ is resized; beta 0, or a change of its number of elements, starts it from zeros. r_ may be t_ or
 *      k_. Errors: argument 3 or 4, dimensions; 5 to 7, a step below 1; 1, 7 or 8, vf or xc; 2, planes that do not
 *      match, or a kernel larger than the input ---------------------------------------------------------------------- */

/* 2-D image with 2-D kernel. */
TH_API void THTensor_(conv2Dmul)(THTensor *r_, real beta, real alpha, THTensor *t_, THTensor *k_, int64_t srow,
                                 int64_t scol, const char *vf, const char *xc);

/* Plane by plane, 3-D with 3-D. */
TH_API void THTensor_(conv2Dcmul)(THTensor *r_, real beta, real alpha, THTensor *t_, THTensor *k_, int64_t srow,
                                  int64_t scol, const char *vf, const char *xc);

/* 3-D input (planes) with 4-D kernels (output x input planes): summed over input planes. mm: for a 4-D batch. */
TH_API void THTensor_(conv2Dmv)(THTensor *r_, real beta, real alpha, THTensor *t_, THTensor *k_, int64_t srow,
                                int64_t scol, const char *vf, const char *xc);
TH_API void THTensor_(conv2Dmm)(THTensor *r_, real beta, real alpha, THTensor *t_, THTensor *k_, int64_t srow,
                                int64_t scol, const char *vf, const char *xc);

/* Every plane of t_ with every plane of k_: 4-D. Revger and Revgerm: reversed, valid cross-correlation; Revgerm sums
 * over a batch. */
TH_API void THTensor_(conv2Dger)(THTensor *r_, real beta, real alpha, THTensor *t_, THTensor *k_, int64_t srow,
                                 int64_t scol, const char *vf, const char *xc);
TH_API void THTensor_(conv2DRevger)(THTensor *r_, real beta, real alpha, THTensor *t_, THTensor *k_, int64_t srow,
                                    int64_t scol);
TH_API void THTensor_(conv2DRevgerm)(THTensor *r_, real beta, real alpha, THTensor *t_, THTensor *k_, int64_t srow,
                                     int64_t scol);

/* The same in three dimensions. */
TH_API void THTensor_(conv3Dmul)(THTensor *r_, real beta, real alpha, THTensor *t_, THTensor *k_, int64_t sdepth,
                                 int64_t srow, int64_t scol, const char *vf, const char *xc);
TH_API void THTensor_(conv3Dcmul)(THTensor *r_, real beta, real alpha, THTensor *t_, THTensor *k_, int64_t sdepth,
                                  int64_t srow, int64_t scol, const char *vf, const char *xc);
TH_API void THTensor_(conv3Dmv)(THTensor *r_, real beta, real alpha, THTensor *t_, THTensor *k_, int64_t sdepth,
                                int64_t srow, int64_t scol, const char *vf, const char *xc);
TH_API void THTensor_(conv3Dger)(THTensor *r_, real beta, real alpha, THTensor *t_, THTensor *k_, int64_t sdepth,
                                 int64_t srow, int64_t scol, const char *vf, const char *xc);
TH_API void THTensor_(conv3DRevger)(THTensor *r_, real beta, real alpha, THTensor *t_, THTensor *k_, int64_t sdepth,
                                    int64_t srow, int64_t scol);

#endif
