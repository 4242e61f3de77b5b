// c_api/th/tensor/copy.cpp: copies of tensors and storages, between all pairs of types.
#include "th/runtime/export.h"
#include "th/tensor/copy_kernels.h"

namespace th {

template <typename To, typename From> void copy(Tensor<To> *self, Tensor<From> *source) {
    if (static_cast<AnyTensor *>(self) == source) return;
    check_same_elements({{"tensor", self}, {"src", source}});
    const Operand operands[] = {operand(self), operand(source)};
    for_each_row(2, operands, TH_CHOOSE(copy_row<To, From>)());
}

template <typename To, typename From> void copy_storage(Storage<To> *self, Storage<From> *source) {
    TH_ARGUMENT(self->size == source->size, 2, "size mismatch");
    char *const data[] = {static_cast<char *>(self->data), static_cast<char *>(source->data)};
    const int64_t stride[] = {1, 1};
    if (self->size) TH_CHOOSE(copy_row<To, From>)()(self->size, data, stride, nullptr);
}

template <typename T> void raw_copy(Storage<T> *self, T *source) {
    if (self->size) memmove(self->data, source, size_t(self->size) * sizeof(T));
}

#define TH_INSTANTIATE(Real, real, accreal)                                                                            \
    template void copy(Tensor<real> *, Tensor<uint8_t> *);                                                             \
    template void copy(Tensor<real> *, Tensor<int8_t> *);                                                              \
    template void copy(Tensor<real> *, Tensor<int16_t> *);                                                             \
    template void copy(Tensor<real> *, Tensor<int32_t> *);                                                             \
    template void copy(Tensor<real> *, Tensor<int64_t> *);                                                             \
    template void copy(Tensor<real> *, Tensor<float> *);                                                               \
    template void copy(Tensor<real> *, Tensor<double> *);                                                              \
    template void copy(Tensor<real> *, Tensor<THHalf> *);
TH_EVERY_TYPE(TH_INSTANTIATE)
#undef TH_INSTANTIATE

}  // namespace th

extern "C" {
#define TH_GENERIC_FILE "th/tensor/copy_exports.h"
#include <TH/THGenerateAllTypes.h>
#define TH_GENERIC_FILE "th/tensor/copy_exports.h"
#include <TH/THGenerateHalfType.h>
}
