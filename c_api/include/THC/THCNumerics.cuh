/* THC/THCNumerics.cuh: arithmetic of every type under one name, on host and GPU; half is calculated as float. */
#ifndef THC_NUMERICS_INC
#define THC_NUMERICS_INC

#include "THCHalf.h"

#include <limits>
#include <math.h>

#define THC_BOTH_SIDES static __host__ __device__ __forceinline__

/* ScalarConvert<float, half>::to(1.5f) */
template <typename In, typename Out> struct ScalarConvert {
  THC_BOTH_SIDES Out to(const In value) { return (Out)value; }
};
template <typename Out> struct ScalarConvert<half, Out> {
  THC_BOTH_SIDES Out to(const half value) { return (Out)__half2float(value); }
};
template <typename In> struct ScalarConvert<In, half> {
  THC_BOTH_SIDES half to(const In value) { return __float2half((float)value); }
};
template <> struct ScalarConvert<half, half> {
  THC_BOTH_SIDES half to(const half value) { return value; }
};

/* Comparisons and the four operations; T is calculated as N. */
template <typename T, typename N> struct THCArithmetic {
  typedef ScalarConvert<T, N> In;
  typedef ScalarConvert<N, T> Out;
  THC_BOTH_SIDES bool lt(T a, T b) { return In::to(a) < In::to(b); }
  THC_BOTH_SIDES bool le(T a, T b) { return In::to(a) <= In::to(b); }
  THC_BOTH_SIDES bool gt(T a, T b) { return In::to(a) > In::to(b); }
  THC_BOTH_SIDES bool ge(T a, T b) { return In::to(a) >= In::to(b); }
  THC_BOTH_SIDES bool eq(T a, T b) { return In::to(a) == In::to(b); }
  THC_BOTH_SIDES bool ne(T a, T b) { return In::to(a) != In::to(b); }
  THC_BOTH_SIDES T add(T a, T b) { return Out::to((N)(In::to(a) + In::to(b))); }
  THC_BOTH_SIDES T sub(T a, T b) { return Out::to((N)(In::to(a) - In::to(b))); }
  THC_BOTH_SIDES T mul(T a, T b) { return Out::to((N)(In::to(a) * In::to(b))); }
  THC_BOTH_SIDES T div(T a, T b) { return Out::to((N)(In::to(a) / In::to(b))); }
  THC_BOTH_SIDES T neg(T a) { return Out::to((N)-In::to(a)); }
  THC_BOTH_SIDES T abs(T a) { return lt(a, Out::to(N(0))) ? neg(a) : a; }
};

/* The functions of floating types. */
template <typename T, typename N> struct THCFloatArithmetic : THCArithmetic<T, N> {
  typedef ScalarConvert<T, N> In;
  typedef ScalarConvert<N, T> Out;
#define THC_FUNCTION(name) THC_BOTH_SIDES T name(T a) { return Out::to((N)::name(In::to(a))); }
  THC_FUNCTION(exp)
  THC_FUNCTION(exp10)
  THC_FUNCTION(log)
  THC_FUNCTION(log1p)
  THC_FUNCTION(lgamma)
  THC_FUNCTION(cos)
  THC_FUNCTION(sin)
  THC_FUNCTION(sqrt)
  THC_FUNCTION(rsqrt)
  THC_FUNCTION(ceil)
  THC_FUNCTION(floor)
  THC_FUNCTION(trunc)
  THC_FUNCTION(acos)
  THC_FUNCTION(cosh)
  THC_FUNCTION(asin)
  THC_FUNCTION(sinh)
  THC_FUNCTION(tan)
  THC_FUNCTION(atan)
  THC_FUNCTION(tanh)
  THC_FUNCTION(erf)
  THC_FUNCTION(erfinv)
  THC_FUNCTION(round)
#undef THC_FUNCTION
  THC_BOTH_SIDES T frac(T a) { return Out::to((N)(In::to(a) - ::trunc(In::to(a)))); }
  THC_BOTH_SIDES T cinv(T a) { return Out::to((N)1 / In::to(a)); }
  THC_BOTH_SIDES T pow(T a, T b) { return Out::to((N)::pow(In::to(a), In::to(b))); }
};

template <typename T> struct THCNumerics : THCArithmetic<T, T> {
  static constexpr T least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();
  THC_BOTH_SIDES T min() { return least; }
  THC_BOTH_SIDES T max() { return most; }
};
template <> struct THCNumerics<float> : THCFloatArithmetic<float, float> {
  THC_BOTH_SIDES float min() { return -FLT_MAX; }
  THC_BOTH_SIDES float max() { return FLT_MAX; }
};
template <> struct THCNumerics<double> : THCFloatArithmetic<double, double> {
  THC_BOTH_SIDES double min() { return -DBL_MAX; }
  THC_BOTH_SIDES double max() { return DBL_MAX; }
};
template <> struct THCNumerics<half> : THCFloatArithmetic<half, float> {
  THC_BOTH_SIDES half min() { return __float2half(-65504.f); }
  THC_BOTH_SIDES half max() { return __float2half(65504.f); }
};

#undef THC_BOTH_SIDES
#endif
