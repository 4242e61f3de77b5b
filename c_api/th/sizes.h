// c_api/th/sizes.h: inferred and broadcast shapes.
#pragma once

#include "memory.h"
#include "types.h"

namespace th {

// The sizes with their -1 replaced.
Buffer<int64_t> infer_size(const Storage<int64_t> *sizes, ptrdiff_t elements);

// The shape that `count` shapes broadcast to.
Buffer<int64_t> broadcast(int count, const int64_t *const *sizes, const int64_t *dims, int &common_dims);

// Sizes and strides of a tensor expanded to other sizes.
struct Expanded {
    Buffer<int64_t> size, stride;
    Expanded(int64_t dims, const int64_t *size, const int64_t *stride, int64_t target_dims, const int64_t *target);
};

}  // namespace th
