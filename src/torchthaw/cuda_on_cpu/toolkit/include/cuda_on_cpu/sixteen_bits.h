// cuda_on_cpu/sixteen_bits.h: what both 16-bit numbers have: conversions, operators and functions by float.
#pragma once

#include <cuda_on_cpu/float_bits.h>
#include <vector_functions.h>
#ifdef __CUDACC__
#include <cuda_runtime.h>
#endif

#include <cmath>
#include <cstring>
#include <type_traits>

namespace cuda_on_cpu {

// The base of a type of 16 bits: __x has the bits. Format: wide() of them, and narrow() of a float.
template <typename Self, typename Format> struct Sixteen {
    unsigned short __x;

    Sixteen() = default;
    template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
    Sixteen(T value) : __x(Format::narrow(float(value))) {}
    template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>> Self &operator=(T value) {
        __x = Format::narrow(float(value));
        return self();
    }
    operator float() const { return Format::wide(__x); }

    Self &operator+=(const Self &other) { return self() = Self(float(*this) + float(other)); }
    Self &operator-=(const Self &other) { return self() = Self(float(*this) - float(other)); }
    Self &operator*=(const Self &other) { return self() = Self(float(*this) * float(other)); }
    Self &operator/=(const Self &other) { return self() = Self(float(*this) / float(other)); }
    Self operator-() const { return Self(-float(*this)); }

private:
    Self &self() { return static_cast<Self &>(*this); }
};

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
    CUDA_ON_CPU_SIXTEEN_ATOMIC(H, H2)

#define CUDA_ON_CPU_SIXTEEN_BINARY(H, H2, op, name)                                                                    \
    inline H operator op(H a, H b) { return H(float(a) op float(b)); }                                                 \
    inline H2 operator op(H2 a, H2 b) { return {a.x op b.x, a.y op b.y}; }                                             \
    inline H2 &operator op##=(H2 &a, H2 b) { return a = a op b; }                                                      \
    inline H name(H a, H b) { return a op b; }                                                                         \
    inline H name##_rn(H a, H b) { return a op b; }                                                                    \
    inline H2 name##2(H2 a, H2 b) { return a op b; }                                                                   \
    CUDA_ON_CPU_SIXTEEN_MIXED(H, op, H)
// With a number of another type, which would be ambiguous between the two conversions.
#define CUDA_ON_CPU_SIXTEEN_MIXED(H, op, R)                                                                            \
    template <typename T> std::enable_if_t<std::is_floating_point_v<T>, T> operator op(H a, T b) {                     \
        return T(float(a)) op b;                                                                                       \
    }                                                                                                                  \
    template <typename T> std::enable_if_t<std::is_floating_point_v<T>, T> operator op(T a, H b) {                     \
        return a op T(float(b));                                                                                       \
    }                                                                                                                  \
    template <typename T> std::enable_if_t<std::is_integral_v<T>, R> operator op(H a, T b) {                           \
        return R(float(a) op float(b));                                                                                \
    }                                                                                                                  \
    template <typename T> std::enable_if_t<std::is_integral_v<T>, R> operator op(T a, H b) {                           \
        return R(float(a) op float(b));                                                                                \
    }
// __heq, of two pairs __heq2, which gives 1 or 0 for each, and __hbeq2, which tells whether it holds for both.
#define CUDA_ON_CPU_SIXTEEN_COMPARE(H, op, name)                                                                       \
    inline bool operator op(H a, H b) { return float(a) op float(b); }                                                 \
    template <typename T> std::enable_if_t<std::is_arithmetic_v<T>, bool> operator op(H a, T b) {                      \
        return float(a) op b;                                                                                          \
    }                                                                                                                  \
    template <typename T> std::enable_if_t<std::is_arithmetic_v<T>, bool> operator op(T a, H b) {                      \
        return a op float(b);                                                                                          \
    }                                                                                                                  \
    inline bool __h##name(H a, H b) { return a op b; }                                                                 \
    inline H##2 __h##name##2(H##2 a, H##2 b) { return {H(float(a.x op b.x)), H(float(a.y op b.y))}; }                  \
    inline bool __hb##name##2(H##2 a, H##2 b) { return a.x op b.x && a.y op b.y; }
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
