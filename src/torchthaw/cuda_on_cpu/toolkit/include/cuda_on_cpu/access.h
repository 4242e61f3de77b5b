// cuda_on_cpu/access.h: when code of the host may use memory of the device.
//
// A card's memory cannot be read by the host. Here it can, so TORCHTHAW_CUDA_CHECK=1 forbids it by AddressSanitizer: the
// first 64 KiB of each array of cudaMalloc may be used in kernels and in calls of the runtime alone.
#pragma once

#include <cuda_on_cpu/runtime.h>

namespace cuda_on_cpu {

CUDA_ON_CPU_EXPORT void begin_access();
CUDA_ON_CPU_EXPORT void end_access();

// While one exists, in any thread, memory of the device may be used. They nest.
struct Access {
    Access() { begin_access(); }
    ~Access() { end_access(); }
    Access(const Access &) = delete;
    Access &operator=(const Access &) = delete;
};

}  // namespace cuda_on_cpu
