// c_api/th/tensor/geometry.cpp: references, sizes, strides and the storage that they need: no element is touched.
#include "th/tensor/tensor.h"

#include <algorithm>
#include <cassert>

namespace th {

AnyTensor *new_tensor() {
    Buffer<AnyTensor> memory(1);
    *memory.get() = AnyTensor{nullptr, nullptr, 0, nullptr, 0, 1, TH_TENSOR_REFCOUNTED};
    return memory.release();
}

void free_tensor(AnyTensor *t) {
    if (!t || !(t->flag & TH_TENSOR_REFCOUNTED)) return;
    assert(THAtomicGet(&t->refcount) > 0);
    if (!THAtomicDecrementRef(&t->refcount)) return;
    THFree(t->size);
    THFree(t->stride);
    free_storage(t->storage);
    THFree(t);
}

int64_t elements_of(const AnyTensor *t) {
    int64_t n = t->nDimension > 0;
    for (int d = 0; d < t->nDimension; d++) n *= t->size[d];
    return n;
}

bool is_contiguous(const AnyTensor *t) {
    int64_t expected = 1;
    for (int d = t->nDimension - 1; d >= 0; d--) {
        if (t->size[d] == 1) continue;
        if (t->stride[d] != expected) return false;
        expected *= t->size[d];
    }
    return true;
}

bool same_size(const AnyTensor *a, const AnyTensor *b) {
    return a->nDimension == b->nDimension && std::equal(a->size, a->size + a->nDimension, b->size);
}

namespace {

// The strides a shape asks for, and the elements that a storage needs to hold it at `offset`. Counts, of bytes too, fit
// an int64_t, also where the shape is empty: whoever takes such a tensor's address adds the offset to it.
ptrdiff_t lay_out(Shape shape, size_t element, ptrdiff_t offset, int64_t *stride) {
    int64_t last = 0, elements = 1, bytes;
    bool overflow = false;
    for (int d = shape.dims - 1; d >= 0; d--) {
        if (shape.stride && shape.stride[d] >= 0)
            stride[d] = shape.stride[d];
        else if (d == shape.dims - 1)
            stride[d] = 1;
        else
            overflow |= __builtin_mul_overflow(shape.size[d + 1], stride[d + 1], &stride[d]);
        int64_t reach;
        overflow |= __builtin_mul_overflow(elements, shape.size[d], &elements);
        overflow |= __builtin_mul_overflow(shape.size[d] - 1, stride[d], &reach);
        overflow |= __builtin_add_overflow(last, reach, &last);
    }
    overflow |= __builtin_add_overflow(last, offset, &last);
    overflow |= __builtin_add_overflow(last, 1, &last);
    overflow |= __builtin_mul_overflow(last, element, &bytes);
    TH_CHECK(!overflow, "$ Torch: invalid memory size -- maybe an overflow?");
    return shape.dims ? last : 0;
}

bool asks_for_current(const AnyTensor *t, Shape shape) {
    if (shape.dims != t->nDimension) return false;
    for (int d = 0; d < shape.dims; d++) {
        if (shape.size[d] != t->size[d]) return false;
        if (shape.stride && shape.stride[d] >= 0 && shape.stride[d] != t->stride[d]) return false;
    }
    return true;
}

void grow(AnyStorage *storage, ptrdiff_t needed, size_t element) {
    if (needed > storage->size) resize_storage(storage, needed, element);
}

}  // namespace

void set_storage(AnyTensor *t, size_t element, AnyStorage *storage, ptrdiff_t offset, Shape shape) {
    TH_CHECK(offset >= 0, "Tensor: invalid storage offset");
    int dims = 0;
    while (dims < shape.dims && shape.size[dims] > 0) dims++;
    shape.dims = dims;

    // Everything that can fail comes before the first change.
    const bool keep = asks_for_current(t, shape), fresh = !storage && dims;
    Buffer<int64_t> size(keep ? 0 : dims), stride(keep ? 0 : dims);
    if (!keep) std::copy(shape.size, shape.size + dims, size.get());
    const ptrdiff_t needed = keep ? lay_out({dims, t->size, t->stride}, element, offset, t->stride)
                                  : lay_out(shape, element, offset, stride.get());
    if (fresh)
        storage = new_storage(needed, element);
    else if (storage)
        grow(storage, needed, element);

    assert(!dims || (storage && storage->size >= needed));
    if (storage != t->storage) {
        if (!fresh) retain_storage(storage);
        free_storage(t->storage);
        t->storage = storage;
    }
    t->storageOffset = offset;
    if (keep) return;
    t->nDimension = dims;
    if (!dims) return;
    THFree(t->size);
    THFree(t->stride);
    t->size = size.release();
    t->stride = stride.release();
}

void resize(AnyTensor *t, size_t element, Shape shape) {
    note_write(t);
    int dims = 0;
    while (dims < shape.dims && shape.size[dims] > 0) dims++;
    shape.dims = dims;
    if (!asks_for_current(t, shape)) set_storage(t, element, t->storage, t->storageOffset, shape);
}

}  // namespace th
