/* statistics.h: what is counted of the device's memory, as PyTorch's allocators tell it. */
#pragma once

#include <c10/core/CachingDeviceAllocator.h>

#include "memory.h"

namespace cuda_on_cpu {

inline c10::CachingAllocator::Stat stat_of(const Count &count) {
    c10::CachingAllocator::Stat found;
    found.current = static_cast<int64_t>(count.current);
    found.peak = static_cast<int64_t>(count.peak);
    found.allocated = static_cast<int64_t>(count.allocated);
    found.freed = static_cast<int64_t>(count.freed);
    return found;
}

/* PyTorch counts all pools, then those of small blocks, then those of large ones. There is one, of large ones. */
inline c10::CachingDeviceAllocator::DeviceStats device_stats() {
    const Statistics now = statistics();
    c10::CachingDeviceAllocator::DeviceStats found;
    for (const size_t pool : {0, 2}) {
        for (auto *bytes : {&found.allocated_bytes, &found.reserved_bytes, &found.active_bytes, &found.requested_bytes})
            (*bytes)[pool] = stat_of(now.bytes);
        for (auto *blocks : {&found.allocation, &found.segment, &found.active}) (*blocks)[pool] = stat_of(now.blocks);
    }
    found.num_ooms = static_cast<int64_t>(now.out_of_memory);
    return found;
}

}  // namespace cuda_on_cpu
