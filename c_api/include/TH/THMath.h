/* TH/THMath.h: functions of one number. Like the original's TH.h, ours does not include it. */
#ifndef TH_MATH_INC
#define TH_MATH_INC

#include "THGeneral.h"
#include "THVector.h"

/* 1 / (1 + exp(-x)) */
static inline double TH_sigmoid(double value) { return 1.0 / (1.0 + exp(-value)); }
static inline float TH_sigmoidf(float value) { return 1.0f / (1.0f + expf(-value)); }

/* What follows the point, with x's sign. */
static inline double TH_frac(double x) { return x - trunc(x); }
static inline float TH_fracf(float x) { return x - truncf(x); }

/* 1 / sqrt(x) */
static inline double TH_rsqrt(double x) { return 1.0 / sqrt(x); }
static inline float TH_rsqrtf(float x) { return 1.0f / sqrtf(x); }

/* a for weight 0, b for weight 1. */
static inline double TH_lerp(double a, double b, double weight) { return a + weight * (b - a); }
static inline float TH_lerpf(float a, float b, float weight) { return a + weight * (b - a); }

/* The x with erf(x) = y; infinite for y = 1 and y = -1, NaN beyond. */
static inline double TH_erfinv(double y) {
  double x;
  THDoubleVector_erfinv(&x, &y, 1);
  return x;
}

/* The first and the second derivative of log gamma(x). */
static inline double TH_digamma(double x) {
  double y;
  THDoubleVector_digamma(&y, &x, 1);
  return y;
}
static inline double TH_trigamma(double x) {
  double y;
  THDoubleVector_trigamma(&y, &x, 1);
  return y;
}

#endif
