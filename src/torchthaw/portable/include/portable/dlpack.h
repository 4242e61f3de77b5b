// portable/dlpack.h: tensors as DLPack has them, for other libraries.
#pragma once
#include "tensor.h"

#ifndef DLPACK_DLPACK_H_  // a project may have DLPack's own header
#define DLPACK_DLPACK_H_
// DLPack's structures of version 0, as its specification has them.
extern "C" {
typedef enum { kDLCPU = 1, kDLCUDA = 2, kDLCUDAHost = 3, kDLROCM = 10 } DLDeviceType;
typedef enum { kDLInt = 0, kDLUInt = 1, kDLFloat = 2, kDLOpaqueHandle = 3, kDLBfloat = 4, kDLComplex = 5, kDLBool = 6 } DLDataTypeCode;
typedef struct {
    DLDeviceType device_type;
    int32_t device_id;
} DLDevice;
typedef struct {
    uint8_t code, bits;
    uint16_t lanes;
} DLDataType;
typedef struct {
    void *data;
    DLDevice device;
    int32_t ndim;
    DLDataType dtype;
    int64_t *shape, *strides;
    uint64_t byte_offset;
} DLTensor;
typedef struct DLManagedTensor {
    DLTensor dl_tensor;
    void *manager_ctx;
    void (*deleter)(struct DLManagedTensor *self);
} DLManagedTensor;
}
#endif

namespace at {
/// The caller calls the deleter of the result.
DLManagedTensor *toDLPack(const Tensor &tensor);
/// The tensor takes the structure over.
Tensor fromDLPack(DLManagedTensor *source);
}  // namespace at
