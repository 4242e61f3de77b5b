/* structs/thc.h: libthc works with PyTorch's devices, streams and memory. Every function here needs the GIL. */
#pragma once

#include "bridge/values/device.h"

#include <cstddef>

namespace bridge {

/* Makes a device current and tells libthc PyTorch's stream there, until the end. */
class OnThcDevice {
public:
    ~OnThcDevice() { leave(); }

    /* False with an exception set. */
    bool enter(int device);

private:
    void leave();

    OnDevice on_device_;
    bool inside_ = false;
    int outer_device_;
    void *outer_stream_;
};

/* Bytes of a device, on the current stream there. Errors are C++ exceptions. */
void clear_on_device(int device, void *memory, size_t bytes);

/* The same from one place on a device to another; false with a Python exception set. */
bool copy_on_device(int device, void *to, void *from, size_t bytes);

/* The library at `path`; NULL with an ImportError. */
void *open_library(PyObject *path);

/* Loads libthc from `path`. From then on its streams and memory are those of a PyTorch with CUDA; its `state` is NULL
 * until PyTorch has made CUDA ready. None, or NULL with an exception. */
PyObject *open_thc(PyObject *module, PyObject *path);

/* For torch.cuda, which calls it when it has made CUDA ready: libthc's `state` is there from now on. */
PyObject *cuda_is_ready(PyObject *module, PyObject *none);

}  // namespace bridge
