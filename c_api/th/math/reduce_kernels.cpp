// c_api/th/math/reduce_kernels.cpp: folds along contiguous lines, across neighbouring lines, and the rest.
#include "th/math/reduce_kernels.h"

#include <cassert>
#include <cmath>

namespace th {
namespace TH_ISA {
namespace {

// What one number does to a state of type A.
template <typename Name, typename T, typename A = typename FoldState<Name, T>::type> struct Step;

template <typename T> constexpr T lowest() {
    if constexpr (is_floating<T>)
        return T(-INFINITY);
    else
        return std::is_signed<T>::value ? T(T(1) << (8 * sizeof(T) - 1)) : T(0);
}
template <typename T> constexpr T highest() {
    if constexpr (is_floating<T>)
        return T(INFINITY);
    else
        return T(~lowest<T>());
}
#define TH_STEP(name, initial, add_expression, merge_expression)                                                       \
    template <typename T, typename A> struct Step<fold::name, T, A> {                                                  \
        static constexpr A start = initial;                                                                            \
        const void *parameter;                                                                                         \
        A add(A a, T x, int64_t line) const {                                                                          \
            (void)line;                                                                                                \
            return add_expression;                                                                                     \
        }                                                                                                              \
        static A merge(A a, A b) { return merge_expression; }                                                          \
    };
TH_STEP(Sum, 0, a + A(x), a + b)
TH_STEP(Prod, 1, a *A(x), a *b)
TH_STEP(NonZeros, 0, a + A(x != 0), a + b)
TH_STEP(SumAbsolute, 0, a + std::fabs(A(x)), a + b)
TH_STEP(SumSquares, 0, a + A(x) * A(x), a + b)
TH_STEP(SumSquaresRounded, 0, a + A(T(x * x)), a + b)
TH_STEP(SumPowers, 0, a + std::pow(std::fabs(A(x)), *static_cast<const double *>(parameter)), a + b)
TH_STEP(SumDeviations, 0,
        a + (A(x) - static_cast<const A *>(parameter)[line]) * (A(x) - static_cast<const A *>(parameter)[line]), a + b)
TH_STEP(Largest, lowest<T>(), (x > a || x != x ? x : a), (b > a || b != b ? b : a))
TH_STEP(Smallest, highest<T>(), (x < a || x != x ? x : a), (b < a || b != b ? b : a))
TH_STEP(LargestAbsolute, 0, (std::fabs(A(x)) <= a ? a : std::fabs(A(x))), (b <= a ? a : b))

template <typename Name, typename T> struct Plain {
    using A = typename FoldState<Name, T>::type;

    // In independent partial states, which the compiler keeps in vector registers.
    static A contiguous(const T *x, int64_t n, const Step<Name, T> &step, int64_t line) {
        constexpr int width = 32;
        A partial[width];
        for (int k = 0; k < width; k++) partial[k] = step.start;
        int64_t i = 0;
        for (; i + width <= n; i += width)
            for (int k = 0; k < width; k++) partial[k] = step.add(partial[k], x[i + k], line);
        for (int k = 0; i < n; i++, k++) partial[k] = step.add(partial[k], x[i], line);
        for (int half = width / 2; half; half /= 2)
            for (int k = 0; k < half; k++) partial[k] = step.merge(partial[k], partial[k + half]);
        return partial[0];
    }

    static void fold(const void *data, int64_t n, int64_t stride, int64_t lines, int64_t across, void *out,
                     const void *parameter, bool in_order) {
        const T *x = static_cast<const T *>(data);
        A *states = static_cast<A *>(out);
        const Step<Name, T> step{parameter};
        const bool partial = stride == 1 && !in_order;
        if (partial || lines == 1) {
            for (int64_t j = 0; j < lines; j++, x += across) {
                if (partial) {
                    states[j] = contiguous(x, n, step, j);
                } else {
                    A a = step.start;
                    for (int64_t i = 0; i < n; i++) a = step.add(a, x[i * stride], j);
                    states[j] = a;
                }
            }
            return;
        }
        for (int64_t j = 0; j < lines; j++) states[j] = step.start;
        int64_t i = 0;
        if (across == 1)  // four at a time: the states are read and written less often
            for (; i + 4 <= n; i += 4, x += 4 * stride) {
                const T *x1 = x + stride, *x2 = x1 + stride, *x3 = x2 + stride;
                for (int64_t j = 0; j < lines; j++) {
                    const auto two = step.add(step.add(states[j], x[j], j), x1[j], j);
                    states[j] = step.add(step.add(two, x2[j], j), x3[j], j);
                }
            }
        for (; i < n; i++, x += stride)
            for (int64_t j = 0; j < lines; j++) states[j] = step.add(states[j], x[j * across], j);
    }
};

// ---- The largest or smallest number and its place -------------------------------------------------------------------

struct Larger {
    template <typename T> static bool better(T x, T than) { return x > than; }
};
struct Smaller {
    template <typename T> static bool better(T x, T than) { return x < than; }
};

// A truth value as wide as T: compilers make vector code of comparisons that are joined in it, and of bool they do not.
template <size_t bytes> struct IntegerOf;
template <> struct IntegerOf<1> { using Type = int8_t; };
template <> struct IntegerOf<2> { using Type = int16_t; };
template <> struct IntegerOf<4> { using Type = int32_t; };
template <> struct IntegerOf<8> { using Type = int64_t; };
template <typename T> using Truth = typename IntegerOf<sizeof(T)>::Type;

template <typename Order, typename T> struct Best {
    static bool replaces(T x, T current) {
        if constexpr (is_floating<T>)
            return current == current && (Order::better(x, current) || x != x);
        else
            return Order::better(x, current);
    }

    static constexpr int width = sizeof(T) < 4 ? 64 : 32;

    // Of at least `width` elements: first the value, in vector code, then its place.
    static Extreme<T> of_many(const T *x, int64_t n) {
        T best[width];
        Truth<T> is_nan[width] = {}, nan = 0;
        for (int k = 0; k < width; k++) best[k] = x[k], is_nan[k] = x[k] != x[k];
        for (int64_t i = width; i + width <= n; i += width)
            for (int k = 0; k < width; k++) {
                best[k] = Order::better(x[i + k], best[k]) ? x[i + k] : best[k];
                is_nan[k] |= x[i + k] != x[i + k];
            }
        for (int k = 0; k < width; k++) nan |= is_nan[k];
        for (int64_t i = n - n % width; i < n; i++) nan |= x[i] != x[i];
        int64_t place = 0;
        if (nan) {
            while (x[place] == x[place]) place++;
            return {x[place], place};
        }
        T value = best[0];
        for (int k = 1; k < width; k++) value = Order::better(best[k], value) ? best[k] : value;
        for (int64_t i = n - n % width; i < n; i++) value = Order::better(x[i], value) ? x[i] : value;
        for (; place + width <= n; place += width) {
            Truth<T> found = 0;
            for (int k = 0; k < width; k++) found |= x[place + k] == value;
            if (found) break;
        }
        while (x[place] != value) place++;
        return {value, place};
    }

    static Extreme<T> of_few(const T *x, int64_t n) {
        T value = x[0];
        int64_t index = 0;
        for (int64_t i = 1; i < n; i++)
            if (replaces(x[i], value)) value = x[i], index = i;
        return {value, index};
    }

    static void fold(const void *data, int64_t n, int64_t stride, int64_t lines, int64_t across, void *out,
                     const void *, bool) {
        const T *x = static_cast<const T *>(data);
        Extreme<T> *states = static_cast<Extreme<T> *>(out);
        if (stride == 1) {
            const auto of_line = n < width ? of_few : of_many;
            for (int64_t j = 0; j < lines; j++) states[j] = of_line(x + j * across, n);
            return;
        }
        assert(n > 0 && lines <= most_lines);
        T value[most_lines];
        int64_t index[most_lines];
        for (int64_t j = 0; j < lines; j++) value[j] = x[j * across], index[j] = 0;
        for (int64_t i = 1; i < n; i++) {
            const T *row = x + i * stride;
            for (int64_t j = 0; j < lines; j++) {
                const T candidate = row[j * across];
                const bool replace = replaces(candidate, value[j]);
                value[j] = replace ? candidate : value[j];
                index[j] = replace ? i : index[j];
            }
        }
        for (int64_t j = 0; j < lines; j++) states[j] = {value[j], index[j]};
    }
};

template <typename Name, typename T> struct Implementation : Plain<Name, T> {};
template <typename T> struct Implementation<fold::Max, T> : Best<Larger, T> {};
template <typename T> struct Implementation<fold::Min, T> : Best<Smaller, T> {};

template <typename Name, typename T>
void scan(const void *data, int64_t n, int64_t stride, int64_t lines, int64_t across, void *out, int64_t r_stride,
          int64_t r_across) {
    using A = Accumulate<T>;
    const T *x = static_cast<const T *>(data);
    T *r = static_cast<T *>(out);
    const Step<Name, T> step{nullptr};
    if (stride == 1 || lines == 1) {
        for (int64_t j = 0; j < lines; j++) {
            A a = step.start;
            for (int64_t i = 0; i < n; i++) {
                a = step.add(a, x[i * stride + j * across], j);
                r[i * r_stride + j * r_across] = T(a);
            }
        }
        return;
    }
    assert(lines <= most_lines);
    A states[most_lines];
    for (int64_t j = 0; j < lines; j++) states[j] = step.start;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < lines; j++) {
            states[j] = step.add(states[j], x[i * stride + j * across], j);
            r[i * r_stride + j * r_across] = T(states[j]);
        }
}

}  // namespace

template <typename Name, typename T> Fold fold_lines() { return Implementation<Name, T>::fold; }
template <typename Name, typename T> Scan scan_lines() { return scan<Name, T>; }

#define TH_INSTANTIATE(Real, real, accreal)                                                                            \
    template Fold fold_lines<fold::Sum, real>();                                                                       \
    template Fold fold_lines<fold::Prod, real>();                                                                      \
    template Fold fold_lines<fold::NonZeros, real>();                                                                  \
    template Fold fold_lines<fold::Largest, real>();                                                                   \
    template Fold fold_lines<fold::Smallest, real>();                                                                  \
    template Fold fold_lines<fold::Max, real>();                                                                       \
    template Fold fold_lines<fold::Min, real>();                                                                       \
    template Scan scan_lines<fold::Sum, real>();                                                                       \
    template Scan scan_lines<fold::Prod, real>();
TH_EVERY_REAL(TH_INSTANTIATE)
#undef TH_INSTANTIATE
#define TH_INSTANTIATE(real)                                                                                           \
    template Fold fold_lines<fold::SumAbsolute, real>();                                                               \
    template Fold fold_lines<fold::SumSquares, real>();                                                                \
    template Fold fold_lines<fold::SumSquaresRounded, real>();                                                         \
    template Fold fold_lines<fold::SumPowers, real>();                                                                 \
    template Fold fold_lines<fold::SumDeviations, real>();                                                             \
    template Fold fold_lines<fold::LargestAbsolute, real>();
TH_INSTANTIATE(float)
TH_INSTANTIATE(double)

}  // namespace TH_ISA
}  // namespace th
