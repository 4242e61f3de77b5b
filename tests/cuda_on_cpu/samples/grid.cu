// tests/cuda_on_cpu/samples/grid.cu: blocks that run at once and wait for each other. The argument says which kernel.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>

constexpr int blocks = 23, threads = 40, rounds = 5;

// In each round a thread adds what its neighbour in the next block wrote in the last one.
__global__ void rotate(int *values) {
    const int next = (blockIdx.x + 1) % gridDim.x * blockDim.x + threadIdx.x;
    int mine = 1;
    for (int round = 0; round < rounds; ++round) {
        values[blockIdx.x * blockDim.x + threadIdx.x] = mine;
        cooperative_groups::this_grid().sync();
        mine += values[next];
        cooperative_groups::this_grid().sync();
    }
    values[blockIdx.x * blockDim.x + threadIdx.x] = mine;
}

// Each block waits for the one before it. Thread 0 writes when all threads of its block have seen that.
__global__ void chain(unsigned *done) {
    if (blockIdx.x > 0)
        while (static_cast<volatile unsigned *>(done)[blockIdx.x - 1] == 0) __nanosleep(0);
    __syncthreads();
    if (threadIdx.x != 0) return;
    __threadfence();
    static_cast<volatile unsigned *>(done)[blockIdx.x] = 1;
}

// Block 0 fails, and the others wait for it.
__global__ void breaks(unsigned *done) {
    if (blockIdx.x == 0) __trap();
    while (static_cast<volatile unsigned *>(done)[0] == 0) __nanosleep(0);
    cooperative_groups::this_grid().sync();
}

int main(int, char **arguments) {
    const char *which = arguments[1];
    int *values;
    cudaMallocManaged(&values, blocks * threads * sizeof(int));
    std::memset(values, 0, blocks * threads * sizeof(int));
    void *given[] = {&values};
    auto *kernel = reinterpret_cast<void (*)(unsigned *)>(std::strcmp(which, "breaks") ? chain : breaks);
    cudaError_t status;
    if (!std::strcmp(which, "rotate")) status = cudaLaunchCooperativeKernel(rotate, dim3(blocks), dim3(threads), given);
    else if (!std::strcmp(which, "alone")) rotate<<<1, 1>>>(values), status = cudaDeviceSynchronize();
    else status = cudaLaunchCooperativeKernel(kernel, dim3(std::strcmp(which, "many") ? blocks : 2000), dim3(threads), given);
    if (status == cudaSuccess) status = cudaDeviceSynchronize();
    bool right = true;
    for (int i = 0; i < blocks * threads; ++i)
        right &= values[i] == (std::strcmp(which, "rotate") ? i < blocks : 1 << rounds);
    std::printf("%s\n", status != cudaSuccess ? cudaGetErrorName(status) : right ? "right" : "wrong");
    return 0;
}
