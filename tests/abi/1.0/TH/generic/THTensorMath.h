/* TH/generic/THTensorMath.h: filling, arithmetic, comparison, reduction, indexing, sorting, linear combination.
 *
 * Results come first. They are resized unless the comment says otherwise. A result may be one of the inputs in
 * elementwise functions only.
 */
#ifndef TH_GENERIC_FILE
#define TH_GENERIC_FILE "generic/THTensorMath.h"
#else

/* ---- Filling and creating ---------------------------------------------------------------------------------------- */

/* Every element, in any layout. */
TH_API void THTensor_(fill)(THTensor *r_, real value);
TH_API void THTensor_(zero)(THTensor *r_);

/* Resized to `size`, or like `input`. */
TH_API void THTensor_(zeros)(THTensor *r_, THLongStorage *size);
TH_API void THTensor_(zerosLike)(THTensor *r_, THTensor *input);
TH_API void THTensor_(ones)(THTensor *r_, THLongStorage *size);
TH_API void THTensor_(onesLike)(THTensor *r_, THTensor *input);

/* 1-D: xmin, xmin + step ... below xmax (arange) or up to and with it (range). Errors: argument 3, step 0; argument
 * 2, a bound on the wrong side. */
TH_API void THTensor_(arange)(THTensor *r_, accreal xmin, accreal xmax, accreal step);
TH_API void THTensor_(range)(THTensor *r_, accreal xmin, accreal xmax, accreal step);

/* A permutation of 0 ... n-1 (Fisher-Yates from the front). Error: argument 1, n < 1. */
TH_API void THTensor_(randperm)(THTensor *r_, THGenerator *_generator, int64_t n);

/* n x m with ones on the diagonal; m <= 0 means n. Error: argument 1, n < 1. */
TH_API void THTensor_(eye)(THTensor *r_, int64_t n, int64_t m);

/* A vector onto the k-th diagonal of a square matrix, or that diagonal of a matrix into a vector. Error: argument 1,
 * other dimensions. */
TH_API void THTensor_(diag)(THTensor *r_, THTensor *t, int k);

/* The part on and below (tril) or above (triu) the k-th diagonal, zero elsewhere. Error: argument 1, not a matrix. */
TH_API void THTensor_(tril)(THTensor *r_, THTensor *t, int64_t k);
TH_API void THTensor_(triu)(THTensor *r_, THTensor *t, int64_t k);

/* A copy of t under new sizes. Error: another number of elements. */
TH_API void THTensor_(reshape)(THTensor *r_, THTensor *t, THLongStorage *size);

/* Joined along a dimension (-1: the last); empty tensors are skipped, missing trailing dimensions count as 1.
 * Errors: sizes that differ elsewhere; the last argument, a negative dimension; no inputs. */
TH_API void THTensor_(cat)(THTensor *r_, THTensor *ta, THTensor *tb, int dimension);
TH_API void THTensor_(catArray)(THTensor *result, THTensor **inputs, int numInputs, int dimension);

#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)

/* n points from a to b, on a line or (logspace) powers of ten of such points. Error: argument 3, n < 1, or n = 1
 * while a != b. */
TH_API void THTensor_(linspace)(THTensor *r_, real a, real b, int64_t n);
TH_API void THTensor_(logspace)(THTensor *r_, real a, real b, int64_t n);

/* Uniform in [0, 1), or standard normal. */
TH_API void THTensor_(rand)(THTensor *r_, THGenerator *_generator, THLongStorage *size);
TH_API void THTensor_(randn)(THTensor *r_, THGenerator *_generator, THLongStorage *size);

#endif

/* ---- Arithmetic with a number: r_ gets the size of t and may be t ------------------------------------------------ */

/* t op value. Integer division cuts off; integer division by zero is an error. */
TH_API void THTensor_(add)(THTensor *r_, THTensor *t, real value);
TH_API void THTensor_(sub)(THTensor *r_, THTensor *t, real value);
TH_API void THTensor_(mul)(THTensor *r_, THTensor *t, real value);
TH_API void THTensor_(div)(THTensor *r_, THTensor *t, real value);

/* t + value * alpha, t - value * alpha, in the type of the tensor. */
TH_API void THTensor_(add_scaled)(THTensor *r_, THTensor *t, real value, real alpha);
TH_API void THTensor_(sub_scaled)(THTensor *r_, THTensor *t, real value, real alpha);

