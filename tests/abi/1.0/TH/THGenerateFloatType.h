/* TH/THGenerateFloatType.h: includes TH_GENERIC_FILE once, for float. */
#ifndef TH_GENERIC_FILE
#error "Define TH_GENERIC_FILE before you include THGenerateFloatType.h"
#endif

#define real float
#define accreal double
#define Real Float
#define THInf FLT_MAX
#define TH_CONVERT_REAL_TO_ACCREAL(_val) (accreal)(_val)
#define TH_CONVERT_ACCREAL_TO_REAL(_val) (real)(_val)
#define TH_REAL_IS_FLOAT

#include TH_GENERIC_FILE

#undef real
#undef accreal
#undef Real
#undef THInf
#undef TH_CONVERT_REAL_TO_ACCREAL
#undef TH_CONVERT_ACCREAL_TO_REAL
#undef TH_REAL_IS_FLOAT

#ifndef THGenerateManyTypes
#undef TH_GENERIC_FILE
#endif
