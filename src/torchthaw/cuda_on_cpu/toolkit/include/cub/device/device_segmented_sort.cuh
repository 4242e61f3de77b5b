// cub/device/device_segmented_sort.cuh: sorts each segment of an array of a device.
#pragma once

#include <cuda_on_cpu/cub/segmented_sort.h>

namespace cub {

/* By <, or by > where descending; equal keys keep their order. Segment s has the keys from begins[s] up to ends[s]. */
class DeviceSegmentedSort {
    static auto by_order(bool descending) {
        return [=](auto keys, size_t n) {
            return cuda_on_cpu::stable_order(n, [=](size_t a, size_t b) {
                return descending ? keys[b] < keys[a] : keys[a] < keys[b];
            });
        };
    }

public:
#define CUDA_ON_CPU_STREAM cudaStream_t stream = nullptr, bool = false
#define CUDA_ON_CPU_NAME "cub::DeviceSegmentedSort"
    CUDA_ON_CPU_SEGMENTED_SORT(SortPairs, SortKeys, CUDA_ON_CPU_NAME, by_order(false), CUDA_ON_CPU_STREAM)
    CUDA_ON_CPU_SEGMENTED_SORT(StableSortPairs, StableSortKeys, CUDA_ON_CPU_NAME, by_order(false), CUDA_ON_CPU_STREAM)
    CUDA_ON_CPU_SEGMENTED_SORT(SortPairsDescending, SortKeysDescending, CUDA_ON_CPU_NAME, by_order(true), CUDA_ON_CPU_STREAM)
    CUDA_ON_CPU_SEGMENTED_SORT(StableSortPairsDescending, StableSortKeysDescending, CUDA_ON_CPU_NAME, by_order(true),
                               CUDA_ON_CPU_STREAM)
#undef CUDA_ON_CPU_STREAM
#undef CUDA_ON_CPU_NAME
};

}  // namespace cub