/* Integers shift, to the right as unsigned; 0 unless 0 <= value < their width. Floats multiply or divide by 2^value. */
TH_API void THTensor_(lshift)(THTensor *r_, THTensor *t, real value);
TH_API void THTensor_(rshift)(THTensor *r_, THTensor *t, real value);

/* The remainder with the sign of t (fmod) or of value (remainder). Of integers by zero: an error. */
TH_API void THTensor_(fmod)(THTensor *r_, THTensor *t, real value);
TH_API void THTensor_(remainder)(THTensor *r_, THTensor *t, real value);

/* Into [min_value, max_value]; NaN stays. */
TH_API void THTensor_(clamp)(THTensor *r_, THTensor *t, real min_value, real max_value);

/* Bit by bit. Error: not an integer type. */
TH_API void THTensor_(bitand)(THTensor *r_, THTensor *t, real value);
TH_API void THTensor_(bitor)(THTensor *r_, THTensor *t, real value);
TH_API void THTensor_(bitxor)(THTensor *r_, THTensor *t, real value);

/* The larger or smaller of t and value; value where t is NaN. */
TH_API void THTensor_(cmaxValue)(THTensor *r, THTensor *t, real value);
TH_API void THTensor_(cminValue)(THTensor *r, THTensor *t, real value);

/* value to the power t; for integers through double. */
TH_API void THTensor_(tpow)(THTensor *r_, real value, THTensor *t);

#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)

/* t to the power value. */
TH_API void THTensor_(pow)(THTensor *r_, THTensor *t, real value);

#endif

/* ---- Arithmetic of tensors: the numbers of elements must agree, shapes need not; r_ gets the size of the first
 *      input and may be any of them -------------------------------------------------------------------------------- */

/* t + value * src, t - value * src. */
TH_API void THTensor_(cadd)(THTensor *r_, THTensor *t, real value, THTensor *src);
TH_API void THTensor_(csub)(THTensor *self, THTensor *src1, real value, THTensor *src2);

/* As the functions with a number. */
TH_API void THTensor_(cmul)(THTensor *r_, THTensor *t, THTensor *src);
TH_API void THTensor_(cdiv)(THTensor *r_, THTensor *t, THTensor *src);
TH_API void THTensor_(cpow)(THTensor *r_, THTensor *t, THTensor *src);
TH_API void THTensor_(clshift)(THTensor *r_, THTensor *t, THTensor *src);
TH_API void THTensor_(crshift)(THTensor *r_, THTensor *t, THTensor *src);
TH_API void THTensor_(cfmod)(THTensor *r_, THTensor *t, THTensor *src);
TH_API void THTensor_(cremainder)(THTensor *r_, THTensor *t, THTensor *src);
TH_API void THTensor_(cbitand)(THTensor *r_, THTensor *t, THTensor *src);
TH_API void THTensor_(cbitor)(THTensor *r_, THTensor *t, THTensor *src);
TH_API void THTensor_(cbitxor)(THTensor *r_, THTensor *t, THTensor *src);

/* The larger or smaller; src where either is NaN. */
TH_API void THTensor_(cmax)(THTensor *r, THTensor *t, THTensor *src);
TH_API void THTensor_(cmin)(THTensor *r, THTensor *t, THTensor *src);

/* t + value * src1 * src2, t + value * src1 / src2. */
TH_API void THTensor_(addcmul)(THTensor *r_, THTensor *t, real value, THTensor *src1, THTensor *src2);
TH_API void THTensor_(addcdiv)(THTensor *r_, THTensor *t, real value, THTensor *src1, THTensor *src2);

#if !defined(TH_REAL_IS_BYTE) && !defined(TH_REAL_IS_CHAR)

/* -t; |t|. */
TH_API void THTensor_(neg)(THTensor *self, THTensor *src);
TH_API void THTensor_(abs)(THTensor *r_, THTensor *t);

#endif

/* -1, 0 or 1. */
TH_API void THTensor_(sign)(THTensor *r_, THTensor *t);

#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)

/* 1 / t. */
TH_API void THTensor_(cinv)(THTensor *self, THTensor *src);

/* The angle of (y, x) = (tx, ty), that is atan2(tx, ty). */
TH_API void THTensor_(atan2)(THTensor *r_, THTensor *tx, THTensor *ty);

