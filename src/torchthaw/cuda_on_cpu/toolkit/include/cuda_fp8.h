/* cuda_fp8.h: floating-point numbers of 8 bits, as the Open Compute Project's "8-bit Floating Point Specification" has them:
 * e4m3, whose largest number is 448 and which has no infinity, and e5m2, whose largest number is 57344.
 *
 * Conversions round to nearest even, once. Larger numbers become the largest one (__NV_SATFINITE, as constructors do), or a
 * NaN of e4m3 and an infinity of e5m2 (__NV_NOSAT). A NaN becomes 0x7f;
 * one of double keeps its sign, and is 0x7e of e5m2, as with CUDA.
 *
 * e8m0 is a power of two from 2^-127 to 2^127, or a NaN, 0xff. What becomes one loses its sign, and is rounded towards zero or
 * up (cudaRoundPosInf, as the constructor does). */
#ifndef CUDA_ON_CPU_FP8_H
#define CUDA_ON_CPU_FP8_H

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <device_types.h>

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

#ifdef __cplusplus
namespace cuda_on_cpu {

// Bits behind the point, the exponent's bias, and the bits of the largest number and of what is above it.
struct EightFormat {
    int fraction, bias;
    unsigned largest, above;
};
constexpr EightFormat eight_formats[] = {{3, 7, 0x7e, 0x7f}, {2, 15, 0x7b, 0x7c}};

inline unsigned char to_eight(float value, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) {
    const EightFormat &format = eight_formats[kind];
    if (value != value) return 0x7f;
    const unsigned sign = to_bits(value) >> 31 << 7;
    const float size = std::fabs(value);
    unsigned bits = format.largest + 1;
    if (size < 1e6f) {
        int exponent = 1 - format.bias;
        if (size > 0 && std::ilogb(size) > exponent) exponent = std::ilogb(size);
        // In units of the last place; a sum that is rounded up to the next exponent carries into it.
        const float units = std::nearbyint(std::ldexp(size, format.fraction - exponent));
        bits = (unsigned(exponent + format.bias - 1) << format.fraction) + unsigned(units);
    }
    if (bits > format.largest) bits = saturate == __NV_SATFINITE ? format.largest : format.above;
    return static_cast<unsigned char>(sign | bits);
}
inline float from_eight(unsigned char bits, __nv_fp8_interpretation_t kind) {
    const EightFormat &format = eight_formats[kind];
    const unsigned size = bits & 0x7fu, exponent = size >> format.fraction, fraction = size & ((1u << format.fraction) - 1);
    const float sign = bits & 0x80 ? -1.f : 1.f;
    if (size > format.largest) return kind == __NV_E5M2 && !fraction ? sign * HUGE_VALF : NAN;
    const unsigned units = exponent ? fraction + (1u << format.fraction) : fraction;
    return sign * std::ldexp(float(units), int(exponent ? exponent : 1) - format.bias - format.fraction);
}
inline __nv_fp8x2_storage_t two_eights(unsigned low, unsigned high) {
    return static_cast<__nv_fp8x2_storage_t>(low | high << 8);
}
inline __nv_fp8x4_storage_t four_eights(unsigned low, unsigned high) { return low | high << 16; }

}  // namespace cuda_on_cpu

inline __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t s, __nv_fp8_interpretation_t kind) {
    return cuda_on_cpu::to_eight(x, s, kind);
}
inline __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t s, __nv_fp8_interpretation_t kind) {
    if (x != x) return static_cast<__nv_fp8_storage_t>((std::signbit(x) ? 0x80 : 0) | (kind == __NV_E4M3 ? 0x7f : 0x7e));
    return cuda_on_cpu::to_eight(cuda_on_cpu::kept(x), s, kind);
}
inline __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x, __nv_saturation_t s, __nv_fp8_interpretation_t kind) {
    return cuda_on_cpu::to_eight(float(__half(x)), s, kind);
}
inline __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x, __nv_saturation_t s,
                                                      __nv_fp8_interpretation_t kind) {
    return cuda_on_cpu::to_eight(float(__nv_bfloat16(x)), s, kind);
}
#define CUDA_ON_CPU_EIGHT_PAIR(name, one, V, S)                                                                        \
    inline __nv_fp8x2_storage_t name(V v, __nv_saturation_t s, __nv_fp8_interpretation_t kind) {                       \
        return cuda_on_cpu::two_eights(one(S{v.x}, s, kind), one(S{v.y}, s, kind));                                    \
    }
