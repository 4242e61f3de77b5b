// c_api/th/math/math_exports.h: what math.cpp exports on tensors of floats and doubles.
TH_TENSOR(void, pow, THTensor *, THTensor *, real)
TH_TENSOR(void, atan2, THTensor *, THTensor *, THTensor *)
TH_TENSOR(void, lerp, THTensor *, THTensor *, THTensor *, real)
TH_TENSOR(void, polygamma, THTensor *, int64_t, THTensor *)
#define TH_FUNCTION(name, Name)                                                                                        \
    TH_EXPORT(void, THTensor_(name), (::th::function<::th::op::Name, real>), THTensor *, THTensor *)
#include "th/math/functions.h"
#undef TH_FUNCTION
