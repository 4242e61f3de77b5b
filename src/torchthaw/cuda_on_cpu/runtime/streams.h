// cuda_on_cpu/runtime/streams.h: which streams there are.
#pragma once

#include <cuda_runtime_api.h>

namespace cuda_on_cpu {

// Whether a stream is one of those that need no creation, or was created and not destroyed.
bool is_stream(cudaStream_t);

}  // namespace cuda_on_cpu
