/* THC/generic/THCTensorMath.h: mathematics on the GPU, in the words of TH/generic/THTensorMath.h. */
#ifndef THC_GENERIC_FILE
#define THC_GENERIC_FILE "generic/THCTensorMath.h"
#else

THC_API void THCTensor_(fill)(THCState *state, THCTensor *self, real value);
THC_API void THCTensor_(zero)(THCState *state, THCTensor *self);
THC_API ptrdiff_t THCTensor_(numel)(THCState *state, THCTensor *t);

/* self = src1 + value * src2, and - instead of +. self is resized as src1. */
THC_API void THCTensor_(cadd)(THCState *state, THCTensor *self, THCTensor *src1, real value, THCTensor *src2);
THC_API void THCTensor_(csub)(THCState *state, THCTensor *self, THCTensor *src1, real value, THCTensor *src2);

/* Of all elements; waits for the current stream. */
THC_API accreal THCTensor_(sumall)(THCState *state, THCTensor *self);

/* Adds each element of src to the one of self that index, of src's shape, names along dim. */
THC_API void THCTensor_(scatterAdd)(THCState *state, THCTensor *tensor, int dim, THCudaLongTensor *index,
                                    THCTensor *src);

/* 1 with probability p, else 0. The numbers are not those of the original's generator. */
THC_API void THCTensor_(bernoulli)(THCState *state, THCTensor *self, double p);

/* ---- Linear algebra, as TH's; other types than half, float and double are an error ------------------------------- */

THC_API accreal THCTensor_(dot)(THCState *state, THCTensor *self, THCTensor *src);
THC_API void THCTensor_(addmv)(THCState *state, THCTensor *self, real beta, THCTensor *t, real alpha, THCTensor *mat,
                               THCTensor *vec);
THC_API void THCTensor_(addmm)(THCState *state, THCTensor *self, real beta, THCTensor *t, real alpha, THCTensor *mat1,
                               THCTensor *mat2);
THC_API void THCTensor_(addr)(THCState *state, THCTensor *self, real beta, THCTensor *t, real alpha, THCTensor *vec1,
                              THCTensor *vec2);
THC_API void THCTensor_(addbmm)(THCState *state, THCTensor *result, real beta, THCTensor *t, real alpha,
                                THCTensor *batch1, THCTensor *batch2);
THC_API void THCTensor_(baddbmm)(THCState *state, THCTensor *result, real beta, THCTensor *t, real alpha,
                                 THCTensor *batch1, THCTensor *batch2);

/* LU of each matrix of a batch, and solutions from it, for float and double; b is batch x n or batch x n x columns. Rows
 * count from 1, and are exchanged unless pivot is 0. With rinfo_, matrices that are singular are marked in it; with
 * NULL they are an error, which is waited for. Pivots that are no rows are not noticed. */
THC_API void THCTensor_(btrifact)(THCState *state, THCTensor *ra_, THCudaIntTensor *rpivots_, THCudaIntTensor *rinfo_,
                                  int pivot, THCTensor *a);
THC_API void THCTensor_(btrisolve)(THCState *state, THCTensor *rb_, THCTensor *b, THCTensor *atf,
                                   THCudaIntTensor *pivots);

#if defined(THC_REAL_IS_HALF) || defined(THC_REAL_IS_FLOAT) || defined(THC_REAL_IS_DOUBLE)
/* The value-norm of all elements; 0 counts those that are not 0. Waits for the current stream. */
THC_API accreal THCTensor_(normall)(THCState *state, THCTensor *self, real value);
#endif

#endif
