/* buffers.h: the memory of arrays that are no tensors, by the buffer protocol or else by DLPack. Every function needs the
 * GIL. */
#pragma once

#include "convert.h"
#include "tensor.h"

namespace bridge {

/* CPython's Py_buffer, which the limited API of Python 3.10 lacks; that of 3.11 has it as it had been before. */
struct PythonBuffer {
    void *buf;
    PyObject *obj;
    Py_ssize_t len, itemsize; /* bytes */
    int readonly, ndim;
    char *format;
    Py_ssize_t *shape, *strides, *suboffsets;
    void *internal;
};

/* Finds Python's functions. False with an exception set. */
bool prepare_buffers();

/* What a call has taken of its arguments; each keeps its memory where it is until then. */
class Buffers {
public:
    ~Buffers() {
        if (first_ != nullptr) give_back();
    }

    /* Takes the memory of `object`, row by row, for the parameter at `place`, and describes it; the sizes are borrowed.
     * `sizes` has the records. False with an exception set where the object does not give it. */
    bool take(PyObject *object, bool is_written, const void *place, Sizes *sizes, Tensor *tensor);

    /* Whether the parameter at `place` got such memory. */
    bool has(const void *place) const;

private:
    struct Taken {
        PythonBuffer buffer; /* may point to itself: it stays where it is. Of DLPack and NumPy, `obj` only */
        const void *place;
        Taken *next;
    };

    bool take_buffer(PyObject *object, bool is_written, Taken *taken, Tensor *tensor);
    bool take_exported(PyObject *object, bool is_written, Taken *taken, Tensor *tensor);
    bool take_capsule(PyObject *capsule, bool is_written, Taken *taken, Tensor *tensor);
    void keep(Taken *taken);
    void give_back();

    Taken *first_ = nullptr;
};

/* What the pointers of one call need while C has them. */
struct CallMemory {
    explicit CallMemory(const thaw_callable *called) : function(called) {}

    const thaw_callable *function;
    Sizes sizes;
    Buffers buffers; /* whose records are in `sizes`: gone before these */
};

}  // namespace bridge
