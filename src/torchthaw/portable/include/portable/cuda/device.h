// portable/cuda/device.h: devices of CUDA, their properties, and checks of what its functions return.
#pragma once
#include <cuda_runtime_api.h>

#include "by_pytorch.h"
#include "portable/checks.h"

namespace c10::cuda {

/// Throws c10::Error with CUDA's text, which later calls do not tell again, unless `error` is cudaSuccess.
inline void check(cudaError_t error) {
    if (C10_LIKELY(error == cudaSuccess)) return;
    static_cast<void>(cudaGetLastError());
    ::torchthaw::fail(str("CUDA error: ", cudaGetErrorString(error),
                          "\nA kernel's error may be told by a later call. CUDA_LAUNCH_BLOCKING=1 has each launch wait for its kernel."));
}

}  // namespace c10::cuda

#define C10_CUDA_CHECK(expression) ::c10::cuda::check(expression)
#define C10_CUDA_CHECK_WARN(expression)                                                                                \
    do {                                                                                                               \
        const cudaError_t error_ = (expression);                                                                       \
        if (error_ != cudaSuccess) {                                                                                   \
            static_cast<void>(cudaGetLastError());                                                                     \
            TORCH_WARN("CUDA warning: ", cudaGetErrorString(error_));                                                  \
        }                                                                                                              \
    } while (false)
#define C10_CUDA_ERROR_HANDLED(expression) (expression)
#define C10_CUDA_IGNORE_ERROR(expression)                                                                              \
    do {                                                                                                               \
        if ((expression) != cudaSuccess) static_cast<void>(cudaGetLastError());                                        \
    } while (false)
#define C10_CUDA_CLEAR_ERROR() static_cast<void>(cudaGetLastError())
#define C10_CUDA_KERNEL_LAUNCH_CHECK() C10_CUDA_CHECK(cudaGetLastError())
#define AT_CUDA_CHECK(expression) C10_CUDA_CHECK(expression)

namespace c10::cuda {

/// How many devices there are; 0 without a driver.
inline DeviceIndex device_count() noexcept {
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess) static_cast<void>(cudaGetLastError()), count = 0;
    return static_cast<DeviceIndex>(count);
}
inline DeviceIndex device_count_ensure_non_zero() {
    const DeviceIndex count = device_count();
    TORCH_CHECK(count > 0, "No CUDA GPUs are available");
    return count;
}
/// That of this thread.
inline DeviceIndex current_device() {
    int device = 0;
    C10_CUDA_CHECK(cudaGetDevice(&device));
    return static_cast<DeviceIndex>(device);
}
inline cudaError_t GetDevice(DeviceIndex *device) {
    int found = 0;
    const cudaError_t error = cudaGetDevice(&found);
    if (error == cudaSuccess) *device = static_cast<DeviceIndex>(found);
    return error;
}
inline cudaError_t GetDeviceCount(int *count) { return cudaGetDeviceCount(count); }
inline cudaError_t SetDevice(DeviceIndex device, bool = false) {
    DeviceIndex now = -1;
    const cudaError_t error = GetDevice(&now);
    return error != cudaSuccess || now == device ? error : cudaSetDevice(device);
}
inline cudaError_t MaybeSetDevice(DeviceIndex device) { return SetDevice(device); }
inline void set_device(DeviceIndex device, bool = false) { C10_CUDA_CHECK(SetDevice(device)); }
/// Makes a device the current one; returns that of before. -1 changes nothing.
inline DeviceIndex ExchangeDevice(DeviceIndex device) {
    const DeviceIndex before = current_device();
    if (device >= 0) set_device(device);
    return before;
}
inline DeviceIndex MaybeExchangeDevice(DeviceIndex device) { return ExchangeDevice(device); }
inline void device_synchronize() { C10_CUDA_CHECK(cudaDeviceSynchronize()); }
inline void stream_synchronize(cudaStream_t stream) { C10_CUDA_CHECK(cudaStreamSynchronize(stream)); }
inline void memcpy_and_sync(void *to, const void *from, int64_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
    C10_CUDA_CHECK(cudaMemcpyAsync(to, from, static_cast<size_t>(bytes), kind, stream));
    stream_synchronize(stream);
}

}  // namespace c10::cuda

namespace at::cuda {
using namespace c10::cuda;

inline int64_t getNumGPUs() { return device_count(); }
inline bool is_available() { return device_count() > 0; }

/// Read once for each device and kept.
inline cudaDeviceProp *getDeviceProperties(DeviceIndex device) {
    static std::mutex lock;
    static std::map<int, cudaDeviceProp> known;
    const DeviceIndex count = device_count_ensure_non_zero();
    TORCH_CHECK(0 <= device && device < count, "device: expected an index below ", int(count), ", got ", int(device));
    std::lock_guard<std::mutex> guard(lock);
    auto found = known.find(device);
    if (found == known.end()) {
        cudaDeviceProp read;
        C10_CUDA_CHECK(cudaGetDeviceProperties(&read, device));
        found = known.emplace(device, read).first;
    }
    return &found->second;
}
inline cudaDeviceProp *getCurrentDeviceProperties() { return getDeviceProperties(current_device()); }
inline int warp_size() { return getCurrentDeviceProperties()->warpSize; }
inline bool canDeviceAccessPeer(DeviceIndex device, DeviceIndex peer) {
    if (device < 0) device = current_device();
    int can = 0;
    C10_CUDA_CHECK(cudaDeviceCanAccessPeer(&can, device, peer));
    return can != 0;
}

/// Of integers: ceil(a / b), for a ≥ 0 and b > 0.
template <class T>
C10_HOST_DEVICE constexpr T ATenCeilDiv(T a, T b) {
    return (a + b - 1) / b;
}

}  // namespace at::cuda
