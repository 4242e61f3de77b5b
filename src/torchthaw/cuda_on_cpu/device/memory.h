/* memory.h: the memory of the CUDA device, which is memory of the host. */
#pragma once

#include <c10/core/Allocator.h>
#include <cuda_on_cpu/access.h>

#include <cstddef>

namespace cuda_on_cpu {

inline const c10::Device DEVICE{c10::DeviceType::CUDA, 0};

/* Memory from cudaMalloc, so that the checks of the runtime know every array. Its DataPtr is on `cuda:0`, and its
 * context is its address. Throws c10::OutOfMemoryError. */
c10::Allocator *device_allocator();

/* What it is made of: a block, which free_block() takes back; null for no bytes. */
c10::DataPtr allocate_on(c10::Device device, size_t size);
void *allocate_block(size_t size);
void free_block(void *address);
void copy_bytes(void *to, const void *from, size_t size);

/* The same memory, said to be on the CPU: for storages of aliases.h. */
c10::Allocator *alias_allocator();

/* Page-locked memory: memory of the host whose addresses is_pinned() knows. */
c10::Allocator *pinned_allocator();
bool is_pinned(const void *address);

/* Whether an address is in memory of device_allocator(). */
bool is_on_device(const void *address);

/* While one exists, PyTorch's allocator for the CPU gives this thread memory of the device, which the host may use. */
class KernelMemory {
public:
    KernelMemory();
    ~KernelMemory();

private:
    Access access_;
};

/* Bytes and blocks of the device: now, at most since reset_peak(), and in all since reset_accumulated(). */
struct Count {
    size_t current, peak, allocated, freed;
};
struct Statistics {
    Count bytes, blocks;
    size_t out_of_memory; /* failed allocations */
};
Statistics statistics();
void reset_peak();
void reset_accumulated();

}  // namespace cuda_on_cpu