CUDA_ON_CPU_EIGHT_PAIR(__nv_cvt_float2_to_fp8x2, __nv_cvt_float_to_fp8, float2, float)
CUDA_ON_CPU_EIGHT_PAIR(__nv_cvt_double2_to_fp8x2, __nv_cvt_double_to_fp8, double2, double)
CUDA_ON_CPU_EIGHT_PAIR(__nv_cvt_halfraw2_to_fp8x2, __nv_cvt_halfraw_to_fp8, __half2_raw, __half_raw)
CUDA_ON_CPU_EIGHT_PAIR(__nv_cvt_bfloat16raw2_to_fp8x2, __nv_cvt_bfloat16raw_to_fp8, __nv_bfloat162_raw, __nv_bfloat16_raw)
#undef CUDA_ON_CPU_EIGHT_PAIR
inline __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind) {
    return __half(cuda_on_cpu::from_eight(x, kind));
}
inline __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x, __nv_fp8_interpretation_t kind) {
    return {__nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(x), kind).x,
            __nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(x >> 8), kind).x};
}

// One number, two and four of a kind. __x has the bits, the first number in the lowest ones.
#define CUDA_ON_CPU_EIGHT(name, two, four, kind)                                                                       \
    struct name {                                                                                                      \
        __nv_fp8_storage_t __x;                                                                                        \
        name() = default;                                                                                              \
        template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>                                    \
        explicit name(T value) : __x(cuda_on_cpu::to_eight(cuda_on_cpu::kept(value), __NV_SATFINITE, kind)) {}         \
        explicit name(double value) : __x(__nv_cvt_double_to_fp8(value, __NV_SATFINITE, kind)) {}                      \
        explicit name(__half value) : name(float(value)) {}                                                            \
        explicit name(__nv_bfloat16 value) : name(float(value)) {}                                                     \
        template <typename T, typename = std::enable_if_t<std::is_floating_point_v<T>>> explicit operator T() const {  \
            return cuda_on_cpu::from_eight(__x, kind);                                                                 \
        }                                                                                                              \
        template <typename T, std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool>, int> = 0>            \
        explicit operator T() const {                                                                                  \
            return cuda_on_cpu::saturated<T>(std::trunc(cuda_on_cpu::from_eight(__x, kind)));                          \
        }                                                                                                              \
        explicit operator bool() const { return (__x & 0x7f) != 0; }                                                   \
        explicit operator __half() const { return __half(cuda_on_cpu::from_eight(__x, kind)); }                        \
        explicit operator __nv_bfloat16() const { return __nv_bfloat16(cuda_on_cpu::from_eight(__x, kind)); }          \
    };                                                                                                                 \
    struct __align__(2) two {                                                                                          \
        __nv_fp8x2_storage_t __x;                                                                                      \
        two() = default;                                                                                               \
        explicit two(float2 v) : __x(__nv_cvt_float2_to_fp8x2(v, __NV_SATFINITE, kind)) {}                             \
        explicit two(double2 v) : __x(__nv_cvt_double2_to_fp8x2(v, __NV_SATFINITE, kind)) {}                           \
        explicit two(__half2 v) : two(float2{float(v.x), float(v.y)}) {}                                               \
        explicit two(__nv_bfloat162 v) : two(float2{float(v.x), float(v.y)}) {}                                        \
        explicit operator float2() const {                                                                             \
            return {cuda_on_cpu::from_eight(static_cast<__nv_fp8_storage_t>(__x), kind),                               \
                    cuda_on_cpu::from_eight(static_cast<__nv_fp8_storage_t>(__x >> 8), kind)};                         \
        }                                                                                                              \
        explicit operator __half2() const { return __float22half2_rn(float2(*this)); }                                 \
        explicit operator __nv_bfloat162() const { return __float22bfloat162_rn(float2(*this)); }                      \
    };                                                                                                                 \
    struct __align__(4) four {                                                                                         \
        __nv_fp8x4_storage_t __x;                                                                                      \
        four() = default;                                                                                              \
        explicit four(float4 v)                                                                                        \
            : __x(cuda_on_cpu::four_eights(two(float2{v.x, v.y}).__x, two(float2{v.z, v.w}).__x)) {}                   \
        explicit four(double4 v)                                                                                       \
            : __x(cuda_on_cpu::four_eights(two(double2{v.x, v.y}).__x, two(double2{v.z, v.w}).__x)) {}                 \
        explicit four(__half2 low, __half2 high) : __x(cuda_on_cpu::four_eights(two(low).__x, two(high).__x)) {}       \
        explicit four(__nv_bfloat162 low, __nv_bfloat162 high)                                                         \
            : __x(cuda_on_cpu::four_eights(two(low).__x, two(high).__x)) {}                                            \
        explicit operator float4() const {                                                                             \
            two low, high;                                                                                             \
            low.__x = static_cast<__nv_fp8x2_storage_t>(__x);                                                          \
            high.__x = static_cast<__nv_fp8x2_storage_t>(__x >> 16);                                                   \
            const float2 a = float2(low), b = float2(high);                                                            \
            return {a.x, a.y, b.x, b.y};                                                                               \
        }                                                                                                              \
    };
