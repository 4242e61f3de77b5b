// cuda_on_cpu/sixteen_bits.h: what both 16-bit numbers have: conversions, operators and functions by float.
#pragma once

#include <cuda_on_cpu/float_bits.h>
#include <cuda_on_cpu/rounding.h>
#include <vector_functions.h>
#ifdef __CUDACC__
#include <cuda_runtime.h>
#endif

#include <cmath>
#include <cstring>
#include <type_traits>

namespace cuda_on_cpu {

// A number of any type as a float from which narrow() gives what it would of the number itself: one that is no float is the
// float on the side of zero with its lowest bit set.
template <typename T> float kept(T value) {
    if constexpr (std::is_same_v<T, float>) return value;
    const long double exact = static_cast<long double>(value);
    const float near = static_cast<float>(value);
    if (near != near || static_cast<long double>(near) == exact) return near;
    const bool away = std::fabs(static_cast<long double>(near)) > std::fabs(exact);
    return from_bits((to_bits(near) - away) | 1);
}
// The bits of a number that is rounded up or down. Next to an infinity is the largest number.
template <typename Format, typename T> unsigned short directed(int direction, T value) {
    const unsigned short bits = Format::narrow(kept(value));
    const long double near = Format::wide(bits), exact = static_cast<long double>(value);
    const bool down = direction == FE_DOWNWARD || (direction == FE_TOWARDZERO && exact > 0);
    if (!(down ? near > exact : near < exact)) return bits;
    if (!(bits & 0x7fff)) return static_cast<unsigned short>(down ? 0x8001 : 0x0001);
    return static_cast<unsigned short>(down == !(bits >> 15) ? bits - 1 : bits + 1);
}

// Operators of two numbers of 16 bits, and of one with a number of another type, which would be ambiguous between the two
// conversions. As friends of the class they are not for other classes, such as c10::Half, that can become one of these.
#define CUDA_ON_CPU_SIXTEEN_FRIENDS(op)                                                                                \
    friend Self operator op(Self a, Self b) { return Self(float(a) op float(b)); }                                     \
    template <typename T> friend std::enable_if_t<std::is_floating_point_v<T>, T> operator op(Self a, T b) {           \
        return T(float(a)) op b;                                                                                       \
    }                                                                                                                  \
    template <typename T> friend std::enable_if_t<std::is_floating_point_v<T>, T> operator op(T a, Self b) {           \
        return a op T(float(b));                                                                                       \
    }                                                                                                                  \
    template <typename T> friend std::enable_if_t<std::is_integral_v<T>, Self> operator op(Self a, T b) {              \
        return Self(float(a) op float(b));                                                                             \
    }                                                                                                                  \
    template <typename T> friend std::enable_if_t<std::is_integral_v<T>, Self> operator op(T a, Self b) {              \
        return Self(float(a) op float(b));                                                                             \
    }
#define CUDA_ON_CPU_SIXTEEN_RELATED(op)                                                                                \
    friend bool operator op(Self a, Self b) { return float(a) op float(b); }                                           \
    template <typename T> friend std::enable_if_t<std::is_arithmetic_v<T>, bool> operator op(Self a, T b) {            \
        return float(a) op b;                                                                                          \
    }                                                                                                                  \
    template <typename T> friend std::enable_if_t<std::is_arithmetic_v<T>, bool> operator op(T a, Self b) {            \
        return a op float(b);                                                                                          \
    }

// The base of a type of 16 bits: __x has the bits. Format: wide() of them, and narrow() of a float.
template <typename Self, typename Format> struct Sixteen {
    unsigned short __x;

    Sixteen() = default;
    template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
    Sixteen(T value) : __x(Format::narrow(kept(value))) {}
    template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>> Self &operator=(T value) {
        __x = Format::narrow(kept(value));
        return self();
    }
    operator float() const { return Format::wide(__x); }

    Self &operator+=(const Self &other) { return self() = Self(float(*this) + float(other)); }
    Self &operator-=(const Self &other) { return self() = Self(float(*this) - float(other)); }
    Self &operator*=(const Self &other) { return self() = Self(float(*this) * float(other)); }
    Self &operator/=(const Self &other) { return self() = Self(float(*this) / float(other)); }
    Self operator-() const { return Self(-float(*this)); }

    CUDA_ON_CPU_SIXTEEN_FRIENDS(+)
    CUDA_ON_CPU_SIXTEEN_FRIENDS(-)
    CUDA_ON_CPU_SIXTEEN_FRIENDS(*)
    CUDA_ON_CPU_SIXTEEN_FRIENDS(/)
    CUDA_ON_CPU_SIXTEEN_RELATED(==)
    CUDA_ON_CPU_SIXTEEN_RELATED(!=)
    CUDA_ON_CPU_SIXTEEN_RELATED(<)
    CUDA_ON_CPU_SIXTEEN_RELATED(<=)
    CUDA_ON_CPU_SIXTEEN_RELATED(>)
    CUDA_ON_CPU_SIXTEEN_RELATED(>=)

private:
    Self &self() { return static_cast<Self &>(*this); }
};

// An integer from a whole number, as saturated(), but of 64 bits a NaN is 2^63.
template <typename I> I whole(float x) {
    if constexpr (sizeof(I) == 8)
        if (x != x) return I(1ull << 63);
    return saturated<I>(x);
}
inline bool unordered(float a, float b) { return a != a || b != b; }
inline float unit(float x) { return x > 0 ? (x < 1 ? x : 1) : 0; }  // 0 for a NaN

}  // namespace cuda_on_cpu

