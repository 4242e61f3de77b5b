// c_api/th/math/vector_exports.h: what math.cpp exports on arrays, for each type.
TH_VECTOR(fill, fill<real>, real *, const real, const ptrdiff_t)
TH_VECTOR(copy, copy<real>, real *, const real *, const ptrdiff_t)
TH_VECTOR(cadd, cadd<real>, real *, const real *, const real *, const real, const ptrdiff_t)
TH_VECTOR(cmul, cmul<real>, real *, const real *, const real *, const ptrdiff_t)
TH_VECTOR(cdiv, cdiv<real>, real *, const real *, const real *, const ptrdiff_t)
TH_VECTOR(adds, adds<real>, real *, const real *, const real, const ptrdiff_t)
TH_VECTOR(muls, muls<real>, real *, const real *, const real, const ptrdiff_t)
TH_VECTOR(divs, divs<real>, real *, const real *, const real, const ptrdiff_t)
TH_EXPORT0(void, THVector_(vectorDispatchInit), ::th::vector::choose_instruction_set)
#if !defined(TH_REAL_IS_BYTE)
TH_VECTOR(neg, negate<real>, real *, const real *, const ptrdiff_t)
#endif
#if !defined(TH_REAL_IS_BYTE) && !defined(TH_REAL_IS_CHAR)
TH_VECTOR(abs, absolute<real>, real *, const real *, const ptrdiff_t)
#endif
#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
TH_VECTOR(pow, pow<real>, real *, const real *, const real, const ptrdiff_t)
#define TH_FUNCTION(name, Name)                                                                                        \
    TH_EXPORT(void, THVector_(name), (::th::vector::function<::th::op::Name, real>), real *, const real *,             \
              const ptrdiff_t)
#include "th/math/functions.h"
#undef TH_FUNCTION
#endif
