// c_api/th/math/special.cpp: digamma, trigamma, the inverse error function; in double for either type.
#include "th/math/special.h"

#include <cmath>
#include <limits>

namespace th {
namespace {

// Abramowitz and Stegun 6.3.18: the asymptotic series, after the recurrence has brought x above 10.
double digamma_of(double x) {
    if (x == 0) return std::copysign(INFINITY, -x);
    if (x < 0) {
        if (x == std::floor(x)) return NAN;
        return digamma_of(1 - x) - M_PI / std::tan(M_PI * (x - std::floor(x)));
    }
    double result = 0;
    for (; x < 10; x++) result -= 1 / x;
    const double z = 1 / (x * x);
    const double series =
        z * (1. / 12 - z * (1. / 120 - z * (1. / 252 - z * (1. / 240 - z * (1. / 132 - z * (691. / 32760 - z / 12))))));
    return result + std::log(x) - 0.5 / x - series;
}

// 6.4.12 in the same way, from 16 on.
double trigamma_of(double x) {
    if (x <= 0) {
        if (x == std::floor(x)) return INFINITY;
        const double sine = std::sin(M_PI * (x - std::floor(x)));
        return M_PI * M_PI / (sine * sine) - trigamma_of(1 - x);
    }
    double result = 0;
    for (; x < 16; x++) result += 1 / (x * x);
    const double z = 1 / (x * x);
    const double series =
        z * (1. / 6 - z * (1. / 30 - z * (1. / 42 - z * (1. / 30 - z * (5. / 66 - z * 691. / 2730)))));
    return result + (1 + 0.5 / x + series) / x;
}

// Winitzki's approximation by logarithms, then Halley steps on erf (erfc in the tails, where 1 - |y| is exact).
double erfinv_of(double y) {
    const double magnitude = std::fabs(y);
    if (!(magnitude <= 1)) return NAN;
    if (magnitude == 1) return std::copysign(INFINITY, y);
    if (magnitude == 0) return y;
    const double logarithm = std::log1p(-magnitude * magnitude), a = 0.147;
    const double half = 2 / (M_PI * a) + logarithm / 2;
    double x = std::sqrt(std::sqrt(half * half - logarithm / a) - half);
    for (int i = 0; i < 3; i++) {
        const double error = magnitude > 0.5 ? (1 - magnitude) - std::erfc(x) : std::erf(x) - magnitude;
        const double step = error / (2 / std::sqrt(M_PI) * std::exp(-x * x));
        x -= step / (1 + x * step);
    }
    return std::copysign(x, y);
}

}  // namespace

template <typename T> T digamma(T x) { return T(digamma_of(x)); }
template <typename T> T trigamma(T x) { return T(trigamma_of(x)); }
template <typename T> T erfinv(T y) { return T(erfinv_of(y)); }

template float digamma(float);
template double digamma(double);
template float trigamma(float);
template double trigamma(double);
template float erfinv(float);
template double erfinv(double);

}  // namespace th
