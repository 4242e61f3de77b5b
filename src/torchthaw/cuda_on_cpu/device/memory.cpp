/* memory.cpp: blocks of cudaMalloc of the runtime for the CPU, what is counted of them, and the allocators that say they
 * are on the CPU. The device's own allocator is in for_cpus/ and for_gpus/. */
#include "memory.h"

#include <c10/core/CPUAllocator.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>

namespace cuda_on_cpu {

namespace {

/* The sizes of blocks by their addresses. */
class Blocks {
public:
    void add(void *address, size_t size) {
        const std::lock_guard<std::mutex> lock(mutex_);
        sizes_[static_cast<char *>(address)] = size;
    }
    /* False where no block begins there. */
    bool remove(void *address, size_t *size) {
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto found = sizes_.find(static_cast<char *>(address));
        if (found == sizes_.end()) return false;
        *size = found->second;
        sizes_.erase(found);
        return true;
    }
    bool holds(const void *address) {
        const std::lock_guard<std::mutex> lock(mutex_);
        auto after = sizes_.upper_bound(static_cast<char *>(const_cast<void *>(address)));
        if (after == sizes_.begin()) return false;
        const auto &[start, size] = *--after;
        return static_cast<const char *>(address) < start + size;
    }

private:
    std::mutex mutex_;
    std::map<char *, size_t> sizes_;
};

/* Never destroyed: tensors of other static objects are freed later. */
Blocks &device_blocks = *new Blocks, &pinned_blocks = *new Blocks;
std::mutex &counting = *new std::mutex;
Statistics counts;

void add(Count &count, size_t amount) {
    count.current += amount;
    count.allocated += amount;
    count.peak = std::max(count.peak, count.current);
}

void subtract(Count &count, size_t amount) {
    count.current -= amount;
    count.freed += amount;
}

/* False for an address that allocate_block() did not return. */
bool try_to_free(void *address) {
    size_t size;
    if (!device_blocks.remove(address, &size)) return false;
    {
        const std::lock_guard<std::mutex> lock(counting);
        subtract(counts.bytes, size);
        subtract(counts.blocks, 1);
    }
    cudaFree(address);
    return true;
}

}  // namespace

void free_block(void *address) { try_to_free(address); }

void *allocate_block(size_t size) {
    void *address = nullptr;
    if (const cudaError_t error = cudaMalloc(&address, size)) {
        cudaGetLastError(); /* it is reported here */
        TORCH_CHECK(error == cudaErrorMemoryAllocation, "CUDA error: ", cudaGetErrorString(error));
        {
            const std::lock_guard<std::mutex> lock(counting);
            counts.out_of_memory++;
        }
        TORCH_CHECK_WITH(OutOfMemoryError, false, "CUDA out of memory. Tried to allocate ", size,
                         " bytes, which the host does not have (TORCHTHAW_CUDA=cpu)");
    }
    device_blocks.add(address, size);
    const std::lock_guard<std::mutex> lock(counting);
    add(counts.bytes, size);
    add(counts.blocks, 1);
    return address;
}

c10::DataPtr allocate_on(c10::Device device, size_t size) {
    if (size == 0) return {nullptr, nullptr, &free_block, device};
    void *address = allocate_block(size);
    return {address, address, &free_block, device};
}

void copy_bytes(void *to, const void *from, size_t size) {
    const Access access;
    std::memcpy(to, from, size);
}

namespace {

struct AliasAllocator final : c10::Allocator {
    c10::DataPtr allocate(size_t size) override { return allocate_on(c10::kCPU, size); }
    c10::DeleterFnPtr raw_deleter() const override { return &free_block; }
    void copy_data(void *to, const void *from, size_t size) const override { copy_bytes(to, from, size); }
};

void free_pinned(void *address) {
    size_t size;
    pinned_blocks.remove(address, &size);
    cudaHostUnregister(address);
    c10::GetDefaultCPUAllocator()->raw_deallocate(address);
}

struct PinnedAllocator final : c10::Allocator {
    c10::DataPtr allocate(size_t size) override {
        if (size == 0) return {nullptr, nullptr, &free_pinned, c10::kCPU};
        void *address = c10::GetDefaultCPUAllocator()->raw_allocate(size);
        pinned_blocks.add(address, size);
        cudaHostRegister(address, size, 0); /* kernels may read it */
        return {address, address, &free_pinned, c10::kCPU};
    }
    c10::DeleterFnPtr raw_deleter() const override { return &free_pinned; }
    void copy_data(void *to, const void *from, size_t size) const override { std::memcpy(to, from, size); }
};

AliasAllocator &on_alias = *new AliasAllocator;
PinnedAllocator &pinned = *new PinnedAllocator;
thread_local int in_kernels = 0;

c10::Allocator *const before = c10::GetCPUAllocator();

void free_on_host(void *address) {
    if (address != nullptr && !try_to_free(address)) before->raw_deleter()(address);
}

/* PyTorch's allocator for the CPU: the one from before, or the device's while a kernel of it computes for CUDA. */
struct HostAllocator final : c10::Allocator {
    c10::DataPtr allocate(size_t size) override { return (in_kernels > 0 ? &on_alias : before)->allocate(size); }
    c10::DeleterFnPtr raw_deleter() const override { return &free_on_host; }
    void copy_data(void *to, const void *from, size_t size) const override { std::memcpy(to, from, size); }
};

const bool registered = [] {
    c10::SetCPUAllocator(new HostAllocator, 1);
    return true;
}();

}  // namespace

c10::Allocator *alias_allocator() { return &on_alias; }
c10::Allocator *pinned_allocator() { return &pinned; }
bool is_pinned(const void *address) { return pinned_blocks.holds(address); }
bool is_on_device(const void *address) { return device_blocks.holds(address); }

KernelMemory::KernelMemory() { in_kernels++; }
KernelMemory::~KernelMemory() { in_kernels--; }

Statistics statistics() {
    const std::lock_guard<std::mutex> lock(counting);
    return counts;
}

void reset_peak() {
    const std::lock_guard<std::mutex> lock(counting);
    counts.bytes.peak = counts.bytes.current;
    counts.blocks.peak = counts.blocks.current;
}

void reset_accumulated() {
    const std::lock_guard<std::mutex> lock(counting);
    counts.bytes.allocated = counts.bytes.freed = counts.blocks.allocated = counts.blocks.freed = 0;
}

}  // namespace cuda_on_cpu
