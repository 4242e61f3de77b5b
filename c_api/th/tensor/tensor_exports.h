// c_api/th/tensor/tensor_exports.h: what tensor.cpp exports for each type; thc/tensor/tensor_exports.h has it all, too.
TH_TENSOR_EXPORT(THStorage *, storage, storage<real>, const THTensor *)
TH_TENSOR_EXPORT(ptrdiff_t, storageOffset, storageOffset<real>, const THTensor *)
TH_TENSOR_EXPORT(int, nDimension, nDimension<real>, const THTensor *)
TH_TENSOR_EXPORT(int64_t, size, size<real>, const THTensor *, int)
TH_TENSOR_EXPORT(int64_t, stride, stride<real>, const THTensor *, int)
TH_TENSOR_EXPORT(THLongStorage *, newSizeOf, newSizeOf<real>, THTensor *)
TH_TENSOR_EXPORT(THLongStorage *, newStrideOf, newStrideOf<real>, THTensor *)
TH_TENSOR_EXPORT(real *, data, data<real>, const THTensor *)
TH_TENSOR_EXPORT(ptrdiff_t, nElement, nElement<real>, const THTensor *)
TH_TENSOR_EXPORT(int, isContiguous, isContiguous<real>, const THTensor *)
TH_TENSOR_EXPORT(int, isSameSizeAs, isSameSizeAs<real>, const THTensor *, const THTensor *)
TH_TENSOR_EXPORT(int, isSize, isSize<real>, const THTensor *, const THLongStorage *)
TH_TENSOR_EXPORT(int, isSetTo, isSetTo<real>, const THTensor *, const THTensor *)
#ifndef THC_GENERIC_FILE
TH_TENSOR_EXPORT(THDescBuff, desc, desc<real>, const THTensor *)
#endif
TH_TENSOR_EXPORT(THDescBuff, sizeDesc, sizeDesc<real>, const THTensor *)

TH_TENSOR_EXPORT_READER(setFlag, setFlag<real>, THTensor *, const char)
TH_TENSOR_EXPORT_READER(clearFlag, clearFlag<real>, THTensor *, const char)
TH_TENSOR_EXPORT_READER(retain, retain<real>, THTensor *)
TH_TENSOR_EXPORT_READER(free, release<real>, THTensor *)
TH_TENSOR_EXPORT_READER(freeCopyTo, freeCopyTo<real>, THTensor *, THTensor *)

TH_TENSOR_EXPORT0(THTensor *, new, newEmpty<real>)
TH_TENSOR_EXPORT(THTensor *, newWithTensor, newWithTensor<real>, THTensor *)
TH_TENSOR_EXPORT(THTensor *, newWithStorage, newWithStorage<real>, THStorage *, ptrdiff_t, THLongStorage *,
                 THLongStorage *)
TH_TENSOR_EXPORT(THTensor *, newWithStorage1d, newWithStorageSizes<real>, THStorage *, ptrdiff_t, int64_t, int64_t)
TH_TENSOR_EXPORT(THTensor *, newWithStorage2d, newWithStorageSizes<real>, THStorage *, ptrdiff_t, int64_t, int64_t,
                 int64_t, int64_t)
TH_TENSOR_EXPORT(THTensor *, newWithStorage3d, newWithStorageSizes<real>, THStorage *, ptrdiff_t, int64_t, int64_t,
                 int64_t, int64_t, int64_t, int64_t)
TH_TENSOR_EXPORT(THTensor *, newWithStorage4d, newWithStorageSizes<real>, THStorage *, ptrdiff_t, int64_t, int64_t,
                 int64_t, int64_t, int64_t, int64_t, int64_t, int64_t)
TH_TENSOR_EXPORT(THTensor *, newWithSize, newWithSize<real>, THLongStorage *, THLongStorage *)
TH_TENSOR_EXPORT(THTensor *, newWithSize1d, newWithSizes<real>, int64_t)
TH_TENSOR_EXPORT(THTensor *, newWithSize2d, newWithSizes<real>, int64_t, int64_t)
TH_TENSOR_EXPORT(THTensor *, newWithSize3d, newWithSizes<real>, int64_t, int64_t, int64_t)
TH_TENSOR_EXPORT(THTensor *, newWithSize4d, newWithSizes<real>, int64_t, int64_t, int64_t, int64_t)
TH_TENSOR_EXPORT(THTensor *, newClone, newClone<real>, THTensor *)
TH_TENSOR_EXPORT(THTensor *, newContiguous, newContiguous<real>, THTensor *)
TH_TENSOR_EXPORT(THTensor *, newSelect, newSelect<real>, THTensor *, int, int64_t)
TH_TENSOR_EXPORT(THTensor *, newNarrow, newNarrow<real>, THTensor *, int, int64_t, int64_t)
TH_TENSOR_EXPORT(THTensor *, newTranspose, newTranspose<real>, THTensor *, int, int)
TH_TENSOR_EXPORT(THTensor *, newUnfold, newUnfold<real>, THTensor *, int, int64_t, int64_t)
TH_TENSOR_EXPORT(THTensor *, newView, newView<real>, THTensor *, THLongStorage *)
TH_TENSOR_EXPORT(THTensor *, newExpand, newExpand<real>, THTensor *, THLongStorage *)
TH_TENSOR_EXPORT(void, expand, expand<real>, THTensor *, THTensor *, THLongStorage *)
TH_TENSOR_EXPORT(void, expandNd, expandNd<real>, THTensor **, THTensor **, int)

