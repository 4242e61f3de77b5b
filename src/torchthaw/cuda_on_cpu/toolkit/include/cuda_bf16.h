/* cuda_bf16.h: bfloat16, the upper half of a float; arithmetic is float's, rounded to nearest even. */
#ifndef CUDA_ON_CPU_BF16_H
#define CUDA_ON_CPU_BF16_H

#include <cuda_on_cpu/host_defines.h>

typedef struct { unsigned short x; } __nv_bfloat16_raw;
typedef struct { unsigned short x, y; } __nv_bfloat162_raw;

#ifdef __cplusplus
#include <cuda_on_cpu/sixteen_bits.h>

namespace cuda_on_cpu {
struct BfloatFormat {
    static float wide(unsigned short bits) { return from_bits(unsigned(bits) << 16); }
    static unsigned short narrow(float value) {
        const unsigned bits = to_bits(value);
        if (value != value) return static_cast<unsigned short>(0x7fff);
        return static_cast<unsigned short>((bits + 0x7fffu + (bits >> 16 & 1)) >> 16);
    }
};
}  // namespace cuda_on_cpu

struct __nv_bfloat16 : cuda_on_cpu::Sixteen<__nv_bfloat16, cuda_on_cpu::BfloatFormat> {
    using Sixteen::Sixteen;
    using Sixteen::operator=;
    __nv_bfloat16() = default;
    __nv_bfloat16(const __nv_bfloat16_raw &raw) { __x = raw.x; }
    operator __nv_bfloat16_raw() const { return {__x}; }
    operator __nv_bfloat16_raw() const volatile { return {__x}; }
};
struct __align__(4) __nv_bfloat162 {
    __nv_bfloat16 x, y;
    __nv_bfloat162() = default;
    __nv_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) : x(x), y(y) {}
};
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

CUDA_ON_CPU_SIXTEEN(__nv_bfloat16, __nv_bfloat162)
CUDA_ON_CPU_SIXTEEN_CONVERSIONS(__nv_bfloat16, __nv_bfloat162, BfloatFormat, bfloat16, bfloat162)
inline __nv_bfloat16 __float2bfloat16(float x) { return __nv_bfloat16(x); }
inline __nv_bfloat16 __double2bfloat16(double x) { return __nv_bfloat16(x); }
inline float __bfloat162float(__nv_bfloat16 x) { return float(x); }
inline __nv_bfloat162 __float2bfloat162_rn(float x) { return {__nv_bfloat16(x), __nv_bfloat16(x)}; }
inline __nv_bfloat162 __floats2bfloat162_rn(float x, float y) { return {__nv_bfloat16(x), __nv_bfloat16(y)}; }
inline __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 x) { return {x, x}; }
inline __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return {x, y}; }
inline float2 __bfloat1622float2(__nv_bfloat162 x) { return {float(x.x), float(x.y)}; }
inline __nv_bfloat162 make_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return {x, y}; }
inline __nv_bfloat162 __float22bfloat162_rn(float2 x) { return {__nv_bfloat16(x.x), __nv_bfloat16(x.y)}; }
inline __nv_bfloat16 __low2bfloat16(__nv_bfloat162 x) { return x.x; }
inline __nv_bfloat16 __high2bfloat16(__nv_bfloat162 x) { return x.y; }
inline float __low2float(__nv_bfloat162 x) { return float(x.x); }
inline float __high2float(__nv_bfloat162 x) { return float(x.y); }
inline short __bfloat16_as_short(__nv_bfloat16 x) { return short(x.__x); }
inline __nv_bfloat16 __short_as_bfloat16(short bits) {
    return __nv_bfloat16(__nv_bfloat16_raw{static_cast<unsigned short>(bits)});
}
inline unsigned short __bfloat16_as_ushort(__nv_bfloat16 x) { return x.__x; }
inline __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits) { return __nv_bfloat16(__nv_bfloat16_raw{bits}); }
#endif

#endif