// Operators and functions of the type H and of two of it, H2.
#define CUDA_ON_CPU_SIXTEEN(H, H2)                                                                                     \
    CUDA_ON_CPU_SIXTEEN_BINARY(H, H2, +, __hadd)                                                                       \
    CUDA_ON_CPU_SIXTEEN_BINARY(H, H2, -, __hsub)                                                                       \
    CUDA_ON_CPU_SIXTEEN_BINARY(H, H2, *, __hmul)                                                                       \
    CUDA_ON_CPU_SIXTEEN_BINARY(H, H2, /, __hdiv)                                                                       \
    CUDA_ON_CPU_SIXTEEN_COMPARE(H, ==, eq)                                                                             \
    CUDA_ON_CPU_SIXTEEN_COMPARE(H, !=, ne)                                                                             \
    CUDA_ON_CPU_SIXTEEN_COMPARE(H, <, lt)                                                                              \
    CUDA_ON_CPU_SIXTEEN_COMPARE(H, <=, le)                                                                             \
    CUDA_ON_CPU_SIXTEEN_COMPARE(H, >, gt)                                                                              \
    CUDA_ON_CPU_SIXTEEN_COMPARE(H, >=, ge)                                                                             \
    CUDA_ON_CPU_SIXTEEN_UNARY(H, H2, exp, std::exp)                                                                    \
    CUDA_ON_CPU_SIXTEEN_UNARY(H, H2, exp2, std::exp2)                                                                  \
    CUDA_ON_CPU_SIXTEEN_UNARY(H, H2, log, std::log)                                                                    \
    CUDA_ON_CPU_SIXTEEN_UNARY(H, H2, log2, std::log2)                                                                  \
    CUDA_ON_CPU_SIXTEEN_UNARY(H, H2, log10, std::log10)                                                                \
    CUDA_ON_CPU_SIXTEEN_UNARY(H, H2, sqrt, std::sqrt)                                                                  \
    CUDA_ON_CPU_SIXTEEN_UNARY(H, H2, rsqrt, 1 / std::sqrt)                                                             \
    CUDA_ON_CPU_SIXTEEN_UNARY(H, H2, rcp, 1 /)                                                                         \
    CUDA_ON_CPU_SIXTEEN_UNARY(H, H2, sin, std::sin)                                                                    \
    CUDA_ON_CPU_SIXTEEN_UNARY(H, H2, cos, std::cos)                                                                    \
    CUDA_ON_CPU_SIXTEEN_UNARY(H, H2, tanh, std::tanh)                                                                  \
    CUDA_ON_CPU_SIXTEEN_UNARY(H, H2, ceil, std::ceil)                                                                  \
    CUDA_ON_CPU_SIXTEEN_UNARY(H, H2, floor, std::floor)                                                                \
    CUDA_ON_CPU_SIXTEEN_UNARY(H, H2, trunc, std::trunc)                                                                \
    CUDA_ON_CPU_SIXTEEN_UNARY(H, H2, rint, std::nearbyint)                                                             \
    inline H __hneg(H a) { return -a; }                                                                                \
    inline H __habs(H a) { return H(std::fabs(float(a))); }                                                            \
    inline bool __hisnan(H a) { return std::isnan(float(a)); }                                                         \
    inline int __hisinf(H a) { return std::isinf(float(a)); }                                                          \
    inline H __hmax(H a, H b) { return H(std::fmax(float(a), float(b))); }                                             \
    inline H __hmin(H a, H b) { return H(std::fmin(float(a), float(b))); }                                             \
    inline H __hfma(H a, H b, H c) { return H(std::fma(float(a), float(b), float(c))); }                               \
    inline H2 __hfma2(H2 a, H2 b, H2 c) { return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)}; }                     \
    inline H __hfma_relu(H a, H b, H c) { return __hmax(__hfma(a, b, c), H(0.f)); }                                    \
    inline H2 __hfma2_relu(H2 a, H2 b, H2 c) { return {__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y)}; }      \
    inline H2 __habs2(H2 a) { return {__habs(a.x), __habs(a.y)}; }                                                     \
    inline H2 __hneg2(H2 a) { return {-a.x, -a.y}; }                                                                   \
    inline H2 __hmax2(H2 a, H2 b) { return {__hmax(a.x, b.x), __hmax(a.y, b.y)}; }                                     \
    inline H2 __hmin2(H2 a, H2 b) { return {__hmin(a.x, b.x), __hmin(a.y, b.y)}; }                                     \
    CUDA_ON_CPU_SIXTEEN_MORE(H, H2)                                                                                    \
    CUDA_ON_CPU_SIXTEEN_ATOMIC(H, H2)

