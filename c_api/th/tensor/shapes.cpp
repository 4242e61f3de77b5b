// c_api/th/tensor/shapes.cpp: inferred and broadcast shapes.
#include "th/tensor/sizes.h"

#include <algorithm>

namespace th {

void mismatch(const char *format, ...) {
    Mismatch error;
    va_list values;
    va_start(values, format);
    fill(error, not_an_argument, __FILE__, __LINE__, format, values);
    va_end(values);
    throw error;
}

Buffer<int64_t> infer_size(const Storage<int64_t> *sizes, ptrdiff_t elements) {
    const int dims = int(sizes->size);
    int64_t product = dims > 0;
    int unknown = -1;
    bool overflow = false;
    for (int d = 0; d < dims; d++) {
        const int64_t size = sizes->elements()[d];
        if (size == -1) {
            TH_ARGUMENT(unknown < 0, 1, "only one dimension can be inferred");
            unknown = d;
        } else {
            overflow |= __builtin_mul_overflow(product, size, &product);
        }
    }
    const bool fits = !overflow && (unknown < 0 ? product == elements : product > 0 && elements % product == 0);
    TH_ARGUMENT(fits, 2, "size '%s' is invalid for input with %td elements", _THSizeDesc(sizes->elements(), dims).str,
                elements);
    Buffer<int64_t> inferred(dims);
    std::copy(sizes->elements(), sizes->elements() + dims, inferred.get());
    if (unknown >= 0) inferred[unknown] = elements / product;
    return inferred;
}

Buffer<int64_t> broadcast(int count, const int64_t *const *sizes, const int64_t *dims, int &common_dims) {
    TH_ARGUMENT(count > 0, 2, "n must be greater than 0");
    TH_ARGUMENT(sizes, 3, "sizes must not be null");
    TH_ARGUMENT(dims, 4, "dims must not be null");
    common_dims = 0;
    for (int i = 0; i < count; i++) {
        TH_ARGUMENT(sizes[i], 3, "size %d must not be null", i);
        TH_ARGUMENT(dims[i] > 0, 3, "Can't expand empty tensor %d", i);
        common_dims = std::max(common_dims, int(dims[i]));
    }
    Buffer<int64_t> common(common_dims);
    for (int at = common_dims - 1; at >= 0; at--) {
        common[at] = 1;
        for (int i = 0; i < count; i++) {
            const int64_t d = at - common_dims + dims[i], size = d < 0 ? 1 : sizes[i][d];
            if (size != common[at] && size != 1 && common[at] != 1)
                mismatch("The size of tensor %i (%" PRId64 ") must match the expanded sizeof tensor (%" PRId64
                         ") at non-singleton dimension %d.",
                         i, size, common[at], at);
            if (common[at] == 1) common[at] = size;
        }
    }
    return common;
}

Expanded::Expanded(int64_t dims, const int64_t *from_size, const int64_t *from_stride, int64_t target_dims,
                   const int64_t *target)
    : size(target_dims), stride(target_dims) {
    const int64_t added = target_dims - dims;
    if (added < 0)
        mismatch("the number of sizes provided must be greater or equal to the number of dimensions in the tensor");
    for (int64_t d = target_dims - 1; d >= 0; d--) {
        const int64_t own = d < added ? 1 : from_size[d - added];
        size[d] = target[d];
        if (d >= added)
            stride[d] = from_stride[d - added];
        else
            stride[d] = d + 1 < target_dims ? size[d + 1] * stride[d + 1] : 1;
        if (own == target[d]) continue;
        if (own != 1)
            mismatch("The expanded size of the tensor (%" PRId64 ") must match the existing size (%" PRId64
                     ") at non-singleton dimension %" PRId64 ".",
                     target[d], own, d);
        stride[d] = 0;
    }
}

}  // namespace th
