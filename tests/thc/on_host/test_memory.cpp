// tests/thc/on_host/test_memory.cpp: allocators, uses of memory on other streams, pinned memory, what is free.
#include "../api.h"

#include <THC/THCCachingAllocator.h>
#include <THC/THCCachingHostAllocator.h>

#include <atomic>
#include <chrono>
#include <thread>

using recorder::machine;
using recorder::memory;
using recorder::order;
using Waits = std::vector<std::pair<void *, void *>>;

// An allocator that counts, and whose context must be its own.
struct Counting {
    int held = 0;
    static cudaError_t take(void *self, void **result, size_t bytes, cudaStream_t) {
        if (bytes > 1000) return cudaErrorMemoryAllocation;
        static_cast<Counting *>(self)->held++;
        return *result = malloc(bytes), cudaSuccess;
    }
    static cudaError_t give(void *self, void *block) {
        if (block) static_cast<Counting *>(self)->held--;
        return free(block), cudaSuccess;
    }
};

void test_own_allocator() {
    THCDeviceAllocator *standard = THCCachingAllocator_get();
    CHECK(THCState_getDeviceAllocator(state) == standard && THCState_isCachingAllocatorEnabled(state) == 1);
    Counting count;
    THCDeviceAllocator own = {Counting::take, nullptr, Counting::give, nullptr, nullptr, &count};
    void *before = nullptr, *block = nullptr;
    CHECK(THCudaMalloc(state, &before, 10) == cudaSuccess);
    THCState_setDeviceAllocator(state, &own);
    CHECK(THCState_getDeviceAllocator(state) == &own && THCState_isCachingAllocatorEnabled(state) == 0);
    THCudaStorage *storage = THCudaStorage_newWithSize(state, 4);
    CHECK(THCudaMalloc(state, &block, 10) == cudaSuccess && count.held == 2 && memory.blocks == 1);
    THCudaFree(state, before);  // where it came from
    CHECK(memory.blocks == 0 && count.held == 2);
    CHECK(THCudaMalloc(state, &before, 2000) == cudaErrorMemoryAllocation);
    THCState_setDeviceAllocator(state, nullptr);
    CHECK(THCState_getDeviceAllocator(state) == standard && THCState_isCachingAllocatorEnabled(state) == 1);
    THCudaFree(state, block);
    THCudaStorage_free(state, storage);
    CHECK(count.held == 0);
    THCState_setDeviceAllocator(state, &own);
    THCState_setDeviceAllocator(state, standard);
    CHECK(THCState_isCachingAllocatorEnabled(state) == 1);
}

void test_collector() {
    static int calls;
    Counting count;
    const auto collect = [](void *data) { calls++, static_cast<THCDeviceAllocator *>(data)->malloc = Counting::take; };
    THCDeviceAllocator own = {[](void *, void **, size_t, cudaStream_t) { return cudaErrorMemoryAllocation; },
                              nullptr, Counting::give, nullptr, nullptr, &count};
    THCState_setDeviceAllocator(state, &own);
    void *block = nullptr;
    CHECK(THCudaMalloc(state, &block, 10) == cudaErrorMemoryAllocation && calls == 0);
    THCSetGCHandler(state, collect, &own);
    CHECK(THCudaMalloc(state, &block, 10) == cudaSuccess && calls == 1 && count.held == 1);
    CHECK(THCudaFree(state, block) == cudaSuccess && count.held == 0);
    THCState_setDeviceAllocator(state, nullptr);
    CHECK_FAILS(cuda_error(cudaErrorMemoryAllocation), THCudaByteTensor_newWithSize1d(state, INT64_C(1) << 40));
    CHECK(calls == 2);  // tried once more, and in vain
    THCSetGCHandler(state, nullptr, nullptr);
}

int held = 0;
const thaw_cuda_host host = {
    sizeof(thaw_cuda_host), [](int device) { return stream_number(100 + device); },
    [](size_t bytes, int, cudaStream_t) -> void * { return held++, malloc(bytes); },
    [](void *block) { held--, free(block); }};

