// cub/thread/thread_store.cuh: writes with a modifier for the caches of a device.
#pragma once

#include <cuda_on_cpu/cub/cub.h>

namespace cub {

enum CacheStoreModifier { STORE_DEFAULT, STORE_WB, STORE_CG, STORE_CS, STORE_WT, STORE_VOLATILE };

/* Writes a value through any cache of the device: the CPU has its own. */
template <CacheStoreModifier MODIFIER, typename Iterator, typename T> void ThreadStore(Iterator place, T value) {
    *place = value;
}

}  // namespace cub
