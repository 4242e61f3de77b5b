// c_api/thc/memory/device_memory.cpp: memory of the GPU: the program's allocator, the host program's, or CUDA's pool.
#include "th/runtime/export.h"
#include "thc/runtime/host.h"
#include "thc/streams/streams.h"

#include <THC/THCCachingAllocator.h>
#include <THC/THCGeneral.h>

#include <atomic>
#include <cassert>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace th {
namespace {

// What was allocated here, and who takes it back: the host and the allocator may change meanwhile.
struct Block {
    void (*give_back)(void *);      // the host's, or NULL
    THCDeviceAllocator *allocator;  // the program's, or NULL
    int device;
    cudaStream_t stream;  // for which it was allocated
    std::vector<StreamUse> uses{};
};
std::mutex blocks_lock;
auto &blocks = *new std::unordered_map<void *, Block>;

std::mutex free_mutex;
std::atomic<THCDeviceAllocator *> own_allocator{nullptr};

std::mutex collector_lock;
void (*collector)(void *) = nullptr;
void *collector_data = nullptr;

// allocate() again where memory ran out and the program could free some.
template <typename Allocate> cudaError_t with_collector(const Allocate &allocate) {
    const cudaError_t code = allocate();
    if (code != cudaErrorMemoryAllocation) return code;
    void (*collect)(void *);
    void *data;
    {
        std::lock_guard<std::mutex> lock(collector_lock);
        collect = collector;
        data = collector_data;
    }
    if (!collect) return code;
    cudaGetLastError();
    collect(data);
    return allocate();
}

void remember(void *memory, Block block) {
    assert(memory && (block.allocator || block.device >= 0));
    std::lock_guard<std::mutex> lock(blocks_lock);
    blocks.insert_or_assign(memory, std::move(block));
}

// From the host program or CUDA's pool.
cudaError_t allocate_by_default(void **memory, size_t bytes, cudaStream_t stream) {
    *memory = nullptr;
    if (!bytes) return cudaSuccess;
    int device;
    cudaError_t code = cudaGetDevice(&device);
    if (code != cudaSuccess) return code;
    if (host.allocate) {
        *memory = host.allocate(bytes, device, stream);
        code = *memory ? cudaSuccess : cudaErrorMemoryAllocation;
    } else {
        code = cudaMallocAsync(memory, bytes, stream);
    }
    if (code != cudaSuccess) return code;
    Block block = {host.allocate ? host.release : nullptr, nullptr, device, stream};
    THCStream *current = current_stream_object(device);
    if (current->stream == stream) block.uses.emplace_back(current);
    remember(*memory, std::move(block));
    return code;
}

cudaError_t allocate(void **memory, size_t bytes, cudaStream_t stream) {
    THCDeviceAllocator *allocator = own_allocator;
    if (!allocator || !bytes) return with_collector([&] { return allocate_by_default(memory, bytes, stream); });
    const cudaError_t code =
        with_collector([&] { return allocator->malloc(allocator->state, memory, bytes, stream); });
    if (code == cudaSuccess) remember(*memory, {nullptr, allocator, -1, stream});
    return code;
}

// What is enqueued on `stream` from now on waits for the uses of a block.
cudaError_t wait_for(const std::vector<StreamUse> &uses, cudaStream_t stream) {
    for (const StreamUse &use : uses) {
        if (use.stream() == stream) continue;
        cudaEvent_t event;
        cudaError_t code = use.event(&event);
        if (code != cudaSuccess) return code;
        code = cudaStreamWaitEvent(stream, event, 0);
        cudaEventDestroy(event);
        if (code != cudaSuccess) return code;
    }
    return cudaSuccess;
}

// On the block's device.
cudaError_t take_back(void *memory, const Block &block) {
    assert(block.device >= 0);
    const cudaStream_t current = current_stream(block.device);
    // The host gives it to the stream again that it was for.
    const cudaError_t code = wait_for(block.uses, block.give_back ? block.stream : current);
    if (code != cudaSuccess) return code;
    if (block.give_back) return block.give_back(memory), cudaSuccess;
    std::lock_guard<std::mutex> freeing(free_mutex);
    return cudaFreeAsync(memory, current);
}

// Raises nothing: memory is released on the way out of errors too, and CUDA may not work any more then.
cudaError_t release(void *memory) {
    if (!memory) return cudaSuccess;
    Block block = {nullptr, nullptr, -1, nullptr};
    bool found = false;
    {
        std::lock_guard<std::mutex> lock(blocks_lock);
        const auto place = blocks.find(memory);
        if ((found = place != blocks.end())) {
            block = std::move(place->second);
            blocks.erase(place);
        }
    }
    if (block.allocator) return block.allocator->free(block.allocator->state, memory);
    if (!found) {  // of cudaMalloc
        cudaPointerAttributes attributes;
        const cudaError_t code = cudaPointerGetAttributes(&attributes, memory);
        if (code != cudaSuccess) return code;
        block.device = attributes.device;
    }
    int before;
    cudaError_t code = cudaGetDevice(&before);
    if (code == cudaSuccess && before != block.device) code = cudaSetDevice(block.device);
    if (code != cudaSuccess) return code;
    code = take_back(memory, block);
    if (before != block.device) cudaSetDevice(before);
    return code;
}

void record(void *memory, THCStream *stream) {
    if (!memory) return;
    TH_CHECK(stream, "THCCachingAllocator_recordStream: expected a stream, got NULL");
    std::lock_guard<std::mutex> lock(blocks_lock);
    const auto found = blocks.find(memory);
    TH_CHECK(found != blocks.end() && !found->second.allocator, "invalid device pointer: %p", memory);
    found->second.uses.emplace_back(stream);
}

cudaMemPool_t pool_of(int device) {
    cudaMemPool_t pool;
    CUDA_CHECK(cudaDeviceGetDefaultMemPool(&pool, device));
    return pool;
}

cudaError_t empty_cache() {
    std::lock_guard<std::mutex> freeing(free_mutex);
    return cudaMemPoolTrimTo(pool_of(current_device()), 0);
}

// What CUDA's pool of a device holds and nobody uses.
cudaError_t cache_info(int device, size_t *cached, size_t *largest_block) {
    uint64_t reserved, used;
    const cudaMemPool_t pool = pool_of(device);
    cudaError_t code = cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved);
    if (code == cudaSuccess) code = cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used);
    if (code != cudaSuccess) return code;
    *cached += size_t(reserved - used);
    if (*largest_block < reserved - used) *largest_block = size_t(reserved - used);
    return cudaSuccess;
}

