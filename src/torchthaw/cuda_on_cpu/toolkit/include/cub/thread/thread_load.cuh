// cub/thread/thread_load.cuh: reads with a modifier for the caches of a device.
#pragma once

#include <cuda_on_cpu/cub/cub.h>

namespace cub {

enum CacheLoadModifier { LOAD_DEFAULT, LOAD_CA, LOAD_CG, LOAD_CS, LOAD_CV, LOAD_LDG, LOAD_VOLATILE };

/* A value, read through any cache of the device: the CPU has its own. */
template <CacheLoadModifier MODIFIER, typename Iterator> auto ThreadLoad(Iterator place) { return *place; }

}  // namespace cub
