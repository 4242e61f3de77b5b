/* ATen/cuda/CUDAContextLight.h for TORCHTHAW_CUDA=cpu: the device and its handle of cuBLAS. */
#pragma once

#include <c10/core/Allocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAStream.h>
#include <cublas_v2.h>
#include <cuda_runtime_api.h>

namespace at::cuda {

inline int64_t getNumGPUs() { return c10::cuda::device_count(); }
inline bool is_available() { return c10::cuda::device_count() > 0; }

inline cudaDeviceProp *getDeviceProperties(c10::DeviceIndex device) {
    static cudaDeviceProp properties = [device] {
        cudaDeviceProp found;
        C10_CUDA_CHECK(cudaGetDeviceProperties(&found, device));
        return found;
    }();
    return &properties;
}
inline cudaDeviceProp *getCurrentDeviceProperties() { return getDeviceProperties(c10::cuda::current_device()); }
inline int warp_size() { return getCurrentDeviceProperties()->warpSize; }
inline bool canDeviceAccessPeer(c10::DeviceIndex, c10::DeviceIndex) { return false; }
inline c10::Allocator *getCUDADeviceAllocator() { return c10::GetAllocator(c10::DeviceType::CUDA); }

/* Of this thread; on PyTorch's current stream. */
inline cublasHandle_t getCurrentCUDABlasHandle(bool = true) {
    thread_local cublasHandle_t handle = nullptr;
    if (handle == nullptr) {
        TORCH_CHECK(cublasCreate(&handle) == CUBLAS_STATUS_SUCCESS, "cuBLAS: expected a handle, got none");
    }
    cublasSetStream(handle, c10::cuda::getCurrentCUDAStream());
    return handle;
}

}  // namespace at::cuda
