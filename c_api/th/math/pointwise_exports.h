// c_api/th/math/pointwise_exports.h: what pointwise.cpp exports for each type.
TH_TENSOR(void, fill, THTensor *, real)
TH_TENSOR(void, zero, THTensor *)

TH_TENSOR(void, add, THTensor *, THTensor *, real)
TH_TENSOR(void, sub, THTensor *, THTensor *, real)
TH_TENSOR(void, add_scaled, THTensor *, THTensor *, real, real)
TH_TENSOR(void, sub_scaled, THTensor *, THTensor *, real, real)
TH_TENSOR(void, mul, THTensor *, THTensor *, real)
TH_TENSOR(void, div, THTensor *, THTensor *, real)
TH_TENSOR(void, lshift, THTensor *, THTensor *, real)
TH_TENSOR(void, rshift, THTensor *, THTensor *, real)
TH_TENSOR(void, fmod, THTensor *, THTensor *, real)
TH_TENSOR(void, remainder, THTensor *, THTensor *, real)
TH_TENSOR(void, clamp, THTensor *, THTensor *, real, real)
TH_EXPORT(void, THTensor_(bitand), ::th::bitand_<real>, THTensor *, THTensor *, real)
TH_EXPORT(void, THTensor_(bitor), ::th::bitor_<real>, THTensor *, THTensor *, real)
TH_TENSOR(void, bitxor, THTensor *, THTensor *, real)
TH_TENSOR(void, cmaxValue, THTensor *, THTensor *, real)
TH_TENSOR(void, cminValue, THTensor *, THTensor *, real)
TH_TENSOR(void, tpow, THTensor *, real, THTensor *)

TH_TENSOR(void, cadd, THTensor *, THTensor *, real, THTensor *)
TH_TENSOR(void, csub, THTensor *, THTensor *, real, THTensor *)
TH_TENSOR(void, cmul, THTensor *, THTensor *, THTensor *)
TH_TENSOR(void, cdiv, THTensor *, THTensor *, THTensor *)
TH_TENSOR(void, cpow, THTensor *, THTensor *, THTensor *)
TH_TENSOR(void, clshift, THTensor *, THTensor *, THTensor *)
TH_TENSOR(void, crshift, THTensor *, THTensor *, THTensor *)
TH_TENSOR(void, cfmod, THTensor *, THTensor *, THTensor *)
TH_TENSOR(void, cremainder, THTensor *, THTensor *, THTensor *)
TH_TENSOR(void, cbitand, THTensor *, THTensor *, THTensor *)
TH_TENSOR(void, cbitor, THTensor *, THTensor *, THTensor *)
TH_TENSOR(void, cbitxor, THTensor *, THTensor *, THTensor *)
TH_TENSOR(void, cmax, THTensor *, THTensor *, THTensor *)
TH_TENSOR(void, cmin, THTensor *, THTensor *, THTensor *)
TH_TENSOR(void, addcmul, THTensor *, THTensor *, real, THTensor *, THTensor *)
TH_TENSOR(void, addcdiv, THTensor *, THTensor *, real, THTensor *, THTensor *)
TH_TENSOR(void, sign, THTensor *, THTensor *)
#if !defined(TH_REAL_IS_BYTE) && !defined(TH_REAL_IS_CHAR)
TH_TENSOR(void, neg, THTensor *, THTensor *)
TH_TENSOR(void, abs, THTensor *, THTensor *)
#endif

#define TH_COMPARE(name, Name)                                                                                         \
    TH_EXPORT(void, THTensor_(name##Value), (::th::compare_value<::th::op::Name##Value, real, uint8_t>),               \
              THByteTensor *, THTensor *, real)                                                                        \
    TH_EXPORT(void, THTensor_(name##ValueT), (::th::compare_value<::th::op::Name##Value, real, real>), THTensor *,     \
              THTensor *, real)                                                                                        \
    TH_EXPORT(void, THTensor_(name##Tensor), (::th::compare_tensors<::th::op::Name##Tensor, real, uint8_t>),           \
              THByteTensor *, THTensor *, THTensor *)                                                                  \
    TH_EXPORT(void, THTensor_(name##TensorT), (::th::compare_tensors<::th::op::Name##Tensor, real, real>), THTensor *, \
              THTensor *, THTensor *)
TH_COMPARE(lt, Lt)
TH_COMPARE(le, Le)
TH_COMPARE(gt, Gt)
TH_COMPARE(ge, Ge)
TH_COMPARE(ne, Ne)
TH_COMPARE(eq, Eq)
#undef TH_COMPARE
