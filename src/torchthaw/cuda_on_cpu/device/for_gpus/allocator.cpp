/* allocator.cpp: the device's allocator in a PyTorch built for CUDA, in place of its own one, which puts many tensors into
 * one array of cudaMalloc: an overrun of one would hide in the next.
 *
 * PyTorch has a class for allocators of others, with a function for all that its own can do. Some functions are in a few
 * versions of PyTorch only, so none says `override`. */
#include <c10/core/Allocator.h>
#include <torch/csrc/cuda/CUDAPluggableAllocator.h>

#include <memory>
#include <string>

#include "../memory.h"
#include "../statistics.h"

namespace cuda_on_cpu {

namespace {

namespace pluggable = torch::cuda::CUDAPluggableAllocator;

struct DeviceAllocator final : pluggable::CUDAPluggableAllocator {
    DeviceAllocator()
        : CUDAPluggableAllocator([](size_t size, int, cudaStream_t) { return allocate_block(size); },
                                 [](void *address, size_t, int, cudaStream_t) { free_block(address); }) {}

    c10::DataPtr allocate(size_t size) { return allocate_on(DEVICE, size); }
    c10::DeleterFnPtr raw_deleter() const { return &free_block; }
    void *raw_alloc(size_t size) { return size == 0 ? nullptr : allocate_block(size); }
    void *raw_alloc_with_stream(size_t size, cudaStream_t) { return raw_alloc(size); }
    void raw_delete(void *address) { free_block(address); }

    void init(int) {}
    bool initialized() { return true; }
    bool isHistoryEnabled() { return false; }
    std::string name() { return "native"; } /* PyTorch looks for it to learn what torch.cuda can do */

    c10::CachingDeviceAllocator::DeviceStats getDeviceStats(c10::DeviceIndex) { return device_stats(); }
    void resetAccumulatedStats(c10::DeviceIndex) { reset_accumulated(); }
    void resetPeakStats(c10::DeviceIndex) { reset_peak(); }
};

DeviceAllocator &on_device = *new DeviceAllocator; /* never destroyed: tensors of static objects are freed later */

const bool registered = [] {
    pluggable::changeCurrentAllocator({&on_device, [](auto *) {}}); /* for code that asks CUDA */
    c10::SetAllocator(c10::DeviceType::CUDA, &on_device, 1);        /* for code of any device */
    return true;
}();

}  // namespace

c10::Allocator *device_allocator() { return &on_device; }

}  // namespace cuda_on_cpu
