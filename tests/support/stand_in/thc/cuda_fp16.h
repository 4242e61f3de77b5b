// tests/support/stand_in/thc/cuda_fp16.h: CUDA's 16-bit number, by TH's conversions.
#pragma once

#include "cuda_runtime.h"

#include <TH/THHalf.h>

struct __half_raw {
    unsigned short x;
};

struct __half {
    unsigned short x;
    __half() = default;
    __half(float value) : x(TH_float2half(value).x) {}
    operator float() const { return TH_half2float(THHalf{x}); }
};
typedef __half half;

inline float __half2float(half value) { return value; }
inline half __float2half(float value) { return half(value); }
inline half atomicAdd(half *address, half value) {
    const half before = *address;
    *address = half(float(before) + float(value));
    return before;
}
