// c_api/th/tensor/copy_exports.h: what copy.cpp exports for each type.
#define TH_COPY(suffix, From, from)                                                                                    \
    TH_EXPORT(void, THTensor_(copy##suffix), (::th::copy<real, from>), THTensor *, TH##From##Tensor *)                 \
    TH_EXPORT(void, THStorage_(copy##suffix), (::th::copy_storage<real, from>), THStorage *, TH##From##Storage *)
TH_EXPORT(void, THTensor_(copy), (::th::copy<real, real>), THTensor *, THTensor *)
TH_EXPORT(void, THStorage_(copy), (::th::copy_storage<real, real>), THStorage *, THStorage *)
TH_EXPORT(void, THStorage_(rawCopy), ::th::raw_copy<real>, THStorage *, real *)
TH_COPY(Byte, Byte, uint8_t)
TH_COPY(Char, Char, int8_t)
TH_COPY(Short, Short, int16_t)
TH_COPY(Int, Int, int32_t)
TH_COPY(Long, Long, int64_t)
TH_COPY(Float, Float, float)
TH_COPY(Double, Double, double)
TH_COPY(Half, Half, THHalf)
#undef TH_COPY
