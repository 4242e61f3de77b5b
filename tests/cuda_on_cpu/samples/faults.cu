// tests/cuda_on_cpu/samples/faults.cu: kernels with one fault each; the program's argument names the one that runs.
#include <cstdio>
#include <cstring>

__device__ int counter = 0;

__global__ void overrun_global(float *x, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) x[i] = 1;  // GLOBAL
}
__global__ void overrun_shared(float *x) {
    __shared__ float tile[16];
    tile[threadIdx.x + 1] = x[threadIdx.x];  // SHARED
    __syncthreads();
    x[threadIdx.x] = tile[threadIdx.x];
}
__global__ void overrun_dynamic(float *x) {
    extern __shared__ float part[];
    part[threadIdx.x] = x[threadIdx.x];  // DYNAMIC
    __syncthreads();
    x[threadIdx.x] = part[0];
}
__global__ void overrun_local(float *x, int n) {
    float sums[4];
    for (int i = 0; i <= n; i++) sums[i] = x[threadIdx.x] + i;  // LOCAL
    __syncthreads();
    x[threadIdx.x] = sums[0];
}
__global__ void missing_barrier(const float *x, float *out) {
    __shared__ float tile[16];
    tile[threadIdx.x] = x[threadIdx.x];
    out[threadIdx.x] = tile[15 - threadIdx.x];
}
__global__ void divergent_barrier(float *x) {
    if (threadIdx.x < 4) {
        x[threadIdx.x] = 1;
        __syncthreads();  // DIVERGENT
    }
}
__global__ void two_barriers(float *x) {
    if (threadIdx.x < 4) __syncthreads();  // FIRST
    else __syncthreads();                  // SECOND
    x[threadIdx.x] = 1;
}
__global__ void unwritten_shared(const float *x, float *out) {
    __shared__ float total;
    atomicAdd(&total, x[threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) *out = total;
}
__global__ void order_of_variable() { counter = threadIdx.x; }
__global__ void slots_by_swaps(float *slots) {
    for (int i = 0; atomicCAS(reinterpret_cast<int *>(slots) + i, 0, int(threadIdx.x) + 1) != 0;) ++i;
}

__global__ void misaligned_load(const float *x, float *out) {
    const float2 pair = *reinterpret_cast<const float2 *>(x + threadIdx.x);  // LOAD
    out[threadIdx.x] = pair.x + pair.y;
}
__global__ void misaligned_store(float *x) {
    *reinterpret_cast<float4 *>(x + threadIdx.x / 8) = {};  // STORE
}

// These are right.
__global__ void aligned(float *x) {
    if (threadIdx.x < 4) reinterpret_cast<float4 *>(x)[threadIdx.x].x += 1;
}
__global__ void sum_of_floats(const float *x, float *out) { atomicAdd(out, x[threadIdx.x] * 0.1f); }
__global__ void sum_by_swaps(const float *x, float *out) {
    auto *sum = reinterpret_cast<unsigned long long *>(out);
    unsigned long long seen = *sum, expected;
    do {
        expected = seen;
        seen = atomicCAS(sum, expected, __double_as_longlong(__longlong_as_double(expected) + x[threadIdx.x] * 0.1));
    } while (seen != expected);
}
__global__ void count_once() { atomicAdd(&counter, 1); }

// These end a kernel, with or without the check.
__global__ void stuck(float *x) {
    if (threadIdx.x < 4) __syncthreads();  // STUCK
    else if (threadIdx.x < 8) __shfl_sync(0xffffffff, 1, 0);
    x[threadIdx.x] = 1;
}
__global__ void launches(float *x) { overrun_global<<<1, 1>>>(x, 1); }
__global__ void endless(volatile float *x) {
    while (x[0] == x[0]) x[1] = 0;
}

int main(int count, char **arguments) {
    const char *which = count > 1 ? arguments[1] : "";
    float *x, *out, values[16];
    for (int i = 0; i < 16; i++) values[i] = i + 0.3f;
    cudaMalloc(&x, sizeof values);
    cudaMalloc(&out, sizeof values);
    cudaMemcpy(x, values, sizeof values, cudaMemcpyHostToDevice);
    cudaMemset(out, 0, sizeof values);
#define RUN(name, shape, ...)                                                                                          \
    if (!std::strcmp(which, #name)) name<<<shape>>>(__VA_ARGS__);
#define SHAPE 1, 16
    if (!std::strcmp(which, "overrun_global")) overrun_global<<<2, 12>>>(x, 16);
    RUN(overrun_shared, SHAPE, x)
    if (!std::strcmp(which, "overrun_dynamic")) overrun_dynamic<<<1, 16, 60>>>(x);
    RUN(overrun_local, SHAPE, x, 4)
    RUN(missing_barrier, SHAPE, x, out)
    const cudaLaunchConfig_t config = {1, 16};
    const float *read = x;
    void *given[] = {&read, &out};
    if (!std::strcmp(which, "by_configuration"))
        cudaLaunchKernelEx(&config, missing_barrier, x, out);  // CONFIGURATION
    if (!std::strcmp(which, "by_function"))
        cudaLaunchKernel(missing_barrier, 1, 16, given);  // FUNCTION
    if (!std::strcmp(which, "cooperative"))
        cudaLaunchCooperativeKernel(missing_barrier, 1, 16, given);  // COOPERATIVE
    RUN(divergent_barrier, SHAPE, x)
    RUN(two_barriers, SHAPE, x)
    RUN(unwritten_shared, SHAPE, x, out)
    RUN(order_of_variable, SHAPE, )
    RUN(slots_by_swaps, SHAPE, out)
    if (!std::strcmp(which, "misaligned_load")) misaligned_load<<<1, 15>>>(x, out);
    RUN(misaligned_store, SHAPE, x)
    RUN(aligned, SHAPE, x)
    float sum = 0;  // of memory that the host uses
    const auto half = [&](float *memory) {
        for (int i = 0; i < 8; i++) sum += memory[i];  // HOST
    };
    if (!std::strcmp(which, "host_reads")) half(x);
    if (!std::strcmp(which, "host_copies")) std::memcpy(values, out, sizeof values);
    if (!std::strcmp(which, "host_shares")) {
        float *managed, *pinned;
        cudaMallocManaged(&managed, sizeof values);
        cudaMallocHost(&pinned, sizeof values);
        sum_of_floats<<<1, 1>>>(x, managed);
        half(managed), half(pinned), half(values);
        cudaFree(managed);
        cudaFreeHost(pinned);
        cudaFree(x);
    }
    RUN(sum_of_floats, SHAPE, x, out)
    RUN(sum_by_swaps, SHAPE, x, out)
    RUN(count_once, SHAPE, )
    RUN(stuck, SHAPE, x)
    RUN(launches, SHAPE, x)
    if (!std::strcmp(which, "endless")) std::puts("begins"), std::fflush(stdout);
    RUN(endless, SHAPE, x)
    int counted;
    cudaMemcpyFromSymbol(&counted, counter, sizeof counted);
    std::printf("%s: counter %d, %s\n", which, counted, cudaGetErrorName(cudaDeviceSynchronize()));
}
