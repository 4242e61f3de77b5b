// cuda_on_cpu/thrust_memory.h: thrust's backend for C++ has the memory of its vectors from the host.
#pragma once

#include <cuda_on_cpu/runtime.h>

namespace cuda_on_cpu {
[[gnu::constructor]] static void say_thrust_shares() { share_host_memory(); }
}  // namespace cuda_on_cpu
