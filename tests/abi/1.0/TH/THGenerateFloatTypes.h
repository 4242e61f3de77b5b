/* TH/THGenerateFloatTypes.h: includes TH_GENERIC_FILE once for float and double. */
#ifndef TH_GENERIC_FILE
#error "Define TH_GENERIC_FILE before you include THGenerateFloatTypes.h"
#endif

#ifndef THGenerateManyTypes
#define THGenerateManyTypes
#define THGenerateFloatTypes_OUTERMOST
#endif

#include "THGenerateFloatType.h"
#include "THGenerateDoubleType.h"

#ifdef THGenerateFloatTypes_OUTERMOST
#undef THGenerateFloatTypes_OUTERMOST
#undef THGenerateManyTypes
#undef TH_GENERIC_FILE
#endif
