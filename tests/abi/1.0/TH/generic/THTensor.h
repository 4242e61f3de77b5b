/* TH/generic/THTensor.h: the tensor of `real` elements: making, shaping, viewing. */
#ifndef TH_GENERIC_FILE
#define TH_GENERIC_FILE "generic/THTensor.h"
#else

typedef struct THTensor {
  int64_t *size;   /* nDimension entries */
  int64_t *stride; /* nDimension entries, in elements */
  int nDimension;
  THStorage *storage; /* may be NULL while empty */
  ptrdiff_t storageOffset;
  int refcount;
  char flag;
} THTensor;

/* ---- Asking ------------------------------------------------------------------------------------------------------ */

TH_API THStorage *THTensor_(storage)(const THTensor *self); /* borrowed; may be NULL */
TH_API ptrdiff_t THTensor_(storageOffset)(const THTensor *self);
TH_API int THTensor_(nDimension)(const THTensor *self);
TH_API int64_t THTensor_(size)(const THTensor *self, int dim);   /* error: argument 2, no such dimension */
TH_API int64_t THTensor_(stride)(const THTensor *self, int dim); /* error: argument 2, no such dimension */
TH_API THLongStorage *THTensor_(newSizeOf)(THTensor *self);
TH_API THLongStorage *THTensor_(newStrideOf)(THTensor *self);
TH_API real *THTensor_(data)(const THTensor *self); /* the first element; NULL without storage */
TH_API ptrdiff_t THTensor_(nElement)(const THTensor *self);

/* Row-major without gaps; the strides of dimensions of size 1 do not matter. 1 for the empty tensor. */
TH_API int THTensor_(isContiguous)(const THTensor *self);
TH_API int THTensor_(isSameSizeAs)(const THTensor *self, const THTensor *src);
TH_API int THTensor_(isSize)(const THTensor *self, const THLongStorage *dims);

/* The same storage, offset, sizes and strides; 0 for tensors without storage. */
TH_API int THTensor_(isSetTo)(const THTensor *self, const THTensor *src);

TH_API THDescBuff THTensor_(desc)(const THTensor *tensor);     /* "torch.xTensor of size 2x3" */
TH_API THDescBuff THTensor_(sizeDesc)(const THTensor *tensor); /* "[2 x 3]" */

/* ---- Flags and references ---------------------------------------------------------------------------------------- */

TH_API void THTensor_(setFlag)(THTensor *self, const char flag);
TH_API void THTensor_(clearFlag)(THTensor *self, const char flag);
TH_API void THTensor_(retain)(THTensor *self);
TH_API void THTensor_(free)(THTensor *self); /* NULL is allowed */

/* Copies self into dst where they are two tensors, then frees self; not after an error. */
TH_API void THTensor_(freeCopyTo)(THTensor *self, THTensor *dst);

/* ---- Making ------------------------------------------------------------------------------------------------------ */

TH_API THTensor *THTensor_(new)(void);
TH_API THTensor *THTensor_(newWithTensor)(THTensor *tensor); /* shares the storage */

/* Views of a storage (NULL: a new one), grown where it is too small. stride_ NULL, or an entry < 0: row-major.
 * Errors: a negative offset; argument 4, size_ and stride_ of different length. */
TH_API THTensor *THTensor_(newWithStorage)(THStorage *storage_, ptrdiff_t storageOffset_, THLongStorage *size_,
                                           THLongStorage *stride_);
TH_API THTensor *THTensor_(newWithStorage1d)(THStorage *storage_, ptrdiff_t storageOffset_, int64_t size0_,
                                             int64_t stride0_);
TH_API THTensor *THTensor_(newWithStorage2d)(THStorage *storage_, ptrdiff_t storageOffset_, int64_t size0_,
                                             int64_t stride0_, int64_t size1_, int64_t stride1_);
TH_API THTensor *THTensor_(newWithStorage3d)(THStorage *storage_, ptrdiff_t storageOffset_, int64_t size0_,
                                             int64_t stride0_, int64_t size1_, int64_t stride1_, int64_t size2_,
                                             int64_t stride2_);
TH_API THTensor *THTensor_(newWithStorage4d)(THStorage *storage_, ptrdiff_t storageOffset_, int64_t size0_,
                                             int64_t stride0_, int64_t size1_, int64_t stride1_, int64_t size2_,
                                             int64_t stride2_, int64_t size3_, int64_t stride3_);

/* New storage, zeros. */
TH_API THTensor *THTensor_(newWithSize)(THLongStorage *size_, THLongStorage *stride_);
TH_API THTensor *THTensor_(newWithSize1d)(int64_t size0_);
TH_API THTensor *THTensor_(newWithSize2d)(int64_t size0_, int64_t size1_);
TH_API THTensor *THTensor_(newWithSize3d)(int64_t size0_, int64_t size1_, int64_t size2_);
TH_API THTensor *THTensor_(newWithSize4d)(int64_t size0_, int64_t size1_, int64_t size2_, int64_t size3_);

TH_API THTensor *THTensor_(newClone)(THTensor *self); /* a contiguous copy */

/* The tensor itself with one more reference where it is contiguous, else a copy; free it either way. */
TH_API THTensor *THTensor_(newContiguous)(THTensor *tensor);

/* New tensors on the same storage; as the functions named below without "new". */
TH_API THTensor *THTensor_(newSelect)(THTensor *tensor, int dimension_, int64_t sliceIndex_);
TH_API THTensor *THTensor_(newNarrow)(THTensor *tensor, int dimension_, int64_t firstIndex_, int64_t size_);
TH_API THTensor *THTensor_(newTranspose)(THTensor *tensor, int dimension1_, int dimension2_);
TH_API THTensor *THTensor_(newUnfold)(THTensor *tensor, int dimension_, int64_t size_, int64_t step_);

