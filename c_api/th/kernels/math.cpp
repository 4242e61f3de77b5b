// c_api/th/kernels/math.cpp: functions of floats and doubles, vectorised where vector_math.h has them.
#include "math.h"

#include "../special.h"
#include "row.h"
#include "vector_math.h"

#include <cmath>

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
TH_FUNCTION_OF_ONE(Erf, std::erf(x))
TH_FUNCTION_OF_ONE(Erfinv, erfinv(x))
TH_FUNCTION_OF_ONE(Square, x *x)
TH_FUNCTION_OF_ONE(Cube, x *x *x)
TH_FUNCTION_OF_ONE(InverseSquare, 1 / (x * x))

// Blocks whose numbers are all small enough for the vector code; others one by one.
template <typename T, T Vector(T), T Scalar(T)>
void row_with_limit(int64_t n, char *const *data, const int64_t *stride, const void *) {
    constexpr int64_t block = 512;
    struct Fast {
        explicit Fast(const void *) {}
        T operator()(T x) const { return Vector(x); }
    };
    struct Exact {
        explicit Exact(const void *) {}
        T operator()(T x) const { return Scalar(x); }
    };
    for (int64_t begin = 0; begin < n; begin += block) {
        const int64_t m = n - begin < block ? n - begin : block;
        char *const here[] = {data[0] + begin * stride[0] * int64_t(sizeof(T)),
                              data[1] + begin * stride[1] * int64_t(sizeof(T))};
        const T *x = reinterpret_cast<const T *>(here[1]);
        int beyond = 0;
        if (stride[1] == 1)
            for (int64_t i = 0; i < m; i++) beyond |= !(std::fabs(x[i]) <= vector_math::trigonometric_limit<T>);
        else
            for (int64_t i = 0; i < m; i++)
                beyond |= !(std::fabs(x[i * stride[1]]) <= vector_math::trigonometric_limit<T>);
        if (beyond)
            row1<Exact, T>(m, here, stride, nullptr);
        else
            row1<Fast, T>(m, here, stride, nullptr);
    }
}
#define TH_TRIGONOMETRIC(name, function)                                                                               \
    template <typename T> struct Function<op::name, T> {                                                               \
        static Row row() { return row_with_limit<T, vector_math::function<T>, std::function>; }                        \
    };
TH_TRIGONOMETRIC(Cos, cos)
TH_TRIGONOMETRIC(Sin, sin)
TH_TRIGONOMETRIC(Tan, tan)

template <typename T> struct Function<op::PowScalar, T> {
    T exponent;
    explicit Function(const void *context) : exponent(*static_cast<const T *>(context)) {}
    T operator()(T x) const { return std::pow(x, exponent); }
    static Row row() { return row1<Function, T>; }
};

template <typename T> struct Function<op::Lerp, T> {
    T weight;
    explicit Function(const void *context) : weight(*static_cast<const T *>(context)) {}
    T operator()(T x, T y) const { return x + weight * (y - x); }
    static Row row() { return row2<Function, T>; }
};

template <typename T> struct Function<op::Atan2, T> {
    explicit Function(const void *) {}
    T operator()(T y, T x) const { return std::atan2(y, x); }
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
