/* THC/THCGenerateAllTypes.h: includes THC_GENERIC_FILE once for every type. */
#ifndef THC_GENERIC_FILE
#error "Define THC_GENERIC_FILE before you include THCGenerateAllTypes.h"
#endif

#define THCGenerateManyTypes

#include "THCGenerateByteType.h"
#include "THCGenerateCharType.h"
#include "THCGenerateShortType.h"
#include "THCGenerateIntType.h"
#include "THCGenerateLongType.h"
#include "THCGenerateHalfType.h"
#include "THCGenerateFloatType.h"
#include "THCGenerateDoubleType.h"

#undef THCGenerateManyTypes
#undef THC_GENERIC_FILE
