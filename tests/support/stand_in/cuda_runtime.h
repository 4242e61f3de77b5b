// tests/support/stand_in/cuda_runtime.h: a stand-in for CUDA, so that every kernel runs on a CPU, under any sanitizer.
//
// It has what this project's CUDA sources use, and no more. A launch runs its blocks one after the other; the threads
// of a block are fibers, each of which runs until it waits or ends, in ascending or descending order: where a barrier
// is missing the two orders differ. Shared memory is static, and so one array per kernel, not zeroed between blocks.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <set>

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __shared__ static
#define __launch_bounds__(...)

struct dim3 {
    unsigned x, y, z;
    dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
    unsigned count() const { return x * y * z; }
};

enum cudaError_t {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInvalidConfiguration = 9,
    cudaErrorInsufficientDriver = 35,
    cudaErrorNoDevice = 100,
    cudaErrorInvalidDevice = 101,
    cudaErrorNoKernelImageForDevice = 209,
    cudaErrorECCUncorrectable = 214,
    cudaErrorUnsupportedPtxVersion = 222,
    cudaErrorNotReady = 600,
    cudaErrorIllegalAddress = 700,
    cudaErrorLaunchTimeout = 702,
    cudaErrorPeerAccessAlreadyEnabled = 704,
    cudaErrorPeerAccessNotEnabled = 705,
    cudaErrorAssert = 710,
    cudaErrorHardwareStackError = 714,
    cudaErrorIllegalInstruction = 715,
    cudaErrorMisalignedAddress = 716,
    cudaErrorInvalidAddressSpace = 717,
    cudaErrorInvalidPc = 718,
    cudaErrorLaunchFailure = 719
};
enum cudaDeviceAttr { cudaDevAttrMultiProcessorCount = 16 };
enum cudaStreamCaptureStatus { cudaStreamCaptureStatusNone, cudaStreamCaptureStatusActive };
enum cudaMemcpyKind { cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice, cudaMemcpyDefault };
typedef void *cudaStream_t;
struct cudaLaunchConfig_t {
    dim3 gridDim, blockDim;
    size_t dynamicSmemBytes;
    cudaStream_t stream;
};

namespace cuda_on_host {

// What a test sets and sees.
struct Machine {
    bool descending = false;  // the order in which threads run
    bool capturing = false;
    int devices = 3, current = 0, processors = 2, blocks_per_processor = 1;
    cudaError_t next = cudaSuccess;  // what the next launch, copy or question returns
    std::set<void *> streams;        // that something was enqueued on
    void *last_stream = nullptr;
    cudaError_t last_error = cudaSuccess; // of a launch: what cudaGetLastError says next
    int enqueued = 0;
};
extern Machine machine;

void wait_for_block();
void wait_for_warp();
unsigned thread_in_block();

void *warp_slots(); // 8 bytes for each thread of the running one's warp

cudaError_t enqueue(void *stream);
cudaError_t run(dim3 blocks, dim3 threads, void *stream, const std::function<void()> &thread);
void note_launch(cudaError_t); // of a kernel that was launched by <<<>>>, which returns nothing

}  // namespace cuda_on_host

// Those of the thread that runs now.
extern dim3 threadIdx, blockIdx, blockDim, gridDim;

inline void __syncthreads() { cuda_on_host::wait_for_block(); }

template <typename T> T __shfl_xor_sync(unsigned, T value, int mask) {
    static_assert(sizeof(T) <= 8, "a slot has 8 bytes");
    auto *slots = static_cast<char *>(cuda_on_host::warp_slots());
    const unsigned lane = cuda_on_host::thread_in_block() % 32;
    std::memcpy(slots + lane * 8, &value, sizeof value);
    cuda_on_host::wait_for_warp();
    std::memcpy(&value, slots + (lane ^ static_cast<unsigned>(mask)) * 8, sizeof value);
    cuda_on_host::wait_for_warp();
    return value;
}

template <typename... Parameters, typename... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*kernel)(Parameters...),
                               Arguments... arguments) {
    return cuda_on_host::run(config->gridDim, config->blockDim, config->stream, [&] { kernel(arguments...); });
}

template <typename Kernel> cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, Kernel, int, size_t) {
    *blocks = cuda_on_host::machine.blocks_per_processor;
    return cudaSuccess;
}

// C code of old projects calls these as well.
extern "C" {
const char *cudaGetErrorString(cudaError_t);
cudaError_t cudaGetLastError();
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr, int device);
cudaError_t cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus *status);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t size, cudaMemcpyKind, cudaStream_t);
cudaError_t cudaMemsetAsync(void *to, int value, size_t size, cudaStream_t);
cudaError_t cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height, cudaStream_t);
}
