/* dlpack.h: the parts of DLPack's C ABI that are read here, major version 1 (github.com/dmlc/dlpack). */
#pragma once

#include <cstdint>

namespace bridge {

enum { DLPACK_CPU = 1, DLPACK_CUDA = 2, DLPACK_CUDA_HOST = 3 };
enum { DLPACK_FLOAT = 2, DLPACK_COMPLEX = 5 };

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
