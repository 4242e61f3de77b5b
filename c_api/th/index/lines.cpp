// c_api/th/index/lines.cpp: elements of each line along a dimension, chosen by position.
//
// Positions are checked before anything is written. A result that shares memory with an input is computed as if the
// input had been copied first.
#include "th/index/positions.h"
#include "th/runtime/compat.h"
#include "th/runtime/export.h"
#include "th/tensor/aliasing.h"

namespace th {
namespace {

// step(index[i], i, line of to, line of from) for each line along dim, with i ascending; sizes are those of index.
template <typename T, typename Step>
void each_indexed(int dim, Tensor<int64_t> *index, Tensor<T> *to, Tensor<T> *from, const Step &step) {
    const int64_t n = index->size[dim];
    const int across = dimension_across(index, dim);
    if (across == dim || n == 1 || to->stride[dim] < to->stride[across]) {
        each_line(
            dim, line_work(to, n),
            [=](Line<int64_t> at, Line<T> a, Line<T> b) {
                if (at.stride == 1 && a.stride == 1 && b.stride == 1) {
                    a.stride = b.stride = 1;  // which the compiler knows now
                    for (int64_t i = 0; i < n; i++) step(at.data[i], i, a, b);
                } else {
                    for (int64_t i = 0; i < n; i++) step(at[i], i, a, b);
                }
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
    const int64_t to_size = to->size[dim], from_size = from->size[dim];
    const int64_t work = line_work(to, n * index->size[across]);
    const bool share = work >= 2 * grain;
    each_line(
        across, share ? 0 : work,
        [=](Line<int64_t> at, Line<T> a, Line<T> b) {
            each_block(at.size, n, share, [=](int64_t begin, int64_t end) {
                for (int64_t i = 0; i < n; i++)
                    for (int64_t j = begin; j < end; j++)
                        step(at.data[i * stride + j * at.stride], i, Line<T>{&a[j], to_size, to_stride},
                             Line<T>{&b[j], from_size, from_stride});
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

}  // namespace

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

}  // namespace th

extern "C" {
#define TH_GENERIC_FILE "th/index/lines_exports.h"
#include <TH/THGenerateAllTypes.h>
}
