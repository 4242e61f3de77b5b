// tests/thc/on_host/cuda_runtime.h: the stand-in for CUDA of tests/cuda_on_host, with what libthc uses besides.
#pragma once

#include "../../cuda_on_host/cuda_runtime.h"

struct cudaPointerAttributes {
    int device;
};
struct cudaDeviceProp {
    char name[256];
    int major, minor;
};

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
    size_t blocks = 0, bytes = 0;
    int waits = 0, peer_copies = 0;
};
extern Memory memory;

}  // namespace thc_on_host
