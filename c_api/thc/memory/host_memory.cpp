// c_api/thc/memory/host_memory.cpp: the host's memory that the GPU reaches: pinned, which is reused, and managed.
#include "th/runtime/export.h"
#include "thc/streams/streams.h"

#include <THC/THCCachingHostAllocator.h>
#include <THC/THCGeneral.h>

#include <map>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace th {
namespace {

// Pinning takes milliseconds and waits for the device, so blocks are kept, in sizes that are powers of two. One that
// streams may still be copying from or to is idle only when an event on each of them came.
struct Pinned {
    size_t bytes;
    std::vector<StreamUse> uses{};
    std::vector<cudaEvent_t> awaited{};
};

std::mutex lock;
auto &pinned = *new std::unordered_map<void *, Pinned>;
auto &idle = *new std::map<size_t, std::vector<void *>>;  // by size
auto &freed = *new std::vector<void *>;                   // and awaiting events

size_t size_class(size_t bytes) {
    size_t size = 512;
    while (size < bytes && size * 2 > size) size *= 2;
    return size < bytes ? bytes : size;
}

bool came(cudaEvent_t event) {
    const cudaError_t code = cudaEventQuery(event);
    if (code == cudaErrorNotReady) return cudaGetLastError(), false;
    CUDA_CHECK(code);
    CUDA_CHECK(cudaEventDestroy(event));
    return true;
}

// Looks at what was freed and is still awaited.
void collect() {
    std::vector<void *> left;
    for (void *memory : freed) {
        Pinned &block = pinned.at(memory);
        while (!block.awaited.empty() && came(block.awaited.back())) block.awaited.pop_back();
        if (block.awaited.empty()) idle[block.bytes].push_back(memory);
        else left.push_back(memory);
    }
    freed.swap(left);
}

void *allocate_pinned(size_t bytes) {
    if (!bytes) return nullptr;
    const size_t size = size_class(bytes);
    std::lock_guard<std::mutex> guard(lock);
    collect();
    auto &waiting = idle[size];
    if (!waiting.empty()) {
        void *memory = waiting.back();
        waiting.pop_back();
        return memory;
    }
    void *memory = nullptr;
    CUDA_CHECK(cudaMallocHost(&memory, size));
    pinned.insert({memory, Pinned{size}});
    return memory;
}

void release_pinned(void *memory) {
    if (!memory) return;
    std::lock_guard<std::mutex> guard(lock);
    const auto found = pinned.find(memory);
    if (found == pinned.end()) {  // of cudaMallocHost
        CUDA_CHECK(cudaFreeHost(memory));
        return;
    }
    Pinned &block = found->second;
    for (const StreamUse &use : block.uses) {
        cudaEvent_t event;
        CUDA_CHECK(use.event(&event));
        block.awaited.push_back(event);
    }
    block.uses.clear();
    if (block.awaited.empty()) idle[block.bytes].push_back(memory);
    else freed.push_back(memory);
}

void record_use(void *memory, THCStream *stream) {
    std::lock_guard<std::mutex> guard(lock);
    const auto found = pinned.find(memory);
    if (found != pinned.end()) found->second.uses.emplace_back(stream);
}

void release_idle() {
    std::lock_guard<std::mutex> guard(lock);
    collect();
    for (auto &[size, blocks] : idle)
        while (!blocks.empty()) {
            void *memory = blocks.back();
            blocks.pop_back();
            pinned.erase(memory);
            CUDA_CHECK(cudaFreeHost(memory));
        }
}

// ---- As storages of the host take them. Errors leave as those of exported functions do ------------------------------

void *malloc_pinned(void *, ptrdiff_t bytes) {
    return guarded([&] { return allocate_pinned(size_t(bytes)); });
}
void free_pinned(void *, void *memory) {
    guarded([&] { release_pinned(memory); });
}
THAllocator pinned_allocator = {malloc_pinned, nullptr, free_pinned};

void *malloc_managed(void *, ptrdiff_t bytes) {
    return guarded([&] {
        void *memory = nullptr;
        if (bytes) CUDA_CHECK(cudaMallocManaged(&memory, size_t(bytes), cudaMemAttachGlobal));
        return memory;
    });
}
void free_managed(void *, void *memory) {
    guarded([&] { CUDA_CHECK(cudaFree(memory)); });
}
THAllocator managed_allocator = {malloc_managed, nullptr, free_managed};

}  // namespace
}  // namespace th

extern "C" {

void *THCudaHostAlloc(THCState *, size_t size) {
    return th::guarded([&] { return th::allocate_pinned(size); });
}
void THCudaHostFree(THCState *, void *ptr) {
    th::guarded([&] { th::release_pinned(ptr); });
}
void THCudaHostRecord(THCState *, void *ptr) {
    th::guarded([&] { th::record_use(ptr, th::current_stream_object(th::current_device())); });
}
cudaError_t THCCachingHostAllocator_recordEvent(void *ptr, THCStream *stream) {
    return th::guarded([&] {
        TH_CHECK(stream, "THCCachingHostAllocator_recordEvent: expected a stream, got NULL");
        th::record_use(ptr, stream);
        return cudaSuccess;
    });
}
void THCCachingHostAllocator_emptyCache(void) {
    th::guarded([] { th::release_idle(); });
}

THAllocator *THCState_getCudaHostAllocator(THCState *) { return &th::pinned_allocator; }
THAllocator *THCState_getCudaUVAAllocator(THCState *) { return &th::managed_allocator; }
}
