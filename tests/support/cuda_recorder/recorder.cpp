// tests/support/cuda_recorder/recorder.cpp: the functions of CUDA's runtime that libmy_lib_cuda and libthc call.
#include "recorder.h"

#include <cublas_v2.h>
#include <cuda_on_cpu/runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

namespace recorder {

Machine machine;
Memory memory;
Order order;

namespace {

struct Block {
    int device;
    size_t bytes;
};
auto &blocks = *new std::map<const char *, Block>;  // of a device, by address
auto &events = *new std::map<cudaEvent_t, void *>;  // the stream that each was recorded on
int pools[3];                                       // their addresses are the pools

// The block that holds an address.
const Block *find(const void *memory) {
    auto after = blocks.upper_bound(static_cast<const char *>(memory));
    if (after == blocks.begin()) return nullptr;
    const auto &[start, block] = *--after;
    return static_cast<const char *>(memory) < start + block.bytes ? &block : nullptr;
}

// A work on a stream: the error that it has.
cudaError_t enqueue(void *stream) {
    machine.enqueued++;
    machine.streams.insert(stream);
    machine.last_stream = stream;
    return std::exchange(machine.next, cudaSuccess);
}

template <typename F> F *real(F *, const char *name) {
    void *found = dlsym(RTLD_NEXT, name);
    if (!found) {
        std::fprintf(stderr, "recorder: expected %s behind it, found none\n", name);
        std::abort();
    }
    return reinterpret_cast<F *>(found);
}

}  // namespace
}  // namespace recorder

using namespace recorder;

// The function of this name that libcuda_on_cpu has.
#define REAL(name) ([] { static auto *const found = real(&name, #name); return found; }())

#define API __attribute__((visibility("default"))) cudaError_t

__attribute__((visibility("default"))) cudaError_t cuda_on_cpu::launch(const Launch &launch) {
    static auto *const found = real(static_cast<cudaError_t (*)(const Launch &)>(&cuda_on_cpu::launch),
                                    "_ZN11cuda_on_cpu6launchERKNS_6LaunchE");
    machine.last_error = enqueue(launch.stream);
    if (machine.last_error) return machine.last_error;
    // The streams of pretended GPUs are numbers, and their memory is the host's, which the real launch refuses.
    Launch real_one = launch;
    if (!order.streams.count(launch.stream)) real_one.stream = nullptr;
    real_one.count = 0;
    return found(real_one);
}

extern "C" {

// ---- Devices --------------------------------------------------------------------------------------------------------

static const cudaError_t no_driver = cudaErrorInsufficientDriver;

API cudaGetDeviceCount(int *count) { return *count = machine.devices, machine.devices ? cudaSuccess : no_driver; }
API cudaGetDevice(int *device) { return *device = machine.current, machine.devices ? cudaSuccess : no_driver; }
API cudaSetDevice(int device) {
    if (device < 0 || device >= machine.devices) return cudaErrorInvalidDevice;
    return machine.current = device, cudaSuccess;
}
API cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device) {
    if (attribute == cudaDevAttrMultiProcessorCount) return *value = device == 2 ? 40 : 2, cudaSuccess;
    if (attribute == cudaDevAttrComputeCapabilityMajor && device == 2) return *value = 9, cudaSuccess;
    if (attribute == cudaDevAttrComputeCapabilityMinor && device == 2) return *value = 0, cudaSuccess;
    return REAL(cudaDeviceGetAttribute)(value, attribute, 0);
}
API cudaGetDeviceProperties(cudaDeviceProp *properties, int device) {
    const cudaError_t status = REAL(cudaGetDeviceProperties)(properties, 0);
    std::snprintf(properties->name, sizeof properties->name, "device %d", device);
    return status;
}
API cudaDeviceCanAccessPeer(int *can, int device, int other) {
    return *can = device < 2 && other < 2 && device != other, cudaSuccess;
}
API cudaDeviceEnablePeerAccess(int other, unsigned) {
    const bool fresh = order.peers.insert({machine.current, other}).second;
    return fresh ? cudaSuccess : cudaErrorPeerAccessAlreadyEnabled;
}
API cudaDeviceDisablePeerAccess(int other) {
    return order.peers.erase({machine.current, other}) ? cudaSuccess : cudaErrorPeerAccessNotEnabled;
}

// ---- Memory ---------------------------------------------------------------------------------------------------------

