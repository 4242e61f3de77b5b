/* THC/THCGenerateDoubleType.h: includes THC_GENERIC_FILE once, for double. */
#ifndef THC_GENERIC_FILE
#error "Define THC_GENERIC_FILE before you include THCGenerateDoubleType.h"
#endif

#define real double
#define accreal double
#define Real Double
#define CReal CudaDouble
#define THC_REAL_IS_DOUBLE

#include THC_GENERIC_FILE

#undef real
#undef accreal
#undef Real
#undef CReal
#undef THC_REAL_IS_DOUBLE

#ifndef THCGenerateManyTypes
#undef THC_GENERIC_FILE
#endif
