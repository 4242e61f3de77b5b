/* cuComplex.h: complex numbers for C and C++. */
#ifndef CUDA_ON_CPU_CUCOMPLEX_H
#define CUDA_ON_CPU_CUCOMPLEX_H

#include <math.h>
#include <vector_types.h>

typedef float2 cuFloatComplex;
static inline cuFloatComplex make_cuFloatComplex(float real, float imaginary) { cuFloatComplex z = {real, imaginary}; return z; }
static inline float cuCrealf(cuFloatComplex z) { return z.x; }
static inline float cuCimagf(cuFloatComplex z) { return z.y; }
static inline cuFloatComplex cuConjf(cuFloatComplex z) { return make_cuFloatComplex(z.x, -z.y); }
static inline cuFloatComplex cuCaddf(cuFloatComplex a, cuFloatComplex b) { return make_cuFloatComplex(a.x + b.x, a.y + b.y); }
static inline cuFloatComplex cuCsubf(cuFloatComplex a, cuFloatComplex b) { return make_cuFloatComplex(a.x - b.x, a.y - b.y); }
static inline cuFloatComplex cuCmulf(cuFloatComplex a, cuFloatComplex b) { return make_cuFloatComplex(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
static inline cuFloatComplex cuCfmaf(cuFloatComplex a, cuFloatComplex b, cuFloatComplex c) { return cuCaddf(cuCmulf(a, b), c); }
static inline float cuCabsf(cuFloatComplex z) { return hypotf(z.x, z.y); }
/* Scaled by the divisor's size, so that no square overflows. */
static inline cuFloatComplex cuCdivf(cuFloatComplex a, cuFloatComplex b) {
  const float scale = fabsf(b.x) + fabsf(b.y), x = b.x / scale, y = b.y / scale, square = x * x + y * y;
  return make_cuFloatComplex((a.x / scale * x + a.y / scale * y) / square, (a.y / scale * x - a.x / scale * y) / square);
}

typedef double2 cuDoubleComplex;
static inline cuDoubleComplex make_cuDoubleComplex(double real, double imaginary) { cuDoubleComplex z = {real, imaginary}; return z; }
static inline double cuCreal(cuDoubleComplex z) { return z.x; }
static inline double cuCimag(cuDoubleComplex z) { return z.y; }
static inline cuDoubleComplex cuConj(cuDoubleComplex z) { return make_cuDoubleComplex(z.x, -z.y); }
static inline cuDoubleComplex cuCadd(cuDoubleComplex a, cuDoubleComplex b) { return make_cuDoubleComplex(a.x + b.x, a.y + b.y); }
static inline cuDoubleComplex cuCsub(cuDoubleComplex a, cuDoubleComplex b) { return make_cuDoubleComplex(a.x - b.x, a.y - b.y); }
static inline cuDoubleComplex cuCmul(cuDoubleComplex a, cuDoubleComplex b) { return make_cuDoubleComplex(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
static inline cuDoubleComplex cuCfma(cuDoubleComplex a, cuDoubleComplex b, cuDoubleComplex c) { return cuCadd(cuCmul(a, b), c); }
static inline double cuCabs(cuDoubleComplex z) { return hypot(z.x, z.y); }
/* Scaled by the divisor's size, so that no square overflows. */
static inline cuDoubleComplex cuCdiv(cuDoubleComplex a, cuDoubleComplex b) {
  const double scale = fabs(b.x) + fabs(b.y), x = b.x / scale, y = b.y / scale, square = x * x + y * y;
  return make_cuDoubleComplex((a.x / scale * x + a.y / scale * y) / square, (a.y / scale * x - a.x / scale * y) / square);
}

typedef cuFloatComplex cuComplex;
static inline cuComplex make_cuComplex(float real, float imaginary) { return make_cuFloatComplex(real, imaginary); }
static inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z) { return make_cuDoubleComplex(z.x, z.y); }
static inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z) { return make_cuFloatComplex((float)z.x, (float)z.y); }

#endif
