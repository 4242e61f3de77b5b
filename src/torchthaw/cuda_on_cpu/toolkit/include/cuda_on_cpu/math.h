// cuda_on_cpu/math.h: the mathematical functions of device code: the host's, and those that only CUDA has.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <math.h>
#include <type_traits>

// min and max of two numbers: of the wider type, unsigned where one of two equally wide integers is.
#define CUDA_ON_CPU_MIN_MAX(A, B, R)                                                                                   \
    constexpr R min(A a, B b) { return static_cast<R>(b) < static_cast<R>(a) ? static_cast<R>(b) : static_cast<R>(a); } \
    constexpr R max(A a, B b) { return static_cast<R>(a) < static_cast<R>(b) ? static_cast<R>(b) : static_cast<R>(a); }
CUDA_ON_CPU_MIN_MAX(int, int, int)
CUDA_ON_CPU_MIN_MAX(unsigned, unsigned, unsigned)
CUDA_ON_CPU_MIN_MAX(int, unsigned, unsigned)
CUDA_ON_CPU_MIN_MAX(unsigned, int, unsigned)
CUDA_ON_CPU_MIN_MAX(long, long, long)
CUDA_ON_CPU_MIN_MAX(unsigned long, unsigned long, unsigned long)
CUDA_ON_CPU_MIN_MAX(long, unsigned long, unsigned long)
CUDA_ON_CPU_MIN_MAX(unsigned long, long, unsigned long)
CUDA_ON_CPU_MIN_MAX(long long, long long, long long)
CUDA_ON_CPU_MIN_MAX(unsigned long long, unsigned long long, unsigned long long)
CUDA_ON_CPU_MIN_MAX(long long, unsigned long long, unsigned long long)
CUDA_ON_CPU_MIN_MAX(unsigned long long, long long, unsigned long long)
#undef CUDA_ON_CPU_MIN_MAX
// Of floating-point numbers the one that is no NaN.
#define CUDA_ON_CPU_MIN_MAX(A, B, R, f)                                                                                \
    inline R min(A a, B b) { return fmin##f(R(a), R(b)); }                                                             \
    inline R max(A a, B b) { return fmax##f(R(a), R(b)); }
CUDA_ON_CPU_MIN_MAX(float, float, float, f)
CUDA_ON_CPU_MIN_MAX(double, double, double, )
CUDA_ON_CPU_MIN_MAX(float, double, double, )
CUDA_ON_CPU_MIN_MAX(double, float, double, )
#undef CUDA_ON_CPU_MIN_MAX
inline unsigned umin(unsigned a, unsigned b) { return min(a, b); }
inline unsigned umax(unsigned a, unsigned b) { return max(a, b); }
inline long long llmin(long long a, long long b) { return min(a, b); }
inline long long llmax(long long a, long long b) { return max(a, b); }
inline unsigned long long ullmin(unsigned long long a, unsigned long long b) { return min(a, b); }
inline unsigned long long ullmax(unsigned long long a, unsigned long long b) { return max(a, b); }

// Each as NAME for both types and NAMEf for float.
#define CUDA_ON_CPU_MATH(name, expression)                                                                             \
    inline double name(double x) { return expression; }                                                                \
    inline float name(float x) { return float(name(double(x))); }                                                      \
    inline float name##f(float x) { return name(x); }
namespace cuda_on_cpu {
constexpr double pi = 3.14159265358979323846;
// x with sin(pi x) and cos(pi x) unchanged and no digit lost, in [-1, 1].
inline double turn(double x) { return std::remainder(x, 2); }

// The inverse of erfc on (0, 1], by Halley's steps; relative to y, so that small values keep their digits.
inline double inverse_small_erfc(double y) {
    double x = y > 0.1 ? (1 - y) * 0.9 : std::sqrt(-std::log(y * std::sqrt(-pi * std::log(y))));
    for (int i = 0; i < 8; i++) {
        const double step = (y - std::erfc(x)) / (2 / std::sqrt(pi) * std::exp(-x * x));
        x -= step / (1 + x * step);
    }
    return x;
}
inline double inverse_erfc(double y) {
    if (!(y > 0 && y < 2)) return y == 0 ? HUGE_VAL : y == 2 ? -HUGE_VAL : NAN;
    return y <= 1 ? inverse_small_erfc(y) : -inverse_small_erfc(2 - y);
}
inline double inverse_erf(double y) {
    if (!(std::fabs(y) < 0.5)) return std::copysign(inverse_erfc(1 - std::fabs(y)), y);
    double x = y;
    for (int i = 0; i < 8; i++) {
        const double step = (std::erf(x) - y) / (2 / std::sqrt(pi) * std::exp(-x * x));
        x -= step / (1 + x * step);
    }
    return x;
}
}  // namespace cuda_on_cpu
CUDA_ON_CPU_MATH(rsqrt, 1 / std::sqrt(x))
CUDA_ON_CPU_MATH(rcbrt, 1 / std::cbrt(x))
CUDA_ON_CPU_MATH(sinpi, std::sin(cuda_on_cpu::pi * cuda_on_cpu::turn(x)))
CUDA_ON_CPU_MATH(cospi, std::cos(cuda_on_cpu::pi * cuda_on_cpu::turn(x)))
CUDA_ON_CPU_MATH(erfinv, cuda_on_cpu::inverse_erf(x))
CUDA_ON_CPU_MATH(erfcinv, cuda_on_cpu::inverse_erfc(x))
CUDA_ON_CPU_MATH(erfcx, std::exp(x * x) * std::erfc(x))
CUDA_ON_CPU_MATH(normcdf, 0.5 * std::erfc(-x / std::sqrt(2.0)))
CUDA_ON_CPU_MATH(normcdfinv, -std::sqrt(2.0) * cuda_on_cpu::inverse_erfc(2 * x))
#undef CUDA_ON_CPU_MATH
inline void sincospi(double x, double *s, double *c) { *s = sinpi(x), *c = cospi(x); }
inline void sincospif(float x, float *s, float *c) { *s = sinpif(x), *c = cospif(x); }
inline void sincospi(float x, float *s, float *c) { sincospif(x, s, c); }
inline void sincos(float x, float *s, float *c) { *s = std::sin(x), *c = std::cos(x); }
inline double rhypot(double x, double y) { return 1 / std::hypot(x, y); }
inline float rhypotf(float x, float y) { return 1 / std::hypot(x, y); }
inline double norm3d(double x, double y, double z) { return std::hypot(x, y, z); }
inline float norm3df(float x, float y, float z) { return std::hypot(x, y, z); }
inline double rnorm3d(double x, double y, double z) { return 1 / std::hypot(x, y, z); }
inline float rnorm3df(float x, float y, float z) { return 1 / std::hypot(x, y, z); }
inline double norm4d(double x, double y, double z, double w) { return std::hypot(std::hypot(x, y), std::hypot(z, w)); }
inline float norm4df(float x, float y, float z, float w) { return std::hypot(std::hypot(x, y), std::hypot(z, w)); }
inline double rnorm4d(double x, double y, double z, double w) { return 1 / norm4d(x, y, z, w); }
inline float rnorm4df(float x, float y, float z, float w) { return 1 / norm4df(x, y, z, w); }
// The length of the vector p of n numbers.
inline double norm(int n, const double *p) {
    double length = 0;
    for (int i = 0; i < n; i++) length = std::hypot(length, p[i]);
    return length;
}
inline float normf(int n, const float *p) {
    float length = 0;
    for (int i = 0; i < n; i++) length = std::hypot(length, p[i]);
    return length;
}
inline double rnorm(int n, const double *p) { return 1 / norm(n, p); }
inline float rnormf(int n, const float *p) { return 1 / normf(n, p); }
inline double cyl_bessel_i0(double x) { return std::cyl_bessel_i(0., std::fabs(x)); }
inline double cyl_bessel_i1(double x) { return std::copysign(std::cyl_bessel_i(1., std::fabs(x)), x); }
inline float cyl_bessel_i0f(float x) { return float(cyl_bessel_i0(x)); }
inline float cyl_bessel_i1f(float x) { return float(cyl_bessel_i1(x)); }
inline float fdividef(float x, float y) { return x / y; }
inline float fdivide(float x, float y) { return x / y; }
inline double fdivide(double x, double y) { return x / y; }
inline float saturate(float x) { return x > 0 ? (x < 1 ? x : 1) : 0; }  // 0 for a NaN
