// c_api/th/math/pointwise_kernels.cpp: elementwise arithmetic and comparison of every type.
#include "th/math/pointwise_kernels.h"

#include "th/runtime/row.h"
#include "th/tensor/convert.h"

#include <cmath>

namespace th {
namespace TH_ISA {
namespace {

// ---- Integers: defined for every value ------------------------------------------------------------------------------

template <typename T> using Unsigned = std::make_unsigned_t<T>;

template <typename T> T divide(T x, T y, bool *failed) {
    if constexpr (is_floating<T>) {
        return x / y;
    } else {
        if (y == 0) {
            __atomic_store_n(failed, true, __ATOMIC_RELAXED);
            return 0;
        }
        if (std::is_signed<T>::value && y == T(-1)) return T(Unsigned<T>(0) - Unsigned<T>(x));
        return T(x / y);
    }
}

// The sign of x.
template <typename T> T fmod(T x, T y, bool *failed) {
    if constexpr (is_floating<T>) {
        return std::fmod(x, y);
    } else {
        if (y == 0) __atomic_store_n(failed, true, __ATOMIC_RELAXED);
        return y == 0 || (std::is_signed<T>::value && y == T(-1)) ? T(0) : T(x % y);
    }
}

// The sign of y.
template <typename T> T remainder(T x, T y, bool *failed) {
    if constexpr (is_floating<T>) {
        return y == 0 ? T(NAN) : x - y * std::floor(x / y);
    } else {
        const T r = fmod(x, y, failed);
        return r != 0 && (r < 0) != (y < 0) ? T(r + y) : r;
    }
}

template <typename T> T shift_left(T x, T by) {
    if constexpr (is_floating<T>)
        return x * std::pow(T(2), by);
    else
        return by < 0 || by >= T(8 * sizeof(T)) ? T(0) : T(Unsigned<T>(x) << by);
}

template <typename T> T shift_right(T x, T by) {
    if constexpr (is_floating<T>)
        return x / std::pow(T(2), by);
    else
        return by < 0 || by >= T(8 * sizeof(T)) ? T(0) : T(Unsigned<T>(x) >> by);
}

template <typename T> T power(T x, T y) {
    if constexpr (is_floating<T>)
        return std::pow(x, y);
    else
        return convert<T>(std::pow(double(x), double(y)));
}

template <typename T> T absolute(T x) {
    if constexpr (is_floating<T>)
        return std::fabs(x);
    else
        return x < 0 ? T(Unsigned<T>(0) - Unsigned<T>(x)) : x;
}

// ---- The operations -------------------------------------------------------------------------------------------------

template <typename Name, typename T, typename R> struct Operation;

#define TH_OPERATION(arity, name, parameters, expression)                                                              \
    template <typename T, typename R> struct Operation<op::name, T, R> : Scalars<T> {                                  \
        using Scalars<T>::a;                                                                                           \
        using Scalars<T>::b;                                                                                           \
        using Scalars<T>::failed;                                                                                      \
        explicit Operation(const void *context) : Scalars<T>(*static_cast<const Scalars<T> *>(context)) {}             \
        R operator() parameters const { return R(expression); }                                                        \
        static Row row() { return TH_ROW_##arity; }                                                                    \
    };
#define TH_ROW_1 (row1<Operation, R, T>)
#define TH_ROW_2 (row2<Operation, R, T, T>)
#define TH_ROW_3 (row3<Operation, T>)
#define TH_OPERATION1(name, expression) TH_OPERATION(1, name, (T x), expression)
#define TH_OPERATION2(name, expression) TH_OPERATION(2, name, (T x, T y), expression)
#define TH_OPERATION3(name, expression) TH_OPERATION(3, name, (T x, T y, T z), expression)

TH_OPERATION1(AddScalar, x + a)
TH_OPERATION1(MulScalar, x *a)
TH_OPERATION1(DivScalar, divide(x, a, failed))
TH_OPERATION1(LeftShiftScalar, shift_left(x, a))
TH_OPERATION1(RightShiftScalar, shift_right(x, a))
TH_OPERATION1(FmodScalar, fmod(x, a, failed))
TH_OPERATION1(RemainderScalar, remainder(x, a, failed))
TH_OPERATION1(Clamp, x < a ? a : x > b ? b : x)
TH_OPERATION1(MaxScalar, x > a ? x : a)
TH_OPERATION1(MinScalar, x < a ? x : a)
TH_OPERATION1(ScalarPow, power(a, x))
TH_OPERATION1(Sign, (x > 0) - (x < 0))
TH_OPERATION1(Neg, -x)
TH_OPERATION1(Abs, absolute(x))
TH_OPERATION1(AndScalar, x &a)
TH_OPERATION1(OrScalar, x | a)
TH_OPERATION1(XorScalar, x ^ a)

TH_OPERATION2(AddScaled, x + a *y)
TH_OPERATION2(Mul, x *y)
TH_OPERATION2(Div, divide(x, y, failed))
TH_OPERATION2(Pow, power(x, y))
TH_OPERATION2(LeftShift, shift_left(x, y))
TH_OPERATION2(RightShift, shift_right(x, y))
TH_OPERATION2(Fmod, fmod(x, y, failed))
TH_OPERATION2(Remainder, remainder(x, y, failed))
TH_OPERATION2(Max, x > y ? x : y)
TH_OPERATION2(Min, x < y ? x : y)
TH_OPERATION2(And, x &y)
TH_OPERATION2(Or, x | y)
TH_OPERATION2(Xor, x ^ y)

TH_OPERATION3(AddMulScaled, x + a *y *z)
TH_OPERATION3(AddDivScaled, x + divide(T(a * y), z, failed))

TH_OPERATION1(LtValue, x < a)
TH_OPERATION1(LeValue, x <= a)
TH_OPERATION1(GtValue, x > a)
TH_OPERATION1(GeValue, x >= a)
TH_OPERATION1(NeValue, x != a)
TH_OPERATION1(EqValue, x == a)
TH_OPERATION2(LtTensor, x < y)
TH_OPERATION2(LeTensor, x <= y)
TH_OPERATION2(GtTensor, x > y)
TH_OPERATION2(GeTensor, x >= y)
TH_OPERATION2(NeTensor, x != y)
TH_OPERATION2(EqTensor, x == y)

}  // namespace

template <typename Name, typename T, typename R> Row pointwise_row() { return Operation<Name, T, R>::row(); }

#define TH_SAME(name) template Row pointwise_row<op::name, real, real>();
#define TH_BYTE(name) template Row pointwise_row<op::name, real, uint8_t>();
#define TH_GENERIC_FILE "th/math/pointwise_types.h"
#include <TH/THGenerateAllTypes.h>

}  // namespace TH_ISA
}  // namespace th
