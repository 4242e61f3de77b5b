/* structs/torch_storage.h: what the bridge asks of the torch storage below a tensor. */
#pragma once

#include "bridge/python.h"

#include <cstdint>

namespace bridge {

/* A torch storage, and where a tensor begins in it. */
struct TorchStorage {
    Ref object; /* the same for every tensor on it */
    void *data;
    int64_t bytes;
    int64_t offset; /* in elements */
};

/* Fills `storage` for a tensor with memory, which covers `extent` elements from where it begins: `data`, NULL for one
 * without elements. False with an exception set. */
bool read_storage(PyObject *tensor, void *data, int64_t extent, int element, TorchStorage *storage);

/* What became of a torch storage: its beginning and bytes before, where it begins now, and the tensor in it. */
struct Resized {
    PyObject *storage; /* to compare with; borrowed, and perhaps gone */
    char *before, *now;
    int64_t bytes_before, offset; /* in bytes */
};

/* Lets the tensor's storage hold `bytes` from the tensor's beginning (`full`: from its own); it never shrinks.
 * `on_cuda`: it is on a GPU, where PyTorch calls every storage shared, and not resizable what is.
 * False with an exception set: the storage is as it was. */
bool resize_storage(PyObject *tensor, bool full, bool on_cuda, int64_t bytes, Resized *resized);

/* tensor.resize_(*size), where that is all it takes to have these sizes on the same storage: 1, 0 if it takes more, -1
 * with an exception set. */
int resize_tensor(PyObject *tensor, const int64_t *size, int dimensions);

/* A tuple of integers. */
Ref integers(const int64_t *values, int count);

}  // namespace bridge