/* a + weight * (b - a). Error: argument 2, different numbers of elements. */
TH_API void THTensor_(lerp)(THTensor *r_, THTensor *a, THTensor *b, real weight);

#endif

/* The cross product along `dimension`, of size 3; < 0 means the first such. Errors: different sizes; argument 3, no
 * such dimension or not of size 3. */
TH_API void THTensor_(cross)(THTensor *r_, THTensor *a, THTensor *b, int dimension);

/* ---- Functions of one variable: r_ gets the size of t and may be t ----------------------------------------------- */

#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)

TH_API void THTensor_(sigmoid)(THTensor *r_, THTensor *t);
TH_API void THTensor_(log)(THTensor *r_, THTensor *t);
TH_API void THTensor_(log1p)(THTensor *r_, THTensor *t);
TH_API void THTensor_(log10)(THTensor *r_, THTensor *t);
TH_API void THTensor_(log2)(THTensor *r_, THTensor *t);
TH_API void THTensor_(exp)(THTensor *r_, THTensor *t);
TH_API void THTensor_(expm1)(THTensor *r_, THTensor *t);
TH_API void THTensor_(sqrt)(THTensor *r_, THTensor *t);
TH_API void THTensor_(rsqrt)(THTensor *r_, THTensor *t);

TH_API void THTensor_(cos)(THTensor *r_, THTensor *t);
TH_API void THTensor_(acos)(THTensor *r_, THTensor *t);
TH_API void THTensor_(cosh)(THTensor *r_, THTensor *t);
TH_API void THTensor_(sin)(THTensor *r_, THTensor *t);
TH_API void THTensor_(asin)(THTensor *r_, THTensor *t);
TH_API void THTensor_(sinh)(THTensor *r_, THTensor *t);
TH_API void THTensor_(tan)(THTensor *r_, THTensor *t);
TH_API void THTensor_(atan)(THTensor *r_, THTensor *t);
TH_API void THTensor_(tanh)(THTensor *r_, THTensor *t);

/* Rounding: up, down, to the nearest (halves away from zero), towards zero; and what that last one cuts off. */
TH_API void THTensor_(ceil)(THTensor *r_, THTensor *t);
TH_API void THTensor_(floor)(THTensor *r_, THTensor *t);
TH_API void THTensor_(round)(THTensor *r_, THTensor *t);
TH_API void THTensor_(trunc)(THTensor *r_, THTensor *t);
TH_API void THTensor_(frac)(THTensor *r_, THTensor *t);

/* log |gamma(t)| and its first two derivatives; the n-th derivative of digamma for n = 0, 1 (otherwise an error). */
TH_API void THTensor_(lgamma)(THTensor *r_, THTensor *t);
TH_API void THTensor_(digamma)(THTensor *r_, THTensor *t);
TH_API void THTensor_(trigamma)(THTensor *r_, THTensor *t);
TH_API void THTensor_(polygamma)(THTensor *r_, int64_t n, THTensor *t);

/* The error function and its inverse. */
TH_API void THTensor_(erf)(THTensor *r_, THTensor *t);
TH_API void THTensor_(erfinv)(THTensor *r_, THTensor *t);

/* dx/dalpha / (1 - x) for a sample x of Beta(alpha, total - alpha) whose distribution function is held: the gradient of a
 * Dirichlet sample with respect to its concentrations, total = sum of alpha (Figurnov, Mohamed, Mnih, "Implicit
 * reparameterization gradients", 2018). NaN unless x is in [0, 1] and 0 < alpha < total. */
TH_API void THTensor_(dirichlet_grad)(THTensor *self, THTensor *x, THTensor *alpha, THTensor *total);

#endif

/* ---- Comparison: 1 or 0, in a byte tensor, or in r_ of the same type (names that end in T) ----------------------- */

TH_API void THTensor_(ltValue)(THByteTensor *r_, THTensor *t, real value);
TH_API void THTensor_(leValue)(THByteTensor *r_, THTensor *t, real value);
TH_API void THTensor_(gtValue)(THByteTensor *r_, THTensor *t, real value);
TH_API void THTensor_(geValue)(THByteTensor *r_, THTensor *t, real value);
TH_API void THTensor_(neValue)(THByteTensor *r_, THTensor *t, real value);
TH_API void THTensor_(eqValue)(THByteTensor *r_, THTensor *t, real value);

