// tests/support/stand_in/thc/order.cpp: streams and events of the stand-in, its clock, and which device reaches which.
#include "cuda_runtime.h"

#include <cstdlib>

struct EventOnHost {
    void *stream = nullptr;
};
struct PoolOnHost {
    int device;
};

thc_on_host::Order thc_on_host::order;
using cuda_on_host::machine;
using thc_on_host::memory;
using thc_on_host::order;

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority) {
    *stream = std::malloc(1);
    order.streams[*stream] = {flags, priority};
    return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    if (!order.streams.erase(stream)) std::abort();
    return std::free(stream), cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned) {
    order.events++;
    return *event = new EventOnHost, cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) { return event->stream = stream, cudaSuccess; }
cudaError_t cudaEventQuery(cudaEvent_t event) {
    return order.busy.count(event->stream) ? cudaErrorNotReady : cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
    order.events--;
    delete event;
    return cudaSuccess;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
    order.waits.push_back({stream, event->stream});
    return cudaSuccess;
}

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int other) {
    *can = device < 2 && other < 2 && device != other;
    return cudaSuccess;
}
cudaError_t cudaDeviceEnablePeerAccess(int other, unsigned) {
    const bool fresh = order.peers.insert({machine.current, other}).second;
    return fresh ? cudaSuccess : cudaErrorPeerAccessAlreadyEnabled;
}
cudaError_t cudaDeviceDisablePeerAccess(int other) {
    return order.peers.erase({machine.current, other}) ? cudaSuccess : cudaErrorPeerAccessNotEnabled;
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device) {
    static PoolOnHost pools[] = {{0}, {1}, {2}};
    return *pool = pools + device, cudaSuccess;
}
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc *access, size_t) {
    if (access->flags) order.pools.insert({access->location.id, pool->device});
    else order.pools.erase({access->location.id, pool->device});
    return cudaSuccess;
}
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, size_t) { return memory.trims++, cudaSuccess; }
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void *value) {
    const bool reserved = attribute == cudaMemPoolAttrReservedMemCurrent;
    *static_cast<uint64_t *>(value) = reserved ? 100u + unsigned(pool->device) : 30;
    return cudaSuccess;
}

long long clock64() { return order.clock++; }
