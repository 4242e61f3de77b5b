// c_api/th/tensor/tensor.h: what the rest of the library needs of tensors.
#pragma once

#include "th/tensor/storage.h"

#include <cassert>
#include <initializer_list>

namespace th {

// Sizes by which a tensor is shaped; ends before the first entry <= 0.
struct Shape {
    int dims;
    const int64_t *size;
    const int64_t *stride = nullptr;  // NULL, or an entry < 0: row-major
};

AnyTensor *new_tensor();
void free_tensor(AnyTensor *);
void resize(AnyTensor *, size_t element, Shape);
void set_storage(AnyTensor *, size_t element, AnyStorage *, ptrdiff_t offset, Shape);

int64_t elements_of(const AnyTensor *);
bool is_contiguous(const AnyTensor *);
bool same_size(const AnyTensor *, const AnyTensor *);
inline THDescBuff describe(const AnyTensor *t) { return _THSizeDesc(t->size, t->nDimension); }

// A reference that is released on every way out.
template <typename T> class Owned {
public:
    explicit Owned(Tensor<T> *tensor = nullptr) : tensor_(tensor) {}
    Owned(Owned &&other) noexcept : tensor_(other.release()) {}
    Owned &operator=(Owned &&other) noexcept {
        std::swap(tensor_, other.tensor_);
        return *this;
    }
    ~Owned() { free_tensor(tensor_); }

    Tensor<T> *get() const { return tensor_; }
    Tensor<T> *operator->() const { return tensor_; }
    operator Tensor<T> *() const { return tensor_; }
    Tensor<T> *release() { return std::exchange(tensor_, nullptr); }

private:
    Tensor<T> *tensor_;
};

inline void retain_tensor(AnyTensor *t) {
    if (!(t->flag & TH_TENSOR_REFCOUNTED)) return;
    assert(THAtomicGet(&t->refcount) > 0);
    THAtomicIncrementRef(&t->refcount);
}

inline Shape shape_of(const AnyTensor *t) { return {t->nDimension, t->size}; }

template <typename T> void resize(Tensor<T> *t, Shape shape) { resize(t, sizeof(T), shape); }
template <typename T> void resize(Tensor<T> *t, std::initializer_list<int64_t> sizes) {
    resize(t, sizeof(T), Shape{int(sizes.size()), sizes.begin()});
}
template <typename T> void resizeAs(Tensor<T> *t, const AnyTensor *like) {
    note_write(t);
    if (!same_size(t, like)) resize(t, sizeof(T), shape_of(like));
}

// The exported functions of these names.
template <typename T> void set(Tensor<T> *self, Tensor<T> *source) {
    if (self != source)
        set_storage(self, sizeof(T), source->storage, source->storageOffset,
                    {source->nDimension, source->size, source->stride});
}
template <typename T> Owned<T> make() { return Owned<T>(static_cast<Tensor<T> *>(new_tensor())); }
template <typename T> Owned<T> make(Shape shape) {
    Owned<T> self = make<T>();
    resize<T>(self, shape);
    return self;
}
template <typename T> Owned<T> alias(Tensor<T> *source) {
    Owned<T> self = make<T>();
    set<T>(self, source);
    return self;
}
template <typename T> Owned<T> retained(Tensor<T> *source) {
    retain_tensor(source);
    return Owned<T>(source);
}
template <typename T> Owned<T> contiguous(Tensor<T> *source);  // the same with one more reference, or a copy
template <typename T> Owned<T> clone(Tensor<T> *source);

template <typename T> void narrow(Tensor<T> *self, Tensor<T> *source, int dimension, int64_t first, int64_t size);
template <typename T> void select(Tensor<T> *self, Tensor<T> *source, int dimension, int64_t index);
template <typename T> void transpose(Tensor<T> *self, Tensor<T> *source, int dimension1, int dimension2);
template <typename T> void squeeze1d(Tensor<T> *self, Tensor<T> *source, int dimension);
template <typename T> void unsqueeze1d(Tensor<T> *self, Tensor<T> *source, int dimension);

// Another type or the same: element by element in row-major order; an Error where the numbers of elements differ.
template <typename To, typename From> void copy(Tensor<To> *self, Tensor<From> *source);

// Copies self into target, unless they are one, and gives self back.
template <typename T> void free_copy_to(Owned<T> self, Tensor<T> *target) {
    if (self.get() == target) return;
    note_write(target);
    copy<T, T>(target, self);
}

}  // namespace th