API cudaMallocAsync(void **result, size_t bytes, cudaStream_t stream) {
    if (bytes > size_t(1) << 32) return cudaErrorMemoryAllocation;
    cudaError_t status = enqueue(stream);
    if (!status) status = REAL(cudaMallocAsync)(result, bytes, stream);
    if (status) return status;
    blocks[static_cast<char *>(*result)] = {machine.current, bytes};
    memory.blocks++;
    memory.bytes += bytes;
    return cudaSuccess;
}
API cudaFreeAsync(void *address, cudaStream_t stream) {
    const auto found = blocks.find(static_cast<char *>(address));
    if (found == blocks.end()) std::abort();
    memory.blocks--;
    memory.bytes -= found->second.bytes;
    blocks.erase(found);
    return REAL(cudaFreeAsync)(address, stream);
}
API cudaFree(void *address) {
    if (!address) return machine.devices ? cudaSuccess : no_driver;
    memory.pinned--;  // of cudaMallocManaged
    return REAL(cudaFree)(address);
}
API cudaMallocHost(void **result, size_t bytes) {
    if (bytes > size_t(1) << 32) return cudaErrorMemoryAllocation;
    memory.pinned++;
    return REAL(cudaMallocHost)(result, bytes);
}
API cudaFreeHost(void *address) { return memory.pinned--, REAL(cudaFreeHost)(address); }
API cudaMallocManaged(void **result, size_t bytes, unsigned flags) {
    if (bytes > size_t(1) << 32) return cudaErrorMemoryAllocation;
    memory.pinned++;
    return REAL(cudaMallocManaged)(result, bytes, flags);
}
API cudaMemGetInfo(size_t *free, size_t *total) { return *free = 1, *total = 2, cudaSuccess; }
API cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *address) {
    const Block *block = find(address);
    if (!block) return cudaErrorInvalidValue;
    return attributes->device = block->device, cudaSuccess;
}
API cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device) {
    return *pool = reinterpret_cast<cudaMemPool_t>(pools + device), cudaSuccess;
}
static int device_of(cudaMemPool_t pool) { return int(reinterpret_cast<int *>(pool) - pools); }
API cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc *access, size_t) {
    const std::pair<int, int> both{access->location.id, device_of(pool)};
    if (access->flags) order.pools.insert(both);
    else order.pools.erase(both);
    return cudaSuccess;
}
API cudaMemPoolTrimTo(cudaMemPool_t, size_t) { return memory.trims++, cudaSuccess; }
API cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void *value) {
    const bool reserved = attribute == cudaMemPoolAttrReservedMemCurrent;
    *static_cast<uint64_t *>(value) = reserved ? 100u + unsigned(device_of(pool)) : 30;
    return cudaSuccess;
}

API cudaGetLastError() {
    const cudaError_t status = std::exchange(machine.last_error, cudaSuccess);
    return status ? status : REAL(cudaGetLastError)();
}

// ---- Works ----------------------------------------------------------------------------------------------------------

API cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
    (void)kind;  // pretended memory of a GPU is the host's, so that only the addresses count
    if (const cudaError_t status = enqueue(stream)) return status;
    return std::memmove(to, from, bytes), cudaSuccess;
}
API cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream) {
    if (const cudaError_t status = enqueue(stream)) return status;
    return std::memset(to, value, bytes), cudaSuccess;
}
API cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream) {
    if (const cudaError_t status = enqueue(stream)) return status;
    for (size_t row = 0; row < height; row++) std::memset(static_cast<char *>(to) + row * pitch, value, width);
    return cudaSuccess;
}
API cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t bytes, cudaStream_t stream) {
    if (find(to)->device != to_device || find(from)->device != from_device) std::abort();
    memory.peer_copies++;
    return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream);
}

// ---- Streams and events ---------------------------------------------------------------------------------------------

API cudaStreamSynchronize(cudaStream_t) { return memory.waits++, cudaSuccess; }
API cudaStreamQuery(cudaStream_t stream) {
    return order.streams.count(stream) ? REAL(cudaStreamQuery)(stream) : cudaSuccess;  // numbers of pretended GPUs
}
API cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus *status) {
    return *status = machine.capturing ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone, cudaSuccess;
}
API cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority) {
    const cudaError_t status = REAL(cudaStreamCreateWithPriority)(stream, flags, priority);
    if (!status) order.streams[*stream] = {flags, priority};
    return status;
}
API cudaStreamDestroy(cudaStream_t stream) {
    if (!order.streams.erase(stream)) std::abort();
    return REAL(cudaStreamDestroy)(stream);
}
API cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
    return order.waits.push_back({stream, events[event]}), cudaSuccess;
}
API cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) {
    return order.events++, REAL(cudaEventCreateWithFlags)(event, flags);
}
API cudaEventRecord(cudaEvent_t event, cudaStream_t stream) { return events[event] = stream, cudaSuccess; }
API cudaEventQuery(cudaEvent_t event) { return order.busy.count(events[event]) ? cudaErrorNotReady : cudaSuccess; }
API cudaEventDestroy(cudaEvent_t event) {
    order.events--;
    events.erase(event);
    return REAL(cudaEventDestroy)(event);
}

// ---- cuBLAS, whose functions the libraries look up in libcuda_on_cpu: a product asks for its stream by this one ---------

__attribute__((visibility("default"))) cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t *stream) {
    const cublasStatus_t status = REAL(cublasGetStream_v2)(handle, stream);
    machine.blas_stream = *stream;
    cublasMath_t mode;
    REAL(cublasGetMathMode)(handle, &mode);
    machine.blas_math_mode = int(mode);
    return status;
}

// ---- For tests in Python --------------------------------------------------------------------------------------------

__attribute__((visibility("default"))) void *recorder_last_stream() { return machine.last_stream; }
__attribute__((visibility("default"))) void recorder_fail_next(int code) { machine.next = cudaError_t(code); }
__attribute__((visibility("default"))) void *recorder_blas_stream() { return machine.blas_stream; }
__attribute__((visibility("default"))) int recorder_blas_math_mode() { return machine.blas_math_mode; }
}
