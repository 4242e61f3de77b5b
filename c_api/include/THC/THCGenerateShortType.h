/* THC/THCGenerateShortType.h: includes THC_GENERIC_FILE once, for int16_t. */
#ifndef THC_GENERIC_FILE
#error "Define THC_GENERIC_FILE before you include THCGenerateShortType.h"
#endif

#define real int16_t
#define accreal int64_t
#define Real Short
#define CReal CudaShort
#define THC_REAL_IS_SHORT

#include THC_GENERIC_FILE

#undef real
#undef accreal
#undef Real
#undef CReal
#undef THC_REAL_IS_SHORT

#ifndef THCGenerateManyTypes
#undef THC_GENERIC_FILE
#endif
