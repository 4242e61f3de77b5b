// c_api/th/math/math_kernels.cpp: functions of floats and doubles, vectorised where vector_math.h has them.
#include "th/math/math_kernels.h"

#include "th/math/special.h"
#include "th/math/vector_math.h"
#include "th/runtime/row.h"

#include <cmath>
#include <functional>

namespace th {
namespace TH_ISA {
namespace {

template <typename Name, typename T> struct Function;

#define TH_FUNCTION_OF_ONE(name, expression)                                                                           \
    template <typename T> struct Function<op::name, T> {                                                               \
        explicit Function(const void *) {}                                                                             \
        T operator()(T x) const { return expression; }                                                                 \
        static Row row() { return row1<Function, T>; }                                                                 \
    };

TH_FUNCTION_OF_ONE(Sigmoid, 1 / (1 + vector_math::exp(-x)))
TH_FUNCTION_OF_ONE(Log, vector_math::log(x))
TH_FUNCTION_OF_ONE(Log1p, vector_math::log1p(x))
TH_FUNCTION_OF_ONE(Log10, vector_math::log(x) * T(0.43429448190325182765))
TH_FUNCTION_OF_ONE(Log2, vector_math::log2(x))
TH_FUNCTION_OF_ONE(Exp, vector_math::exp(x))
TH_FUNCTION_OF_ONE(Expm1, vector_math::expm1(x))
TH_FUNCTION_OF_ONE(Sqrt, std::sqrt(x))
TH_FUNCTION_OF_ONE(Rsqrt, 1 / std::sqrt(x))
TH_FUNCTION_OF_ONE(Cosh, vector_math::cosh(x))
TH_FUNCTION_OF_ONE(Sinh, vector_math::sinh(x))
TH_FUNCTION_OF_ONE(Tanh, vector_math::tanh(x))
TH_FUNCTION_OF_ONE(Acos, vector_math::acos(x))
TH_FUNCTION_OF_ONE(Asin, vector_math::asin(x))
TH_FUNCTION_OF_ONE(Atan, vector_math::atan(x))
TH_FUNCTION_OF_ONE(Ceil, std::ceil(x))
TH_FUNCTION_OF_ONE(Floor, std::floor(x))
TH_FUNCTION_OF_ONE(Round, vector_math::round(x))
TH_FUNCTION_OF_ONE(Trunc, std::trunc(x))
TH_FUNCTION_OF_ONE(Frac, x - std::trunc(x))
TH_FUNCTION_OF_ONE(Cinv, 1 / x)
TH_FUNCTION_OF_ONE(Lgamma, vector_math::lgamma(x))
TH_FUNCTION_OF_ONE(Digamma, digamma(x))
TH_FUNCTION_OF_ONE(Trigamma, trigamma(x))
TH_FUNCTION_OF_ONE(Erf, vector_math::erf(x))
TH_FUNCTION_OF_ONE(Erfinv, erfinv(x))
TH_FUNCTION_OF_ONE(Square, x *x)
TH_FUNCTION_OF_ONE(Cube, x *x *x)
TH_FUNCTION_OF_ONE(InverseSquare, 1 / (x * x))

// Blocks whose numbers all suit the vector code; others one by one, by the C library. Fast and Exact are operations
// with one context, Fast::suits(x) says which numbers it can take.
template <typename Fast, typename Exact, typename T>
void row_by_blocks(int64_t n, char *const *data, const int64_t *stride, const void *context) {
    constexpr int64_t block = 512;
    for (int64_t begin = 0; begin < n; begin += block) {
        const int64_t m = n - begin < block ? n - begin : block;
        char *const here[] = {data[0] + begin * stride[0] * int64_t(sizeof(T)),
                              data[1] + begin * stride[1] * int64_t(sizeof(T))};
        const T *x = reinterpret_cast<const T *>(here[1]);
        int other = 0;
        if (stride[1] == 1)
            for (int64_t i = 0; i < m; i++) other |= !Fast::suits(x[i]);
        else
            for (int64_t i = 0; i < m; i++) other |= !Fast::suits(x[i * stride[1]]);
        if (other)
            row1<Exact, T>(m, here, stride, context);
        else
            row1<Fast, T>(m, here, stride, context);
    }
}

#define TH_TRIGONOMETRIC(name, function)                                                                               \
    template <typename T> struct Function<op::name, T> {                                                               \
        struct Fast {                                                                                                  \
            explicit Fast(const void *) {}                                                                             \
            static bool suits(T x) { return std::fabs(x) <= vector_math::trigonometric_limit<T>; }                     \
            T operator()(T x) const { return vector_math::function(x); }                                               \
        };                                                                                                             \
        struct Exact {                                                                                                 \
            explicit Exact(const void *) {}                                                                            \
            T operator()(T x) const { return std::function(x); }                                                       \
        };                                                                                                             \
        static Row row() { return row_by_blocks<Fast, Exact, T>; }                                                     \
    };
TH_TRIGONOMETRIC(Cos, cos)
TH_TRIGONOMETRIC(Sin, sin)
TH_TRIGONOMETRIC(Tan, tan)

template <typename T> struct Function<op::PowScalar, T> {
    struct Exact {
        T exponent;
        explicit Exact(const void *context) : exponent(*static_cast<const T *>(context)) {}
        T operator()(T x) const { return std::pow(x, exponent); }
    };
    struct Fast : Exact {
        using Exact::Exact;
        static bool suits(T x) { return x > 0 && x < T(INFINITY); }
        T operator()(T x) const { return vector_math::positive_pow(x, this->exponent); }
    };
    static Row row() {
        if constexpr (sizeof(T) == 4)
            return row_by_blocks<Fast, Exact, T>;
        else
            return row1<Exact, T>;
    }
};

template <typename T> struct Function<op::Lerp, T> {
    T weight;
    explicit Function(const void *context) : weight(*static_cast<const T *>(context)) {}
    T operator()(T x, T y) const { return x + weight * (y - x); }
    static Row row() { return row2<Function, T>; }
};

template <typename T> struct Function<op::Atan2, T> {
    explicit Function(const void *) {}
    T operator()(T y, T x) const { return vector_math::atan2(y, x); }
    static Row row() { return row2<Function, T>; }
};

}  // namespace

template <typename Name, typename T> Row math_row() { return Function<Name, T>::row(); }

#define TH_INSTANTIATE(name)                                                                                           \
    template Row math_row<op::name, float>();                                                                          \
    template Row math_row<op::name, double>();
TH_FUNCTIONS(TH_INSTANTIATE)
TH_FUNCTIONS_OF_TWO(TH_INSTANTIATE)

}  // namespace TH_ISA
}  // namespace th
