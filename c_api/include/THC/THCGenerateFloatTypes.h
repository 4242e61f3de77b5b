/* THC/THCGenerateFloatTypes.h: includes THC_GENERIC_FILE once for half, float and double. */
#ifndef THC_GENERIC_FILE
#error "Define THC_GENERIC_FILE before you include THCGenerateFloatTypes.h"
#endif

#define THCGenerateManyTypes

#include "THCGenerateHalfType.h"
#include "THCGenerateFloatType.h"
#include "THCGenerateDoubleType.h"

#undef THCGenerateManyTypes
#undef THC_GENERIC_FILE
