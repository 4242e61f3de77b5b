/* THC/THCGenerateHalfType.h: includes THC_GENERIC_FILE once, for half. */
#ifndef THC_GENERIC_FILE
#error "Define THC_GENERIC_FILE before you include THCGenerateHalfType.h"
#endif

#include "THCHalf.h"

#define real half
#define accreal float
#define Real Half
#define CReal CudaHalf
#define THC_REAL_IS_HALF

#include THC_GENERIC_FILE

#undef real
#undef accreal
#undef Real
#undef CReal
#undef THC_REAL_IS_HALF

#ifndef THCGenerateManyTypes
#undef THC_GENERIC_FILE
#endif
