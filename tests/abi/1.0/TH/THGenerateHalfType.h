/* TH/THGenerateHalfType.h: includes TH_GENERIC_FILE once, for THHalf. */
#ifndef TH_GENERIC_FILE
#error "Define TH_GENERIC_FILE before you include THGenerateHalfType.h"
#endif

#include "THHalf.h"

#define real THHalf
#define accreal float
#define Real Half
#define THInf TH_HALF_BITS_TO_LITERAL(TH_HALF_INF)
#define TH_CONVERT_REAL_TO_ACCREAL(_val) TH_half2float(_val)
#define TH_CONVERT_ACCREAL_TO_REAL(_val) TH_float2half(_val)
#define TH_REAL_IS_HALF

#include TH_GENERIC_FILE

#undef real
#undef accreal
#undef Real
#undef THInf
#undef TH_CONVERT_REAL_TO_ACCREAL
#undef TH_CONVERT_ACCREAL_TO_REAL
#undef TH_REAL_IS_HALF

#ifndef THGenerateManyTypes
#undef TH_GENERIC_FILE
#endif
