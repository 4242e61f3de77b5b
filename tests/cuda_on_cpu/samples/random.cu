// tests/cuda_on_cpu/samples/random.cu: cuRAND's device functions: words that are known, moments, and skips.
#include <curand_kernel.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

#define REQUIRE(condition)                                                                                             \
    do                                                                                                                 \
        if (!(condition)) std::printf("%s:%d: %s\n", __FILE__, __LINE__, #condition), std::exit(1);                    \
    while (0)

template <typename State> __global__ void moments(double *sums, int n) {
    State state;
    curand_init(1234, blockIdx.x * blockDim.x + threadIdx.x, 0, &state);
    double u = 0, uu = 0, x = 0, xx = 0;
    for (int i = 0; i < n; i++) {
        const double a = curand_uniform(&state), b = curand_normal(&state);
        u += a, uu += a * a, x += b, xx += b * b;
    }
    atomicAdd(sums + 0, u), atomicAdd(sums + 1, uu), atomicAdd(sums + 2, x), atomicAdd(sums + 3, xx);
}

// The words after an offset are those that come after as many calls.
template <typename State> bool skips() {
    State one, other;
    for (int offset : {0, 1, 5, 8, 1000}) {
        curand_init(7, 3, 0, &one);
        for (int i = 0; i < offset; i++) curand(&one);
        curand_init(7, 3, offset, &other);
        for (int i = 0; i < 9; i++)
            if (curand(&one) != curand(&other)) return false;
    }
    return true;
}

template <typename State> void check() {
    double *sums;
    cudaMallocManaged(&sums, 4 * sizeof(double));
    cudaMemset(sums, 0, 4 * sizeof(double));
    const int threads = 256, each = 200;
    moments<State><<<4, threads / 4>>>(sums, each);
    const double n = threads * each;
    REQUIRE(std::fabs(sums[0] / n - 0.5) < 0.01 && std::fabs(sums[1] / n - 1.0 / 3) < 0.01);
    REQUIRE(std::fabs(sums[2] / n) < 0.02 && std::fabs(sums[3] / n - 1) < 0.03);
    cudaFree(sums);
    REQUIRE(skips<State>());
}

int main() {
    // The known answer of Philox4x32-10 for a counter and a key of zeros, and of ones.
    const uint4 zeros = cuda_on_cpu::philox({0, 0, 0, 0}, {0, 0});
    REQUIRE(zeros.x == 0x6627e8d5u && zeros.y == 0xe169c58du && zeros.z == 0xbc57ac4cu && zeros.w == 0x9b00dbd8u);
    const uint4 ones = cuda_on_cpu::philox({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u});
    REQUIRE(ones.x == 0x408f276du && ones.y == 0x41c83b0eu && ones.z == 0xa20bc7c6u && ones.w == 0x6d5451fdu);
    check<curandStatePhilox4_32_10_t>();
    check<curandState>();
    check<curandStateMRG32k3a_t>();
    std::printf("right\n");
}
