// c_api/th/math/reduce.cpp: reductions to a number and along a dimension, running sums, norms, cross products.
#include "th/math/reduce_kernels.h"

#include "th/linear_algebra/blas.h"
#include "th/math/pointwise.h"
#include "th/math/reduced.h"
#include "th/runtime/compat.h"
#include "th/runtime/export.h"
#include "th/runtime/loop.h"
#include "th/runtime/threads.h"
#include "th/tensor/aliasing.h"

#include <algorithm>
#include <cmath>

namespace th {
namespace {

template <typename Name, typename T> using State = typename FoldState<Name, T>::type;

// ---- All elements ---------------------------------------------------------------------------------------------------

// The states of fixed blocks of elements, merged in order: the same result for any number of threads.
template <typename Name, typename T, typename Merge>
State<Name, T> fold_all(Tensor<T> *t, State<Name, T> start, const Merge &merge, const void *parameter = nullptr) {
    using S = State<Name, T>;
    struct Context {
        Fold fold;
        const void *parameter;
        const Merge &merge;
        S *state;
    };
    constexpr int64_t block = 1 << 16;
    const int64_t n = elements_of(t), blocks = (n + block - 1) / block;
    const Fold fold = TH_CHOOSE(fold_lines<Name, T>)();
    const Buffer<S> states(blocks);
    std::fill(states.get(), states.get() + blocks, start);
    parallel_for(blocks, 1, [&](int64_t begin, int64_t end) {
        for (int64_t b = begin; b < end; b++) {
            const Context context{fold, parameter, merge, &states[b]};
            for_each_row_in_memory(
                operand(t), b * block, std::min(n, (b + 1) * block),
                [](int64_t m, char *const *data, const int64_t *stride, const void *opaque) {
                    const Context &c = *static_cast<const Context *>(opaque);
                    S state;
                    c.fold(data[0], m, stride[0], 1, 0, &state, c.parameter, false);
                    *c.state = c.merge(*c.state, state);
                },
                &context);
        }
    });
    for (int64_t b = 0; b < blocks; b++) start = merge(start, states[b]);
    return start;
}

template <typename Name, typename T> Accumulate<T> sum_of(Tensor<T> *t, const void *parameter = nullptr) {
    using A = Accumulate<T>;
    return fold_all<Name, T>(t, A(0), [](A a, A b) { return a + b; }, parameter);
}

// (sum |x|^p)^(1/p); the number of non-zeros for p = 0, the largest for infinite p.
template <typename T> Accumulate<T> p_norm(Tensor<T> *t, double p) {
    using A = Accumulate<T>;
    if (p == 0) return sum_of<fold::NonZeros, T>(t);
    if (p == 1) return sum_of<fold::SumAbsolute, T>(t);
    if (p == 2) return std::sqrt(sum_of<fold::SumSquares, T>(t));
    if (p == INFINITY) return fold_all<fold::LargestAbsolute, T>(t, A(0), [](A a, A b) { return b <= a ? a : b; });
    return std::pow(sum_of<fold::SumPowers, T>(t, &p), 1 / p);
}

// NaN wins.
template <typename Name, typename T, typename Better> T extreme(Tensor<T> *t, const Better &better) {
    TH_ARGUMENT(t->nDimension > 0, 1, "tensor must have one dimension");
    return fold_all<Name, T>(t, t->data()[0], [&](T a, T b) { return better(b, a) || b != b ? b : a; });
}

// ---- Along a dimension ----------------------------------------------------------------------------------------------

// A tensor seen without one of its dimensions; borrows everything.
struct Without {
    Buffer<int64_t> size, stride;
    AnyTensor tensor;
    Without(const AnyTensor *t, int dimension)  // no copy of the struct: another thread may count its references
        : size(t->nDimension), stride(t->nDimension), tensor{} {
        int dims = 0;
        for (int d = 0; d < t->nDimension; d++)
            if (d != dimension) size[dims] = t->size[d], stride[dims++] = t->stride[d];
        if (!dims) size[dims] = stride[dims] = 1, dims = 1;
        tensor.nDimension = dims;
        tensor.size = size.get();
        tensor.stride = stride.get();
        tensor.storage = t->storage;
        tensor.storageOffset = t->storageOffset;
    }
};

// The tensor, or a copy of it where writing to r could change what is still to be read.
template <typename T> Owned<T> kept_from(Tensor<T> *t, const AnyTensor *r, size_t element) {
    return may_overlap(operand(t), {r, element}) ? clone(t) : retained(t);
}

// The same for what reads each element before it writes the one at its place.
template <typename T> Owned<T> kept_unless_same(Tensor<T> *t, Tensor<T> *r) {
    return is_same_view(t, r) ? retained(t) : kept_from(t, r, sizeof(T));
}

// Torch7 added up and multiplied lines in order.
template <typename T> bool in_order() { return is_floating<T> && torch7(); }

// store(data, stride, j, state): what becomes of the j-th line of a row of lines; data and stride of the results.
template <typename Name, typename T, typename Store, typename... R>
void fold_along(Tensor<T> *t, int dimension, const void *parameter, const Store &store, Tensor<R> *...results) {
    struct Context {
        Fold fold;
        int64_t n, stride;
        const void *parameter;
        const Store &store;
        bool in_order;
    };
    const Context context{TH_CHOOSE(fold_lines<Name, T>)(), t->size[dimension], t->stride[dimension], parameter, store,
                          in_order<T>()};
    const Without views[] = {Without(t, dimension), Without(results, dimension)...};
    const size_t elements[] = {sizeof(T), sizeof(R)...};
    Operand operands[1 + sizeof...(R)];
    for (size_t k = 0; k < 1 + sizeof...(R); k++) operands[k] = {&views[k].tensor, elements[k]};
    for_each_row_any_order(
        1 + sizeof...(R), operands,
        [](int64_t lines, char *const *data, const int64_t *stride, const void *opaque) {
            const Context &c = *static_cast<const Context *>(opaque);
            State<Name, T> states[most_lines];
            for (int64_t begin = 0; begin < lines; begin += most_lines) {
                const int64_t m = std::min(most_lines, lines - begin);
                c.fold(data[0] + begin * stride[0] * int64_t(sizeof(T)), c.n, c.stride, m, stride[0], states,
                       c.parameter, c.in_order);
                for (int64_t j = 0; j < m; j++) c.store(data + 1, stride + 1, begin + j, states[j]);
            }
        },
        &context, (elements_are_distinct(results) && ...) ? context.n : 0);
}

template <typename R> R &element(char *data, int64_t stride, int64_t j) {
    return reinterpret_cast<R *>(data)[j * stride];
}

// `first`: where lines are not contiguous, sums and products were filled with it first, which shows on a result that
// fill() takes for another layout.
template <typename Name, typename T, typename Finish>
void reduce(Tensor<T> *r, Tensor<T> *t, int dimension, int keepdim, const Finish &finish,
            const void *parameter = nullptr, const T *first = nullptr) {
    Reduced<T> result(r, t, dimension, keepdim);
    const Owned<T> source = kept_from(t, static_cast<Tensor<T> *>(result), sizeof(T));
    if (first && source->stride[dimension] != 1) fill<T>(result, *first);
    fold_along<Name, T>(
        source.get(), dimension, parameter,
        [&](char *const *data, const int64_t *stride, int64_t j, Accumulate<T> state) {
            element<T>(data[0], stride[0], j) = T(finish(state));
        },
        static_cast<Tensor<T> *>(result));
    result.finish();
}

void check_dimension(const AnyTensor *t, int dimension, int argument, const char *format) {
    TH_ARGUMENT(dimension >= 0 && dimension < t->nDimension, argument, format, dimension + index_base());
}
constexpr const char *out_of_range = "dimension %d out of range", *invalid = "invalid dimension %d";

}  // namespace

// ---- To a number ----------------------------------------------------------------------------------------------------

template <typename T> ptrdiff_t numel(Tensor<T> *t) { return elements_of(t); }
template <typename T> Accumulate<T> sumall(Tensor<T> *t) { return sum_of<fold::Sum, T>(t); }
template <typename T> Accumulate<T> prodall(Tensor<T> *t) {
    using A = Accumulate<T>;
    return fold_all<fold::Prod, T>(t, A(1), [](A a, A b) { return a * b; });
}
template <typename T> T maxall(Tensor<T> *t) {
    return extreme<fold::Largest>(t, [](T x, T than) { return x > than; });
}
template <typename T> T minall(Tensor<T> *t) {
    return extreme<fold::Smallest>(t, [](T x, T than) { return x < than; });
}

template <typename T> Accumulate<T> dot(Tensor<T> *t, Tensor<T> *source) {
    check_same_elements({{"tensor", t}, {"src", source}});
    Accumulate<T> sum = 0;
    const Operand operands[] = {operand(t), operand(source)};
    for_each_row_in_order(
        2, operands,
        [](int64_t n, char *const *data, const int64_t *stride, const void *context) {
            *static_cast<Accumulate<T> *>(const_cast<void *>(context)) +=
                blas::dot<T>(n, reinterpret_cast<T *>(data[0]), stride[0], reinterpret_cast<T *>(data[1]), stride[1]);
        },
        &sum);
    return sum;
}

template <typename T> Accumulate<T> trace(Tensor<T> *t) {
    TH_ARGUMENT(t->nDimension == 2, 1, "expected a matrix");
    Accumulate<T> sum = 0;
    for (int64_t i = 0; i < std::min(t->size[0], t->size[1]); i++) sum += t->data()[i * (t->stride[0] + t->stride[1])];
    return sum;
}

template <typename T> Accumulate<T> meanall(Tensor<T> *t) {
    TH_ARGUMENT(t->nDimension > 0, 1, "empty Tensor");
    return sumall(t) / Accumulate<T>(elements_of(t));
}
template <typename T> Accumulate<T> varall(Tensor<T> *t, int biased) {
    const Accumulate<T> mean = meanall(t);
    return sum_of<fold::SumDeviations, T>(t, &mean) / Accumulate<T>(elements_of(t) - (biased ? 0 : 1));
}
template <typename T> Accumulate<T> stdall(Tensor<T> *t, int biased) { return std::sqrt(varall(t, biased)); }
template <typename T> Accumulate<T> normall(Tensor<T> *t, T value) { return p_norm(t, value); }
template <typename T> Accumulate<T> dist(Tensor<T> *a, Tensor<T> *b, T value) {
    check_same_elements({{"tensor", a}, {"src", b}});
    const Owned<T> difference = make<T>();
    cadd<T>(difference, a, T(-1), b);
    return p_norm<T>(difference, value);
}

template <typename T> int equal(Tensor<T> *a, Tensor<T> *b) {
    if (!same_size(a, b)) return 0;
    bool same = true;
    each([&](T x, T y) { same &= x == y; }, a, b);
    return same;
}
template <typename T> int logicalall(Tensor<T> *t) { return sum_of<fold::NonZeros, T>(t) == elements_of(t); }
template <typename T> int logicalany(Tensor<T> *t) { return sum_of<fold::NonZeros, T>(t) > 0; }

// ---- Along a dimension ----------------------------------------------------------------------------------------------

template <typename T> void sum(Tensor<T> *r, Tensor<T> *t, int dimension, int keepdim) {
    check_dimension(t, dimension, 2, out_of_range);
    const T zero = 0;
    reduce<fold::Sum>(r, t, dimension, keepdim, [](Accumulate<T> s) { return s; }, nullptr, &zero);
}
template <typename T> void prod(Tensor<T> *r, Tensor<T> *t, int dimension, int keepdim) {
    check_dimension(t, dimension, 2, out_of_range);
    const T one = 1;
    reduce<fold::Prod>(r, t, dimension, keepdim, [](Accumulate<T> s) { return s; }, nullptr, &one);
}
template <typename T> void mean(Tensor<T> *r, Tensor<T> *t, int dimension, int keepdim) {
    check_dimension(t, dimension, 2, invalid);
    const T n = T(t->size[dimension]), zero = 0;
    reduce<fold::Sum>(r, t, dimension, keepdim, [n](Accumulate<T> s) { return T(s) / n; }, nullptr, &zero);
}

template <typename T> void norm(Tensor<T> *r, Tensor<T> *t, T value, int dimension, int keepdim) {
    using A = Accumulate<T>;
    check_dimension(t, dimension, 3, invalid);
    const double p = value;
    if (value == 0)
        reduce<fold::NonZeros>(r, t, dimension, keepdim, [](A s) { return s; });
    else if (value == 1)
        reduce<fold::SumAbsolute>(r, t, dimension, keepdim, [](A s) { return s; });
    else if (value == 2)
        reduce<fold::SumSquares>(r, t, dimension, keepdim, [](A s) { return std::sqrt(s); });
    else if (value == T(INFINITY))
        reduce<fold::LargestAbsolute>(r, t, dimension, keepdim, [](A s) { return s; });
    else
        reduce<fold::SumPowers>(r, t, dimension, keepdim, [p](A s) { return std::pow(s, 1 / p); }, &p);
}

// The variance in two passes over each block of lines; Torch7's in one pass, from sums of rounded squares.
template <typename T, typename Finish>
void variance(Tensor<T> *r, Tensor<T> *t, int dimension, int biased, int keepdim, const Finish &finish) {
    using A = Accumulate<T>;
    check_dimension(t, dimension, 3, invalid);
    const A n = A(t->size[dimension]), divisor = biased ? n : n - 1;
    struct Context {
        int64_t n, stride;
        A divisor, count;
        Fold sum, squares;
        bool one_pass;
        const Finish &finish;
    };
    const bool one_pass = torch7();
    Reduced<T> result(r, t, dimension, keepdim);
    const Owned<T> source = kept_from(t, static_cast<Tensor<T> *>(result), sizeof(T));
    const Context context{source->size[dimension],
                          source->stride[dimension],
                          divisor,
                          n,
                          TH_CHOOSE(fold_lines<fold::Sum, T>)(),
                          one_pass ? TH_CHOOSE(fold_lines<fold::SumSquaresRounded, T>)()
                                   : TH_CHOOSE(fold_lines<fold::SumDeviations, T>)(),
                          one_pass,
                          finish};
    const Without from(source.get(), dimension), to(static_cast<Tensor<T> *>(result), dimension);
    const Operand operands[] = {{&from.tensor, sizeof(T)}, {&to.tensor, sizeof(T)}};
    for_each_row_any_order(
        2, operands,
        [](int64_t lines, char *const *data, const int64_t *stride, const void *opaque) {
            const Context &c = *static_cast<const Context *>(opaque);
            A means[most_lines], squares[most_lines];
            for (int64_t begin = 0; begin < lines; begin += most_lines) {
                const int64_t m = std::min(most_lines, lines - begin);
                const char *x = data[0] + begin * stride[0] * int64_t(sizeof(T));
                c.sum(x, c.n, c.stride, m, stride[0], means, nullptr, c.one_pass);
                for (int64_t j = 0; j < m; j++) means[j] /= c.count;
                c.squares(x, c.n, c.stride, m, stride[0], squares, means, c.one_pass);
                for (int64_t j = 0; j < m; j++) {
                    A v = squares[j] / c.divisor;
                    if (c.one_pass) v -= A(T(c.count) / T(c.divisor)) * means[j] * means[j], v = v < 0 ? A(0) : v;
                    element<T>(data[1], stride[1], begin + j) = T(c.finish(v));
                }
            }
        },
        &context, line_work(static_cast<Tensor<T> *>(result), context.n));
    result.finish();
}
template <typename T> void var(Tensor<T> *r, Tensor<T> *t, int dimension, int biased, int keepdim) {
    variance(r, t, dimension, biased, keepdim, [](Accumulate<T> v) { return v; });
}
template <typename T> void std_(Tensor<T> *r, Tensor<T> *t, int dimension, int biased, int keepdim) {
    variance(r, t, dimension, biased, keepdim, [](Accumulate<T> v) { return std::sqrt(v); });
}

template <typename Name, typename T>
void extreme_along(Tensor<T> *values, Tensor<int64_t> *indices, Tensor<T> *t, int dimension, int keepdim) {
    check_dimension(t, dimension, 2, out_of_range);
    Reduced<T> value(values, t, dimension, keepdim);
    Reduced<int64_t> index(indices, t, dimension, keepdim);
    const Owned<T> apart = kept_from(t, static_cast<Tensor<T> *>(value), sizeof(T));
    const Owned<T> source = kept_from(apart.get(), static_cast<Tensor<int64_t> *>(index), sizeof(int64_t));
    // As in sums: filled first, and written only where the first element is not the best.
    const bool filled = source->stride[dimension] != 1;
    if (filled) fill<int64_t>(index, 0);
    fold_along<Name, T>(
        source, dimension, nullptr,
        [filled](char *const *data, const int64_t *stride, int64_t j, Extreme<T> best) {
            element<T>(data[0], stride[0], j) = best.value;
            if (best.index || !filled) element<int64_t>(data[1], stride[1], j) = best.index;
        },
        static_cast<Tensor<T> *>(value), static_cast<Tensor<int64_t> *>(index));
    value.finish();
    index.finish();
}
template <typename T> void max(Tensor<T> *v, Tensor<int64_t> *i, Tensor<T> *t, int dimension, int keepdim) {
    extreme_along<fold::Max>(v, i, t, dimension, keepdim);
}
template <typename T> void min(Tensor<T> *v, Tensor<int64_t> *i, Tensor<T> *t, int dimension, int keepdim) {
    extreme_along<fold::Min>(v, i, t, dimension, keepdim);
}

template <typename Name, typename T> void cumulate(Tensor<T> *r, Tensor<T> *t, int dimension) {
    check_dimension(t, dimension, 2, out_of_range);
    resizeAs<T>(r, t);
    const Owned<T> source = kept_unless_same(t, r);
    struct Context {
        Scan scan;
        int64_t n, stride, r_stride;
    };
    const Context context{TH_CHOOSE(scan_lines<Name, T>)(), source->size[dimension], source->stride[dimension],
                          r->stride[dimension]};
    const Without from(source.get(), dimension), to(r, dimension);
    const Operand operands[] = {{&from.tensor, sizeof(T)}, {&to.tensor, sizeof(T)}};
    for_each_row_any_order(
        2, operands,
        [](int64_t lines, char *const *data, const int64_t *stride, const void *opaque) {
            const Context &c = *static_cast<const Context *>(opaque);
            for (int64_t begin = 0; begin < lines; begin += most_lines)
                c.scan(data[0] + begin * stride[0] * int64_t(sizeof(T)), c.n, c.stride,
                       std::min(most_lines, lines - begin), stride[0],
                       data[1] + begin * stride[1] * int64_t(sizeof(T)), c.r_stride, stride[1]);
        },
        &context, line_work(r, context.n));
}
template <typename T> void cumsum(Tensor<T> *r, Tensor<T> *t, int dimension) { cumulate<fold::Sum>(r, t, dimension); }
template <typename T> void cumprod(Tensor<T> *r, Tensor<T> *t, int dimension) { cumulate<fold::Prod>(r, t, dimension); }

template <typename T> void renorm(Tensor<T> *r, Tensor<T> *t, T value, int dimension, T maxnorm) {
    check_dimension(t, dimension, 3, invalid);
    TH_ARGUMENT(value > 0, 2, "non-positive-norm not supported");
    TH_ARGUMENT(t->nDimension > 1, 1, "need at least 2 dimensions, got %d dimensions", t->nDimension);
    resizeAs<T>(r, t);
    const Owned<T> from = make<T>(), to = make<T>();
    for (int64_t i = 0; i < t->size[dimension]; i++) {
        select<T>(from, t, dimension, i);
        select<T>(to, r, dimension, i);
        const T length = T(p_norm<T>(from, value));
        if (length > maxnorm)
            mul<T>(to, from, T(maxnorm / (length + 1e-7)));
        else
            copy<T, T>(to, from);
    }
}

template <typename T> void cross(Tensor<T> *r, Tensor<T> *a, Tensor<T> *b, int dimension) {
    TH_CHECK(a->nDimension == b->nDimension, "inconsistent tensor dimension %dD, %dD", a->nDimension, b->nDimension);
    TH_CHECK(same_size(a, b), "inconsistent tensor sizes %s, %s", describe(a).str, describe(b).str);
    if (dimension < 0) {
        for (int d = 0; d < a->nDimension && dimension < 0; d++)
            if (a->size[d] == 3) dimension = d;
        TH_CHECK(dimension >= 0, "no dimension of size 3 in a: %s", describe(a).str);
    }
    check_dimension(a, dimension, 3, out_of_range);
    TH_ARGUMENT(a->size[dimension] == 3, 3, "dimension %d does not have size 3", dimension + index_base());
    const Owned<T> view1 = a == r ? alias(a) : retained(a), view2 = b == r ? alias(b) : retained(b);
    resizeAs<T>(r, a);
    const Owned<T> source1 = kept_unless_same(view1.get(), r), source2 = kept_unless_same(view2.get(), r);
    each_line(
        dimension, line_work(r, 3),
        [](Line<T> out, Line<T> x, Line<T> y) {
            const T first = T(x[1] * y[2] - x[2] * y[1]), second = T(x[2] * y[0] - x[0] * y[2]);
            out[2] = T(x[0] * y[1] - x[1] * y[0]);
            out[1] = second;
            out[0] = first;
        },
        r, source1.get(), source2.get());
}

}  // namespace th

extern "C" {
#define TH_GENERIC_FILE "th/math/reduce_exports.h"
#include <TH/THGenerateAllTypes.h>
}
