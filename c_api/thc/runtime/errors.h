// c_api/thc/runtime/errors.h: failures of CUDA as errors of the library.
#pragma once

#include "th/runtime/errors.h"

#include <cuda_runtime_api.h>

namespace th {

// Throws "cuda runtime error (2) : out of memory" as an Error; the process's first one goes to stderr as well.
[[noreturn]] void raise_cuda(const char *file, int line, cudaError_t code);

}  // namespace th

#define CUDA_CHECK(call)                                                                                               \
    do {                                                                                                               \
        const cudaError_t code_ = (call);                                                                              \
        if (code_ != cudaSuccess) ::th::raise_cuda(__FILE__, __LINE__, code_);                                         \
    } while (0)
