// c_api/th/tensor/aliasing.h: results that share memory with inputs, or with themselves.
#pragma once

#include "th/runtime/loop.h"

namespace th {

// The input, or a copy of it where writing to r, or resizing it, could change the input.
template <typename T, typename R> Owned<T> apart(Tensor<T> *input, const Tensor<R> *r) {
    const bool shared =
        input->storage && (input->storage == r->storage || may_overlap(operand(input), operand(r)));
    return shared ? clone(input) : retained(input);
}

// Whether both have the same elements at the same places.
inline bool is_same_view(const AnyTensor *a, const AnyTensor *b) {
    if (a->storage != b->storage || a->storageOffset != b->storageOffset || !same_size(a, b)) return false;
    for (int d = 0; d < a->nDimension; d++)
        if (a->stride[d] != b->stride[d]) return false;
    return true;
}

// Whether different elements never lie at the same place (may say no where it is true).
bool elements_are_distinct(const AnyTensor *);

// What each_line and its like may be told of the work: 0 where two threads could write one place.
inline int64_t line_work(const AnyTensor *written, int64_t work) { return elements_are_distinct(written) ? work : 0; }

}  // namespace th
