// portable/cuda/launches.h: sizes of launches and loops of kernels.
#pragma once
#include "streams.h"

// for each i below n: thread t of all threads takes t, t + the number of threads, and so on.
#define CUDA_KERNEL_LOOP_TYPE(i, n, type)                                                                              \
    int64_t i##_of_loop_ = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;                                             \
    for (type i = i##_of_loop_; i##_of_loop_ < (n); i##_of_loop_ += int64_t(blockDim.x) * gridDim.x, i = i##_of_loop_)
#define CUDA_KERNEL_LOOP(i, n) CUDA_KERNEL_LOOP_TYPE(i, n, int)

namespace at::cuda {

constexpr uint32_t AT_APPLY_THREADS_PER_BLOCK = 512, AT_APPLY_BLOCKS_PER_SM = 4;

/// A grid of one dimension for `elements` threads on the device; false without a device.
inline bool getApplyGrid(uint64_t elements, dim3 &grid, DeviceIndex device, int threads = AT_APPLY_THREADS_PER_BLOCK) {
    if (device < 0) return false;
    const uint64_t most = getDeviceProperties(device)->maxGridSize[0];
    grid = dim3(unsigned(std::min(most, ATenCeilDiv(elements, uint64_t(threads)))));
    return true;
}
inline dim3 getApplyBlock(int threads = AT_APPLY_THREADS_PER_BLOCK) { return dim3(threads); }

namespace detail {

constexpr int CUDA_NUM_THREADS = 1024;

/// The number of blocks for n threads.
inline int GET_BLOCKS(int64_t n, int64_t threads = CUDA_NUM_THREADS) {
    TORCH_INTERNAL_ASSERT(n > 0, "CUDA kernel launch blocks must be positive, but got N=", n);
    const int64_t blocks = (n - 1) / threads + 1;
    TORCH_INTERNAL_ASSERT(blocks <= std::numeric_limits<int>::max(), "Can't schedule too many blocks on CUDA device");
    return static_cast<int>(blocks);
}

}  // namespace detail
}  // namespace at::cuda