void test_recorded_streams() {
    THCStream *stream = THCStream_new(cudaStreamDefault);
    void *handle = stream->stream, *block = nullptr;
    order.waits.clear();
    require(THCudaMalloc(state, &block, 10));
    THCCachingAllocator_recordStream(block, stream);
    THCStream_free(stream);  // lives as long as the block may need it
    CHECK(order.streams.size() == 1 && order.waits.empty());
    thaw_set_cuda_stream(0, stream_number(7));
    require(THCudaFree(state, block));
    CHECK((order.waits == Waits{{stream_number(7), nullptr}, {stream_number(7), handle}}));
    CHECK(order.streams.empty() && order.events == 0);

    // Memory that one stream uses is not given to another one before.
    stream = THCStream_new(cudaStreamDefault);
    handle = stream->stream;
    thaw_set_cuda_stream(-1, nullptr);
    THCState_setStream(state, stream);
    require(THCudaMalloc(state, &block, 10));
    THCState_setCurrentStreamIndex(state, 0);
    THCStream_free(stream);
    thaw_set_cuda_stream(0, stream_number(7));
    CHECK(order.streams.size() == 1);
    order.waits.clear();
    require(THCudaFree(state, block));
    CHECK((order.waits == Waits{{stream_number(7), handle}}) && order.streams.empty() && order.events == 0);
    require(THCudaMalloc(state, &block, 10));
    order.waits.clear();
    require(THCudaFree(state, block));
    CHECK(order.waits.empty());

    thaw_set_cuda_host(&host);  // what the host gave out, it gives to the stream again that it was for
    THCudaStorage *storage = THCudaStorage_newWithSize(state, 4);
    thaw_set_cuda_stream(-1, nullptr);
    THCCachingAllocator_recordStream(storage->data, THCStream_defaultStream(0));
    order.waits.clear();
    THCudaStorage_free(state, storage);
    CHECK((order.waits == Waits{{stream_number(7), nullptr}}) && held == 0 && order.events == 0);
    thaw_set_cuda_host(nullptr);

    THCCachingAllocator_recordStream(nullptr, THCStream_defaultStream(0));
    char foreign;
    char text[64];
    snprintf(text, sizeof text, "invalid device pointer: %p", static_cast<void *>(&foreign));
    CHECK_FAILS(text, THCCachingAllocator_recordStream(&foreign, THCStream_defaultStream(0)));
    require(THCudaMalloc(state, &block, 10));
    CHECK_FAILS("THCCachingAllocator_recordStream: expected a stream, got NULL",
                THCCachingAllocator_recordStream(block, nullptr));
    size_t bytes = 0;
    CHECK(THCCachingAllocator_getBaseAllocation(static_cast<char *>(block) + 3, &bytes) == block && bytes == 10);
    CHECK(THCCachingAllocator_getBaseAllocation(block, nullptr) == block);
    CHECK_FAILS(text, THCCachingAllocator_getBaseAllocation(&foreign, &bytes));

    void *lost = nullptr;  // where CUDA has failed for good
    require(THCudaMalloc(state, &lost, 10));
    machine.devices = 0;
    CHECK(THCudaFree(state, lost) == cudaErrorInsufficientDriver);
    machine.devices = 3;
    memory = {1, 10, memory.pinned, memory.waits, memory.peer_copies, memory.trims};  // it is lost

    // Nothing is freed while a program holds the mutex.
    std::atomic<bool> freed{false};
    THCCachingAllocator_getCudaFreeMutex()->lock();
    std::thread thread([&] { freed = THCudaFree(state, block) == cudaSuccess; });
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    CHECK(!freed && memory.blocks == 1);
    THCCachingAllocator_getCudaFreeMutex()->unlock();
    thread.join();
    CHECK(freed && memory.blocks == 0);
}

