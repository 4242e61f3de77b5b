// tests/cuda_on_cpu/samples/addresses_main.cpp: launches kernels of addresses.cu by void *.
#include <cuda_runtime.h>

#include <cstdio>

struct Parameters {
    int *to;
    int factor;
    double shift;
};
void *choose(int which);
cudaError_t launch_sums(int *x);

int main() {
    int *x, found[8], unknown = 0;
    cudaMalloc(&x, sizeof found);
    Parameters parameters{x, 5, 1.5};
    double more = 2;
    float less = 1;
    void *doubles[] = {&parameters, &more}, *floats[] = {&parameters, &less};
    bool right = cudaLaunchKernel(choose(1), dim3(2), dim3(4), doubles) == cudaSuccess;
    cudaMemcpy(found, x, sizeof found, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 8; i++) right &= found[i] == 15 * i + 3;
    const void *kernel = choose(0);
    right &= cudaLaunchKernel(kernel, dim3(1), dim3(8), floats, 0, nullptr) == cudaSuccess;
    cudaMemcpy(found, x, sizeof found, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 8; i++) right &= found[i] == 10 * i + 2;
    cudaMemset(x, 0, sizeof found);
    right &= launch_sums(x) == cudaSuccess;
    cudaMemcpy(found, x, sizeof found, cudaMemcpyDeviceToHost);
    right &= found[0] == 56;
    right &= cudaLaunchKernel(&unknown, dim3(1), dim3(1), floats) == cudaErrorInvalidDeviceFunction;
    right &= cudaGetLastError() == cudaErrorInvalidDeviceFunction && cudaGetLastError() == cudaSuccess;
    std::puts(right ? "right" : "wrong");
}
