/* pytorch.h: what the bridge uses of PyTorch, found when it meets PyTorch first. */
#pragma once

#include "bridge/values/attributes.h"
#include "bridge/values/dlpack.h"

#include <cstdint>

namespace bridge {

/* At which bytes the C++ body of a tensor has the address of its storage's body, and its dispatch keys; where the storage's
 * body has the address and the number of bytes of its memory. `storage` is 0 where that is not known. */
struct BodyLayout {
    Py_ssize_t storage, keys, data, bytes;
    unsigned long long lazy_keys; /* of the conjugate and the negative bit */
};

/* What torchthaw.bridge.pytorch.access() returns, and what else is looked up once. */
struct PyTorch {
    PyTypeObject *tensor;                         /* NULL until PyTorch has been imported */
    PyTypeObject *parameter;
    int (*dltensor)(void *object, DLTensor *out); /* NULL: read attributes */
    PyObject *describe;
    Builtin increment_version, is_grad_enabled;
    int64_t (*mode_count)(); /* of active dispatch modes, in this thread; NULL: ask_mode_count */
    Builtin ask_mode_count;
    bool has_cuda;
    Builtin current_stream, exchange_device; /* with CUDA */
    Property requires_grad, is_leaf, base;
    /* The C++ body of a tensor, at::TensorImpl, and functions of PyTorch on it; each is NULL where that is not there or
     * not what it was. They take what stands in the Python object, where C++ sees an at::Tensor. */
    Py_ssize_t body_offset;
    void (*read_body)(void *const *body, DLTensor *out); /* throws for what DLPack does not describe */
    bool (*body_requires_grad)(const void *body);
    void (*bump_version)(void *const *body); /* throws for an inference tensor */
    const void *(*resize_body)(void *const *body, const int64_t *size, size_t dimensions, uint16_t format); /* throws */
    BodyLayout body_layout;
};

extern PyTorch torch;

/* Whether PyTorch has been imported. It is not imported for this. */
bool find_torch();

/* Whether memory ran out while PyTorch was looked for, so that no tensor was known as one; asked once. */
bool lacked_memory_for_torch();

/* The same, asked when a call begins: what the rest of the call is about was made before. */
inline bool knows_torch() { return torch.tensor != nullptr || find_torch(); }

/* Whether `object` is a torch.Tensor: without PyTorch, nothing is. */
inline bool is_tensor(PyObject *object) {
    PyTypeObject *type = Py_TYPE(object);
    return type == torch.tensor || (torch.tensor != nullptr && PyType_IsSubtype(type, torch.tensor));
}

/* Where a tensor, of whatever class, has the address of its C++ body. */
inline void *const *body_of(PyObject *tensor) {
    return reinterpret_cast<void *const *>(reinterpret_cast<const char *>(tensor) + torch.body_offset);
}

/* Whether a tensor is one of no subclass. */
inline bool is_plain_tensor(PyObject *object) { return Py_TYPE(object) == torch.tensor; }

/* Whether PyTorch runs no code of the type's author when it is asked about a tensor of this type. */
inline bool has_plain_attributes(PyObject *object) {
    return is_plain_tensor(object) || Py_TYPE(object) == torch.parameter;
}

/* The truth of `value`: 1, 0, or -1 with an exception, as it is for NULL. */
inline int truth(const Ref &value) {
    if (value == nullptr) return -1;
    return value == Py_True ? 1 : value == Py_False ? 0 : PyObject_IsTrue(value);
}

}  // namespace bridge
