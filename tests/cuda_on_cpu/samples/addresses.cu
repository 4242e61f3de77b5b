// tests/cuda_on_cpu/samples/addresses.cu: kernels whose addresses go through void *, here and in addresses.cpp.
#include <cooperative_groups.h>

struct Parameters {
    int *to;
    int factor;
    double shift;
};

namespace {
template <typename T, int N> __global__ void scale(Parameters p, T more) {
    const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
    p.to[i] = N * p.factor * i + int(p.shift + more);
}
}  // namespace
__global__ void sums(int *x, int *rest) {
    cooperative_groups::this_grid().sync();
    atomicAdd(x, int(threadIdx.x));
    (void)rest;
}

void *choose(int which) {
    struct {
        const void *kernel;
    } const table[] = {{(void *)scale<float, 2>}, {reinterpret_cast<void *>(&scale<double, 3>)}, {(const void *)sums}};
    return const_cast<void *>(table[which].kernel);
}
cudaError_t launch_sums(int *x) {
    int *rest = nullptr;
    void *arguments[] = {&x, &rest};
    return cudaLaunchCooperativeKernel((void *)sums, dim3(2), dim3(8), arguments);
}
