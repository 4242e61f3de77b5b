/* TH/THGenerateAllTypes.h: includes TH_GENERIC_FILE once for every type but half, floating ones first. */
#ifndef TH_GENERIC_FILE
#error "Define TH_GENERIC_FILE before you include THGenerateAllTypes.h"
#endif

#define THGenerateManyTypes

#include "THGenerateFloatTypes.h"
#include "THGenerateIntTypes.h"

#undef THGenerateManyTypes
#undef TH_GENERIC_FILE