void test_what_is_free() {
    size_t free_bytes = 0, total = 0, largest = 0;
    machine.current = 1;  // there 1 of 2 bytes is free, 101 are the pool's, 30 of them in use
    CHECK(THCudaMemGetInfo(state, &free_bytes, &total) == cudaSuccess && free_bytes == 1 && total == 2);
    CHECK(THCudaMemGetInfoCached(state, &free_bytes, &total, &largest) == cudaSuccess);
    CHECK(free_bytes == 72 && total == 2 && largest == 71);
    machine.current = 0;
    Counting count;
    THCDeviceAllocator own = {Counting::take, nullptr, Counting::give, nullptr, nullptr, &count};
    THCState_setDeviceAllocator(state, &own);  // says nothing of a cache
    CHECK(THCudaMemGetInfoCached(state, &free_bytes, &total, &largest) == cudaSuccess);
    CHECK(free_bytes == 1 && largest == 1);
    THCState_setDeviceAllocator(state, nullptr);
    memory.trims = 0;
    CHECK(THCCachingAllocator_emptyCache() == cudaSuccess && memory.trims == 1);
    CHECK(THCCachingAllocator_get()->emptyCache(nullptr) == cudaSuccess && memory.trims == 2);
}

void test_pinned() {
    THCCachingHostAllocator_emptyCache();
    CHECK(memory.pinned == 0);
    void *block = THCudaHostAlloc(state, 600);
    THCudaHostFree(state, block);
    CHECK(THCudaHostAlloc(state, 1000) == block && memory.pinned == 1);  // 1024 bytes both
    void *small = THCudaHostAlloc(state, 100), *large = THCudaHostAlloc(state, 1025);
    CHECK(small != block && large != block && memory.pinned == 3);
    memset(large, 0, 1025);
    THCudaHostFree(state, small);
    THCudaHostFree(state, large);

    THCStream *stream = THCStream_new(cudaStreamDefault);
    void *handle = stream->stream;
    order.busy = {handle};
    CHECK(THCCachingHostAllocator_recordEvent(block, stream) == cudaSuccess);
    THCudaHostRecord(state, block);  // on the current stream too
    THCStream_free(stream);
    THCudaHostFree(state, block);
    void *other = THCudaHostAlloc(state, 1000);
    CHECK(other != block && memory.pinned == 4);  // the stream is still copying
    THCudaHostFree(state, other);
    THCCachingHostAllocator_emptyCache();
    CHECK(memory.pinned == 1);
    order.busy.clear();
    CHECK(THCudaHostAlloc(state, 1000) == block && order.events == 0 && order.streams.empty());
    CHECK(THCCachingHostAllocator_recordEvent(&order, THCStream_defaultStream(0)) == cudaSuccess);  // not ours
    CHECK_FAILS("THCCachingHostAllocator_recordEvent: expected a stream, got NULL",
                THCCachingHostAllocator_recordEvent(block, nullptr));
    THCudaHostFree(state, block);
    THCudaHostFree(state, nullptr);
    CHECK_FAILS(cuda_error(cudaErrorMemoryAllocation), THCudaHostAlloc(state, size_t(1) << 40));

    for (THAllocator *allocator : {THCState_getCudaHostAllocator(state), THCState_getCudaUVAAllocator(state)}) {
        THCCachingHostAllocator_emptyCache();
        THFloatStorage *storage = THFloatStorage_newWithAllocator(5, allocator, nullptr);
        CHECK(memory.pinned == 1);
        THFloatStorage_set(storage, 4, 2);
        THFloatStorage_resize(storage, 500);  // in new memory, as there is no realloc
        CHECK(THFloatStorage_get(storage, 4) == 2);
        THFloatStorage_free(storage);
        CHECK_FAILS(cuda_error(cudaErrorMemoryAllocation),
                    THFloatStorage_newWithAllocator(INT64_C(1) << 38, allocator, nullptr));
    }
    THCCachingHostAllocator_emptyCache();
    CHECK(memory.pinned == 0);
}

int main() {
    test_own_allocator();
    test_collector();
    test_recorded_streams();
    test_what_is_free();
    test_pinned();
    CHECK(memory.blocks == 0 && order.streams.empty() && order.events == 0);
    return failures() != 0;
}
