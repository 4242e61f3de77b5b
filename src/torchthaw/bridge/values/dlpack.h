/* dlpack.h: the parts of DLPack's C ABI that are read here, major version 1 (github.com/dmlc/dlpack). */
#pragma once

#include <cstdint>

namespace bridge {

enum { DLPACK_CPU = 1, DLPACK_CUDA = 2, DLPACK_CUDA_HOST = 3 };

/* X(name, number): DLDataTypeCode. */
#define DLPACK_TYPE_LIST(X) \
    X(DLPACK_INT, 0) \
    X(DLPACK_UINT, 1) \
    X(DLPACK_FLOAT, 2) \
    X(DLPACK_BFLOAT, 4) \
    X(DLPACK_COMPLEX, 5) \
    X(DLPACK_BOOL, 6)

enum {
#define DLPACK_TYPE(name, number) name = number,
    DLPACK_TYPE_LIST(DLPACK_TYPE)
#undef DLPACK_TYPE
};

struct DLDevice {
    int32_t device_type, device_id;
};

struct DLDataType {
    uint8_t code, bits;
    uint16_t lanes;
};

struct DLTensor {
    void *data;
    DLDevice device;
    int32_t ndim;
    DLDataType dtype;
    int64_t *shape, *strides; /* strides count elements; NULL means contiguous */
    uint64_t byte_offset;
};

/* What the capsules of array.__dlpack__() point to, "dltensor" from before version 1.0 and "dltensor_versioned". */
struct DLManagedTensor {
    DLTensor tensor;
    void *manager_context;
    void (*deleter)(DLManagedTensor *self);
};

struct DLManagedTensorVersioned {
    uint32_t major, minor;
    void *manager_context;
    void (*deleter)(DLManagedTensorVersioned *self);
    uint64_t flags;
    DLTensor tensor;
};

enum { DLPACK_READ_ONLY = 1, DLPACK_IS_COPIED = 2 }; /* flags */

/* What the capsule type(tensor).__dlpack_c_exchange_api__ points to. */
struct DLPackExchangeAPI {
    struct {
        uint32_t major, minor;
    } version;
    DLPackExchangeAPI *previous;
    void *managed_tensor_allocator;
    void *managed_tensor_from_py_object_no_sync;
    void *managed_tensor_to_py_object_no_sync;
    int (*dltensor_from_py_object_no_sync)(void *object, DLTensor *out); /* may be NULL; borrows */
    void *current_work_stream;
};

}  // namespace bridge
