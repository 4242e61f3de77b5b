/* cuda_fp16.h: 16-bit floating-point numbers, IEEE's binary16; arithmetic is float's, rounded to nearest even. */
#ifndef CUDA_ON_CPU_FP16_H
#define CUDA_ON_CPU_FP16_H

#include <cuda_on_cpu/host_defines.h>

typedef struct { unsigned short x; } __half_raw;
typedef struct { unsigned short x, y; } __half2_raw;

#ifdef __cplusplus
#include <cuda_on_cpu/sixteen_bits.h>

namespace cuda_on_cpu {
struct HalfFormat {
    static float wide(unsigned short bits) { return half_to_float(bits); }
    static unsigned short narrow(float value) { return float_to_half(value); }
};
}  // namespace cuda_on_cpu

struct __half : cuda_on_cpu::Sixteen<__half, cuda_on_cpu::HalfFormat> {
    using Sixteen::Sixteen;
    using Sixteen::operator=;
    __half() = default;
    __half(const __half_raw &raw) { __x = raw.x; }
    operator __half_raw() const { return {__x}; }
    operator __half_raw() const volatile { return {__x}; }
};
struct __align__(4) __half2 {
    __half x, y;
    __half2() = default;
    __half2(__half x, __half y) : x(x), y(y) {}
};
typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half2 nv_half2;

CUDA_ON_CPU_SIXTEEN(__half, __half2)
CUDA_ON_CPU_SIXTEEN_CONVERSIONS(__half, __half2, HalfFormat, half, half2)
inline __half __float2half(float x) { return __half(x); }
inline __half __double2half(double x) { return __half(x); }
inline float __half2float(__half x) { return float(x); }
inline __half2 __float2half2_rn(float x) { return {__half(x), __half(x)}; }
inline __half2 __floats2half2_rn(float x, float y) { return {__half(x), __half(y)}; }
inline __half2 __half2half2(__half x) { return {x, x}; }
inline __half2 __halves2half2(__half x, __half y) { return {x, y}; }
inline __half2 make_half2(__half x, __half y) { return {x, y}; }
inline __half __low2half(__half2 x) { return x.x; }
inline __half __high2half(__half2 x) { return x.y; }
inline float __low2float(__half2 x) { return float(x.x); }
inline float __high2float(__half2 x) { return float(x.y); }
inline float2 __half22float2(__half2 x) { return {float(x.x), float(x.y)}; }
inline __half2 __float22half2_rn(float2 x) { return {__half(x.x), __half(x.y)}; }
inline unsigned short __half_as_ushort(__half x) { return x.__x; }
inline short __half_as_short(__half x) { return short(x.__x); }
inline __half __ushort_as_half(unsigned short bits) { return __half(__half_raw{bits}); }
inline __half __short_as_half(short bits) { return __ushort_as_half(static_cast<unsigned short>(bits)); }
#endif

#endif
