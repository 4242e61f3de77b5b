/* tensor.cpp: reads torch tensors, through DLPack's C exchange API or through their public attributes. */
#include "tensor.h"

#include <cassert>

namespace bridge {

namespace {

bool read_attributes(PyObject *object, Tensor *tensor) {
    const Ref found(PyObject_CallFunctionObjArgs(torch.describe, object, nullptr));
    unsigned long long address;
    long long count;
    int contiguous, on_cpu, cuda_device;
    if (found == nullptr || !PyArg_ParseTuple(found, "KLppiii", &address, &count, &contiguous, &on_cpu,
                                              &tensor->dtype_code, &tensor->dtype_bits, &cuda_device)) {
        return false;
    }
    tensor->data = reinterpret_cast<void *>(static_cast<uintptr_t>(address));
    tensor->count = count;
    tensor->device = on_cpu ? ON_CPU : cuda_device >= 0 ? cuda_device : ELSEWHERE;
    tensor->contiguous = contiguous;
    tensor->size = nullptr;
    return true;
}

/* The integers of a tuple; false with an exception set. */
bool read_integers(PyObject *tuple, int64_t *numbers, int count) {
    for (int i = 0; i < count; ++i) {
        numbers[i] = PyLong_AsLongLong(PyTuple_GetItem(tuple, i));
        if (numbers[i] == -1 && PyErr_Occurred()) return false;
    }
    return true;
}

}  // namespace

bool read_tensor(PyObject *object, Tensor *tensor) {
    if (torch.dltensor == nullptr) return read_attributes(object, tensor);
    DLTensor found;
    bool was_read = false;
    if (torch.read_body != nullptr) {
        try {
            torch.read_body(body_of(object), &found);
            was_read = true;
        } catch (...) { /* PyTorch's function for Python makes an exception of it */
        }
    }
    if (!was_read && torch.dltensor(object, &found) != 0) return false;
    read_dltensor(found, tensor);
    return true;
}

bool read_sizes(PyObject *object, Tensor *tensor) {
    const Ref size(PyObject_GetAttrString(object, "shape"));
    const Ref stride(size == nullptr ? nullptr : PyObject_CallMethod(object, "stride", nullptr));
    if (stride == nullptr) return false;
    const int dimensions = tensor->dimensions = static_cast<int>(PyTuple_Size(size));
    int64_t *strides = tensor->numbers + Tensor::MOST_DIMENSIONS;
    tensor->size = tensor->numbers;
    tensor->stride = strides;
    return dimensions <= Tensor::MOST_DIMENSIONS && read_integers(size, tensor->numbers, dimensions) &&
           read_integers(stride, strides, dimensions);
}

bool is_contiguous(const Tensor &tensor) {
    if (tensor.size == nullptr) return tensor.contiguous;
    if (tensor.stride == nullptr || tensor.count == 0) return true;
    int64_t expected = 1;
    for (int i = tensor.dimensions; i-- > 0;) {
        if (tensor.size[i] != 1 && tensor.stride[i] != expected) return false;
        expected *= tensor.size[i];
    }
    return true;
}

bool may_be_lazy(const Tensor &tensor) {
    /* PyTorch sets the negative bit on the imaginary part of a conjugate, and asking for it costs more than all the
     * rest. That part begins at an odd element of the complex memory, and only one element of it is contiguous. What
     * as_strided() makes of it is not known for one: docs/reference/raw-pointers.md says so. */
    if (tensor.dtype_code != DLPACK_FLOAT) return tensor.dtype_code == DLPACK_COMPLEX;
    const auto element = static_cast<uintptr_t>(tensor.dtype_bits) / 8;
    return tensor.count == 1 || (reinterpret_cast<uintptr_t>(tensor.data) & element) != 0 || !is_contiguous(tensor);
}

int is_lazy(PyObject *object, const Tensor &tensor) {
    assert(may_be_lazy(tensor));
    const int is_conj = tensor.dtype_code != DLPACK_COMPLEX
                            ? 0
                            : truth(Ref(PyObject_CallFunctionObjArgs(torch.is_conj, object, nullptr)));
    return is_conj != 0 ? is_conj : truth(Ref(PyObject_CallFunctionObjArgs(torch.is_neg, object, nullptr)));
}

}  // namespace bridge
