// c_api/thc/device.cpp: devices, streams and memory: the host program's where there is one, else CUDA's own.
#include "thc/device.h"

#include "th/export.h"

#include <THC/THCAllocator.h>
#include <THC/THCHost.h>

#include <algorithm>
#include <mutex>
#include <unordered_map>

struct THCState {};

namespace th {
namespace {

thaw_cuda_host host = {};
thread_local int known_device = -1;
thread_local cudaStream_t known_stream = nullptr;

// What the host program allocated, with the function that takes it back: the host may change meanwhile.
std::mutex blocks_lock;
auto &blocks = *new std::unordered_map<void *, void (*)(void *)>;

cudaError_t allocate(void **memory, size_t bytes, cudaStream_t stream) {
    *memory = nullptr;
    if (!bytes) return cudaSuccess;
    if (!host.allocate) return cudaMallocAsync(memory, bytes, stream);
    int device;
    const cudaError_t code = cudaGetDevice(&device);
    if (code != cudaSuccess) return code;
    *memory = host.allocate(bytes, device, stream);
    if (!*memory) return cudaErrorMemoryAllocation;
    std::lock_guard<std::mutex> lock(blocks_lock);
    blocks[*memory] = host.release;
    return cudaSuccess;
}

cudaError_t release(void *memory) {
    if (!memory) return cudaSuccess;
    void (*give_back)(void *) = nullptr;
    {
        std::lock_guard<std::mutex> lock(blocks_lock);
        const auto found = blocks.find(memory);
        if (found != blocks.end()) {
            give_back = found->second;
            blocks.erase(found);
        }
    }
    if (give_back) return give_back(memory), cudaSuccess;
    cudaPointerAttributes attributes;
    const cudaError_t code = cudaPointerGetAttributes(&attributes, memory);
    if (code != cudaSuccess) return code;
    OnDevice guard(attributes.device);
    return cudaFreeAsync(memory, current_stream());
}

// The default allocator of storages.
cudaError_t malloc_default(void *, void **memory, size_t bytes, cudaStream_t stream) {
    return allocate(memory, bytes, stream);
}
cudaError_t free_default(void *, void *memory) { return release(memory); }

}  // namespace

int current_device() {
    int device;
    CUDA_CHECK(cudaGetDevice(&device));
    return device;
}

cudaStream_t current_stream(int device) {
    if (device == known_device) return known_stream;
    return host.current_stream ? host.current_stream(device) : nullptr;
}

cudaStream_t current_stream() {
    if (known_device < 0 && !host.current_stream) return nullptr;
    return current_stream(current_device());
}

void synchronize() { CUDA_CHECK(cudaStreamSynchronize(current_stream())); }

void *allocate_on_device(size_t bytes) {
    void *memory;
    CUDA_CHECK(allocate(&memory, bytes, current_stream()));
    return memory;
}

void release_on_device(void *memory) { release(memory); }

OnDevice::OnDevice(int device) {
    if (device < 0) return;
    const int now = current_device();
    if (now == device) return;
    CUDA_CHECK(cudaSetDevice(device));
    before_ = now;
}

OnDevice::~OnDevice() {
    if (before_ >= 0) cudaSetDevice(before_);
}

}  // namespace th

extern "C" {

static THCState the_state;
THCState *state = &the_state;

void thaw_set_cuda_host(const thaw_cuda_host *host) {
    th::host = {};
    if (host) memcpy(&th::host, host, std::min(host->struct_size, sizeof th::host));
}

void thaw_set_cuda_stream(int device, cudaStream_t stream) {
    th::known_device = device;
    th::known_stream = stream;
}

THCState *THCState_alloc(void) { return new THCState; }
void THCState_free(THCState *state) {
    if (state != &the_state) delete state;
}
void THCudaInit(THCState *) {
    th::guarded([] { CUDA_CHECK(cudaFree(nullptr)); });
}
void THCudaShutdown(THCState *) {}

int THCState_getNumDevices(THCState *) {
    return th::guarded([] {
        int count;
        CUDA_CHECK(cudaGetDeviceCount(&count));
        return count;
    });
}

struct cudaDeviceProp *THCState_getCurrentDeviceProperties(THCState *) {
    return th::guarded([]() -> cudaDeviceProp * {
        static std::mutex lock;
        static auto &known = *new std::unordered_map<int, cudaDeviceProp>;
        const int device = th::current_device();
        std::lock_guard<std::mutex> guard(lock);
        auto found = known.find(device);
        if (found == known.end()) {
            cudaDeviceProp properties;
            CUDA_CHECK(cudaGetDeviceProperties(&properties, device));
            found = known.emplace(device, properties).first;
        }
        return &found->second;
    });
}

cudaStream_t THCState_getCurrentStream(THCState *state) {
    return state ? th::guarded([] { return th::current_stream(); }) : nullptr;
}
cudaStream_t THCState_getCurrentStreamOnDevice(THCState *state, int device) {
    return state ? th::current_stream(device) : nullptr;
}

cudaError_t THCudaMalloc(THCState *, void **ptr, size_t size) {
    THCudaCheck(cudaGetLastError());
    return th::guarded([&] { return th::allocate(ptr, size, th::current_stream()); });
}
cudaError_t THCudaFree(THCState *, void *ptr) {
    return th::guarded([&] { return th::release(ptr); });
}

void *THCudaHostAlloc(THCState *, size_t size) {
    return th::guarded([&] {
        void *memory = nullptr;
        if (size) CUDA_CHECK(cudaMallocHost(&memory, size));
        return memory;
    });
}
void THCudaHostFree(THCState *, void *ptr) {
    th::guarded([&] { CUDA_CHECK(cudaFreeHost(ptr)); });
}
cudaError_t THCudaMemGetInfo(THCState *, size_t *freeBytes, size_t *totalBytes) {
    return cudaMemGetInfo(freeBytes, totalBytes);
}

THCDeviceAllocator *THCState_getDeviceAllocator(THCState *) {
    static THCDeviceAllocator allocator = {th::malloc_default, nullptr, th::free_default, nullptr, nullptr, nullptr};
    return &allocator;
}
}
