// tests/support/stand_in/thc/device.cpp: memory of the stand-in: each block knows its device, and is not zero at first.
#include "cuda_runtime.h"

#include <cstdio>
#include <cstdlib>
#include <map>

namespace {

struct Block {
    int device;
    size_t bytes;
};
auto &blocks = *new std::map<const char *, Block>;

// The block that holds an address.
const Block *find(const void *memory) {
    auto after = blocks.upper_bound(static_cast<const char *>(memory));
    if (after == blocks.begin()) return nullptr;
    const auto &[start, block] = *--after;
    return static_cast<const char *>(memory) < start + block.bytes ? &block : nullptr;
}

}  // namespace

thc_on_host::Memory thc_on_host::memory;
using cuda_on_host::machine;
using thc_on_host::memory;

// What of a block's start and size cuMemGetAddressRange tells.
static int address_range(unsigned long long *base, size_t *bytes, unsigned long long address) {
    const auto *inside = reinterpret_cast<const char *>(uintptr_t(address));
    for (const auto &[start, block] : blocks)
        if (start <= inside && inside < start + block.bytes) {
            *base = reinterpret_cast<uintptr_t>(start);
            *bytes = block.bytes;
            return 0;
        }
    return 1;
}
cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned, unsigned long long,
                                             cudaDriverEntryPointQueryResult *found) {
    const bool known = !std::strcmp(name, "cuMemGetAddressRange");
    *function = known ? reinterpret_cast<void *>(address_range) : nullptr;
    *found = cudaDriverEntryPointSuccess;
    return cudaSuccess;
}

cudaError_t cudaMallocAsync(void **result, size_t bytes, cudaStream_t stream) {
    if (bytes > size_t(1) << 32) return cudaErrorMemoryAllocation;
    const cudaError_t status = cuda_on_host::enqueue(stream);
    if (status != cudaSuccess) return status;
    *result = std::malloc(bytes);
    std::memset(*result, 0x5A, bytes);
    blocks[static_cast<char *>(*result)] = {machine.current, bytes};
    memory.blocks++;
    memory.bytes += bytes;
    return cudaSuccess;
}

cudaError_t cudaFreeAsync(void *address, cudaStream_t) {
    const auto found = blocks.find(static_cast<char *>(address));
    if (found == blocks.end()) std::abort();
    memory.blocks--;
    memory.bytes -= found->second.bytes;
    blocks.erase(found);
    std::free(address);
    return cudaSuccess;
}

cudaError_t cudaFree(void *address) {
    if (address) return cudaFreeHost(address);  // of cudaMallocManaged
    return machine.devices ? cudaSuccess : cudaErrorInsufficientDriver;
}
cudaError_t cudaMallocHost(void **result, size_t bytes) {
    if (bytes > size_t(1) << 32) return cudaErrorMemoryAllocation;
    return memory.pinned += 1, *result = std::malloc(bytes), cudaSuccess;
}
cudaError_t cudaFreeHost(void *address) { return memory.pinned -= 1, std::free(address), cudaSuccess; }
cudaError_t cudaMallocManaged(void **result, size_t bytes, unsigned) { return cudaMallocHost(result, bytes); }
cudaError_t cudaMemGetInfo(size_t *free, size_t *total) { return *free = 1, *total = 2, cudaSuccess; }

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *address) {
    const Block *block = find(address);
    if (!block) return cudaErrorInvalidValue;
    attributes->device = block->device;
    return cudaSuccess;
}

cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t bytes,
                                cudaStream_t stream) {
    if (find(to)->device != to_device || find(from)->device != from_device) std::abort();
    memory.peer_copies++;
    return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream);
}

cudaError_t cudaStreamSynchronize(cudaStream_t) { return memory.waits++, cudaSuccess; }
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device) {
    std::snprintf(properties->name, sizeof properties->name, "stand-in %d", device);
    properties->multiProcessorCount = machine.processors;
    return cudaSuccess;
}
cudaError_t cudaCreateTextureObject(cudaTextureObject_t *texture, const cudaResourceDesc *resource,
                                    const cudaTextureDesc *, const cudaResourceViewDesc *) {
    *texture = resource->res.linear.sizeInBytes << 8 | unsigned(resource->res.linear.desc.x);
    return cudaSuccess;
}
