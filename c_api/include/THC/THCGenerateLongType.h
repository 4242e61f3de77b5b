/* THC/THCGenerateLongType.h: includes THC_GENERIC_FILE once, for int64_t. */
#ifndef THC_GENERIC_FILE
#error "Define THC_GENERIC_FILE before you include THCGenerateLongType.h"
#endif

#define real int64_t
#define accreal int64_t
#define Real Long
#define CReal CudaLong
#define THC_REAL_IS_LONG

#include THC_GENERIC_FILE

#undef real
#undef accreal
#undef Real
#undef CReal
#undef THC_REAL_IS_LONG

#ifndef THCGenerateManyTypes
#undef THC_GENERIC_FILE
#endif
