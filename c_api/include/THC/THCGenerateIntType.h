/* THC/THCGenerateIntType.h: includes THC_GENERIC_FILE once, for int32_t. */
#ifndef THC_GENERIC_FILE
#error "Define THC_GENERIC_FILE before you include THCGenerateIntType.h"
#endif

#define real int32_t
#define accreal int64_t
#define Real Int
#define CReal CudaInt
#define THC_REAL_IS_INT

#include THC_GENERIC_FILE

#undef real
#undef accreal
#undef Real
#undef CReal
#undef THC_REAL_IS_INT

#ifndef THCGenerateManyTypes
#undef THC_GENERIC_FILE
#endif