// Those that few programs call.
#define CUDA_ON_CPU_SIXTEEN_MORE(H, H2)                                                                                \
    CUDA_ON_CPU_SIXTEEN_PAIR(H, H2, __hadd_sat, __hadd2_sat, cuda_on_cpu::unit(float(a) + float(b)))                   \
    CUDA_ON_CPU_SIXTEEN_PAIR(H, H2, __hsub_sat, __hsub2_sat, cuda_on_cpu::unit(float(a) - float(b)))                   \
    CUDA_ON_CPU_SIXTEEN_PAIR(H, H2, __hmul_sat, __hmul2_sat, cuda_on_cpu::unit(float(a) * float(b)))                   \
    CUDA_ON_CPU_SIXTEEN_PAIR(H, H2, __hmax_nan, __hmax2_nan, a == a && b == b ? __hmax(a, b) : H(NAN))                 \
    CUDA_ON_CPU_SIXTEEN_PAIR(H, H2, __hmin_nan, __hmin2_nan, a == a && b == b ? __hmin(a, b) : H(NAN))                 \
    inline H __hfma_sat(H a, H b, H c) { return H(cuda_on_cpu::unit(std::fma(float(a), float(b), float(c)))); }        \
    inline H2 __hfma2_sat(H2 a, H2 b, H2 c) { return {__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y)}; }         \
    inline H2 __hadd2_rn(H2 a, H2 b) { return a + b; }                                                                 \
    inline H2 __hsub2_rn(H2 a, H2 b) { return a - b; }                                                                 \
    inline H2 __hmul2_rn(H2 a, H2 b) { return a * b; }                                                                 \
    inline H2 __h2div(H2 a, H2 b) { return a / b; }                                                                    \
    inline H2 operator-(H2 a) { return {-a.x, -a.y}; }                                                                 \
    inline H2 operator+(H2 a) { return a; }                                                                            \
    inline H2 __hisnan2(H2 a) { return {H(float(__hisnan(a.x))), H(float(__hisnan(a.y)))}; }                           \
    inline H2 __hcmadd(H2 a, H2 b, H2 c) { /* of complex numbers: a * b + c */                                         \
        return {__hfma(-a.y, b.y, __hfma(a.x, b.x, c.x)), __hfma(a.y, b.x, __hfma(a.x, b.y, c.y))};                    \
    }                                                                                                                  \
    inline H2 __lowhigh2highlow(H2 a) { return {a.y, a.x}; }                                                           \
    inline H hexp10(H a) { return H(float(std::pow(10., double(float(a))))); }                                         \
    inline H2 h2exp10(H2 a) { return {hexp10(a.x), hexp10(a.y)}; }                                                     \
    inline H htanh_approx(H a) { return htanh(a); }                                                                    \
    inline H2 h2tanh_approx(H2 a) { return h2tanh(a); }
