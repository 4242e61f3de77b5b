/* tensor.h: what a torch tensor's memory looks like, as far as C needs to know. */
#pragma once

#include "bridge.h"

#include <cstdint>

namespace bridge {

enum { ON_CPU = -1, ELSEWHERE = -2 };

struct Tensor {
    void *data;
    int64_t count; /* elements */
    int device;    /* one of CUDA, ON_CPU or ELSEWHERE */
    bool contiguous;
    int dtype_code, dtype_bits; /* as DLPack has them */
};

/* The same with sizes and strides. Valid while the tensor is and keeps them. */
struct Layout {
    void *data;
    int64_t count; /* elements */
    int device;    /* as above */
    int code, bits;
    int dimensions;
    const int64_t *size, *stride; /* strides count elements; NULL means row-major */
    int64_t numbers[128];         /* room for both where PyTorch has no C interface for them */
};

/* Whether `object` is a torch.Tensor. Does not import torch: without it, nothing is. */
bool is_tensor(PyObject *object);

/* Whether it is one of no subclass. */
bool is_plain_tensor(PyObject *object);

/* Fills `tensor` from a torch.Tensor. False, with an exception set, for one without memory that C can read. */
bool read_tensor(PyObject *object, Tensor *tensor);

/* Fills `layout` likewise. */
bool read_layout(PyObject *object, Layout *layout);

/* Whether the values differ from the memory, by PyTorch's conjugate or negative bit: 1, 0, or -1 with an exception. */
int is_lazy(PyObject *object, const Tensor &tensor);

/* Whether PyTorch was imported, and built with CUDA. */
bool pytorch_has_cuda();

/* The address of PyTorch's current stream on a CUDA device. False with an exception set. */
bool current_stream(int device, void **stream);

/* Makes a CUDA device current and returns the one before; -1 with an exception set. */
int exchange_device(int device);

/* 1, 0, or -1 with an exception set. */
int requires_grad(PyObject *object);

/* The index of the first of `tensors` that autograd forbids to write to now: a leaf that requires grad, or a view of
 * one, in grad mode. `count` if there is none, -1 with an exception. */
Py_ssize_t find_protected(PyObject *const *tensors, Py_ssize_t count);

/* Moves the version counters of `tensors`, each of which is about to be written. False with an exception set. */
bool bump_versions(PyObject *const *tensors, Py_ssize_t count);

}  // namespace bridge
