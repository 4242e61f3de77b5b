/* pointers.cpp: the converter of pointers: tensors' memory, and sizes. */
#include "convert.h"
#include "tensor.h"

#include <new>

namespace bridge {

namespace {

/* Whether cffi makes a pointer to numbers of it: its own pointers and arrays, and what it copies into an array. */
bool is_for_cffi(PyObject *object) {
    return is_cdata(object) || PyBytes_Check(object) || PyUnicode_Check(object) || PyTuple_Check(object) ||
           PyList_Check(object);
}

Outcome convert_sizes(const Argument &argument, Sizes *sizes) {
    const bool is_tuple = PyTuple_Check(argument.object);
    const Py_ssize_t count = is_tuple ? PyTuple_Size(argument.object) : PyList_Size(argument.object);
    int64_t *values = sizes->take(count);
    if (values == nullptr) return FAILED;
    for (Py_ssize_t i = 0; i < count; ++i) {
        PyObject *item = is_tuple ? PyTuple_GetItem(argument.object, i) : PyList_GetItem(argument.object, i);
        if (item == nullptr) return FAILED; /* a list that shrank meanwhile */
        if (PyLong_CheckExact(item)) {
            values[i] = PyLong_AsLongLong(item);
        } else {
            if (!PyIndex_Check(item) || is_tensor(item)) return refuse(argument);
            const Ref integer(PyNumber_Index(item));
            if (integer == nullptr) return refuse(argument);
            values[i] = PyLong_AsLongLong(integer);
        }
        if (values[i] == -1 && PyErr_Occurred()) return out_of_range(argument);
    }
    return argument.store(static_cast<void *>(values));
}

Outcome convert_tensor(const Argument &argument, int *device) {
    const thaw_parameter &parameter = argument.parameter;
    Tensor tensor;
    if (parameter.kind != THAW_ARRAY || !read_tensor(argument.object, &tensor)) return refuse(argument, device);
    const bool same_dtype =
        parameter.dtype_code < 0 ||
        (tensor.dtype_code == parameter.dtype_code && tensor.dtype_bits == parameter.dtype_bits);
    const bool in_place = device == nullptr ? tensor.device == ON_CPU
                                            : tensor.device >= 0 && (*device < 0 || *device == tensor.device);
    const bool has_memory = tensor.data != nullptr || tensor.count == 0;
    if (!same_dtype || !in_place || !is_contiguous(tensor) || !has_memory || is_lazy(argument.object, tensor) != 0) {
        return refuse(argument, device);
    }
    if (device != nullptr) *device = tensor.device;
    return argument.store(tensor.data);
}

}  // namespace

Sizes::~Sizes() {
    while (more_ != nullptr) {
        Block *next = more_->next;
        PyMem_Free(more_);
        more_ = next;
    }
}

int64_t *Sizes::take(Py_ssize_t count) {
    if (count <= free_) {
        int64_t *taken = near_ + (NEAR - free_);
        free_ -= count;
        return taken;
    }
    void *memory = PyMem_Malloc(sizeof(Block) + static_cast<size_t>(count) * sizeof(int64_t));
    if (memory == nullptr) return PyErr_NoMemory(), nullptr;
    more_ = new (memory) Block{more_};
    return reinterpret_cast<int64_t *>(more_ + 1);
}

Outcome convert_pointer(const Argument &argument, int *device, Sizes *sizes) {
    PyObject *object = argument.object;
    const bool takes_sizes = (argument.parameter.flags & THAW_SIZES) != 0;
    if (object == Py_None) return argument.store(static_cast<void *>(nullptr));
    if (takes_sizes && (PyTuple_Check(object) || PyList_Check(object))) return convert_sizes(argument, sizes);
    if (is_tensor(object)) return convert_tensor(argument, takes_sizes ? nullptr : device); /* sizes are on the CPU */
    return argument.parameter.kind == THAW_ARRAY && !is_for_cffi(object) ? refuse(argument) : NEEDS_CFFI;
}

}  // namespace bridge
