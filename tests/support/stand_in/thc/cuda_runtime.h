// tests/support/stand_in/thc/cuda_runtime.h: the stand-in for CUDA of tests/support/stand_in, with what libthc uses
// besides.
#pragma once

#include "../cuda_runtime.h"

#include <map>
#include <utility>
#include <vector>

struct cudaPointerAttributes {
    int device;
};
struct cudaDeviceProp {
    char name[256];
    int major, minor, multiProcessorCount;
};

#define CUDART_VERSION 13000

typedef unsigned long long cudaTextureObject_t;
enum cudaResourceType { cudaResourceTypeLinear = 2 };
enum cudaChannelFormatKind { cudaChannelFormatKindSigned, cudaChannelFormatKindUnsigned, cudaChannelFormatKindFloat };
struct cudaResourceDesc {
    cudaResourceType resType;
    struct {
        struct {
            void *devPtr;
            struct {
                int x;
                cudaChannelFormatKind f;
            } desc;
            size_t sizeInBytes;
        } linear;
    } res;
};
struct cudaTextureDesc {};
struct cudaResourceViewDesc {};

cudaError_t cudaMallocAsync(void **memory, size_t bytes, cudaStream_t);
cudaError_t cudaFreeAsync(void *memory, cudaStream_t);
cudaError_t cudaFree(void *memory);
cudaError_t cudaMallocHost(void **memory, size_t bytes);
cudaError_t cudaFreeHost(void *memory);
cudaError_t cudaMemGetInfo(size_t *free, size_t *total);
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *, const void *memory);
cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t, cudaStream_t);
cudaError_t cudaStreamSynchronize(cudaStream_t);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *, int device);
cudaError_t cudaCreateTextureObject(cudaTextureObject_t *, const cudaResourceDesc *, const cudaTextureDesc *,
                                    const cudaResourceViewDesc *);

// Streams, and events that come when the stream they were recorded on is not in `busy`.
enum { cudaStreamDefault, cudaStreamNonBlocking, cudaEventDisableTiming, cudaMemAttachGlobal };
typedef struct EventOnHost *cudaEvent_t;
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *, unsigned flags, int priority);
cudaError_t cudaStreamDestroy(cudaStream_t);
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned flags);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *, unsigned flags);
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t);
cudaError_t cudaEventQuery(cudaEvent_t);
cudaError_t cudaEventDestroy(cudaEvent_t);

// Devices 0 and 1 reach each other, and nobody else does.
enum cudaMemAccessFlags { cudaMemAccessFlagsProtNone = 0, cudaMemAccessFlagsProtReadWrite = 3 };
enum cudaMemLocationType { cudaMemLocationTypeDevice = 1 };
enum cudaMemPoolAttr { cudaMemPoolAttrReservedMemCurrent = 5, cudaMemPoolAttrUsedMemCurrent = 7 };
typedef struct PoolOnHost *cudaMemPool_t;
struct cudaMemAccessDesc {
    struct {
        cudaMemLocationType type;
        int id;
    } location;
    cudaMemAccessFlags flags;
};
cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int other);
cudaError_t cudaDeviceEnablePeerAccess(int other, unsigned flags);
cudaError_t cudaDeviceDisablePeerAccess(int other);
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *, int device);
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t, const cudaMemAccessDesc *, size_t count);
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, size_t keep);
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t, cudaMemPoolAttr, void *value);

cudaError_t cudaMallocManaged(void **memory, size_t bytes, unsigned flags);
enum { cudaEnableDefault };
enum cudaDriverEntryPointQueryResult { cudaDriverEntryPointSuccess };
cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned version,
                                             unsigned long long flags, cudaDriverEntryPointQueryResult *);

// What threads of a warp tell each other: the value of the thread in `lane`, or the own one.
template <typename T> T from_lane(T value, unsigned lane, bool takes) {
    static_assert(sizeof(T) <= 8, "a slot has 8 bytes");
    auto *slots = static_cast<char *>(cuda_on_host::warp_slots());
    std::memcpy(slots + cuda_on_host::thread_in_block() % 32 * 8, &value, sizeof value);
    cuda_on_host::wait_for_warp();
    if (takes) std::memcpy(&value, slots + lane * 8, sizeof value);
    cuda_on_host::wait_for_warp();
    return value;
}
inline unsigned lane_of_thread() { return cuda_on_host::thread_in_block() % 32; }
template <typename T> T __shfl_sync(unsigned, T value, int lane, int width) {
    return from_lane(value, lane_of_thread() / unsigned(width) * unsigned(width) + unsigned(lane), true);
}
template <typename T> T __shfl_xor_sync(unsigned mask, T value, int bits, int) {
    return __shfl_xor_sync(mask, value, bits);
}
template <typename T> T __shfl_up_sync(unsigned, T value, unsigned by, int width) {
    return from_lane(value, lane_of_thread() - by, lane_of_thread() % unsigned(width) >= by);
}
template <typename T> T __shfl_down_sync(unsigned, T value, unsigned by, int width) {
    return from_lane(value, lane_of_thread() + by, lane_of_thread() % unsigned(width) + by < unsigned(width));
}
inline unsigned __activemask() { return ~0u; }
inline unsigned __ballot_sync(unsigned, int predicate) {
    unsigned votes = 0;
    for (unsigned lane = 0; lane < 32; lane++) votes |= unsigned(from_lane(int(predicate != 0), lane, true)) << lane;
    return votes;
}
inline int __popc(unsigned bits) { return __builtin_popcount(bits); }
template <typename T> T __ldg(const T *p) { return *p; }
long long clock64();  // one cycle later each time
inline float rsqrt(float x) { return 1 / std::sqrt(x); }
inline double rsqrt(double x) { return 1 / std::sqrt(x); }
inline double erfinv(double y) {  // by Newton's method
    double x = 0;
    for (int i = 0; i < 60; i++) x -= (std::erf(x) - y) / (1.1283791670955126 * std::exp(-x * x));
    return x;
}
inline float erfinv(float y) { return float(erfinv(double(y))); }

// Threads run one at a time here.
template <typename T> T add_alone(T *address, T value) {
    const T before = *address;
    *address = T(before + value);
    return before;
}
inline int atomicAdd(int *address, int value) { return add_alone(address, value); }
inline unsigned atomicAdd(unsigned *address, unsigned value) { return add_alone(address, value); }
inline unsigned long long atomicAdd(unsigned long long *address, unsigned long long value) {
    return add_alone(address, value);
}
inline float atomicAdd(float *address, float value) { return add_alone(address, value); }
inline double atomicAdd(double *address, double value) { return add_alone(address, value); }
inline unsigned atomicCAS(unsigned *address, unsigned expected, unsigned value) {
    const unsigned before = *address;
    if (before == expected) *address = value;
    return before;
}

namespace thc_on_host {

// What is allocated now, how often the host waited, and how often a device's memory was copied to another.
struct Memory {
    size_t blocks = 0, bytes = 0, pinned = 0;
    int waits = 0, peer_copies = 0, trims = 0;
};
extern Memory memory;

// Which streams there are and with what flags and priority, which ones wait for which, and who reaches whom.
struct Order {
    std::map<void *, std::pair<unsigned, int>> streams;
    std::set<void *> busy;
    std::vector<std::pair<void *, void *>> waits;  // a stream, and the one it waits for
    int events = 0;
    std::set<std::pair<int, int>> peers, pools;  // a device, and the one it reaches
    long long clock = 0;
};
extern Order order;

}  // namespace thc_on_host
