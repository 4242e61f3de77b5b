// c_api/th/index/index.cpp: elements and slices chosen by position or by mask.
//
// Positions are checked before anything is written. A result that shares memory with an input is computed as if the
// input had been copied first.
#include "th/runtime/compat.h"
#include "th/runtime/export.h"
#include "th/runtime/threads.h"
#include "th/tensor/aliasing.h"

#include <algorithm>
#include <atomic>

namespace th {
namespace {

// Calls failed(index) for the first index outside [low, high), if there is one.
template <typename Failed> void check_indices(Tensor<int64_t> *index, int64_t low, int64_t high, const Failed &failed) {
    struct Range {
        int64_t low;
        uint64_t width;
        std::atomic<bool> violated;
    } range{low, uint64_t(high) - uint64_t(low), {false}};
    const Operand operands[] = {operand(index)};
    for_each_row(
        1, operands,
        [](int64_t n, char *const *data, const int64_t *stride, const void *context) {
            Range &r = *static_cast<Range *>(const_cast<void *>(context));
            const auto *values = reinterpret_cast<const int64_t *>(data[0]);
            bool violated = false;
            for (int64_t i = 0; i < n; i++) violated |= uint64_t(values[i * stride[0]]) - uint64_t(r.low) >= r.width;
            if (violated) r.violated = true;
        },
        &range);
    if (!range.violated) return;
    each([&](int64_t i) { if (i < low || i >= high) failed(i); }, index);
}

// ---- Slices along a dimension ---------------------------------------------------------------------------------------

// Positions of slices: i itself, or as listed, counted from `base`.
struct Same {
    int64_t operator()(int64_t i) const { return i; }
};
struct Listed {
    const int64_t *position;
    int base;
    int64_t operator()(int64_t i) const { return position[i] - base; }
};

// Elements between neighbours along dim where both tensors, which differ in that size only, are dense and have their
// dimensions in the same order of memory; otherwise 0.
int64_t elements_within(int dim, const AnyTensor *a, const AnyTensor *b) {
    const AnyTensor *leader = b->size[dim] > a->size[dim] ? b : a;
    int64_t a_expected = 1, b_expected = 1, within = 0, previous = 0;
    int left = 0;
    for (int d = 0; d < leader->nDimension; d++) left += leader->size[d] > 1;
    for (; left; left--) {
        int next = -1;
        for (int d = 0; d < leader->nDimension; d++)
            if (leader->size[d] > 1 && leader->stride[d] > previous &&
                (next < 0 || leader->stride[d] < leader->stride[next]))
                next = d;
        if (next < 0) return 0;
        if (a->size[next] > 1 && a->stride[next] != a_expected) return 0;
        if (b->size[next] > 1 && b->stride[next] != b_expected) return 0;
        if (next == dim) within = a_expected;
        a_expected *= a->size[next];
        b_expected *= b->size[next];
        previous = leader->stride[next];
    }
    return within ? within : a_expected;
}

// The dimension along which elements lie closest; `dim` where no other is closer.
int dimension_across(const AnyTensor *t, int dim) {
    int across = dim;
    for (int d = 0; d < t->nDimension; d++)
        if (t->size[d] > 1 && t->stride[d] < t->stride[across]) across = d;
    return across;
}

// body(begin, end) for blocks of lines side by side: few enough that the memory they touch stays in the cache. Threads
// share them where that is asked for; n: elements of each.
template <typename Body> void each_block(int64_t lines, int64_t n, bool share, const Body &body) {
    constexpr int64_t most = 16;
    auto blocks = [&](int64_t begin, int64_t end) {
        for (; begin < end; begin += most) body(begin, std::min(begin + most, end));
    };
    if (share)
        parallel_for(lines, std::max<int64_t>(1, grain / n), blocks);
    else
        blocks(0, lines);
}

// operation(r slice to(i), s slice from(i)) for i = 0, 1 ... n - 1. Slices have one shape.
template <typename T, typename To, typename From, typename Operation>
void for_each_slice(int dim, Tensor<T> *r, To to, Tensor<T> *s, From from, int64_t n, const Operation &operation) {
    const int64_t inner = elements_within(dim, r, s);
    const int across = dimension_across(r, dim);
    if (!inner && r->stride[across] < r->stride[dim]) {  // lines side by side, so that what is written lies together
        Owned<T> first_r = make<T>(), first_s = make<T>();
        narrow<T>(first_r, r, dim, 0, 1);
        narrow<T>(first_s, s, dim, 0, 1);
        const int64_t r_stride = r->stride[dim], s_stride = s->stride[dim];
        const int64_t work = line_work(r, n * r->size[across]);
        const bool share = work >= 2 * grain;
        each_line(
            across, share ? 0 : work,
            [&](Line<T> a, Line<T> b) {
                each_block(a.size, n, share, [&](int64_t begin, int64_t end) {
                    for (int64_t i = 0; i < n; i++)
                        for (int64_t j = begin; j < end; j++)
                            operation(a.data[j * a.stride + to(i) * r_stride],
                                      b.data[j * b.stride + from(i) * s_stride]);
                });
            },
            first_r.get(), first_s.get());
        return;
    }
    if (!inner) {
        each_line(
            dim, line_work(r, n),
            [&](Line<T> a, Line<T> b) {
                for (int64_t i = 0; i < n; i++) operation(a[to(i)], b[from(i)]);
            },
            r, s);
        return;
    }
    // [outer][dim][inner]; threads share outer * inner, so that each element sees its operations in order.
    const int64_t r_size = r->size[dim], s_size = s->size[dim], columns = elements_of(r) / r_size;
    T *const r_data = r->data(), *const s_data = s->data();
    parallel_for(columns, std::max<int64_t>(1, grain / n), [=](int64_t begin, int64_t end) {
        if (inner == 1) {
            for (int64_t o = begin; o < end; o++) {
                T *const a = r_data + o * r_size, *const b = s_data + o * s_size;
                for (int64_t i = 0; i < n; i++) operation(a[to(i)], b[from(i)]);
            }
            return;
        }
        while (begin < end) {
            const int64_t o = begin / inner, column = begin % inner, width = std::min(inner - column, end - begin);
            for (int64_t i = 0; i < n; i++) {
                T *const a = r_data + (o * r_size + to(i)) * inner + column;
                T *const b = s_data + (o * s_size + from(i)) * inner + column;
                for (int64_t c = 0; c < width; c++) operation(a[c], b[c]);
            }
            begin += width;
        }
    });
}

bool same_size_apart_from(int dim, const AnyTensor *a, const AnyTensor *b) {
    if (a->nDimension != b->nDimension) return false;
    for (int d = 0; d < a->nDimension; d++)
        if (d != dim && a->size[d] != b->size[d]) return false;
    return true;
}

// src with slices of the shape that r's have; they have as many elements.
template <typename T> Owned<T> with_slices_like(Tensor<T> *r, int dim, Tensor<T> *src) {
    if (same_size_apart_from(dim, r, src)) return retained(src);
    Buffer<int64_t> sizes(r->nDimension);
    std::copy(r->size, r->size + r->nDimension, sizes.get());
    sizes[dim] = src->size[dim];
    Owned<T> result = make<T>(Shape{r->nDimension, sizes.get()});
    Owned<T> to = make<T>(), from = make<T>();
    for (int64_t i = 0; i < src->size[dim]; i++) {
        select<T>(to, result, dim, i);
        select<T>(from, src, dim, i);
        copy<T, T>(to, from);
    }
    return result;
}

constexpr const char *out_of_bounds = "Indexing dim %d is out of bounds of tensor";

void check_below(int dim, const AnyTensor *t) {
    TH_ARGUMENT(dim < t->nDimension, 4, out_of_bounds, dim + index_base());
}

// The argument number that select and get1d have for a position out of range.
int position_argument(const AnyTensor *r) { return r->nDimension > 1 ? 3 : 2; }

void check_slice_positions(Tensor<int64_t> *index, const AnyTensor *r, int dim, int base) {
    check_indices(index, base, base + r->size[dim],
                  [&](int64_t) { TH_ARGUMENT(false, position_argument(r), "out of range"); });
}

// r's slices index[i] become operation(slice, src's slice i); the names are those of error messages.
template <typename T, typename Operation>
void into_slices(Tensor<T> *r, int dim, Tensor<int64_t> *index, Tensor<T> *src, bool add, const Operation &operation) {
    TH_ARGUMENT(index->nDimension == 1, 3, "Index is supposed to be a vector");
    check_below(dim, src);
    TH_ARGUMENT(dim >= 0 && index->size[0] == src->size[dim], 4,
                "Number of indices should be equal to source:size(dim)");
    const int base = index_base();
    if (r->nDimension > 1) {
        Owned<T> to = make<T>(), from = make<T>();
        select<T>(to, r, dim, *index->data() - base);
        select<T>(from, src, dim, 0);
        if (add)
            check_same_elements({{"r_", to}, {"t", to}, {"src", from}});
        else
            check_same_elements({{"tensor", to}, {"src", from}});
    } else {
        TH_ARGUMENT(src->nDimension == 1 && r->nDimension == 1, 1, "tensor must have one dimension");
    }
    check_slice_positions(index, r, dim, base);
    Owned<T> source = with_slices_like(r, dim, Owned<T>(apart(src, r)).get());
    Owned<int64_t> positions = contiguous<int64_t>(Owned<int64_t>(apart(index, r)).get());
    for_each_slice<T>(dim, r, Listed{positions->data(), base}, source.get(), Same(), index->size[0], operation);
}

// ---- Elements of lines ----------------------------------------------------------------------------------------------

// step(index[i], i, line of to, line of from) for each line along dim, with i ascending; sizes are those of index.
template <typename T, typename Step>
void each_indexed(int dim, Tensor<int64_t> *index, Tensor<T> *to, Tensor<T> *from, const Step &step) {
    const int64_t n = index->size[dim];
    const int across = dimension_across(index, dim);
    if (across == dim || n == 1 || to->stride[dim] < to->stride[across]) {
        each_line(
            dim, line_work(to, n),
            [&](Line<int64_t> at, Line<T> a, Line<T> b) {
                for (int64_t i = 0; i < n; i++) step(at[i], i, a, b);
            },
            index, to, from);
        return;
    }
    // Many lines side by side: all their first elements, all their second ones ...
    Owned<int64_t> first_at = make<int64_t>();
    Owned<T> first_to = make<T>(), first_from = make<T>();
    narrow<int64_t>(first_at, index, dim, 0, 1);
    narrow<T>(first_to, to, dim, 0, 1);
    narrow<T>(first_from, from, dim, 0, 1);
    const int64_t stride = index->stride[dim], to_stride = to->stride[dim], from_stride = from->stride[dim];
    const int64_t work = line_work(to, n * index->size[across]);
    const bool share = work >= 2 * grain;
    each_line(
        across, share ? 0 : work,
        [&](Line<int64_t> at, Line<T> a, Line<T> b) {
            each_block(at.size, n, share, [&](int64_t begin, int64_t end) {
                for (int64_t i = 0; i < n; i++)
                    for (int64_t j = begin; j < end; j++)
                        step(at.data[i * stride + j * at.stride], i, Line<T>{&a[j], n, to_stride},
                             Line<T>{&b[j], n, from_stride});
            });
        },
        first_at.get(), first_to.get(), first_from.get());
}

// Positions on lines of this size; returns what they count from.
int check_line_indices(const char *function, Tensor<int64_t> *index, int64_t size) {
    const int base = index_base();
    check_indices(index, base, base + size, [&](int64_t) { TH_ERROR("Invalid index in %s", function); });
    return base;
}

template <typename T> void check_scatter(Tensor<T> *r, int dim, Tensor<int64_t> *index) {
    TH_ARGUMENT(dim >= 0 && dim < r->nDimension, 2, "Index dimension is out of bounds");
    TH_ARGUMENT(index->nDimension == r->nDimension, 3, "Index tensor must have same dimensions as output tensor");
}

template <typename T> void check_scatter(Tensor<T> *r, int dim, Tensor<int64_t> *index, Tensor<T> *src) {
    check_scatter(r, dim, index);
    TH_ARGUMENT(src->nDimension == r->nDimension, 4, "Input tensor must have same dimensions as output tensor");
}

// The messages about sizes below number `dim` from 0 whatever the base is, as the original's macros did.
void check_same_apart_from(int dim, const AnyTensor *tensor, const AnyTensor *src, const AnyTensor *index) {
    TH_CHECK(same_size_apart_from(dim, tensor, src) && same_size_apart_from(dim, tensor, index),
             "Expected tensor %s, src %s and index %s to have the same size apart from dimension %d",
             describe(tensor).str, describe(src).str, describe(index).str, dim);
}

// ---- Masks ----------------------------------------------------------------------------------------------------------

constexpr const char *no_mask = "Mask tensor can take 0 and 1 values only";

// The number of ones; an Error where there is anything else but zeros, or, before that, one more than `most`.
int64_t count_ones(Tensor<uint8_t> *mask, int64_t most = INT64_MAX) {
    struct Count {
        std::atomic<int64_t> ones;
        std::atomic<bool> others;
    } count{{0}, {false}};
    const Operand operands[] = {operand(mask)};
    for_each_row(
        1, operands,
        [](int64_t n, char *const *data, const int64_t *stride, const void *context) {
            Count &total = *static_cast<Count *>(const_cast<void *>(context));
            const auto *values = reinterpret_cast<const uint8_t *>(data[0]);
            int64_t ones = 0;
            uint8_t bits = 0;
            if (stride[0] == 1)
                for (int64_t i = 0; i < n; i++) ones += values[i], bits |= values[i];
            else
                for (int64_t i = 0; i < n; i++) ones += values[i * stride[0]], bits |= values[i * stride[0]];
            total.ones += ones;
            if (bits > 1) total.others = true;
        },
        &count);
    if (!count.others && count.ones <= most) return count.ones;
    each(
        [&](uint8_t chosen) {
            TH_CHECK(chosen <= 1, "%s", no_mask);
            TH_CHECK(!chosen || most-- > 0, "Number of elements of src < number of ones in mask");
        },
        mask);
    TH_ERROR("%s", no_mask);  // the mask has changed meanwhile
}

}  // namespace

// A tensor's elements by their position in row-major order; negative ones count from the end.
template <typename T> class Elements {
public:
    explicit Elements(Tensor<T> *t)
        : tensor_(t), data_(t->data()), count_(elements_of(t)), contiguous_(is_contiguous(t)) {}

    T &operator[](int64_t position) const {
        if (position < 0) position += count_;
        if (contiguous_) return data_[position];
        int64_t offset = 0;
        for (int d = tensor_->nDimension - 1; d >= 0; d--) {
            offset += position % tensor_->size[d] * tensor_->stride[d];
            position /= tensor_->size[d];
        }
        return data_[offset];
    }

    void check(Tensor<int64_t> *positions) const {
        check_indices(positions, -count_, count_, [&](int64_t position) {
            TH_ARGUMENT(false, 2, "out of range: %d out of %d", int(position), int(count_));
        });
    }

private:
    const AnyTensor *tensor_;
    T *data_;
    int64_t count_;
    bool contiguous_;
};

template <typename T> void indexSelect(Tensor<T> *r, Tensor<T> *src, int dim, Tensor<int64_t> *index) {
    TH_ARGUMENT(index->nDimension <= 1, 3, "Index is supposed to be an empty tensor or a vector");
    const int base = index_base();
    check_below(dim, src);
    TH_ARGUMENT(src->nDimension > 0, 2, "Source tensor is empty");
    TH_ARGUMENT(dim >= 0, 4, out_of_bounds, dim + base);
    const int64_t n = elements_of(index);
    Buffer<int64_t> sizes(src->nDimension);
    std::copy(src->size, src->size + src->nDimension, sizes.get());
    sizes[dim] = n;
    const Shape shape{src->nDimension, sizes.get()};
    const bool keeps_layout = r->nDimension == shape.dims && std::equal(shape.size, shape.size + shape.dims, r->size);
    check_indices(index, base, base + src->size[dim], [&](int64_t) {
        TH_CHECK(dim || !is_contiguous(src) || (keeps_layout && !is_contiguous(r)), "index out of range");
        TH_ARGUMENT(false, position_argument(src), "out of range");
    });
    Owned<T> source = apart(src, r);
    Owned<int64_t> positions = contiguous<int64_t>(Owned<int64_t>(apart(index, r)).get());
    resize(r, shape);
    if (!n) return;
    const Listed from{positions->data(), base};
    for_each_slice<T>(dim, r, Same(), source.get(), from, n, [](T &to, T value) { to = value; });
}

template <typename T> void indexCopy(Tensor<T> *r, int dim, Tensor<int64_t> *index, Tensor<T> *src) {
    into_slices(r, dim, index, src, false, [](T &to, T from) { to = from; });
}

template <typename T> void indexAdd(Tensor<T> *r, int dim, Tensor<int64_t> *index, Tensor<T> *src) {
    into_slices(r, dim, index, src, true, [](T &to, T from) { to = T(to + from); });
}

template <typename T> void indexFill(Tensor<T> *r, int dim, Tensor<int64_t> *index, T value) {
    TH_ARGUMENT(index->nDimension == 1, 3, "Index is supposed to be a vector");
    check_below(dim, r);
    if (r->nDimension == 1) dim = 0;  // what it is called does not matter for a vector
    TH_ARGUMENT(dim >= 0, 2, "out of range");
    const int base = index_base();
    check_slice_positions(index, r, dim, base);
    Owned<int64_t> positions = contiguous<int64_t>(Owned<int64_t>(apart(index, r)).get());
    const Listed at{positions->data(), base};
    for_each_slice<T>(dim, r, at, r, at, index->size[0], [value](T &to, T &) { to = value; });
}

template <typename T> void take(Tensor<T> *r, Tensor<T> *src, Tensor<int64_t> *index) {
    Elements<T>(src).check(index);
    Owned<T> source = apart(src, r);
    Owned<int64_t> positions = apart(index, r);
    resize(r, shape_of(positions));
    const Elements<T> elements(source);
    const Operand operands[] = {operand(r), operand(positions.get())};
    for_each_row(
        2, operands,
        [](int64_t n, char *const *data, const int64_t *stride, const void *context) {
            const auto &from = *static_cast<const Elements<T> *>(context);
            T *const to = reinterpret_cast<T *>(data[0]);
            const auto *at = reinterpret_cast<const int64_t *>(data[1]);
            for (int64_t i = 0; i < n; i++) to[i * stride[0]] = from[at[i * stride[1]]];
        },
        &elements);
}

template <typename T> void put(Tensor<T> *r, Tensor<int64_t> *index, Tensor<T> *src, int accumulate) {
    TH_ARGUMENT(elements_of(index) == elements_of(src), 3, "src should have the same number of elements as index");
    const Elements<T> elements(r);
    elements.check(index);
    Owned<T> source = apart(src, r);
    Owned<int64_t> positions = apart(index, r);
    if (accumulate)
        each([&](int64_t at, T value) { elements[at] = T(elements[at] + value); }, positions.get(), source.get());
    else
        each([&](int64_t at, T value) { elements[at] = value; }, positions.get(), source.get());
}

template <typename T> void gather(Tensor<T> *r, Tensor<T> *src, int dim, Tensor<int64_t> *index) {
    TH_ARGUMENT(index->nDimension == src->nDimension, 4, "Index tensor must have same dimensions as input tensor");
    TH_ARGUMENT(dim >= 0 && dim < r->nDimension, 3, "Index dimension is out of bounds");
    TH_ARGUMENT(src->nDimension == r->nDimension, 2, "Input tensor must have same dimensions as output tensor");
    check_same_apart_from(dim, r, src, index);
    TH_CHECK(index->size[dim] <= r->size[dim],
             "Expected index %s to be no larger than tensor %s in dimension %d", describe(index).str, describe(r).str,
             dim);
    const int base = check_line_indices("gather", index, src->size[dim]);
    Owned<T> source = apart(src, r);
    Owned<int64_t> positions = apart(index, r);
    each_indexed(dim, positions.get(), r, source.get(),
                 [base](int64_t at, int64_t i, Line<T> to, Line<T> from) { to[i] = from[at - base]; });
}

template <typename T> void scatter(Tensor<T> *r, int dim, Tensor<int64_t> *index, Tensor<T> *src) {
    check_scatter(r, dim, index, src);
    bool fits = true;
    for (int d = 0; d < r->nDimension; d++)
        fits &= index->size[d] <= src->size[d] && (d == dim || index->size[d] <= r->size[d]);
    TH_CHECK(fits,
             "Expected index %s to be smaller size than src %s and to be smaller than tensor %s apart from "
             "dimension %d",
             describe(index).str, describe(src).str, describe(r).str, dim);
    const int base = check_line_indices("scatter", index, r->size[dim]);
    Owned<T> source = apart(src, r);
    Owned<int64_t> positions = apart(index, r);
    each_indexed(dim, positions.get(), r, source.get(),
                 [base](int64_t at, int64_t i, Line<T> to, Line<T> from) { to[at - base] = from[i]; });
}

template <typename T> void scatterAdd(Tensor<T> *r, int dim, Tensor<int64_t> *index, Tensor<T> *src) {
    check_scatter(r, dim, index, src);
    check_same_apart_from(dim, r, src, index);
    TH_CHECK(index->size[dim] <= src->size[dim], "Expected index %s to be no larger than src %s in dimension %d",
             describe(index).str, describe(src).str, dim);
    const int base = check_line_indices("scatterAdd", index, r->size[dim]);
    Owned<T> source = apart(src, r);
    Owned<int64_t> positions = apart(index, r);
    each_indexed(dim, positions.get(), r, source.get(), [base](int64_t at, int64_t i, Line<T> to, Line<T> from) {
        T &sum = to[at - base];
        sum = T(sum + from[i]);
    });
}

template <typename T> void scatterFill(Tensor<T> *r, int dim, Tensor<int64_t> *index, T value) {
    check_scatter(r, dim, index);
    for (int d = 0; d < r->nDimension; d++)
        TH_CHECK(d == dim || index->size[d] == r->size[d],
                 "Expected tensor %s and index %s to have the same size in dimension %d", describe(r).str,
                 describe(index).str, dim);
    const int base = check_line_indices("scatter", index, r->size[dim]);
    Owned<int64_t> positions = apart(index, r);
    each_indexed(dim, positions.get(), r, r,
                 [base, value](int64_t at, int64_t, Line<T> to, Line<T>) { to[at - base] = value; });
}

template <typename T> void maskedFill(Tensor<T> *r, Tensor<uint8_t> *mask, T value) {
    check_same_elements({{"tensor", r}, {"mask", mask}});
    count_ones(mask);
    const Operand operands[] = {operand(r), operand(mask)};
    for_each_row(
        2, operands,
        [](int64_t n, char *const *data, const int64_t *stride, const void *context) {
            const T filling = *static_cast<const T *>(context);
            T *const to = reinterpret_cast<T *>(data[0]);
            const auto *where = reinterpret_cast<const uint8_t *>(data[1]);
            if (stride[0] == 1 && stride[1] == 1)
                for (int64_t i = 0; i < n; i++) to[i] = where[i] ? filling : to[i];
            else
                for (int64_t i = 0; i < n; i++)
                    if (where[i * stride[1]]) to[i * stride[0]] = filling;
        },
        &value);
}

template <typename T> void maskedCopy(Tensor<T> *r, Tensor<uint8_t> *mask, Tensor<T> *src) {
    TH_CHECK(elements_of(r) == elements_of(mask),
             "Number of elements of destination tensor != Number of elements in mask");
    count_ones(mask, elements_of(src));
    Owned<T> source = contiguous<T>(Owned<T>(apart(src, r)).get());
    Owned<uint8_t> where = apart(mask, r);
    const T *from = source->data();
    each(
        [&](T &to, uint8_t chosen) {
            if (chosen) to = *from++;
        },
        r, where.get());
}

template <typename T> void maskedSelect(Tensor<T> *r, Tensor<T> *src, Tensor<uint8_t> *mask) {
    check_same_elements({{"src", src}, {"mask", mask}});
    const int64_t ones = count_ones(mask);
    Owned<T> source = apart(src, r);
    Owned<uint8_t> where = apart(mask, r);
    resize<T>(r, {ones});
    if (!ones) return;
    T *const to = r->data();
    const int64_t stride = r->stride[0];
    int64_t i = 0;
    each(
        [&](T value, uint8_t chosen) {
            if (i < ones) to[i * stride] = value, i += chosen;  // written first and kept if chosen: no branch to guess
        },
        source.get(), where.get());
}

template <typename T> void nonzero(Tensor<int64_t> *subscript, Tensor<T> *tensor) {
    int64_t n = 0;
    each([&](T value) { n += value != 0; }, tensor);
    Owned<T> source = apart(tensor, subscript);
    const int dims = source->nDimension;
    resize<int64_t>(subscript, {n, dims});
    if (!n) return;
    int64_t *row = subscript->data();
    const int64_t *const stride = subscript->stride;
    Buffer<int64_t> position(dims);
    std::fill(position.get(), position.get() + dims, 0);
    const int last = dims - 1;
    const T *line = source->data();
    for (int d = 0; d >= 0;) {
        for (int64_t j = 0; j < source->size[last]; j++) {
            if (line[j * source->stride[last]] == 0) continue;
            position[last] = j;
            for (d = 0; d < dims; d++) row[d * stride[1]] = position[d];
            row += stride[0];
        }
        for (d = last - 1; d >= 0; d--) {
            line += source->stride[d];
            if (++position[d] < source->size[d]) break;
            line -= position[d] * source->stride[d];
            position[d] = 0;
        }
    }
}

}  // namespace th

extern "C" {
#define TH_GENERIC_FILE "th/index/index_exports.h"
#include <TH/THGenerateAllTypes.h>
}
