/* THC/THCGenerateByteType.h: includes THC_GENERIC_FILE once, for uint8_t. */
#ifndef THC_GENERIC_FILE
#error "Define THC_GENERIC_FILE before you include THCGenerateByteType.h"
#endif

#define real uint8_t
#define accreal int64_t
#define Real Byte
#define CReal CudaByte
#define THC_REAL_IS_BYTE

#include THC_GENERIC_FILE

#undef real
#undef accreal
#undef Real
#undef CReal
#undef THC_REAL_IS_BYTE

#ifndef THCGenerateManyTypes
#undef THC_GENERIC_FILE
#endif
