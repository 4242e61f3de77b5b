// c_api/thc/tensor/tensor.cpp: the exported functions of tensors on the GPU, and those that reach elements.
#include "thc/tensor/tensor.h"

#include "th/tensor/tensor_functions.h"
#include "thc/runtime/export.h"
#include "thc/runtime/launch.h"

namespace th {

const int arguments_before_tensors = 1;

template <typename T> Owned<T> clone(Tensor<T> *source) {
    Owned<T> self = make<T>(shape_of(source));
    if (source->nDimension) copy_on_device<T, T>(self, source);
    return self;
}

template <typename T> Owned<T> contiguous(Tensor<T> *source) {
    return is_contiguous(source) ? retained(source) : clone(source);
}

#define THC_INSTANTIATE(CReal, Real, real, accreal)                                                                    \
    template Owned<real> clone(Tensor<real> *);                                                                        \
    template Owned<real> contiguous(Tensor<real> *);
THC_EVERY_TYPE(THC_INSTANTIATE)
#undef THC_INSTANTIATE

namespace tensor_functions {

inline int64_t entry(const AnyTensor *self, const int64_t *entries, int d) {
    TH_ARGUMENT(d >= 0 && d < self->nDimension, 2, "out of range");
    return entries[d];
}
template <typename T> int64_t size(const Tensor<T> *self, int d) { return entry(self, self->size, d); }
template <typename T> int64_t stride(const Tensor<T> *self, int d) { return entry(self, self->stride, d); }

template <typename T> THCDescBuff sizeDesc(const Tensor<T> *self) {
    THCDescBuff text;
    memcpy(text.str, describe(self).str, sizeof text.str);
    return text;
}

template <typename T> int getDevice(const Tensor<T> *self) { return device_of(self); }

template <typename T> cudaTextureObject_t getTextureObject(Tensor<T> *self) {
    TH_CHECK(sizeof(T) <= 4, "getTextureObject: expected elements of at most 4 bytes, got %d", int(sizeof(T)));
    TH_CHECK(is_contiguous(self), "getTextureObject: expected a contiguous tensor");
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = self->data();
    resource.res.linear.sizeInBytes = size_t(elements_of(self)) * sizeof(T);
    resource.res.linear.desc.x = 8 * sizeof(T);
    const bool floating = is_floating<T> || std::is_same<T, half>::value;
    resource.res.linear.desc.f = floating                    ? cudaChannelFormatKindFloat
                                 : std::is_signed<T>::value ? cudaChannelFormatKindSigned
                                                            : cudaChannelFormatKindUnsigned;
    cudaTextureDesc description = {};
    cudaTextureObject_t texture;
    CUDA_CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
    return texture;
}

// ---- Single elements

template <typename T, typename... Indices> T get(const Tensor<T> *self, Indices... indices) {
    return load(self->data() + position(self, indices...));
}
template <typename T> void set1d(Tensor<T> *self, int64_t i, T value) {
    store(self->data() + position(self, i), value);
}
template <typename T> void set2d(Tensor<T> *self, int64_t i, int64_t j, T value) {
    store(self->data() + position(self, i, j), value);
}
template <typename T> void set3d(Tensor<T> *self, int64_t i, int64_t j, int64_t k, T value) {
    store(self->data() + position(self, i, j, k), value);
}
template <typename T> void set4d(Tensor<T> *self, int64_t i, int64_t j, int64_t k, int64_t l, T value) {
    store(self->data() + position(self, i, j, k, l), value);
}

// ---- Where tensors are

inline int all_on_current_device(unsigned count, va_list tensors) {
    const int current = current_device();
    for (; count; count--) {
        const AnyTensor *tensor = va_arg(tensors, const AnyTensor *);
        if (!tensor || !tensor->storage || device_of(tensor) == current) continue;
        if (!kernels_reach(current, device_of(tensor))) return 0;
    }
    return 1;
}

}  // namespace tensor_functions
}  // namespace th

extern "C" {
#define TH_TENSOR_EXPORT(returns, name, function, ...)                                                                 \
    THC_EXPORT(returns, THCTensor_(name), ::th::tensor_functions::function, __VA_ARGS__)
#define TH_TENSOR_EXPORT_READER(name, function, ...)                                                                   \
    THC_EXPORT_READER(THCTensor_(name), ::th::tensor_functions::function, __VA_ARGS__)
#define TH_TENSOR_EXPORT0(returns, name, function)                                                                     \
    THC_EXPORT0(returns, THCTensor_(name), ::th::tensor_functions::function)
// The words of TH's list.
#undef THTensor
#define THTensor THCTensor
#undef THStorage
#define THStorage THCStorage
#define THDescBuff THCDescBuff
#define THC_GENERIC_FILE "thc/tensor/tensor_exports.h"
#include <THC/THCGenerateAllTypes.h>

#define THC_CHECK_GPU(CReal, Real, real, accreal)                                                                      \
    int TH##CReal##Tensor_checkGPU(THCState *, unsigned int nTensors, ...) {                                           \
        va_list tensors;                                                                                               \
        va_start(tensors, nTensors);                                                                                   \
        const int all = th::guarded([&] { return th::tensor_functions::all_on_current_device(nTensors, tensors); });   \
        va_end(tensors);                                                                                               \
        return all;                                                                                                    \
    }
THC_EVERY_TYPE(THC_CHECK_GPU)
}
