/* tensor.h: what a torch tensor's memory looks like, as far as C needs to know. */
#pragma once

#include "bridge/torch/pytorch.h"

#include <cassert>

namespace bridge {

enum { ON_CPU = -1, ELSEWHERE = -2 };

struct Tensor {
    void *data;
    int64_t count; /* elements */
    int device;    /* one of CUDA, ON_CPU or ELSEWHERE */
    int dtype_code, dtype_bits; /* as DLPack has them */
    bool contiguous;            /* where the sizes were not read */
    int dimensions;
    const int64_t *size, *stride; /* strides count elements; NULL means row-major */
    /* Both, where PyTorch has no C interface for them; a tensor of more dimensions cannot be read then. */
    static constexpr int MOST_DIMENSIONS = 64;
    int64_t numbers[2 * MOST_DIMENSIONS];
};

/* Fills `tensor` from a torch.Tensor, whose sizes it may borrow. False, perhaps with an exception set, for one without
 * memory that C can read. */
bool read_tensor(PyObject *object, Tensor *tensor);

/* As Tensor has it. */
inline int number_of(const DLDevice &device) {
    if (device.device_type == DLPACK_CPU || device.device_type == DLPACK_CUDA_HOST) return ON_CPU;
    return device.device_type == DLPACK_CUDA ? device.device_id : ELSEWHERE;
}

/* Fills `tensor` from what DLPack describes, whose sizes it borrows. */
inline void read_dltensor(const DLTensor &found, Tensor *tensor) {
    tensor->data = static_cast<char *>(found.data) + found.byte_offset;
    assert(found.ndim >= 0 && (found.ndim == 0 || found.shape != nullptr));
    tensor->count = 1;
    for (int32_t i = 0; i < found.ndim; ++i) tensor->count *= found.shape[i];
    tensor->device = number_of(found.device);
    tensor->dtype_code = found.dtype.code;
    tensor->dtype_bits = found.dtype.bits * found.dtype.lanes;
    tensor->contiguous = true;
    tensor->dimensions = found.ndim;
    tensor->size = found.shape;
    tensor->stride = found.strides;
}

/* Sizes and strides of a tensor that was read without them. False, perhaps with an exception set, where they cannot be
 * read. */
bool read_sizes(PyObject *object, Tensor *tensor);

/* Whether the elements lie row by row. */
bool is_contiguous(const Tensor &tensor);

/* Whether the memory, from `tensor.data` on, holds all values: not those of a view with PyTorch's conjugate or negative
 * bit, nor of a tensor whose storage was made smaller. 1, 0, or -1 with an exception. Runs no code of a subclass.
 * extent: how many elements the first one and the last one are apart, both included. */
int holds_values(PyObject *object, const Tensor &tensor, int64_t extent);

/* The extent of a tensor whose sizes were read. */
int64_t extent_of(const Tensor &tensor);

/* 1, 0, or -1 with an exception set. */
int requires_grad(PyObject *object);

/* The index of the first of `tensors` that autograd forbids to write to now: a leaf that requires grad, or a view of
 * one, in grad mode; with an exception, one that autograd cannot be asked about. `count` if there is none. */
Py_ssize_t find_protected(PyObject *const *tensors, Py_ssize_t count);

/* Moves the version counters of `tensors`, each of which is about to be written. False with an exception set. */
bool bump_versions(PyObject *const *tensors, Py_ssize_t count);

}  // namespace bridge
