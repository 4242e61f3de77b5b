/* tensor.cpp: reads torch tensors, through DLPack's C exchange API or through their public attributes. */
#include "tensor.h"

#include "attributes.h"
#include "dlpack.h"

namespace bridge {

namespace {

/* The tensors whose versions are being incremented, as a Python iterator that nothing has to be allocated for.
 * There is one: PyTorch runs no Python code while it goes through them. */
struct Written {
    PyObject_HEAD
    PyObject *const *next;
    PyObject *const *end;
};

PyObject *written_iter(PyObject *self) {
    Py_INCREF(self);
    return self;
}

PyObject *written_next(PyObject *self) {
    auto *written = reinterpret_cast<Written *>(self);
    if (written->next == written->end) return nullptr;
    PyObject *tensor = *written->next++;
    Py_INCREF(tensor);
    return tensor;
}

Written *new_written() {
    static PyType_Slot slots[] = {{Py_tp_iter, reinterpret_cast<void *>(written_iter)},
                                  {Py_tp_iternext, reinterpret_cast<void *>(written_next)},
                                  {0, nullptr}};
    static PyType_Spec spec = {"torchthaw.bridge._bridge.Written", sizeof(Written), 0, Py_TPFLAGS_DEFAULT, slots};
    PyObject *type = PyType_FromSpec(&spec);
    return type == nullptr ? nullptr : PyObject_New(Written, reinterpret_cast<PyTypeObject *>(type));
}

/* What torchthaw.bridge.pytorch.access() found; `type` is NULL until PyTorch has been imported. */
struct {
    PyTypeObject *type;
    int (*dltensor)(void *object, DLTensor *out); /* NULL: read attributes */
    PyObject *describe;
    Builtin increment_version, is_grad_enabled;
    bool has_cuda;
    Builtin current_stream, exchange_device; /* with CUDA */
    Property requires_grad, is_leaf, base;
    PyObject *is_conj, *is_neg; /* names of methods */
} torch;

bool find_torch() {
    static PyObject *name = PyUnicode_InternFromString("torch");
    PyObject *module = PyImport_GetModule(name);
    if (module == nullptr) return PyErr_Clear(), false;
    Py_DECREF(module);
    PyObject *pytorch = PyImport_ImportModule("torchthaw.bridge.pytorch");
    PyObject *found = pytorch == nullptr ? nullptr : PyObject_CallMethod(pytorch, "access", nullptr);
    PyObject *base = found == nullptr ? nullptr : PyObject_CallMethod(pytorch, "view_base", nullptr);
    Py_XDECREF(pytorch);
    PyObject *type, *capsule, *increment_version, *is_grad_enabled, *current_stream, *exchange_device;
    if (base == nullptr || !PyArg_ParseTuple(found, "OOOOOOO", &type, &capsule, &torch.describe, &increment_version,
                                              &is_grad_enabled, &current_stream, &exchange_device)) {
        Py_XDECREF(found);
        Py_XDECREF(base);
        PyErr_Clear(); /* torch is being imported right now */
        return false;
    }
    if (capsule != Py_None) {
        auto *api = static_cast<DLPackExchangeAPI *>(PyCapsule_GetPointer(capsule, "dlpack_exchange_api"));
        while (api != nullptr && api->version.major > 1) api = api->previous;
        if (api == nullptr) PyErr_Clear();
        if (api != nullptr && api->version.major == 1) torch.dltensor = api->dltensor_from_py_object_no_sync;
    }
    torch.increment_version.set(increment_version, METH_O);
    torch.is_grad_enabled.set(is_grad_enabled, METH_NOARGS);
    torch.has_cuda = current_stream != Py_None && exchange_device != Py_None;
    torch.current_stream.set(current_stream, METH_O);
    torch.exchange_device.set(exchange_device, METH_O);
    torch.requires_grad.set(type, "requires_grad");
    torch.is_leaf.set(type, "is_leaf");
    torch.base.set(base);
    torch.is_conj = PyUnicode_InternFromString("is_conj");
    torch.is_neg = PyUnicode_InternFromString("is_neg");
    torch.type = reinterpret_cast<PyTypeObject *>(type); /* `found` is kept for good: its items are used from now on */
    return true;
}

bool is_contiguous(const DLTensor &tensor) {
    if (tensor.strides == nullptr) return true;
    int64_t expected = 1;
    for (int32_t i = tensor.ndim; i-- > 0;) {
        if (tensor.shape[i] == 0) return true;
        if (tensor.shape[i] != 1 && tensor.strides[i] != expected) {
            for (; i >= 0; --i)
                if (tensor.shape[i] == 0) return true;
            return false;
        }
        expected *= tensor.shape[i];
    }
    return true;
}

/* As Tensor has it. */
int number_of(const DLDevice &device) {
    if (device.device_type == DLPACK_CPU || device.device_type == DLPACK_CUDA_HOST) return ON_CPU;
    return device.device_type == DLPACK_CUDA ? device.device_id : ELSEWHERE;
}

/* The truth of `value`, which is released: 1, 0, or -1 with an exception. */
int truth(PyObject *value) {
    if (value == nullptr) return -1;
    int result = value == Py_True ? 1 : value == Py_False ? 0 : PyObject_IsTrue(value);
    Py_DECREF(value);
    return result;
}

}  // namespace

bool is_tensor(PyObject *object) {
    if (torch.type == nullptr && !find_torch()) return false;
    PyTypeObject *type = Py_TYPE(object);
    return type == torch.type || PyType_IsSubtype(type, torch.type);
}

bool is_plain_tensor(PyObject *object) { return Py_TYPE(object) == torch.type; }

bool read_tensor(PyObject *object, Tensor *tensor) {
    if (torch.dltensor == nullptr) {
        PyObject *found = PyObject_CallFunctionObjArgs(torch.describe, object, nullptr);
        if (found == nullptr) return false;
        unsigned long long address;
        long long count;
        int contiguous, on_cpu, cuda_device;
        bool read = PyArg_ParseTuple(found, "KLppiii", &address, &count, &contiguous, &on_cpu, &tensor->dtype_code,
                                     &tensor->dtype_bits, &cuda_device);
        Py_DECREF(found);
        tensor->data = reinterpret_cast<void *>(static_cast<uintptr_t>(address));
        tensor->count = count;
        tensor->contiguous = contiguous;
        tensor->device = on_cpu ? ON_CPU : cuda_device >= 0 ? cuda_device : ELSEWHERE;
        return read;
    }
    DLTensor found;
    if (torch.dltensor(object, &found) != 0) return false;
    tensor->data = static_cast<char *>(found.data) + found.byte_offset;
    tensor->count = 1;
    for (int32_t i = 0; i < found.ndim; ++i) tensor->count *= found.shape[i];
    tensor->contiguous = is_contiguous(found);
    tensor->device = number_of(found.device);
    tensor->dtype_code = found.dtype.code;
    tensor->dtype_bits = found.dtype.bits * found.dtype.lanes;
    return true;
}

namespace {

/* The integers of a tuple; false with an exception set. */
bool read_integers(PyObject *tuple, int64_t *numbers, int count) {
    for (int i = 0; i < count; ++i) {
        numbers[i] = PyLong_AsLongLong(PyTuple_GetItem(tuple, i));
        if (numbers[i] == -1 && PyErr_Occurred()) return false;
    }
    return true;
}

}  // namespace

bool read_layout(PyObject *object, Layout *layout) {
    if (torch.dltensor != nullptr) {
        DLTensor found;
        if (torch.dltensor(object, &found) != 0) return false;
        layout->data = static_cast<char *>(found.data) + found.byte_offset;
        layout->count = 1;
        for (int32_t i = 0; i < found.ndim; ++i) layout->count *= found.shape[i];
        layout->device = number_of(found.device);
        layout->code = found.dtype.code;
        layout->bits = found.dtype.bits * found.dtype.lanes;
        layout->dimensions = found.ndim;
        layout->size = found.shape;
        layout->stride = found.strides;
        return true;
    }
    Tensor tensor;
    if (!read_tensor(object, &tensor)) return false;
    *layout = {tensor.data, tensor.count, tensor.device, tensor.dtype_code, tensor.dtype_bits, 0, nullptr, nullptr, {}};
    PyObject *size = PyObject_GetAttrString(object, "shape");
    PyObject *stride = size == nullptr ? nullptr : PyObject_CallMethod(object, "stride", nullptr);
    bool read = stride != nullptr;
    if (read) {
        layout->dimensions = static_cast<int>(PyTuple_Size(size));
        layout->size = layout->numbers;
        layout->stride = layout->numbers + 64;
        read = layout->dimensions <= 64 && read_integers(size, layout->numbers, layout->dimensions) &&
               read_integers(stride, layout->numbers + 64, layout->dimensions);
    }
    Py_XDECREF(size);
    Py_XDECREF(stride);
    return read;
}

int is_lazy(PyObject *object, const Tensor &tensor) {
    if (tensor.dtype_code == DLPACK_COMPLEX) {
        return truth(PyObject_CallMethodObjArgs(object, torch.is_conj, nullptr));
    }
    /* PyTorch sets the negative bit on the imaginary part of a conjugate, and asking for it costs more than all the
     * rest. That part begins at an odd element of the complex memory, and only one element of it is contiguous. */
    if (tensor.dtype_code != DLPACK_FLOAT) return 0;
    const auto element = static_cast<uintptr_t>(tensor.dtype_bits) / 8;
    const bool odd = (reinterpret_cast<uintptr_t>(tensor.data) & element) != 0;
    if (tensor.count != 1 && !odd) return 0;
    return truth(PyObject_CallMethodObjArgs(object, torch.is_neg, nullptr));
}

namespace {

/* function(device), an integer; -1 with an exception set. */
long long ask_cuda(const Builtin &function, int device) {
    PyObject *argument = PyLong_FromLong(device);
    PyObject *result = argument == nullptr ? nullptr : function(argument);
    Py_XDECREF(argument);
    const long long value = result == nullptr ? -1 : PyLong_AsLongLong(result);
    Py_XDECREF(result);
    return value;
}

}  // namespace

bool pytorch_has_cuda() { return (torch.type != nullptr || find_torch()) && torch.has_cuda; }

bool current_stream(int device, void **stream) {
    const long long address = ask_cuda(torch.current_stream, device);
    *stream = reinterpret_cast<void *>(static_cast<intptr_t>(address));
    return address != -1 || !PyErr_Occurred();
}

int exchange_device(int device) { return static_cast<int>(ask_cuda(torch.exchange_device, device)); }

namespace {

/* Whether `object`, which requires grad, is a leaf or a view of one: 1, 0, or -1 with an exception. */
int is_leaf_or_view(PyObject *object) {
    int result = truth(torch.is_leaf(object));
    if (result != 0) return result;
    PyObject *base = torch.base(object);
    if (base == nullptr || base == Py_None) return Py_XDECREF(base), base == nullptr ? -1 : 0;
    result = truth(torch.is_leaf(base));
    if (result > 0) result = truth(torch.requires_grad(base));
    Py_DECREF(base);
    return result;
}

}  // namespace

int requires_grad(PyObject *object) { return truth(torch.requires_grad(object)); }

Py_ssize_t find_protected(PyObject *const *tensors, Py_ssize_t count) {
    /* Each question costs about as much as the other: grad mode is asked first where it can save several. */
    int grad_enabled = count > 1 ? truth(torch.is_grad_enabled(nullptr)) : 1;
    if (grad_enabled <= 0) return grad_enabled == 0 ? count : -1;
    for (Py_ssize_t i = 0; i < count; ++i) {
        int is = requires_grad(tensors[i]);
        if (is > 0) is = truth(torch.is_grad_enabled(nullptr));
        if (is > 0) is = is_leaf_or_view(tensors[i]);
        if (is != 0) return is > 0 ? i : -1;
    }
    return count;
}

bool bump_versions(PyObject *const *tensors, Py_ssize_t count) {
    static Written *written = new_written();
    if (written == nullptr) return false;
    PyObject *argument = reinterpret_cast<PyObject *>(written);
    if (torch.increment_version.is_direct()) {
        written->next = tensors;
        written->end = tensors + count;
        Py_INCREF(argument);
    } else {
        argument = PyTuple_New(count);
        for (Py_ssize_t i = 0; argument != nullptr && i < count; ++i) {
            Py_INCREF(tensors[i]);
            PyTuple_SetItem(argument, i, tensors[i]);
        }
        if (argument == nullptr) return false;
    }
    PyObject *done = torch.increment_version(argument);
    Py_DECREF(argument);
    Py_XDECREF(done);
    return done != nullptr;
}

}  // namespace bridge
