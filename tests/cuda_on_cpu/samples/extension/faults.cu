// tests/cuda_on_cpu/samples/extension/faults.cu: kernels with one fault each, called from Python with addresses.
#include <pybind11/pybind11.h>

#include <stdexcept>

__global__ void overrun(float *x, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) x[i] = 1;  // OVERRUN
}
__global__ void missing_barrier(float *x) {
    __shared__ float tile[32];
    tile[threadIdx.x] = x[threadIdx.x];
    x[threadIdx.x] = tile[31 - threadIdx.x];
}
__global__ void double_it(float *x) { x[threadIdx.x] *= 2; }

PYBIND11_MODULE(TORCH_EXTENSION_NAME, module) {
    module.def("overrun", [](uintptr_t x) { overrun<<<2, 24>>>(reinterpret_cast<float *>(x), 32); });
    module.def("missing_barrier", [](uintptr_t x) { missing_barrier<<<1, 32>>>(reinterpret_cast<float *>(x)); });
    module.def("double_it", [](uintptr_t x) { double_it<<<1, 32>>>(reinterpret_cast<float *>(x)); });
    module.def("throws", [] { throw std::runtime_error("thrown"); });
}