CUDA_ON_CPU_EIGHT(__nv_fp8_e4m3, __nv_fp8x2_e4m3, __nv_fp8x4_e4m3, __NV_E4M3)
CUDA_ON_CPU_EIGHT(__nv_fp8_e5m2, __nv_fp8x2_e5m2, __nv_fp8x4_e5m2, __NV_E5M2)
#undef CUDA_ON_CPU_EIGHT

namespace cuda_on_cpu {
inline __nv_fp8_storage_t to_power(double value, __nv_saturation_t saturate, cudaRoundMode rounding) {
    if (value != value) return 0xff;
    const double size = std::fabs(value);
    if (size <= 0x1p-127) return 0;
    const int low = size > 0x1p127 ? 127 : std::ilogb(size);
    const bool up = rounding == cudaRoundPosInf && size > std::ldexp(1., low);
    const bool above = std::isinf(size) || size >= 0x1p128 || low + up > 127;
    if (above) return saturate == __NV_SATFINITE ? 0xfe : 0xff;
    return static_cast<__nv_fp8_storage_t>(low + up + 127);
}
inline float from_power(__nv_fp8_storage_t bits) { return bits == 0xff ? NAN : std::ldexp(1.f, bits - 127); }
}  // namespace cuda_on_cpu

struct __nv_fp8_e8m0 {
    __nv_fp8_storage_t __x;
    __nv_fp8_e8m0() = default;
    template <typename T, typename = std::enable_if_t<std::is_floating_point_v<T>>>
    explicit __nv_fp8_e8m0(T value) : __x(cuda_on_cpu::to_power(double(value), __NV_SATFINITE, cudaRoundPosInf)) {}
    template <typename T, typename = std::enable_if_t<std::is_floating_point_v<T>>> explicit operator T() const {
        return cuda_on_cpu::from_power(__x);
    }
};
inline __nv_fp8_storage_t __nv_cvt_float_to_e8m0(float x, __nv_saturation_t s, cudaRoundMode rounding) {
    return cuda_on_cpu::to_power(double(x), s, rounding);
}
inline __nv_fp8_storage_t __nv_cvt_double_to_e8m0(double x, __nv_saturation_t s, cudaRoundMode rounding) {
    return cuda_on_cpu::to_power(x, s, rounding);
}
inline __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_e8m0(__nv_bfloat16_raw x, __nv_saturation_t s, cudaRoundMode rounding) {
    return cuda_on_cpu::to_power(double(float(__nv_bfloat16(x))), s, rounding);
}
inline __nv_bfloat16_raw __nv_cvt_e8m0_to_bf16raw(__nv_fp8_storage_t x) {
    return __nv_bfloat16(cuda_on_cpu::from_power(x));
}
#endif

#endif
