/* TH/THGenerateIntTypes.h: includes TH_GENERIC_FILE once for each integer type. */
#ifndef TH_GENERIC_FILE
#error "Define TH_GENERIC_FILE before you include THGenerateIntTypes.h"
#endif

#ifndef THGenerateManyTypes
#define THGenerateManyTypes
#define THGenerateIntTypes_OUTERMOST
#endif

#include "THGenerateByteType.h"
#include "THGenerateCharType.h"
#include "THGenerateShortType.h"
#include "THGenerateIntType.h"
#include "THGenerateLongType.h"

#ifdef THGenerateIntTypes_OUTERMOST
#undef THGenerateIntTypes_OUTERMOST
#undef THGenerateManyTypes
#undef TH_GENERIC_FILE
#endif
