// cuda_on_cpu/ptx/floats.h: PTX's instructions on floating-point numbers, and conversions.
#pragma once

#include <cuda_on_cpu/ptx/integers.h>

namespace cuda_on_cpu {
namespace ptx {

enum Rounding { rn = FE_TONEAREST, rz = FE_TOWARDZERO, rm = FE_DOWNWARD, rp = FE_UPWARD };

// .ftz and .sat
template <typename T> T flushed(T x) {
    if constexpr (std::is_same_v<T, float>) return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.f, x) : x;
    else return x;
}
template <typename T> T unit(T x) { return x > 0 ? x < 1 ? x : T(1) : T(0); }

template <typename T> T fma(T a, T b, T c) { return std::fma(a, b, c); }
template <typename T> T rcp(T a) { return 1 / a; }
template <typename T> T sqrt(T a) { return std::sqrt(a); }
template <typename T> T rsqrt(T a) { return T(1 / std::sqrt(double(a))); }

// Of two numbers one of which is no number, the other one; -0 is below 0.
template <typename T> T min(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
        if (a == b) return std::signbit(a) ? a : b;
        return a != a && b != b ? T(NAN) : std::fmin(a, b);
    } else return b < a ? b : a;
}
template <typename T> T max(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
        if (a == b) return std::signbit(a) ? b : a;
        return a != a && b != b ? T(NAN) : std::fmax(a, b);
    } else return a < b ? b : a;
}
template <typename T> T or_nan(T a, T b, T result) { return a != a || b != b ? T(NAN) : result; }
template <typename T> T neg(T a) {
    if constexpr (std::is_floating_point_v<T>) return -a;
    else return sub(T(0), a);
}
template <typename T> bool unordered(T a, T b) { return a != a || b != b; }

// Numbers of 16 bits, in the low bits of T, or two of them.
inline float wide_f16(u16 bits) {
    const int exponent = bits >> 10 & 31, fraction = bits & 0x3ff;
    const float size = exponent == 31 ? (fraction ? NAN : INFINITY)
                                      : std::ldexp(float(exponent ? fraction + 1024 : fraction), (exponent ? exponent : 1) - 25);
    return bits & 0x8000 ? -size : size;
}
template <typename F> u16 narrow_f16(F x, bool toward_zero = false) {
    const F size = std::fabs(x);
    const u16 sign = u16(std::signbit(x) ? 0x8000 : 0);
    if (x != x) return 0x7fff;
    if (std::isinf(x) || size >= (toward_zero ? F(65536) : F(65520))) return u16(sign | (toward_zero && !std::isinf(x) ? 0x7bff : 0x7c00));
    const int exponent = size < F(0x1p-14) ? -14 : std::ilogb(size);
    const F steps = std::ldexp(size, 10 - exponent);
    return u16(sign | (int(toward_zero ? std::trunc(steps) : std::nearbyint(steps)) + (exponent + 14) * 1024));
}
inline float wide_bf16(u16 bits) { return same_bits<float>(u32(bits) << 16); }
inline u16 narrow_bf16(float x, bool toward_zero = false) {
    const u32 bits = same_bits<u32>(x);
    if (x != x) return 0x7fff;
    return u16((toward_zero ? bits : bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
struct F16 {
    static float wide(u16 bits) { return wide_f16(bits); }
    static u16 narrow(double x) { return narrow_f16(x); }
};
struct Bf16 {
    static float wide(u16 bits) { return wide_bf16(bits); }
    static u16 narrow(double x) {
        float nearest = float(x);
        // The middle between two, to which x was rounded, is to be rounded as x is.
        if ((same_bits<u32>(nearest) & 0xffff) == 0x8000 && double(nearest) != x)
            nearest = std::nextafter(nearest, x > double(nearest) ? INFINITY : -INFINITY);
        return narrow_bf16(nearest);
    }
};
// f of the numbers, part by part, in double, where a product and a sum of two are exact as far as that matters.
template <typename Format, typename T, typename F, typename... Rest> T each(F f, T a, Rest... rest) {
    T result = 0;
    for (unsigned at = 0; at < width<T>; at += 16)
        result = T(result | T(T(Format::narrow(double(f(double(Format::wide(u16(a >> at))), double(Format::wide(u16(rest >> at)))...)))) << at));
    return result;
}
template <typename Format> u32 two(float high, float low, bool toward_zero = false) {
    if (std::is_same_v<Format, F16>) return u32(narrow_f16(high, toward_zero)) << 16 | narrow_f16(low, toward_zero);
    return u32(narrow_bf16(high, toward_zero)) << 16 | narrow_bf16(low, toward_zero);
}

// A floating-point number without a fraction, in a direction.
template <typename F> F integral(Rounding direction, F x) {
    return direction == rn ? std::nearbyint(x) : direction == rz ? std::trunc(x) : direction == rm ? std::floor(x) : std::ceil(x);
}
// What no integer has is the nearest one. A NaN is 0, and where either has 64 bits, the highest bit alone.
template <typename I, typename F> I to_integer(Rounding direction, F x) {
    if (x != x) return sizeof(F) == 8 || sizeof(I) == 8 ? I(Unsigned<I>(1) << (width<I> - 1)) : I(0);
    return saturated<I>(integral(direction, x));
}
// What is rounded is computed where the compiler does not know the direction.
template <typename T, typename Compute> T directed(Rounding direction, Compute compute) {
    return direction == rn ? compute() : rounded<T>(direction, compute);
}
template <typename To, typename From> To saturate_integer(From x) {
    using Limits = std::numeric_limits<To>;
    if constexpr (std::is_signed_v<From>) {
        if (x < 0) {
            if (!std::is_signed_v<To>) return 0;
            return s64(x) < s64(Limits::min()) ? Limits::min() : To(x);
        }
    }
    return u64(x) > u64(Limits::max()) ? Limits::max() : To(x);
}

}  // namespace ptx
}  // namespace cuda_on_cpu