TH_API void THTensor_(ltValueT)(THTensor *r_, THTensor *t, real value);
TH_API void THTensor_(leValueT)(THTensor *r_, THTensor *t, real value);
TH_API void THTensor_(gtValueT)(THTensor *r_, THTensor *t, real value);
TH_API void THTensor_(geValueT)(THTensor *r_, THTensor *t, real value);
TH_API void THTensor_(neValueT)(THTensor *r_, THTensor *t, real value);
TH_API void THTensor_(eqValueT)(THTensor *r_, THTensor *t, real value);

TH_API void THTensor_(ltTensor)(THByteTensor *r_, THTensor *ta, THTensor *tb);
TH_API void THTensor_(leTensor)(THByteTensor *r_, THTensor *ta, THTensor *tb);
TH_API void THTensor_(gtTensor)(THByteTensor *r_, THTensor *ta, THTensor *tb);
TH_API void THTensor_(geTensor)(THByteTensor *r_, THTensor *ta, THTensor *tb);
TH_API void THTensor_(neTensor)(THByteTensor *r_, THTensor *ta, THTensor *tb);
TH_API void THTensor_(eqTensor)(THByteTensor *r_, THTensor *ta, THTensor *tb);

TH_API void THTensor_(ltTensorT)(THTensor *r_, THTensor *ta, THTensor *tb);
TH_API void THTensor_(leTensorT)(THTensor *r_, THTensor *ta, THTensor *tb);
TH_API void THTensor_(gtTensorT)(THTensor *r_, THTensor *ta, THTensor *tb);
TH_API void THTensor_(geTensorT)(THTensor *r_, THTensor *ta, THTensor *tb);
TH_API void THTensor_(neTensorT)(THTensor *r_, THTensor *ta, THTensor *tb);
TH_API void THTensor_(eqTensorT)(THTensor *r_, THTensor *ta, THTensor *tb);

/* 1 where sizes and all elements agree. */
TH_API int THTensor_(equal)(THTensor *ta, THTensor *tb);

#if defined(TH_REAL_IS_BYTE)

/* Whether all, or any, elements are non-zero; 1 and 0 for the empty tensor. */
TH_API int THTensor_(logicalall)(THTensor *self);
TH_API int THTensor_(logicalany)(THTensor *self);

#endif

/* ---- Reduction to a number --------------------------------------------------------------------------------------- */

/* The number of elements. */
TH_API ptrdiff_t THTensor_(numel)(THTensor *t);

/* sum of t[i] * src[i]. Error: different numbers of elements. */
TH_API accreal THTensor_(dot)(THTensor *t, THTensor *src);

/* 0 and 1 for the empty tensor. */
TH_API accreal THTensor_(sumall)(THTensor *t);
TH_API accreal THTensor_(prodall)(THTensor *t);

/* NaN wins; the median is the lower one. Error: argument 1, empty. */
TH_API real THTensor_(minall)(THTensor *t);
TH_API real THTensor_(maxall)(THTensor *t);
TH_API real THTensor_(medianall)(THTensor *t);

/* The sum of the diagonal. Error: argument 1, not a matrix. */
TH_API accreal THTensor_(trace)(THTensor *t);

#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)

/* Divided by n, or by n - 1 where `biased` is 0. Error: argument 1, empty. */
TH_API accreal THTensor_(meanall)(THTensor *self);
TH_API accreal THTensor_(varall)(THTensor *self, int biased);
TH_API accreal THTensor_(stdall)(THTensor *self, int biased);

/* (sum |t|^value)^(1/value); for value 0 the number of non-zero elements. */
TH_API accreal THTensor_(normall)(THTensor *t, real value);

/* The norm of a - b. */
TH_API accreal THTensor_(dist)(THTensor *a, THTensor *b, real value);

#endif

/* ---- Reduction along a dimension, which stays with size 1 where keepdim is 1. Error: argument 2 or 3, no such
 *      dimension --------------------------------------------------------------------------------------------------- */

TH_API void THTensor_(sum)(THTensor *r_, THTensor *t, int dimension, int keepdim);
TH_API void THTensor_(prod)(THTensor *r_, THTensor *t, int dimension, int keepdim);

#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)

