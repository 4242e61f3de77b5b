/* TH/THGenerateShortType.h: includes TH_GENERIC_FILE once, for int16_t. */
#ifndef TH_GENERIC_FILE
#error "Define TH_GENERIC_FILE before you include THGenerateShortType.h"
#endif

#define real int16_t
#define ureal uint16_t
#define accreal int64_t
#define Real Short
#define THInf SHRT_MAX
#define TH_CONVERT_REAL_TO_ACCREAL(_val) (accreal)(_val)
#define TH_CONVERT_ACCREAL_TO_REAL(_val) (real)(_val)
#define TH_REAL_IS_SHORT

#include TH_GENERIC_FILE

#undef real
#undef ureal
#undef accreal
#undef Real
#undef THInf
#undef TH_CONVERT_REAL_TO_ACCREAL
#undef TH_CONVERT_ACCREAL_TO_REAL
#undef TH_REAL_IS_SHORT

#ifndef THGenerateManyTypes
#undef TH_GENERIC_FILE
#endif
