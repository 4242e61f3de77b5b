/* TH/THGenerateIntType.h: includes TH_GENERIC_FILE once, for int32_t. */
#ifndef TH_GENERIC_FILE
#error "Define TH_GENERIC_FILE before you include THGenerateIntType.h"
#endif

#define real int32_t
#define ureal uint32_t
#define accreal int64_t
#define Real Int
#define THInf INT_MAX
#define TH_CONVERT_REAL_TO_ACCREAL(_val) (accreal)(_val)
#define TH_CONVERT_ACCREAL_TO_REAL(_val) (real)(_val)
#define TH_REAL_IS_INT

#include TH_GENERIC_FILE

#undef real
#undef ureal
#undef accreal
#undef Real
#undef THInf
#undef TH_CONVERT_REAL_TO_ACCREAL
#undef TH_CONVERT_ACCREAL_TO_REAL
#undef TH_REAL_IS_INT

#ifndef THGenerateManyTypes
#undef TH_GENERIC_FILE
#endif
