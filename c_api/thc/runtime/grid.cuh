// c_api/thc/runtime/grid.cuh: how bodies are put on the GPU.
#pragma once

#include "thc/runtime/launch.h"

#include <algorithm>

namespace th {

constexpr int block_size = 256;

// As many blocks as n elements fill, up to what keeps every card busy: a thread takes an element of each round.
inline unsigned blocks_for(int64_t n) { return unsigned(std::min<int64_t>((n + block_size - 1) / block_size, 4096)); }

template <typename Body> __global__ void __launch_bounds__(block_size) for_each(int64_t n, const Body body) {
    const int64_t step = int64_t(gridDim.x) * block_size;
    for (int64_t i = int64_t(blockIdx.x) * block_size + threadIdx.x; i < n; i += step) body(i);
}

template <typename... Parameters, typename... Arguments>
void launch_kernel(void (*kernel)(Parameters...), unsigned blocks, Arguments... arguments) {
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(blocks);
    config.blockDim = dim3(block_size);
    config.stream = current_stream();
    CUDA_CHECK(cudaLaunchKernelEx(&config, kernel, arguments...));
}

template <typename Body> void launch(int64_t n, const Body &body) {
    if (n > 0) launch_kernel(for_each<Body>, blocks_for(n), n, body);
}

}  // namespace th
