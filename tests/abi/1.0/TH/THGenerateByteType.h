/* TH/THGenerateByteType.h: includes TH_GENERIC_FILE once, for uint8_t. */
#ifndef TH_GENERIC_FILE
#error "Define TH_GENERIC_FILE before you include THGenerateByteType.h"
#endif

#define real uint8_t
#define ureal uint8_t
#define accreal int64_t
#define Real Byte
#define THInf UCHAR_MAX
#define TH_CONVERT_REAL_TO_ACCREAL(_val) (accreal)(_val)
#define TH_CONVERT_ACCREAL_TO_REAL(_val) (real)(_val)
#define TH_REAL_IS_BYTE

#include TH_GENERIC_FILE

#undef real
#undef ureal
#undef accreal
#undef Real
#undef THInf
#undef TH_CONVERT_REAL_TO_ACCREAL
#undef TH_CONVERT_ACCREAL_TO_REAL
#undef TH_REAL_IS_BYTE

#ifndef THGenerateManyTypes
#undef TH_GENERIC_FILE
#endif