TH_TENSOR_EXPORT(void, resize, resizeList<real>, THTensor *, THLongStorage *, THLongStorage *)
TH_TENSOR_EXPORT(void, resizeAs, resizeAs<real>, THTensor *, THTensor *)
TH_TENSOR_EXPORT(void, resizeNd, resizeNd<real>, THTensor *, int, int64_t *, int64_t *)
TH_TENSOR_EXPORT(void, resize1d, resizeSizes<real>, THTensor *, int64_t)
TH_TENSOR_EXPORT(void, resize2d, resizeSizes<real>, THTensor *, int64_t, int64_t)
TH_TENSOR_EXPORT(void, resize3d, resizeSizes<real>, THTensor *, int64_t, int64_t, int64_t)
TH_TENSOR_EXPORT(void, resize4d, resizeSizes<real>, THTensor *, int64_t, int64_t, int64_t, int64_t)
TH_TENSOR_EXPORT(void, resize5d, resizeSizes<real>, THTensor *, int64_t, int64_t, int64_t, int64_t, int64_t)

TH_TENSOR_EXPORT(void, set, set<real>, THTensor *, THTensor *)
TH_TENSOR_EXPORT(void, setStorage, setStorage<real>, THTensor *, THStorage *, ptrdiff_t, THLongStorage *,
                 THLongStorage *)
TH_TENSOR_EXPORT(void, setStorageNd, setStorageNd<real>, THTensor *, THStorage *, ptrdiff_t, int, int64_t *, int64_t *)
TH_TENSOR_EXPORT(void, setStorage1d, setStorageSizes<real>, THTensor *, THStorage *, ptrdiff_t, int64_t, int64_t)
TH_TENSOR_EXPORT(void, setStorage2d, setStorageSizes<real>, THTensor *, THStorage *, ptrdiff_t, int64_t, int64_t,
                 int64_t, int64_t)
TH_TENSOR_EXPORT(void, setStorage3d, setStorageSizes<real>, THTensor *, THStorage *, ptrdiff_t, int64_t, int64_t,
                 int64_t, int64_t, int64_t, int64_t)
TH_TENSOR_EXPORT(void, setStorage4d, setStorageSizes<real>, THTensor *, THStorage *, ptrdiff_t, int64_t, int64_t,
                 int64_t, int64_t, int64_t, int64_t, int64_t, int64_t)

TH_TENSOR_EXPORT(void, narrow, narrow<real>, THTensor *, THTensor *, int, int64_t, int64_t)
TH_TENSOR_EXPORT(void, select, select<real>, THTensor *, THTensor *, int, int64_t)
TH_TENSOR_EXPORT(void, transpose, transpose<real>, THTensor *, THTensor *, int, int)
TH_TENSOR_EXPORT(void, unfold, unfold<real>, THTensor *, THTensor *, int, int64_t, int64_t)
TH_TENSOR_EXPORT(void, squeeze, squeeze<real>, THTensor *, THTensor *)
TH_TENSOR_EXPORT(void, squeeze1d, squeeze1d<real>, THTensor *, THTensor *, int)
TH_TENSOR_EXPORT(void, unsqueeze1d, unsqueeze1d<real>, THTensor *, THTensor *, int)

TH_TENSOR_EXPORT(void, set1d, set1d<real>, THTensor *, int64_t, real)
TH_TENSOR_EXPORT(void, set2d, set2d<real>, THTensor *, int64_t, int64_t, real)
TH_TENSOR_EXPORT(void, set3d, set3d<real>, THTensor *, int64_t, int64_t, int64_t, real)
TH_TENSOR_EXPORT(void, set4d, set4d<real>, THTensor *, int64_t, int64_t, int64_t, int64_t, real)
TH_TENSOR_EXPORT(real, get1d, get<real>, const THTensor *, int64_t)
TH_TENSOR_EXPORT(real, get2d, get<real>, const THTensor *, int64_t, int64_t)
TH_TENSOR_EXPORT(real, get3d, get<real>, const THTensor *, int64_t, int64_t, int64_t)
TH_TENSOR_EXPORT(real, get4d, get<real>, const THTensor *, int64_t, int64_t, int64_t, int64_t)
