// c_api/my_lib/runtime/device.cuh: the current device, kernel launches on the caller's stream, and what can go wrong.
#pragma once

#include "runtime/errors.h"

#include <atomic>

#include <cuda_runtime.h>

namespace my_lib {

// What is kept per device is kept for this many; others work without.
constexpr int known_devices = 64;

struct Device {
    int index, processors;
};

// The calling thread's current device. Without GPU or driver: MY_LIB_ERROR_NO_GPU.
bool current_device(Device *device);

// True for cudaSuccess; otherwise sets the error, `what` being what the library was about to do.
[[nodiscard]] bool succeeded(cudaError_t status, const char *what);

// Whether the stream is being captured into a graph; an error where that cannot be told.
bool is_capturing(cudaStream_t stream, bool *capturing);

// Starts a kernel. The caller's stream is never waited for.
template <typename... Parameters, typename... Arguments>
bool launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, void *stream, Arguments... arguments) {
    cudaLaunchConfig_t config = {};
    config.gridDim = grid;
    config.blockDim = block;
    config.stream = static_cast<cudaStream_t>(stream);
    return succeeded(cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...), "start a kernel");
}

// How many blocks of the kernel the device runs at once; the runtime is asked once per kernel and device.
template <auto kernel> bool resident_blocks(const Device &device, int threads, int64_t *blocks) {
    static std::atomic<int> known[known_devices];
    const bool keeps = device.index < known_devices;
    int each = keeps ? known[device.index].load(std::memory_order_relaxed) : 0;
    if (!each && !succeeded(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, threads, 0),
                            "ask how many blocks fit a processor"))
        return false;
    if (keeps) known[device.index].store(each, std::memory_order_relaxed);
    *blocks = int64_t{device.processors} * each;
    return true;
}

}  // namespace my_lib
