// c_api/th/tensor/sizes.h: inferred and broadcast shapes.
#pragma once

#include "th/runtime/errors.h"
#include "th/runtime/memory.h"
#include "th/tensor/types.h"

namespace th {

// The sizes with their -1 replaced.
Buffer<int64_t> infer_size(const Storage<int64_t> *sizes, ptrdiff_t elements);

// Shapes do not fit each other: the one error that the functions with an error_buffer put there.
struct Mismatch : Error {};
[[noreturn]] void mismatch(const char *format, ...) __attribute__((format(printf, 1, 2)));

// The shape that `count` shapes broadcast to; a Mismatch where they do not.
Buffer<int64_t> broadcast(int count, const int64_t *const *sizes, const int64_t *dims, int &common_dims);

// Sizes and strides of a tensor expanded to other sizes; a Mismatch where it cannot be.
struct Expanded {
    Buffer<int64_t> size, stride;
    Expanded(int64_t dims, const int64_t *size, const int64_t *stride, int64_t target_dims, const int64_t *target);
};

}  // namespace th
