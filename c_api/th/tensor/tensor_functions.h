// c_api/th/tensor/tensor_functions.h: exported functions of tensors that touch no element, for CPU and GPU.
#pragma once

#include "th/tensor/sizes.h"
#include "th/tensor/tensor.h"

#include <algorithm>
#include <cassert>
#include <initializer_list>

namespace th {

// How many arguments stand before the tensors, which errors of views count: libthc's functions take a state there. Each
// library says it in its tensor.cpp.
extern const int arguments_before_tensors;

inline int view_argument(int number) { return number + arguments_before_tensors; }

// ---- Views ----------------------------------------------------------------------------------------------------------
// Each takes the shape of the source (self, where that is NULL) and leaves a new one on the same storage.

struct Geometry {
    Buffer<int64_t> size, stride;
    int dims;
    ptrdiff_t offset;

    Geometry(const AnyTensor *t, int extra = 0)
        : size(t->nDimension + extra + 1), stride(t->nDimension + extra + 1), dims(t->nDimension),
          offset(t->storageOffset) {
        std::copy(t->size, t->size + dims, size.get());
        std::copy(t->stride, t->stride + dims, stride.get());
    }
    void erase(int d) {
        assert(d >= 0 && d < dims);
        std::copy(size.get() + d + 1, size.get() + dims, size.get() + d);
        std::copy(stride.get() + d + 1, stride.get() + dims, stride.get() + d);
        dims--;
    }
    template <typename T> void apply(Tensor<T> *self, Tensor<T> *source) {
        assert(offset >= 0 && dims <= source->nDimension + 1);  // as many as the arrays hold
        set_storage(self, sizeof(T), source->storage, offset, {dims, size.get(), stride.get()});
    }
};

template <typename T> void narrow(Tensor<T> *self, Tensor<T> *source, int dimension, int64_t first, int64_t size) {
    if (!source) source = self;
    TH_ARGUMENT(dimension >= 0 && dimension < source->nDimension, view_argument(2), "out of range");
    TH_ARGUMENT(first >= 0 && first < source->size[dimension], view_argument(3), "out of range");
    TH_ARGUMENT(size > 0 && size <= source->size[dimension] - first, view_argument(4), "out of range");
    Geometry view(source);
    view.offset += first * view.stride[dimension];
    view.size[dimension] = size;
    view.apply(self, source);
}

template <typename T> void select(Tensor<T> *self, Tensor<T> *source, int dimension, int64_t index) {
    if (!source) source = self;
    TH_ARGUMENT(source->nDimension > 1, view_argument(1), "cannot select on a vector");
    TH_ARGUMENT(dimension >= 0 && dimension < source->nDimension, view_argument(2), "out of range");
    TH_ARGUMENT(index >= 0 && index < source->size[dimension], view_argument(3), "out of range");
    Geometry view(source);
    view.offset += index * view.stride[dimension];
    view.erase(dimension);
    view.apply(self, source);
}

template <typename T> void transpose(Tensor<T> *self, Tensor<T> *source, int dimension1, int dimension2) {
    if (!source) source = self;
    TH_ARGUMENT(dimension1 >= 0 && dimension1 < source->nDimension, 1, "out of range");
    TH_ARGUMENT(dimension2 >= 0 && dimension2 < source->nDimension, 2, "out of range");
    Geometry view(source);
    std::swap(view.size[dimension1], view.size[dimension2]);
    std::swap(view.stride[dimension1], view.stride[dimension2]);
    view.apply(self, source);
}

template <typename T> void squeeze1d(Tensor<T> *self, Tensor<T> *source, int dimension) {
    if (!source) source = self;
    TH_ARGUMENT(dimension >= 0 && dimension < source->nDimension, view_argument(2), "dimension out of range");
    Geometry view(source);
    if (view.size[dimension] == 1 && view.dims > 1) view.erase(dimension);
    view.apply(self, source);
}

template <typename T> void unsqueeze1d(Tensor<T> *self, Tensor<T> *source, int dimension) {
    if (!source) source = self;
    TH_ARGUMENT(dimension >= 0 && dimension <= source->nDimension, view_argument(2), "dimension out of range");
    TH_ARGUMENT(source->nDimension > 0, view_argument(2), "cannot unsqueeze empty tensor");
    Geometry view(source, 1);
    int64_t *size = view.size.get(), *stride = view.stride.get();
    std::copy_backward(size + dimension, size + view.dims, size + view.dims + 1);
    std::copy_backward(stride + dimension, stride + view.dims, stride + view.dims + 1);
    size[dimension] = 1;
    stride[dimension] = dimension < view.dims ? size[dimension + 1] * stride[dimension + 1] : 1;
    view.dims++;
    view.apply(self, source);
}

// ---- The exported functions -----------------------------------------------------------------------------------------

namespace tensor_functions {

template <typename T> Storage<T> *storage(const Tensor<T> *self) { return static_cast<Storage<T> *>(self->storage); }
template <typename T> ptrdiff_t storageOffset(const Tensor<T> *self) { return self->storageOffset; }
template <typename T> int nDimension(const Tensor<T> *self) { return self->nDimension; }

inline Storage<int64_t> *list(int n, const int64_t *values) {
    Storage<int64_t> *self = native(THLongStorage_newWithSize(n));
    if (self) std::copy(values, values + n, self->elements());  // without memory, the error has been reported
    return self;
}
template <typename T> Storage<int64_t> *newSizeOf(Tensor<T> *self) { return list(self->nDimension, self->size); }
template <typename T> Storage<int64_t> *newStrideOf(Tensor<T> *self) { return list(self->nDimension, self->stride); }

template <typename T> T *data(const Tensor<T> *self) { return self->data(); }
template <typename T> ptrdiff_t nElement(const Tensor<T> *self) { return elements_of(self); }
template <typename T> int isContiguous(const Tensor<T> *self) { return is_contiguous(self); }
template <typename T> int isSameSizeAs(const Tensor<T> *self, const Tensor<T> *other) { return same_size(self, other); }
template <typename T> int isSize(const Tensor<T> *self, const Storage<int64_t> *sizes) {
    return THSize_isSameSizeAs(self->size, self->nDimension, sizes->elements(), sizes->size);
}
// Whether both begin at one place in one storage. Of lent memory there may be several structs, each with a part.
inline bool same_beginning(const AnyTensor *self, const AnyTensor *other, size_t element) {
    const AnyStorage *storage = self->storage, *others = other->storage;
    if (!storage || !others) return false;
    if (storage == others) return self->storageOffset == other->storageOffset;
    if (!(storage->flag & others->flag & lent) || !storage->data) return false;
    const ptrdiff_t bytes = ptrdiff_t(element);
    return static_cast<char *>(storage->data) + self->storageOffset * bytes ==
           static_cast<char *>(others->data) + other->storageOffset * bytes;
}
template <typename T> int isSetTo(const Tensor<T> *self, const Tensor<T> *other) {
    return same_beginning(self, other, sizeof(T)) &&
           same_size(self, other) && std::equal(self->stride, self->stride + self->nDimension, other->stride);
}


template <typename T> void setFlag(Tensor<T> *self, const char flag) { self->flag |= flag; }
template <typename T> void clearFlag(Tensor<T> *self, const char flag) { self->flag &= ~flag; }
template <typename T> void retain(Tensor<T> *self) { retain_tensor(self); }
template <typename T> void release(Tensor<T> *self) { free_tensor(self); }
template <typename T> void freeCopyTo(Tensor<T> *self, Tensor<T> *target) {
    free_copy_to(retained(self), target);
    free_tensor(self);  // not after an error: self is still the caller's
}

// ---- Making

template <typename T> Tensor<T> *newEmpty() { return make<T>().release(); }
template <typename T> Tensor<T> *newWithTensor(Tensor<T> *source) { return alias(source).release(); }
template <typename T> Tensor<T> *newClone(Tensor<T> *source) { return clone(source).release(); }
template <typename T> Tensor<T> *newContiguous(Tensor<T> *source) { return contiguous(source).release(); }

inline Shape listed(const Storage<int64_t> *size, const Storage<int64_t> *stride, int argument, const char *message) {
    TH_ARGUMENT(!size || !stride || size->size == stride->size, argument, "%s", message);
    return {size ? int(size->size) : 0, size ? size->elements() : nullptr,
            size && stride ? stride->elements() : nullptr};
}

template <typename T>
Tensor<T> *newWithStorage(Storage<T> *storage, ptrdiff_t offset, Storage<int64_t> *size, Storage<int64_t> *stride) {
    const Shape shape = listed(size, stride, 4, "inconsistent size");
    Owned<T> self = make<T>();
    set_storage(self, sizeof(T), storage, offset, shape);
    return self.release();
}

// The forms for fixed numbers of dimensions list size0, stride0, size1, stride1 ...
template <typename... Numbers> struct Interleaved {
    static constexpr int dims = sizeof...(Numbers) / 2;
    int64_t numbers[2 * dims], size[dims], stride[dims];
    explicit Interleaved(Numbers... values) : numbers{values...} {
        for (int d = 0; d < dims; d++) size[d] = numbers[2 * d], stride[d] = numbers[2 * d + 1];
    }
    Shape shape() const { return {dims, size, stride}; }
};

template <typename T, typename... Numbers>
void setStorageSizes(Tensor<T> *self, Storage<T> *storage, ptrdiff_t offset, Numbers... numbers) {
    set_storage(self, sizeof(T), storage, offset, Interleaved<Numbers...>(numbers...).shape());
}
template <typename T, typename... Numbers>
Tensor<T> *newWithStorageSizes(Storage<T> *storage, ptrdiff_t offset, Numbers... numbers) {
    Owned<T> self = make<T>();
    set_storage(self, sizeof(T), storage, offset, Interleaved<Numbers...>(numbers...).shape());
    return self.release();
}
template <typename T> Tensor<T> *newWithSize(Storage<int64_t> *size, Storage<int64_t> *stride) {
    return newWithStorage<T>(nullptr, 0, size, stride);
}
template <typename T, typename... Sizes> Tensor<T> *newWithSizes(Sizes... sizes) {
    Owned<T> self = make<T>();
    set_storage(self, sizeof(T), nullptr, 0,
                Shape{int(sizeof...(sizes)), std::initializer_list<int64_t>{sizes...}.begin()});
    return self.release();
}

// ---- Resizing

template <typename T> void resizeList(Tensor<T> *self, Storage<int64_t> *size, Storage<int64_t> *stride) {
    TH_ARGUMENT(size, 2, "invalid size");
    resize<T>(self, listed(size, stride, 3, "invalid stride"));
}
template <typename T> void resizeAs(Tensor<T> *self, Tensor<T> *like) { th::resizeAs<T>(self, like); }
template <typename T> void resizeNd(Tensor<T> *self, int dims, int64_t *size, int64_t *stride) {
    resize<T>(self, Shape{dims, size, stride});
}
template <typename T, typename... Sizes> void resizeSizes(Tensor<T> *self, Sizes... sizes) {
    resize<T>(self, {sizes...});
}

// ---- Pointing elsewhere

template <typename T> void set(Tensor<T> *self, Tensor<T> *source) { th::set<T>(self, source); }
template <typename T>
void setStorage(Tensor<T> *self, Storage<T> *storage, ptrdiff_t offset, Storage<int64_t> *size,
                Storage<int64_t> *stride) {
    set_storage(self, sizeof(T), storage, offset, listed(size, stride, 5, "inconsistent size/stride sizes"));
}
template <typename T>
void setStorageNd(Tensor<T> *self, Storage<T> *storage, ptrdiff_t offset, int dims, int64_t *size, int64_t *stride) {
    set_storage(self, sizeof(T), storage, offset, {dims, size, stride});
}

// ---- Views

using th::narrow;
using th::select;
using th::squeeze1d;
using th::transpose;
using th::unsqueeze1d;

template <typename T>
void unfold(Tensor<T> *self, Tensor<T> *source, int dimension, int64_t size, int64_t step) {
    if (!source) source = self;
    TH_ARGUMENT(source->nDimension > 0, 1, "cannot unfold an empty tensor");
    TH_ARGUMENT(dimension >= 0 && dimension < source->nDimension, 2, "out of range");
    TH_ARGUMENT(size > 0 && size <= source->size[dimension], 3, "out of range");
    TH_ARGUMENT(step > 0, 4, "invalid step");
    Geometry view(source, 1);
    view.size[view.dims] = size;
    view.stride[view.dims] = view.stride[dimension];
    view.size[dimension] = (view.size[dimension] - size) / step + 1;
    view.stride[dimension] *= step;
    view.dims++;
    view.apply(self, source);
}

template <typename T> void squeeze(Tensor<T> *self, Tensor<T> *source) {
    if (!source) source = self;
    Geometry view(source);
    for (int d = view.dims - 1; d >= 0; d--)
        if (view.size[d] == 1 && view.dims > 1) view.erase(d);
    if (source->nDimension && view.dims == 1 && view.size[0] == 1) view.stride[0] = 1;
    view.apply(self, source);
}

template <typename T> Tensor<T> *newNarrow(Tensor<T> *source, int dimension, int64_t first, int64_t size) {
    Owned<T> self = alias(source);
    narrow<T>(self, nullptr, dimension, first, size);
    return self.release();
}
template <typename T> Tensor<T> *newSelect(Tensor<T> *source, int dimension, int64_t index) {
    Owned<T> self = alias(source);
    select<T>(self, nullptr, dimension, index);
    return self.release();
}
template <typename T> Tensor<T> *newTranspose(Tensor<T> *source, int dimension1, int dimension2) {
    Owned<T> self = alias(source);
    transpose<T>(self, nullptr, dimension1, dimension2);
    return self.release();
}
template <typename T> Tensor<T> *newUnfold(Tensor<T> *source, int dimension, int64_t size, int64_t step) {
    Owned<T> self = alias(source);
    unfold<T>(self, nullptr, dimension, size, step);
    return self.release();
}

template <typename T> Tensor<T> *newView(Tensor<T> *source, Storage<int64_t> *sizes) {
    TH_ARGUMENT(is_contiguous(source), 1, "input is not contiguous");
    const Buffer<int64_t> inferred = infer_size(sizes, elements_of(source));
    Owned<T> self = make<T>();
    set_storage(self, sizeof(T), source->storage, source->storageOffset, {int(sizes->size), inferred.get()});
    return self.release();
}

template <typename T> void expand(Tensor<T> *self, Tensor<T> *source, Storage<int64_t> *sizes) {
    TH_ARGUMENT(source->nDimension > 0 || sizes->size == 0, 0, "can't expand an empty tensor");
    TH_ARGUMENT(sizes->size >= source->nDimension, 1,
                "the number of sizes provided must be greater or equal to the number of dimensions in the tensor");
    const Expanded view(source->nDimension, source->size, source->stride, int(sizes->size), sizes->elements());
    set_storage(self, sizeof(T), source->storage, source->storageOffset,
                {int(sizes->size), view.size.get(), view.stride.get()});
}
template <typename T> Tensor<T> *newExpand(Tensor<T> *source, Storage<int64_t> *sizes) {
    Owned<T> self = make<T>();
    expand<T>(self, source, sizes);
    return self.release();
}

template <typename T> void expandNd(Tensor<T> **results, Tensor<T> **sources, int count) {
    for (int i = 0; i < count; i++)
        TH_ARGUMENT(sources[i]->nDimension > 0, i, "can't expand empty tensor %d", i);
    Buffer<const int64_t *> sizes(count);
    Buffer<int64_t> dims(count);
    for (int i = 0; i < count; i++) sizes[i] = sources[i]->size, dims[i] = sources[i]->nDimension;
    int common_dims;
    const Buffer<int64_t> common = broadcast(count, sizes.get(), dims.get(), common_dims);
    for (int i = 0; i < count; i++) {
        const Expanded view(sources[i]->nDimension, sources[i]->size, sources[i]->stride, common_dims, common.get());
        set_storage(results[i], sizeof(T), sources[i]->storage, sources[i]->storageOffset,
                    {common_dims, view.size.get(), view.stride.get()});
    }
}

// ---- Single elements

// Where an element is, behind data().
template <typename... Indices> int64_t position(const AnyTensor *self, Indices... indices) {
    constexpr int dims = sizeof...(indices);
    const int64_t index[] = {indices...};
    static const char *const messages[] = {"tensor must have one dimension", "tensor must have two dimensions",
                                           "tensor must have three dimensions", "tensor must have four dimensions"};
    TH_ARGUMENT(self->nDimension == dims, 1, "%s", messages[dims - 1]);
    int64_t position = 0;
    for (int d = 0; d < dims; d++) {
        TH_ARGUMENT(index[d] >= 0 && index[d] < self->size[d], 2, "out of range");
        position += index[d] * self->stride[d];
    }
    return position;
}

}  // namespace tensor_functions
}  // namespace th
