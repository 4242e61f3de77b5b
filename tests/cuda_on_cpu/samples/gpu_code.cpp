// tests/cuda_on_cpu/samples/gpu_code.cpp: what CUDA's own nvcc makes of a file with a kernel: it registers code for GPUs when
// it is loaded, and launches it by CUDA's runtime. Prints the error of each way to launch.
#include <cuda_runtime_api.h>

#include <cstdio>

extern "C" {
void **__cudaRegisterFatBinary(void *);
void __cudaRegisterFatBinaryEnd(void **);
void __cudaUnregisterFatBinary(void **);
void __cudaRegisterFunction(void **, const char *, char *, const char *, int, void *, void *, void *, void *, int *);
unsigned __cudaPushCallConfiguration(dim3, dim3, size_t, cudaStream_t);
cudaError_t __cudaPopCallConfiguration(dim3 *, dim3 *, size_t *, void *);
cudaError_t __cudaGetKernel(const void **, const void *);
cudaError_t __cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, cudaStream_t);
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *, const void *, void **);
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *, const void *);
}

static void stub() {}
static void unknown() { std::puts("unknown"); }

int main() {
    char binary[1] = {}, name[] = "_Z5scalePfi";
    const auto *kernel = reinterpret_cast<const void *>(&stub);
    void **handle = __cudaRegisterFatBinary(binary);
    if (!handle) return 1;
    __cudaRegisterFunction(handle, static_cast<const char *>(kernel), name, name, -1, nullptr, nullptr, nullptr, nullptr,
                           nullptr);
    __cudaRegisterFatBinaryEnd(handle);

    int made = 0;
    const auto stream = reinterpret_cast<cudaStream_t>(&made);
    if (__cudaPushCallConfiguration(dim3(2, 3, 4), dim3(5, 6, 7), 8, stream)) return 2;
    dim3 grid, block;
    size_t shared;
    cudaStream_t popped;
    if (__cudaPopCallConfiguration(&grid, &block, &shared, &popped)) return 3;
    std::printf("%u %u %u, %u %u %u, %zu, %d\n", grid.x, grid.y, grid.z, block.x, block.y, block.z, shared, popped == stream);

    const void *found = nullptr;
    if (__cudaGetKernel(&found, kernel)) return 4;
    cudaFuncAttributes attributes;
    std::printf("%s\n", cudaGetErrorName(__cudaLaunchKernel(found, grid, block, nullptr, 0, nullptr)));
    std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    std::printf("%s\n", cudaGetErrorName(cudaLaunchKernelExC(nullptr, kernel, nullptr)));
    std::printf("%s\n", cudaGetErrorName(cudaFuncGetAttributes(&attributes, reinterpret_cast<const void *>(&unknown))));
    __cudaUnregisterFatBinary(handle);
}
