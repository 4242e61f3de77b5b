// cuda_on_cpu/runtime/execution/kernels.cpp: kernels that are launched by their addresses.
#include <cuda_runtime_api.h>

#include <mutex>
#include <unordered_map>

#include "errors.h"

namespace cuda_on_cpu {
namespace {

struct Kernels {
    std::mutex mutex;
    std::unordered_map<const void *, Unpack> unpacks;
};
// For ever: kernels are launched while the process ends, too.
Kernels &kernels() {
    static Kernels &found = *new Kernels;
    return found;
}

}  // namespace

void know_kernel(const void *kernel, Unpack unpack) {
    std::lock_guard<std::mutex> lock(kernels().mutex);
    kernels().unpacks[kernel] = unpack;
}

cudaError_t launch_address(const void *kernel, const Shape &shape, void **arguments) {
    Unpack unpack = nullptr;
    {
        std::lock_guard<std::mutex> lock(kernels().mutex);
        const auto found = kernels().unpacks.find(kernel);
        if (found != kernels().unpacks.end()) unpack = found->second;
    }
    if (unpack) return unpack(kernel, shape, arguments);
    print("%s:%d: cudaLaunchKernel: expected a kernel that nvcc's code names as (void *)kernel, got the address %p", shape.place.file,
          shape.place.line, kernel);
    return record(cudaErrorInvalidDeviceFunction);
}

}  // namespace cuda_on_cpu

using cuda_on_cpu::Shape;

extern "C" CUDA_ON_CPU_EXPORT cudaError_t cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments, size_t shared,
                                        cudaStream_t stream) {
    return cuda_on_cpu::launch_address(kernel, Shape(grid, block, shared, stream, "a call from C", 0), arguments);
}
extern "C" CUDA_ON_CPU_EXPORT cudaError_t cudaLaunchCooperativeKernel(const void *kernel, dim3 grid, dim3 block, void **arguments, size_t shared,
                                                   cudaStream_t stream) {
    Shape shape(grid, block, shared, stream, "a call from C", 0);
    shape.together = true;
    return cuda_on_cpu::launch_address(kernel, shape, arguments);
}
