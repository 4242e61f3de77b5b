// cub/util_device.cuh: questions to the device.
#pragma once

#include <cub/util_debug.cuh>

namespace cub {

inline cudaError_t PtxVersion(int &version) {
    int major = 0, minor = 0, device = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    const cudaError_t error = cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device);
    version = 100 * major + 10 * minor;
    return error;
}
inline cudaError_t SmVersion(int &version, int = 0) { return PtxVersion(version); }
inline int CurrentDevice() {
    int device = -1;
    cudaGetDevice(&device);
    return device;
}
inline int DeviceCount() {
    int count = -1;
    cudaGetDeviceCount(&count);
    return count;
}
template <typename Kernel>
cudaError_t MaxSmOccupancy(int &blocks, Kernel kernel, int threads, int shared_bytes = 0) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, size_t(shared_bytes));
}

}  // namespace cub
