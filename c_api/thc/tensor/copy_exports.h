// c_api/thc/tensor/copy_exports.h: what copy.cpp exports for each type.
#define THC_COPY(Host, CReal, other)                                                                                   \
    THC_EXPORT(void, THCTensor_(copyCuda##Host), (::th::copy<real, other>), THCTensor *, TH##CReal##Tensor *)          \
    THC_EXPORT(void, THCStorage_(copyCuda##Host), (::th::copy_storage<real, other>), THCStorage *,                     \
               TH##CReal##Storage *)                                                                                   \
    THC_FROM_HOST(THCTensor_(copy##Host), from_host, THCTensor, TH##Host##Tensor)                                      \
    THC_FROM_HOST(THCStorage_(copy##Host), storage_from_host, THCStorage, TH##Host##Storage)                           \
    THC_TO_HOST(TH_CONCAT_2(TH##Host##Tensor_copyCuda, Real), to_host, TH##Host##Tensor, THCTensor)                    \
    THC_TO_HOST(TH_CONCAT_2(TH##Host##Storage_copyCuda, Real), storage_to_host, TH##Host##Storage, THCStorage)
THC_COPY(Byte, CudaByte, uint8_t)
THC_COPY(Char, CudaChar, int8_t)
THC_COPY(Short, CudaShort, int16_t)
THC_COPY(Int, CudaInt, int32_t)
THC_COPY(Long, CudaLong, int64_t)
THC_COPY(Float, Cuda, float)
THC_COPY(Double, CudaDouble, double)
THC_COPY(Half, CudaHalf, half)
#undef THC_COPY
THC_EXPORT(void, THCTensor_(copy), (::th::copy<real, real>), THCTensor *, THCTensor *)
THC_EXPORT(void, THCTensor_(copyCuda), (::th::copy<real, real>), THCTensor *, THCTensor *)
THC_EXPORT(void, THCTensor_(copyIgnoringOverlaps), (::th::copy<real, real>), THCTensor *, THCTensor *)
THC_FROM_HOST(THCTensor_(copyCPU), from_host, THCTensor, THTensor)
THC_TO_HOST(THTensor_(copyCuda), to_host, THTensor, THCTensor)
THC_FROM_HOST(THCTensor_(copyAsyncCPU), from_pinned, THCTensor, THTensor)
THC_TO_HOST(THTensor_(copyAsyncCuda), to_pinned, THTensor, THCTensor)
THC_EXPORT(void, THCStorage_(copy), (::th::copy_storage<real, real>), THCStorage *, THCStorage *)
THC_EXPORT(void, THCStorage_(copyCuda), (::th::copy_storage<real, real>), THCStorage *, THCStorage *)
THC_FROM_HOST(THCStorage_(copyCPU), storage_from_host, THCStorage, THStorage)
THC_TO_HOST(THStorage_(copyCuda), storage_to_host, THStorage, THCStorage)
THC_EXPORT(void, THCStorage_(rawCopy), ::th::raw_copy<real>, THCStorage *, real *)
