// cub/util_allocator.cuh: the allocator of temporary memory; it keeps no memory for later.
#pragma once

#include <cub/util_debug.cuh>

#include <cstddef>

namespace cub {

struct CachingDeviceAllocator {
    template <typename... Settings> explicit CachingDeviceAllocator(Settings...) {}
    cudaError_t SetMaxCachedBytes(size_t) { return cudaSuccess; }
    cudaError_t DeviceAllocate(int, void **memory, size_t bytes, cudaStream_t = nullptr) { return cudaMalloc(memory, bytes); }
    cudaError_t DeviceAllocate(void **memory, size_t bytes, cudaStream_t = nullptr) { return cudaMalloc(memory, bytes); }
    cudaError_t DeviceFree(int, void *memory) { return cudaFree(memory); }
    cudaError_t DeviceFree(void *memory) { return cudaFree(memory); }
    cudaError_t FreeAllCached() { return cudaSuccess; }
};

}  // namespace cub
