// portable/cuda/memory.h: memory of CUDA's devices by PyTorch's caching allocator.
#pragma once
#include "streams.h"

namespace c10::cuda {

namespace CUDACachingAllocator {

/// `bytes` of the current device for work on the current stream; raw_delete() gives them back.
inline void *raw_alloc(size_t bytes) { return ::torchthaw::cuda::allocate_raw(bytes, current_device()); }
inline void *raw_alloc_with_stream(size_t bytes, cudaStream_t stream) {
    CUDAStreamGuard guard(CUDAStream(stream, current_device()));
    return raw_alloc(bytes);
}
/// Of an address of raw_alloc(), or null.
inline void raw_delete(void *address) { ::torchthaw::cuda::release(address); }
inline void emptyCache() { ::torchthaw::cuda::empty_cache(); }
inline void init(int) { ::torchthaw::cuda::initialize(); }
/// For memory of get()->allocate(): no other work gets it before what the stream has by then is done.
inline void recordStream(const DataPtr &memory, CUDAStream stream) {
    if (memory.get()) ::torchthaw::cuda::record_stream(memory, stream.stream(), stream.device_index());
}

struct OfCurrentDevice : Allocator {
    DataPtr allocate(size_t bytes) override { return ::torchthaw::cuda::allocate(bytes, current_device()); }
};
inline Allocator *get() {
    static OfCurrentDevice one;
    return &one;
}

}  // namespace CUDACachingAllocator

}  // namespace c10::cuda

namespace at::cuda {
namespace CUDACachingAllocator = c10::cuda::CUDACachingAllocator;
inline Allocator *getCUDADeviceAllocator() { return CUDACachingAllocator::get(); }
}  // namespace at::cuda