TH_API void THTensor_(mean)(THTensor *r_, THTensor *t, int dimension, int keepdim);

/* Welford's method. Divided by n, or by n - 1 where `biased` is 0 (NaN for n = 1). */
TH_API void THTensor_(std)(THTensor *r_, THTensor *t, int dimension, int biased, int keepdim);
TH_API void THTensor_(var)(THTensor *r_, THTensor *t, int dimension, int biased, int keepdim);

/* As normall. */
TH_API void THTensor_(norm)(THTensor *r_, THTensor *t, real value, int dimension, int keepdim);

#endif

/* Values and their positions; NaN wins. */
TH_API void THTensor_(max)(THTensor *values_, THLongTensor *indices_, THTensor *t, int dimension, int keepdim);
TH_API void THTensor_(min)(THTensor *values_, THLongTensor *indices_, THTensor *t, int dimension, int keepdim);

/* The k-th smallest, k from 1; the lower median, or NaN where there is one; the most frequent value, the smallest of
 * several. NaN is above every number, and equal to NaN for mode. The position that mode gives is the last one of its
 * value. Error: argument 2, k out of range. */
TH_API void THTensor_(kthvalue)(THTensor *values_, THLongTensor *indices_, THTensor *t, int64_t k, int dimension,
                                int keepdim);
TH_API void THTensor_(median)(THTensor *values_, THLongTensor *indices_, THTensor *t, int dimension, int keepdim);
TH_API void THTensor_(mode)(THTensor *values_, THLongTensor *indices_, THTensor *t, int dimension, int keepdim);

/* Running sums and products. */
TH_API void THTensor_(cumsum)(THTensor *r_, THTensor *t, int dimension);
TH_API void THTensor_(cumprod)(THTensor *r_, THTensor *t, int dimension);

#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)

/* Scales each slice along `dimension` down to norm maxnorm. Errors: argument 2, value <= 0; argument 3, no such
 * dimension; argument 1, fewer than 2 dimensions. */
TH_API void THTensor_(renorm)(THTensor *r_, THTensor *t, real value, int dimension, real maxnorm);

/* Counts in nbins bins of equal width between minvalue and maxvalue (the extremes of the data where both are equal,
 * widened by 1 where these are equal too); bhistc for each row of a matrix. Values outside, or NaN, are not counted,
 * and nothing is where the extremes of data with NaN are asked for, or minvalue > maxvalue; in an infinite range everything
 * finite is in the first bin. Errors: argument 3, nbins <= 0; argument 1, the extremes of no data; argument 2, not a
 * matrix. */
TH_API void THTensor_(histc)(THTensor *hist, THTensor *tensor, int64_t nbins, real minvalue, real maxvalue);
TH_API void THTensor_(bhistc)(THTensor *hist, THTensor *tensor, int64_t nbins, real minvalue, real maxvalue);

#endif

/* ---- Order ------------------------------------------------------------------------------------------------------- */

/* Values and their positions along a dimension. Equal elements keep their order (descending, too). NaN ranks above
 * every number: last in ascending, first in descending order. Error: argument 2, no such dimension. */
TH_API void THTensor_(sort)(THTensor *rt_, THLongTensor *ri_, THTensor *t, int dimension, int descendingOrder);

/* The k largest (dir 1) or smallest along a dimension, in the order of sort where `sorted`, otherwise in any. Of equal
 * elements those that come first are taken. Errors: argument 3, no such dimension; argument 2, k out of range. */
TH_API void THTensor_(topk)(THTensor *rt_, THLongTensor *ri_, THTensor *t, int64_t k, int dim, int dir, int sorted);

/* ---- Indexing: positions count from 0 ----------------------------------------------------------------------------
 * Every position and mask is checked before anything is written. A result may share memory with an input: it gets what
 * it would if the input had been copied first. */

/* Where the byte mask (0 and 1 only) is 1: fill; take the next elements of src; collect into a vector. Errors:
 * numbers of elements that do not fit, other mask values. */
TH_API void THTensor_(maskedFill)(THTensor *tensor, THByteTensor *mask, real value);
TH_API void THTensor_(maskedCopy)(THTensor *tensor, THByteTensor *mask, THTensor *src);
TH_API void THTensor_(maskedSelect)(THTensor *tensor, THTensor *src, THByteTensor *mask);

