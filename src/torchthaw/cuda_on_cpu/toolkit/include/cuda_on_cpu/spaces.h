// cuda_on_cpu/spaces.h: kinds of memory.
#pragma once

#include <cuda_on_cpu/runtime.h>

namespace cuda_on_cpu {

enum class Space { global, shared, local };
// Whether an address is in memory of that kind: local is the stack of the thread that asks.
CUDA_ON_CPU_EXPORT bool is_in(Space, const void *address);

}  // namespace cuda_on_cpu