/* A contiguous tensor under other sizes, one of which may be -1. Errors: argument 1, not contiguous; argument 2, a
 * size that does not fit. */
TH_API THTensor *THTensor_(newView)(THTensor *tensor, THLongStorage *size);

/* Broadcast to `size` with stride 0. Errors: argument 1, fewer sizes than dimensions; a size that does not match. */
TH_API THTensor *THTensor_(newExpand)(THTensor *tensor, THLongStorage *size);
TH_API void THTensor_(expand)(THTensor *r, THTensor *tensor, THLongStorage *size);

/* Broadcasts ops[0..count) to their common shape. */
TH_API void THTensor_(expandNd)(THTensor **rets, THTensor **ops, int count);

/* ---- Resizing ------------------------------------------------------------------------------------------------------
 * The current sizes asked for again: nothing happens, strides stay. Otherwise strides become those given, or row-major
 * where none (or a negative one) is given, and the storage grows to what is reached, never shrinks; its elements keep
 * their places in memory, new ones are zero. Error: a storage that must grow and may not. */

TH_API void THTensor_(resize)(THTensor *tensor, THLongStorage *size, THLongStorage *stride);
TH_API void THTensor_(resizeAs)(THTensor *tensor, THTensor *src);
TH_API void THTensor_(resizeNd)(THTensor *tensor, int nDimension, int64_t *size, int64_t *stride);
TH_API void THTensor_(resize1d)(THTensor *tensor, int64_t size0_);
TH_API void THTensor_(resize2d)(THTensor *tensor, int64_t size0_, int64_t size1_);
TH_API void THTensor_(resize3d)(THTensor *tensor, int64_t size0_, int64_t size1_, int64_t size2_);
TH_API void THTensor_(resize4d)(THTensor *tensor, int64_t size0_, int64_t size1_, int64_t size2_, int64_t size3_);
TH_API void THTensor_(resize5d)(THTensor *tensor, int64_t size0_, int64_t size1_, int64_t size2_, int64_t size3_,
                                int64_t size4_);

/* ---- Pointing elsewhere ------------------------------------------------------------------------------------------ */

TH_API void THTensor_(set)(THTensor *self, THTensor *src); /* becomes another view of src's elements */
TH_API void THTensor_(setStorage)(THTensor *self, THStorage *storage_, ptrdiff_t storageOffset_, THLongStorage *size_,
                                  THLongStorage *stride_);
TH_API void THTensor_(setStorageNd)(THTensor *self, THStorage *storage_, ptrdiff_t storageOffset_, int nDimension,
                                    int64_t *size, int64_t *stride);
TH_API void THTensor_(setStorage1d)(THTensor *self, THStorage *storage_, ptrdiff_t storageOffset_, int64_t size0_,
                                    int64_t stride0_);
TH_API void THTensor_(setStorage2d)(THTensor *self, THStorage *storage_, ptrdiff_t storageOffset_, int64_t size0_,
                                    int64_t stride0_, int64_t size1_, int64_t stride1_);
TH_API void THTensor_(setStorage3d)(THTensor *self, THStorage *storage_, ptrdiff_t storageOffset_, int64_t size0_,
                                    int64_t stride0_, int64_t size1_, int64_t stride1_, int64_t size2_,
                                    int64_t stride2_);
TH_API void THTensor_(setStorage4d)(THTensor *self, THStorage *storage_, ptrdiff_t storageOffset_, int64_t size0_,
                                    int64_t stride0_, int64_t size1_, int64_t stride1_, int64_t size2_,
                                    int64_t stride2_, int64_t size3_, int64_t stride3_);

/* ---- Views: self becomes a view of src. Errors name the argument that is out of range ---------------------------- */

TH_API void THTensor_(narrow)(THTensor *self, THTensor *src, int dimension_, int64_t firstIndex_, int64_t size_);
TH_API void THTensor_(select)(THTensor *self, THTensor *src, int dimension_, int64_t sliceIndex_); /* not of a vector */
TH_API void THTensor_(transpose)(THTensor *self, THTensor *src, int dimension1_, int dimension2_);

/* Windows of `size_` elements every `step_` along a dimension, in a new last dimension. */
TH_API void THTensor_(unfold)(THTensor *self, THTensor *src, int dimension_, int64_t size_, int64_t step_);

TH_API void THTensor_(squeeze)(THTensor *self, THTensor *src); /* a single dimension of size 1 remains at least */
TH_API void THTensor_(squeeze1d)(THTensor *self, THTensor *src, int dimension_);
TH_API void THTensor_(unsqueeze1d)(THTensor *self, THTensor *src, int dimension_);

/* ---- Single elements. Errors: argument 1, another number of dimensions; argument 2, out of range ----------------- */

TH_API void THTensor_(set1d)(THTensor *tensor, int64_t x0, real value);
TH_API void THTensor_(set2d)(THTensor *tensor, int64_t x0, int64_t x1, real value);
TH_API void THTensor_(set3d)(THTensor *tensor, int64_t x0, int64_t x1, int64_t x2, real value);
TH_API void THTensor_(set4d)(THTensor *tensor, int64_t x0, int64_t x1, int64_t x2, int64_t x3, real value);
TH_API real THTensor_(get1d)(const THTensor *tensor, int64_t x0);
TH_API real THTensor_(get2d)(const THTensor *tensor, int64_t x0, int64_t x1);
TH_API real THTensor_(get3d)(const THTensor *tensor, int64_t x0, int64_t x1, int64_t x2);
TH_API real THTensor_(get4d)(const THTensor *tensor, int64_t x0, int64_t x1, int64_t x2, int64_t x3);

#endif