/* The positions of the non-zero elements, one row each; NaN is not zero. Without any, subscript becomes empty. */
TH_API void THTensor_(nonzero)(THLongTensor *subscript, THTensor *tensor);

/* Slices index[0], index[1] ... along a dimension, into the resized tensor. Errors: argument 3, index not a vector;
 * argument 4, no such dimension; a position out of range (argument 3, for vectors 2; where src and the result are
 * contiguous and dim is 0, an error without a number). */
TH_API void THTensor_(indexSelect)(THTensor *tensor, THTensor *src, int dim, THLongTensor *index);

/* Writes, adds or fills the slices index[0], index[1] ... of the tensor, in this order: of equal positions, the last
 * one stays. A slice of src needs as many elements as one of the tensor. Errors as above; argument 4 also for a src
 * with another number of slices than index. */
TH_API void THTensor_(indexCopy)(THTensor *tensor, int dim, THLongTensor *index, THTensor *src);
TH_API void THTensor_(indexAdd)(THTensor *tensor, int dim, THLongTensor *index, THTensor *src);
TH_API void THTensor_(indexFill)(THTensor *tensor, int dim, THLongTensor *index, real val);

/* By position in row-major order; negative ones count from the end. take resizes to the shape of index; put writes (or
 * adds, where accumulate is not 0) in the order of index. Errors: argument 2, out of range; argument 3, src and index
 * with different numbers of elements. */
TH_API void THTensor_(take)(THTensor *tensor, THTensor *src, THLongTensor *index);
TH_API void THTensor_(put)(THTensor *tensor, THLongTensor *index, THTensor *src, int accumulate);

/* tensor[i][j] = src[index[i][j]][j] for dim 0 and so on; not resized. All have the same sizes, except along dim, where
 * the tensor is no smaller than index. Errors: argument 3, no such dimension; arguments 4 and 2, other numbers of
 * dimensions; sizes; an index out of range. */
TH_API void THTensor_(gather)(THTensor *tensor, THTensor *src, int dim, THLongTensor *index);

/* tensor[index[i][j]][j] = (or +=) src[i][j] for dim 0 and so on, with i ascending. scatter reads the part of src that
 * index covers; for scatterAdd and scatterFill sizes are equal except along dim, where src is no smaller than index.
 * Errors: argument 2, no such dimension; arguments 3 and 4, other numbers of dimensions; sizes; an index out of
 * range. */
TH_API void THTensor_(scatter)(THTensor *tensor, int dim, THLongTensor *index, THTensor *src);
TH_API void THTensor_(scatterAdd)(THTensor *tensor, int dim, THLongTensor *index, THTensor *src);
TH_API void THTensor_(scatterFill)(THTensor *tensor, int dim, THLongTensor *index, real val);

/* ---- Linear combination. beta 0 does not read t; r_ may be t or a factor. Errors: dimensions and sizes that do not
 *      fit ------------------------------------------------------------------------------------------------------------ */

/* beta * t + alpha * mat @ vec. */
TH_API void THTensor_(addmv)(THTensor *r_, real beta, THTensor *t, real alpha, THTensor *mat, THTensor *vec);

/* beta * t + alpha * mat1 @ mat2. */
TH_API void THTensor_(addmm)(THTensor *r_, real beta, THTensor *t, real alpha, THTensor *mat1, THTensor *mat2);

/* beta * t + alpha * vec1 vec2'. */
TH_API void THTensor_(addr)(THTensor *r_, real beta, THTensor *t, real alpha, THTensor *vec1, THTensor *vec2);

/* beta * t + alpha * the sum over the batch of batch1[i] @ batch2[i]; t is a matrix. */
TH_API void THTensor_(addbmm)(THTensor *r_, real beta, THTensor *t, real alpha, THTensor *batch1, THTensor *batch2);

/* beta * t[i] + alpha * batch1[i] @ batch2[i]. */
TH_API void THTensor_(baddbmm)(THTensor *r_, real beta, THTensor *t, real alpha, THTensor *batch1, THTensor *batch2);

/* gain * the squared distances between all rows of m1 and m2 (more dimensions: all but the first count as one). Error:
 * argument 3, rows of different lengths. */
TH_API void THTensor_(match)(THTensor *r_, THTensor *m1, THTensor *m2, real gain);

#endif
