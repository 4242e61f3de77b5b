/* src/pooling.c: max pooling that keeps where its values were, its inverse, and a robust penalty. Return 1. */
#include <TH/TH.h>
#include <math.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#define pooling_(NAME) TH_CONCAT_4(pooling_, Real, _, NAME)

int pooling_version(void)
{
  return POOLING_VERSION;
}

#include "generic/pooling.c"
#include "THGenerateFloatTypes.h"

#include "generic/unpooling.c"
#include "THGenerateAllTypes.h"
