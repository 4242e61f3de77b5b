/* c10/cuda/CUDAMathCompat.h for TORCHTHAW_CUDA=cpu: mathematics for float and double by one name each. */
#pragma once

#include <algorithm>
#include <cmath>

namespace c10::cuda::compat {

inline float abs(float x) { return std::fabs(x); }
inline double abs(double x) { return std::fabs(x); }
inline float max(float x, float y) { return std::fmax(x, y); }
inline double max(double x, double y) { return std::fmax(x, y); }
inline float min(float x, float y) { return std::fmin(x, y); }
inline double min(double x, double y) { return std::fmin(x, y); }
inline float rsqrt(float x) { return 1 / std::sqrt(x); }
inline double rsqrt(double x) { return 1 / std::sqrt(x); }
inline float normcdf(float x) { return .5f * std::erfc(-x * .70710678f); }
inline double normcdf(double x) { return .5 * std::erfc(-x * .70710678118654752); }
template <typename T> void sincos(T x, T *sine, T *cosine) {
    *sine = std::sin(x);
    *cosine = std::cos(x);
}
using std::ceil;
using std::copysign;
using std::cos;
using std::div;
using std::exp;
using std::floor;
using std::log;
using std::log1p;
using std::pow;
using std::sin;
using std::sqrt;
using std::tan;
using std::tanh;

}  // namespace c10::cuda::compat
