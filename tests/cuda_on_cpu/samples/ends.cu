// tests/cuda_on_cpu/samples/ends.cu: kernels that end with an error; the program's argument names the one that runs.
#include <cstdio>
#include <cstring>
#include <stdexcept>

__global__ void asserts(int n) {
    assert(int(threadIdx.x) < n);  // ASSERT
    __syncthreads();
}
__global__ void traps() {
    if (threadIdx.x == 3) __trap();
    __syncthreads();
}
__global__ void throws() {
    if (threadIdx.x == 2) throw std::runtime_error("thrown");
}
__global__ void assembles(unsigned *lane) { asm volatile("mov.u32 %0, %%laneid;" : "=r"(*lane)); }  // PTX
__global__ void works() {}

int main(int, char **arguments) {
    const char *which = arguments[1];
    unsigned *lane;
    cudaMalloc(&lane, 4);
    if (!std::strcmp(which, "asserts")) asserts<<<2, 8>>>(5);
    if (!std::strcmp(which, "traps")) traps<<<1, 8>>>();
    if (!std::strcmp(which, "throws")) throws<<<1, 8>>>();
    if (!std::strcmp(which, "assembles")) assembles<<<1, 1>>>(lane);
    if (!std::strcmp(which, "captures")) cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal);
    std::printf("%s, then ", cudaGetErrorName(cudaGetLastError()));
    works<<<1, 1>>>();  // an error of a kernel stays, any other is forgotten
    std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
}