#define CUDA_ON_CPU_SIXTEEN_PAIR(H, H2, one, two, expression)                                                          \
    inline H one(H a, H b) { return H(expression); }                                                                   \
    inline H2 two(H2 a, H2 b) { return {one(a.x, b.x), one(a.y, b.y)}; }

// Conversions from and to integers and floats, by the type's word in their names, such as half or bfloat16; and pairs of the
// parts of pairs, whose word is pair.
#define CUDA_ON_CPU_SIXTEEN_CONVERSIONS(H, H2, Format, word, pair)                                                     \
    CUDA_ON_CPU_SIXTEEN_INTEGER(H, Format, word, short, short)                                                         \
    CUDA_ON_CPU_SIXTEEN_INTEGER(H, Format, word, ushort, unsigned short)                                               \
    CUDA_ON_CPU_SIXTEEN_INTEGER(H, Format, word, int, int)                                                             \
    CUDA_ON_CPU_SIXTEEN_INTEGER(H, Format, word, uint, unsigned)                                                       \
    CUDA_ON_CPU_SIXTEEN_INTEGER(H, Format, word, ll, long long)                                                        \
    CUDA_ON_CPU_SIXTEEN_INTEGER(H, Format, word, ull, unsigned long long)                                              \
    inline signed char __##word##2char_rz(H x) { return cuda_on_cpu::saturated<signed char>(std::trunc(float(x))); }   \
    inline unsigned char __##word##2uchar_rz(H x) {                                                                    \
        return cuda_on_cpu::saturated<unsigned char>(std::trunc(float(x)));                                            \
    }                                                                                                                  \
    inline H __float2##word##_rn(float x) { return H(x); }                                                             \
    CUDA_ON_CPU_SIXTEEN_DIRECTED(H, Format, __float2##word, float)                                                     \
    inline H2 __low2##pair(H2 a) { return {a.x, a.x}; }                                                                \
    inline H2 __high2##pair(H2 a) { return {a.y, a.y}; }                                                               \
    inline H2 __lows2##pair(H2 a, H2 b) { return {a.x, b.x}; }                                                         \
    inline H2 __highs2##pair(H2 a, H2 b) { return {a.y, b.y}; }
#define CUDA_ON_CPU_SIXTEEN_INTEGER(H, Format, word, name, I)                                                          \
    inline H __##name##2##word##_rn(I x) { return H(x); }                                                              \
    CUDA_ON_CPU_SIXTEEN_DIRECTED(H, Format, __##name##2##word, I)                                                      \
    inline I __##word##2##name##_rn(H x) { return cuda_on_cpu::whole<I>(std::nearbyint(float(x))); }                   \
    inline I __##word##2##name##_rz(H x) { return cuda_on_cpu::whole<I>(std::trunc(float(x))); }                       \
    inline I __##word##2##name##_ru(H x) { return cuda_on_cpu::whole<I>(std::ceil(float(x))); }                        \
    inline I __##word##2##name##_rd(H x) { return cuda_on_cpu::whole<I>(std::floor(float(x))); }
#define CUDA_ON_CPU_SIXTEEN_DIRECTED(H, Format, name, T)                                                               \
    inline H name##_rz(T x) { return H(H##_raw{cuda_on_cpu::directed<cuda_on_cpu::Format>(FE_TOWARDZERO, x)}); }       \
    inline H name##_ru(T x) { return H(H##_raw{cuda_on_cpu::directed<cuda_on_cpu::Format>(FE_UPWARD, x)}); }           \
    inline H name##_rd(T x) { return H(H##_raw{cuda_on_cpu::directed<cuda_on_cpu::Format>(FE_DOWNWARD, x)}); }

#define CUDA_ON_CPU_SIXTEEN_BINARY(H, H2, op, name)                                                                    \
    inline H2 operator op(H2 a, H2 b) { return {a.x op b.x, a.y op b.y}; }                                             \
    inline H2 &operator op##=(H2 &a, H2 b) { return a = a op b; }                                                      \
    inline H name(H a, H b) { return a op b; }                                                                         \
    inline H name##_rn(H a, H b) { return a op b; }                                                                    \
    inline H2 name##2(H2 a, H2 b) { return a op b; }
// __heq, of two pairs __heq2, which gives 1 or 0 for each, __hbeq2, which tells whether it holds for both, and __heq2_mask,
// which gives bits. With a NaN these are false, and those with a u, as __hequ, are true. != is __hneu.
#define CUDA_ON_CPU_SIXTEEN_COMPARE(H, op, name)                                                                       \
    CUDA_ON_CPU_SIXTEEN_RELATION(H, H##2, __h##name, __hb##name, !cuda_on_cpu::unordered(a, b) && a op b, )            \
    CUDA_ON_CPU_SIXTEEN_RELATION(H, H##2, __h##name, __hb##name, cuda_on_cpu::unordered(a, b) || a op b, u)            \
    inline bool operator op(H##2 a, H##2 b) { return a.x op b.x && a.y op b.y; }
#define CUDA_ON_CPU_SIXTEEN_RELATION(H, H2, one, both, condition, u)                                                   \
    inline bool one##u(H a, H b) { return condition; }                                                                 \
    inline H2 one##u##2(H2 a, H2 b) { return {H(float(one##u(a.x, b.x))), H(float(one##u(a.y, b.y)))}; }               \
    inline bool both##u##2(H2 a, H2 b) { return one##u(a.x, b.x) && one##u(a.y, b.y); }                                \
    inline unsigned one##u##2_mask(H2 a, H2 b) {                                                                       \
        return (one##u(a.x, b.x) ? 0xffffu : 0) | (one##u(a.y, b.y) ? 0xffff0000u : 0);                                \
    }
#define CUDA_ON_CPU_SIXTEEN_UNARY(H, H2, name, function)                                                               \
    inline H h##name(H a) { return H(float(function(float(a)))); }                                                     \
    inline H2 h2##name(H2 a) { return {h##name(a.x), h##name(a.y)}; }
#ifdef __CUDACC__
#define CUDA_ON_CPU_SIXTEEN_ATOMIC(H, H2)                                                                              \
    inline H atomicAdd(H *address, H value) {                                                                          \
        return cuda_on_cpu::atomic_change(address, [value](H before) { return before + value; });                      \
    }                                                                                                                  \
    inline H2 atomicAdd(H2 *address, H2 value) {                                                                       \
        return {atomicAdd(&address->x, value.x), atomicAdd(&address->y, value.y)};                                     \
    }
#else
#define CUDA_ON_CPU_SIXTEEN_ATOMIC(H, H2)
#endif
