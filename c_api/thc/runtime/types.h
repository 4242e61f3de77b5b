// c_api/thc/runtime/types.h: the structs of the GPU as the C++ types of c_api/th, with which they share their layout.
#pragma once

#include "th/tensor/types.h"

#include <THC/THC.h>

namespace th {

// What all THCuda<Real>Storage have behind the members of TH's. `allocator` is a THCDeviceAllocator.
struct DeviceStorage : AnyStorage {
    int device;
};

inline DeviceStorage *on_device(AnyStorage *storage) { return static_cast<DeviceStorage *>(storage); }

// X(CReal, Real, real, accreal): every type, in the order of THCGenerateAllTypes.h.
#define THC_EVERY_TYPE(X)                                                                                              \
    X(CudaByte, Byte, uint8_t, int64_t)                                                                                \
    X(CudaChar, Char, int8_t, int64_t)                                                                                 \
    X(CudaShort, Short, int16_t, int64_t)                                                                              \
    X(CudaInt, Int, int32_t, int64_t)                                                                                  \
    X(CudaLong, Long, int64_t, int64_t)                                                                                \
    X(CudaHalf, Half, half, float)                                                                                     \
    X(Cuda, Float, float, float)                                                                                       \
    X(CudaDouble, Double, double, double)

template <typename T> struct CudaType;
#define THC_TYPE(CReal, Real, real, accreal)                                                                           \
    static_assert(sizeof(TH##CReal##Storage) == 56 && offsetof(TH##CReal##Storage, device) == 48, "layout");           \
    static_assert(sizeof(TH##CReal##Tensor) == sizeof(AnyTensor), "layout");                                           \
    template <> struct CudaType<real> {                                                                                \
        using Accumulate = accreal;                                                                                    \
        using Host = TH##Real##Tensor;                                                                                 \
    };                                                                                                                 \
    inline Tensor<real> *native(TH##CReal##Tensor *t) { return reinterpret_cast<Tensor<real> *>(t); }                  \
    inline const Tensor<real> *native(const TH##CReal##Tensor *t) {                                                    \
        return reinterpret_cast<const Tensor<real> *>(t);                                                              \
    }                                                                                                                  \
    inline Tensor<real> **native(TH##CReal##Tensor **t) { return reinterpret_cast<Tensor<real> **>(t); }               \
    inline Storage<real> *native(TH##CReal##Storage *s) { return reinterpret_cast<Storage<real> *>(s); }               \
    inline const Storage<real> *native(const TH##CReal##Storage *s) {                                                  \
        return reinterpret_cast<const Storage<real> *>(s);                                                             \
    }
THC_EVERY_TYPE(THC_TYPE)
#undef THC_TYPE

// What functions return that reduce T to one number.
template <typename T> using CudaAccumulate = typename CudaType<T>::Accumulate;

}  // namespace th
