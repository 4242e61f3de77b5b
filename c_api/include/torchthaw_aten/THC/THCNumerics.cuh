/* THC/THCNumerics.cuh: arithmetic of every type under one name; at::Half and at::BFloat16 are calculated as float. */
#ifndef TORCHTHAW_ATEN_THC_NUMERICS_CUH
#define TORCHTHAW_ATEN_THC_NUMERICS_CUH

#include <ATen/AccumulateType.h>
#include <ATen/cuda/NumericLimits.cuh>
#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>

#include <cmath>
#include <type_traits>

#define TORCHTHAW_ATEN_BOTH static inline __host__ __device__

/* ScalarConvert<float, at::Half>::to(1.5f) */
template <typename In, typename Out> struct ScalarConvert {
    TORCHTHAW_ATEN_BOTH Out to(const In value) { return static_cast<Out>(value); }
};
template <typename T> struct ScalarNegate {
    TORCHTHAW_ATEN_BOTH T to(const T value) { return -value; }
};
template <typename T> struct ScalarInv {
    TORCHTHAW_ATEN_BOTH T to(const T value) { return static_cast<T>(1) / value; }
};

template <typename T> struct THCNumerics {
    /* What T is calculated as. */
    using N = typename std::conditional<std::is_same<T, at::Half>::value || std::is_same<T, at::BFloat16>::value, float,
                                        T>::type;

    TORCHTHAW_ATEN_BOTH T(min)() { return at::numeric_limits<T>::lowest(); }
    TORCHTHAW_ATEN_BOTH T(max)() { return at::numeric_limits<T>::max(); }

    TORCHTHAW_ATEN_BOTH bool lt(T a, T b) { return static_cast<N>(a) < static_cast<N>(b); }
    TORCHTHAW_ATEN_BOTH bool le(T a, T b) { return static_cast<N>(a) <= static_cast<N>(b); }
    TORCHTHAW_ATEN_BOTH bool gt(T a, T b) { return static_cast<N>(a) > static_cast<N>(b); }
    TORCHTHAW_ATEN_BOTH bool ge(T a, T b) { return static_cast<N>(a) >= static_cast<N>(b); }
    TORCHTHAW_ATEN_BOTH bool eq(T a, T b) { return static_cast<N>(a) == static_cast<N>(b); }
    TORCHTHAW_ATEN_BOTH bool ne(T a, T b) { return static_cast<N>(a) != static_cast<N>(b); }

    TORCHTHAW_ATEN_BOTH T add(T a, T b) { return static_cast<T>(static_cast<N>(a) + static_cast<N>(b)); }
    TORCHTHAW_ATEN_BOTH T sub(T a, T b) { return static_cast<T>(static_cast<N>(a) - static_cast<N>(b)); }
    TORCHTHAW_ATEN_BOTH T mul(T a, T b) { return static_cast<T>(static_cast<N>(a) * static_cast<N>(b)); }
    TORCHTHAW_ATEN_BOTH T div(T a, T b) { return static_cast<T>(static_cast<N>(a) / static_cast<N>(b)); }
    TORCHTHAW_ATEN_BOTH T neg(T a) { return static_cast<T>(-static_cast<N>(a)); }
    TORCHTHAW_ATEN_BOTH T abs(T a) { return lt(a, static_cast<T>(0)) ? neg(a) : a; }

    /* Of floating types. */
    TORCHTHAW_ATEN_BOTH bool isnan(T a) { return static_cast<N>(a) != static_cast<N>(a); }
    TORCHTHAW_ATEN_BOTH bool isinf(T a) { return !isnan(a) && isnan(sub(a, a)); }
    TORCHTHAW_ATEN_BOTH T cinv(T a) { return div(static_cast<T>(1), a); }
    TORCHTHAW_ATEN_BOTH T rsqrt(T a) { return static_cast<T>(static_cast<N>(1) / ::sqrt(static_cast<N>(a))); }
    TORCHTHAW_ATEN_BOTH T frac(T a) { return static_cast<T>(static_cast<N>(a) - ::trunc(static_cast<N>(a))); }
    TORCHTHAW_ATEN_BOTH T sigmoid(T a) { return static_cast<T>(1 / (1 + ::exp(-static_cast<N>(a)))); }
    TORCHTHAW_ATEN_BOTH T pow(T a, T b) { return static_cast<T>(::pow(static_cast<N>(a), static_cast<N>(b))); }
    TORCHTHAW_ATEN_BOTH T atan2(T a, T b) { return static_cast<T>(::atan2(static_cast<N>(a), static_cast<N>(b))); }
#define TORCHTHAW_ATEN_FUNCTION(name)                                                                                  \
    TORCHTHAW_ATEN_BOTH T name(T a) { return static_cast<T>(::name(static_cast<N>(a))); }
    TORCHTHAW_ATEN_FUNCTION(exp)
    TORCHTHAW_ATEN_FUNCTION(expm1)
    TORCHTHAW_ATEN_FUNCTION(log)
    TORCHTHAW_ATEN_FUNCTION(log10)
    TORCHTHAW_ATEN_FUNCTION(log1p)
    TORCHTHAW_ATEN_FUNCTION(log2)
    TORCHTHAW_ATEN_FUNCTION(lgamma)
    TORCHTHAW_ATEN_FUNCTION(sqrt)
    TORCHTHAW_ATEN_FUNCTION(ceil)
    TORCHTHAW_ATEN_FUNCTION(floor)
    TORCHTHAW_ATEN_FUNCTION(trunc)
    TORCHTHAW_ATEN_FUNCTION(round)
    TORCHTHAW_ATEN_FUNCTION(cos)
    TORCHTHAW_ATEN_FUNCTION(acos)
    TORCHTHAW_ATEN_FUNCTION(cosh)
    TORCHTHAW_ATEN_FUNCTION(sin)
    TORCHTHAW_ATEN_FUNCTION(asin)
    TORCHTHAW_ATEN_FUNCTION(sinh)
    TORCHTHAW_ATEN_FUNCTION(tan)
    TORCHTHAW_ATEN_FUNCTION(atan)
    TORCHTHAW_ATEN_FUNCTION(tanh)
    TORCHTHAW_ATEN_FUNCTION(erf)
    TORCHTHAW_ATEN_FUNCTION(erfc)
#undef TORCHTHAW_ATEN_FUNCTION
};

#undef TORCHTHAW_ATEN_BOTH
#endif
