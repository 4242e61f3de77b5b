// c_api/th/index/slices.cpp: slices along a dimension, chosen by position.
//
// Positions are checked before anything is written. A result that shares memory with an input is computed as if the
// input had been copied first.
#include "th/index/positions.h"
#include "th/runtime/compat.h"
#include "th/runtime/export.h"
#include "th/tensor/aliasing.h"

#include <algorithm>
#include <type_traits>

namespace th {
namespace {

// Positions of slices: i itself, or as listed, counted from `base`.
struct Same {
    int64_t operator()(int64_t i) const { return i; }
};
struct Listed {
    const int64_t *position;
    int base;
    int64_t operator()(int64_t i) const { return position[i] - base; }
};

struct Assign {
    template <typename T> void operator()(T &to, const T &from) const { to = from; }
};

// operation(to[i], from[i]) for i = 0 ... n - 1.
template <typename T, typename Operation>
void operate_on_row(T *to, T *from, int64_t n, const Operation &operation) {
    if constexpr (std::is_same_v<Operation, Assign>)
        std::copy(from, from + n, to);
    else
        for (int64_t i = 0; i < n; i++) operation(to[i], from[i]);
}

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
            [=](Line<T> a, Line<T> b) {
                each_block(a.size, n, share, [=](int64_t begin, int64_t end) {
                    for (int64_t i = 0; i < n; i++) {
                        T *const to_row = a.data + to(i) * r_stride, *const from_row = b.data + from(i) * s_stride;
                        for (int64_t j = begin; j < end; j++) operation(to_row[j * a.stride], from_row[j * b.stride]);
                    }
                });
            },
            first_r.get(), first_s.get());
        return;
    }
    if (!inner) {
        each_line(
            dim, line_work(r, n),
            [=](Line<T> a, Line<T> b) {
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
                operate_on_row(a, b, width, operation);
            }
            begin += width;
        }
    });
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

}  // namespace

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
    for_each_slice<T>(dim, r, Same(), source.get(), from, n, Assign());
}

template <typename T> void indexCopy(Tensor<T> *r, int dim, Tensor<int64_t> *index, Tensor<T> *src) {
    into_slices(r, dim, index, src, false, Assign());
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

}  // namespace th

extern "C" {
#define TH_GENERIC_FILE "th/index/slices_exports.h"
#include <TH/THGenerateAllTypes.h>
}
