// c_api/th/tensor/tensor.cpp: the exported functions of tensors, and those that reach elements.
#include "th/tensor/tensor_functions.h"

#include "th/runtime/compat.h"
#include "th/runtime/export.h"

namespace th {

const int arguments_before_tensors = 0;

template <typename T> Owned<T> clone(Tensor<T> *source) {
    Owned<T> self = make<T>();
    if (!source->nDimension) return self;
    self->storage = new_storage_uninitialized(elements_of(source), sizeof(T));
    resize<T>(self, shape_of(source));
    copy<T, T>(self, source);
    return self;
}

template <typename T> Owned<T> contiguous(Tensor<T> *source) {
    return is_contiguous(source) ? retained(source) : clone(source);
}

#define TH_INSTANTIATE(Real, real, accreal)                                                                            \
    template void narrow(Tensor<real> *, Tensor<real> *, int, int64_t, int64_t);                                       \
    template void select(Tensor<real> *, Tensor<real> *, int, int64_t);                                                \
    template void transpose(Tensor<real> *, Tensor<real> *, int, int);                                                 \
    template void squeeze1d(Tensor<real> *, Tensor<real> *, int);                                                      \
    template void unsqueeze1d(Tensor<real> *, Tensor<real> *, int);                                                    \
    template Owned<real> clone(Tensor<real> *);                                                                        \
    template Owned<real> contiguous(Tensor<real> *);
TH_EVERY_TYPE(TH_INSTANTIATE)
#undef TH_INSTANTIATE

namespace tensor_functions {

inline void check_dimension(const AnyTensor *self, int d) {
    TH_ARGUMENT(d >= 0 && d < self->nDimension, 2, "dimension %d out of range of %dD tensor", d + index_base(),
                self->nDimension);
}
template <typename T> int64_t size(const Tensor<T> *self, int d) { return check_dimension(self, d), self->size[d]; }
template <typename T> int64_t stride(const Tensor<T> *self, int d) { return check_dimension(self, d), self->stride[d]; }

template <typename T> THDescBuff sizeDesc(const Tensor<T> *self) { return describe(self); }
template <typename T> THDescBuff desc(const Tensor<T> *self) {
    THDescBuff text;
    const int room = sizeof text.str;
    int used = snprintf(text.str, room, "torch.xTensor of size ");
    for (int d = 0; d < self->nDimension && used < room; d++)
        used += snprintf(text.str + used, size_t(room - used), d + 1 < self->nDimension ? "%" PRId64 "x" : "%" PRId64,
                         self->size[d]);
    if (used >= room) snprintf(text.str + room - 4, 4, "...");
    return text;
}

// ---- Single elements

template <typename T, typename... Indices> T &at(const Tensor<T> *self, Indices... indices) {
    return self->data()[position(self, indices...)];
}
template <typename T, typename... Indices> T get(const Tensor<T> *self, Indices... indices) {
    return at<T>(self, indices...);
}
template <typename T> void set1d(Tensor<T> *self, int64_t i, T value) { at<T>(self, i) = value; }
template <typename T> void set2d(Tensor<T> *self, int64_t i, int64_t j, T value) { at<T>(self, i, j) = value; }
template <typename T> void set3d(Tensor<T> *self, int64_t i, int64_t j, int64_t k, T value) {
    at<T>(self, i, j, k) = value;
}
template <typename T> void set4d(Tensor<T> *self, int64_t i, int64_t j, int64_t k, int64_t l, T value) {
    at<T>(self, i, j, k, l) = value;
}

}  // namespace tensor_functions
}  // namespace th

extern "C" {
#define TH_TENSOR_EXPORT(returns, name, function, ...)                                                                 \
    TH_EXPORT(returns, THTensor_(name), ::th::tensor_functions::function, __VA_ARGS__)
#define TH_TENSOR_EXPORT_READER(name, function, ...)                                                                   \
    TH_EXPORT_READER(THTensor_(name), ::th::tensor_functions::function, __VA_ARGS__)
#define TH_TENSOR_EXPORT0(returns, name, function)                                                                     \
    TH_EXPORT0(returns, THTensor_(name), ::th::tensor_functions::function)
#define TH_GENERIC_FILE "th/tensor/tensor_exports.h"
#include <TH/THGenerateAllTypes.h>
#define TH_GENERIC_FILE "th/tensor/tensor_exports.h"
#include <TH/THGenerateHalfType.h>
}
