// cub/device/device_segmented_radix_sort.cuh: sorts each segment of an array of a device by the bits of its keys.
#pragma once

#include <cuda_on_cpu/cub/segmented_sort.h>

namespace cub {

/* As DeviceRadixSort; segment s has the keys from begins[s] up to ends[s]. */
class DeviceSegmentedRadixSort {
    static auto by_bits(int begin, int end, bool descending) {
        return [=](auto keys, size_t n) { return cuda_on_cpu::radix_order(keys, n, begin, end, descending); };
    }

public:
#define CUDA_ON_CPU_BITS int first = 0, int last = 8 * sizeof(Key), cudaStream_t stream = nullptr, bool = false
    CUDA_ON_CPU_SEGMENTED_SORT(SortPairs, SortKeys, "cub::DeviceSegmentedRadixSort", by_bits(first, last, false),
                               CUDA_ON_CPU_BITS)
    CUDA_ON_CPU_SEGMENTED_SORT(SortPairsDescending, SortKeysDescending, "cub::DeviceSegmentedRadixSort",
                               by_bits(first, last, true), CUDA_ON_CPU_BITS)
#undef CUDA_ON_CPU_BITS
};

}  // namespace cub
