/* c10/cuda/CUDACachingAllocator.h for TORCHTHAW_CUDA=cpu: memory of PyTorch's device. Nothing is cached. */
#pragma once

#include <c10/core/Allocator.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/cuda/CUDAGraphsC10Utils.h>
#include <c10/cuda/CUDAStream.h>

namespace c10::cuda::CUDACachingAllocator {

inline Allocator *get() { return GetAllocator(DeviceType::CUDA); }
inline void *raw_alloc(size_t size) { return get()->raw_allocate(size); }
inline void *raw_alloc_with_stream(size_t size, cudaStream_t) { return raw_alloc(size); }
inline void raw_delete(void *address) { get()->raw_deallocate(address); }
inline void emptyCache() {}
inline void recordStream(const DataPtr &, CUDAStream) {}
inline void init(int) {}

}  // namespace c10::cuda::CUDACachingAllocator