// ---- The default allocator of storages

cudaError_t malloc_default(void *, void **memory, size_t bytes, cudaStream_t stream) {
    return with_collector([&] { return allocate_by_default(memory, bytes, stream); });
}
cudaError_t free_default(void *, void *memory) { return release(memory); }
cudaError_t empty_cache_default(void *) { return empty_cache(); }
cudaError_t cache_info_default(void *, int device, size_t *cached, size_t *largest_block) {
    return cache_info(device, cached, largest_block);
}
THCDeviceAllocator default_allocator = {malloc_default,      nullptr,            free_default,
                                        empty_cache_default, cache_info_default, nullptr};

THCDeviceAllocator *allocator_in_force() {
    THCDeviceAllocator *own = own_allocator;
    return own ? own : &default_allocator;
}

cudaError_t memory_info(size_t *free_bytes, size_t *total_bytes, size_t *largest_block) {
    cudaError_t code = cudaMemGetInfo(free_bytes, total_bytes);
    if (code != cudaSuccess) return code;
    size_t cached = 0;
    *largest_block = *free_bytes;
    THCDeviceAllocator *allocator = allocator_in_force();
    if (allocator->cacheInfo) code = allocator->cacheInfo(allocator->state, current_device(), &cached, largest_block);
    *free_bytes += cached;
    return code;
}

// The driver's function is asked for through the runtime: nothing links the driver.
void *base_allocation(void *memory, size_t *size) {
    void *function = nullptr;
    cudaDriverEntryPointQueryResult found;
#if CUDART_VERSION >= 12050
    CUDA_CHECK(cudaGetDriverEntryPointByVersion("cuMemGetAddressRange", &function, 12000, cudaEnableDefault, &found));
#else
    CUDA_CHECK(cudaGetDriverEntryPoint("cuMemGetAddressRange", &function, cudaEnableDefault, &found));
#endif
    TH_CHECK(function, "cuMemGetAddressRange: expected the driver to have it, got %d", int(found));
    unsigned long long base = 0;
    size_t bytes = 0;
    const int code = reinterpret_cast<int (*)(unsigned long long *, size_t *, unsigned long long)>(function)(
        &base, &bytes, static_cast<unsigned long long>(reinterpret_cast<uintptr_t>(memory)));
    TH_CHECK(code == 0, "invalid device pointer: %p", memory);
    if (size) *size = bytes;
    return reinterpret_cast<void *>(uintptr_t(base));
}

}  // namespace

void *allocate_on_device(size_t bytes) { return allocate_on_device(bytes, current_stream()); }
void *allocate_on_device(size_t bytes, cudaStream_t stream) {
    void *memory;
    CUDA_CHECK(allocate(&memory, bytes, stream));
    return memory;
}

void release_on_device(void *memory) { release(memory); }

}  // namespace th

extern "C" {

cudaError_t THCudaMalloc(THCState *, void **ptr, size_t size) {
    THCudaCheck(cudaGetLastError());
    return th::guarded([&] { return th::allocate(ptr, size, th::current_stream()); });
}
cudaError_t THCudaFree(THCState *, void *ptr) {
    return th::guarded([&] { return th::release(ptr); });
}

void THCSetGCHandler(THCState *, void (*torchGCHandlerFunction)(void *data), void *data) {
    std::lock_guard<std::mutex> lock(th::collector_lock);
    th::collector = torchGCHandlerFunction;
    th::collector_data = data;
}

THCDeviceAllocator *THCState_getDeviceAllocator(THCState *) { return th::allocator_in_force(); }
void THCState_setDeviceAllocator(THCState *, THCDeviceAllocator *allocator) {
    th::own_allocator = allocator == &th::default_allocator ? nullptr : allocator;
}
int THCState_isCachingAllocatorEnabled(THCState *) { return !th::own_allocator; }

cudaError_t THCudaMemGetInfo(THCState *, size_t *freeBytes, size_t *totalBytes) {
    return cudaMemGetInfo(freeBytes, totalBytes);
}
cudaError_t THCudaMemGetInfoCached(THCState *, size_t *freeBytes, size_t *totalBytes, size_t *largestBlock) {
    return th::guarded([&] { return th::memory_info(freeBytes, totalBytes, largestBlock); });
}

THCDeviceAllocator *THCCachingAllocator_get(void) { return &th::default_allocator; }
void *THCCachingAllocator_getBaseAllocation(void *ptr, size_t *size) {
    return th::guarded([&] { return th::base_allocation(ptr, size); });
}
void THCCachingAllocator_recordStream(void *ptr, THCStream *stream) {
    th::guarded([&] { th::record(ptr, stream); });
}
cudaError_t THCCachingAllocator_emptyCache(void) {
    return th::guarded([] { return th::empty_cache(); });
}
std::mutex *THCCachingAllocator_getCudaFreeMutex(void) { return &th::free_mutex; }
}
