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
__global__ void assembles(unsigned *x) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(*x) : "r"(0));  // PTX
}
__global__ void works() {}

// What the host's processor ends.
__global__ void null_pointer(float *x) { x[threadIdx.x] = 1; }
__global__ void wild_pointer(float **x) { x[0][threadIdx.x] = 1; }
__device__ int depth(int n) {
    volatile int kept[64];
    kept[n % 64] = n;
    return n ? depth(n - 1) + kept[n % 64] : 0;
}
__global__ void recursion(int *out) { out[threadIdx.x] = depth(1 << 20); }
__global__ void recursion_after_barrier(int *out) {
    __syncthreads();
    if (threadIdx.x == 3) out[0] = depth(1 << 20);
}
__global__ void large_array(int *out, int n) {
    int values[1 << 19];
    for (int i = n - 1; i >= 0; i--) values[i] = out[0] + i;
    out[0] = values[out[0]];
}
__global__ void division(int *out, int n) { out[threadIdx.x] = 7 / n; }

int main(int, char **arguments) {
    const char *which = arguments[1];
    unsigned *lane;
    volatile int zero = 0;
    cudaMalloc(&lane, 4);
    if (!std::strcmp(which, "asserts")) asserts<<<2, 8>>>(5);
    if (!std::strcmp(which, "traps")) traps<<<1, 8>>>();
    if (!std::strcmp(which, "throws")) throws<<<1, 8>>>();
    if (!std::strcmp(which, "assembles")) assembles<<<1, 1>>>(lane);
    if (!std::strcmp(which, "captures")) cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal);
    if (!std::strcmp(which, "null_pointer")) null_pointer<<<1, 8>>>(nullptr);
    if (!std::strcmp(which, "recursion")) recursion<<<1, 8>>>(reinterpret_cast<int *>(lane));
    if (!std::strcmp(which, "recursion_after_barrier"))
        recursion_after_barrier<<<1, 8>>>(reinterpret_cast<int *>(lane));
    if (!std::strcmp(which, "large_array")) large_array<<<1, 1>>>(reinterpret_cast<int *>(lane), 1 << 19);
    if (!std::strcmp(which, "division")) division<<<1, 1>>>(reinterpret_cast<int *>(lane), zero);
    if (!std::strcmp(which, "wild_pointer")) {
        float **wild;
        cudaMallocManaged(&wild, sizeof *wild);
        *wild = reinterpret_cast<float *>(64 << 10);
        wild_pointer<<<1, 8>>>(wild);
    }
    if (!std::strcmp(which, "many_blocks")) cudaLaunchCooperativeKernel(works, 1024, 1, nullptr);
    std::printf("%s, then ", cudaGetErrorName(cudaGetLastError()));
    works<<<1, 1>>>();  // an error of a kernel stays, any other is forgotten
    std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    return 0;
}
