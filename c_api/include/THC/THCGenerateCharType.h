/* THC/THCGenerateCharType.h: includes THC_GENERIC_FILE once, for int8_t. */
#ifndef THC_GENERIC_FILE
#error "Define THC_GENERIC_FILE before you include THCGenerateCharType.h"
#endif

#define real int8_t
#define accreal int64_t
#define Real Char
#define CReal CudaChar
#define THC_REAL_IS_CHAR

#include THC_GENERIC_FILE

#undef real
#undef accreal
#undef Real
#undef CReal
#undef THC_REAL_IS_CHAR

#ifndef THCGenerateManyTypes
#undef THC_GENERIC_FILE
#endif
