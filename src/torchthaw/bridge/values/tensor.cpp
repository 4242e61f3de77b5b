/* tensor.cpp: reads torch tensors, through DLPack's C exchange API or through their public attributes. */
#include "tensor.h"

#include <cassert>
#include <cstring>
#include <exception>

namespace bridge {

namespace {

/* A field of a C++ body of PyTorch. */
template <typename T> T read_at(const char *body, Py_ssize_t offset) {
    T value;
    std::memcpy(&value, body + offset, sizeof value);
    return value;
}

bool read_attributes(PyObject *object, Tensor *tensor) {
    const Ref found(with_python([&] { return PyObject_CallFunctionObjArgs(torch.describe, object, nullptr); }));
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
        } catch (const std::exception &) { /* PyTorch's function for Python makes an exception of it */
        }
    }
    if (!was_read && torch.dltensor(object, &found) != 0) return false;
    read_dltensor(found, tensor);
    return true;
}

bool read_sizes(PyObject *object, Tensor *tensor) {
    const Ref size(with_python([&] { return PyObject_GetAttrString(object, "shape"); }));
    const Ref stride(
        with_python([&] { return size == nullptr ? nullptr : PyObject_CallMethod(object, "stride", nullptr); }));
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

int64_t extent_of(const Tensor &tensor) {
    assert(tensor.size != nullptr);
    if (tensor.stride == nullptr || tensor.count == 0) return tensor.count;
    int64_t extent = 1;
    for (int i = 0; i < tensor.dimensions; ++i) extent += (tensor.size[i] - 1) * tensor.stride[i];
    return extent;
}

int holds_values(PyObject *object, const Tensor &tensor, int64_t extent) {
    const BodyLayout &layout = torch.body_layout;
    if (__builtin_expect(layout.storage != 0, 1)) {
        const auto *body = static_cast<const char *>(*body_of(object));
        const auto *storage = read_at<const char *>(body, layout.storage);
        const bool is_lazy = (read_at<uint64_t>(body, layout.keys) & layout.lazy_keys) != 0;
        int64_t bits;
        const bool is_countable = storage != nullptr && !__builtin_mul_overflow(extent, tensor.dtype_bits, &bits);
        if (!is_lazy && is_countable) {
            const char *end = read_at<const char *>(storage, layout.data) + read_at<int64_t>(storage, layout.bytes);
            if (extent == 0 || (bits + 7) / 8 <= end - static_cast<const char *>(tensor.data)) return 1;
        }
    }
    return truth(pytorch_py.call("holds_values", "(O)", object)); /* what is refused is asked about once more */
}

}  // namespace bridge
