// c_api/my_lib/gemm/tf32.cuh: small products on tensor cores, with factors in TensorFloat-32 and sums in float.
#pragma once

#include <cstdint>

#include <cuda_runtime.h>

namespace my_lib {

// Code for this compute capability and later has tensor cores for TF32, counted as cudaFuncAttributes::ptxVersion is.
constexpr int tf32_version = 80;

// The nearest number with 10 bits of mantissa, of two the greater in magnitude; a NaN stays one.
__device__ inline float round_to_tf32(float x) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    uint32_t bits;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
    return __uint_as_float(bits);
#else
    const uint32_t bits = __float_as_uint(x);
    return (bits & 0x7f800000) == 0x7f800000 ? x : __uint_as_float((bits + 0x1000) & ~0x1fffu);
#endif
}

// sums (16, 8) += left (16, 8) right (8, 8) by each warp of a one-dimensional block, in the layout of PTX's
// mma.m16n8k8. For lane 4 * g + k: left = {(g, k), (g + 8, k), (g, k + 4), (g + 8, k + 4)},
// right = {(k, g), (k + 4, g)}, sums = {(g, 2k), (g, 2k + 1), (g + 8, 2k), (g + 8, 2k + 1)}. The factors are rounded
// already.
__device__ inline void add_tf32_product(float (&sums)[4], const float (&left)[4], const float (&right)[2]) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(__float_as_uint(left[0])), "r"(__float_as_uint(left[1])), "r"(__float_as_uint(left[2])),
          "r"(__float_as_uint(left[3])), "r"(__float_as_uint(right[0])), "r"(__float_as_uint(right[1])));
#else
    // Cards before, and CUDA on the CPU, where the layout is tested so.
    struct Factors { float left[4], right[2]; };
    __shared__ Factors all[1024];
    const unsigned lane = threadIdx.x % 32, first = threadIdx.x - lane, column = lane % 4 * 2;
    all[threadIdx.x] = {{left[0], left[1], left[2], left[3]}, {right[0], right[1]}};
    __syncwarp();
#pragma unroll
    for (int k = 0; k < 8; ++k)
#pragma unroll
        for (int i = 0; i < 4; ++i)
            sums[i] += all[first + lane / 4 * 4 + k % 4].left[k / 4 * 2 + i / 2] *
                       all[first + (column + i % 2) * 4 + k % 4].right[k / 4];
    __syncwarp();
#endif
}

}  // namespace my_lib
