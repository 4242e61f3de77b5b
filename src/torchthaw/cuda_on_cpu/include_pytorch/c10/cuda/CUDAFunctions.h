/* c10/cuda/CUDAFunctions.h for TORCHTHAW_CUDA=cpu: the current device, which is 0. */
#pragma once

#include <c10/core/Device.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <c10/cuda/CUDAException.h>
#include <cuda_runtime_api.h>

namespace c10::cuda {

/* What PyTorch asks for the devices and streams of CUDA. */
inline impl::VirtualGuardImpl guard_impl() { return {DeviceType::CUDA}; }

inline DeviceIndex device_count() noexcept { return guard_impl().deviceCount(); }
inline DeviceIndex device_count_ensure_non_zero() { return device_count(); }
inline DeviceIndex current_device() { return guard_impl().getDevice().index(); }
inline void set_device(DeviceIndex device, bool = false) { guard_impl().setDevice({DeviceType::CUDA, device}); }
inline void device_synchronize() { C10_CUDA_CHECK(cudaDeviceSynchronize()); }
inline void warn_or_error_on_sync() {}

inline cudaError_t GetDeviceCount(int *count) { return cudaGetDeviceCount(count); }
inline cudaError_t GetDevice(DeviceIndex *device) {
    *device = current_device();
    return cudaSuccess;
}
inline cudaError_t SetDevice(DeviceIndex device, bool = false) { return cudaSetDevice(device); }
inline cudaError_t MaybeSetDevice(DeviceIndex device) { return cudaSetDevice(device); }
inline DeviceIndex ExchangeDevice(DeviceIndex device) {
    return guard_impl().exchangeDevice({DeviceType::CUDA, device}).index();
}
inline DeviceIndex MaybeExchangeDevice(DeviceIndex device) { return ExchangeDevice(device); }
inline void SetTargetDevice() {}

inline void memcpy_and_sync(void *to, const void *from, int64_t size, cudaMemcpyKind kind, cudaStream_t stream) {
    C10_CUDA_CHECK(cudaMemcpyAsync(to, from, static_cast<size_t>(size), kind, stream));
    C10_CUDA_CHECK(cudaStreamSynchronize(stream));
}
inline void stream_synchronize(cudaStream_t stream) { C10_CUDA_CHECK(cudaStreamSynchronize(stream)); }

}  // namespace c10::cuda
