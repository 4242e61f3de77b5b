/* allocator.cpp: the device's allocator in a PyTorch for CPUs. */
#include <c10/core/Allocator.h>
#include <torch/csrc/api/include/torch/version.h>

#include "../memory.h"
#include "../statistics.h"

namespace cuda_on_cpu {

namespace {

#if TORCH_VERSION_MAJOR > 2 || TORCH_VERSION_MINOR >= 9
/* What torch.accelerator asks for statistics. */
struct DeviceAllocator final : c10::DeviceAllocator {
    bool initialized() override { return true; }
    void emptyCache(c10::MempoolId_t) override {}
    void recordStream(const c10::DataPtr &, c10::Stream) override {}
    void resetAccumulatedStats(c10::DeviceIndex) override { reset_accumulated(); }
    void resetPeakStats(c10::DeviceIndex) override { reset_peak(); }
    c10::CachingDeviceAllocator::DeviceStats getDeviceStats(c10::DeviceIndex) override { return device_stats(); }
#else
struct DeviceAllocator final : c10::Allocator {
#endif
    c10::DataPtr allocate(size_t size) override { return allocate_on(DEVICE, size); }
    c10::DeleterFnPtr raw_deleter() const override { return &free_block; }
    void copy_data(void *to, const void *from, size_t size) const override { copy_bytes(to, from, size); }
};

DeviceAllocator &on_device = *new DeviceAllocator; /* never destroyed: tensors of static objects are freed later */

const bool registered = [] {
    c10::SetAllocator(c10::DeviceType::CUDA, &on_device);
    return true;
}();

}  // namespace

c10::Allocator *device_allocator() { return &on_device; }

}  // namespace cuda_on_cpu
