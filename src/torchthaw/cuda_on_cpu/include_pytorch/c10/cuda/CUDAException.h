/* c10/cuda/CUDAException.h for TORCHTHAW_CUDA=cpu: errors of CUDA's runtime become exceptions. */
#pragma once

#include <c10/core/DeviceType.h>
#include <c10/cuda/CUDAMacros.h>
#include <c10/util/Exception.h>
#include <c10/util/irange.h>
#include <cuda.h>
#include <cuda_runtime_api.h>

namespace c10 {

class CUDAError : public c10::Error {
    using Error::Error;
};

namespace cuda {

/* Throws CUDAError for anything but cudaSuccess. */
inline void check_runtime(cudaError_t error) {
    if (C10_LIKELY(error == cudaSuccess)) return;
    cudaGetLastError(); /* the exception reports it */
    TORCH_CHECK_WITH(CUDAError, false, "CUDA error: ", cudaGetErrorString(error));
}

}  // namespace cuda

}  // namespace c10

#define C10_CUDA_CHECK(call) ::c10::cuda::check_runtime(call)
#define C10_CUDA_CHECK_WARN(call)                                                    \
    do {                                                                             \
        const cudaError_t c10_error = (call);                                        \
        if (c10_error != cudaSuccess) {                                              \
            cudaGetLastError();                                                      \
            TORCH_WARN("CUDA warning: ", cudaGetErrorString(c10_error));             \
        }                                                                            \
    } while (0)
#define C10_CUDA_ERROR_HANDLED(call) (call)
#define C10_CUDA_IGNORE_ERROR(call) ((void)(call), (void)cudaGetLastError())
#define C10_CUDA_CLEAR_ERROR() ((void)cudaGetLastError())
#define C10_CUDA_KERNEL_LAUNCH_CHECK() C10_CUDA_CHECK(cudaGetLastError())
