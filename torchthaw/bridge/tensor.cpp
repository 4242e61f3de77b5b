/* tensor.cpp: reads torch tensors, through DLPack's C exchange API or through their public attributes. */
#include "tensor.h"

#include "dlpack.h"

namespace bridge {

namespace {

/* What torchthaw.bridge.pytorch.access() found; `type` is NULL until PyTorch has been imported. */
struct {
    PyTypeObject *type;
    int (*dltensor)(void *object, DLTensor *out); /* NULL: read attributes */
    PyObject *describe, *increment_version, *is_grad_enabled;
    PyObject *requires_grad, *is_leaf, *base, *is_conj, *is_neg; /* names */
} torch;

bool find_torch() {
    static PyObject *name = PyUnicode_InternFromString("torch");
    PyObject *module = PyImport_GetModule(name);
    if (module == nullptr) return PyErr_Clear(), false;
    Py_DECREF(module);
    PyObject *pytorch = PyImport_ImportModule("torchthaw.bridge.pytorch");
    PyObject *found = pytorch == nullptr ? nullptr : PyObject_CallMethod(pytorch, "access", nullptr);
    Py_XDECREF(pytorch);
    PyObject *type, *capsule;
    if (found == nullptr || !PyArg_ParseTuple(found, "OOOOO", &type, &capsule, &torch.describe,
                                              &torch.increment_version, &torch.is_grad_enabled)) {
        Py_XDECREF(found);
        PyErr_Clear(); /* torch is being imported right now */
        return false;
    }
    if (capsule != Py_None) {
        auto *api = static_cast<DLPackExchangeAPI *>(PyCapsule_GetPointer(capsule, "dlpack_exchange_api"));
        while (api != nullptr && api->version.major > 1) api = api->previous;
        if (api == nullptr) PyErr_Clear();
        if (api != nullptr && api->version.major == 1) torch.dltensor = api->dltensor_from_py_object_no_sync;
    }
    torch.requires_grad = PyUnicode_InternFromString("requires_grad");
    torch.is_leaf = PyUnicode_InternFromString("is_leaf");
    torch.base = PyUnicode_InternFromString("_base");
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

bool read_tensor(PyObject *object, Tensor *tensor) {
    if (torch.dltensor == nullptr) {
        PyObject *found = PyObject_CallFunctionObjArgs(torch.describe, object, nullptr);
        if (found == nullptr) return false;
        unsigned long long address;
        long long count;
        int contiguous, on_cpu;
        bool read = PyArg_ParseTuple(found, "KLppii", &address, &count, &contiguous, &on_cpu, &tensor->dtype_code,
                                     &tensor->dtype_bits);
        Py_DECREF(found);
        tensor->data = reinterpret_cast<void *>(static_cast<uintptr_t>(address));
        tensor->count = count;
        tensor->contiguous = contiguous;
        tensor->on_cpu = on_cpu;
        return read;
    }
    DLTensor found;
    if (torch.dltensor(object, &found) != 0) return false;
    tensor->data = static_cast<char *>(found.data) + found.byte_offset;
    tensor->count = 1;
    for (int32_t i = 0; i < found.ndim; ++i) tensor->count *= found.shape[i];
    tensor->contiguous = is_contiguous(found);
    tensor->on_cpu = found.device.device_type == DLPACK_CPU || found.device.device_type == DLPACK_CUDA_HOST;
    tensor->dtype_code = found.dtype.code;
    tensor->dtype_bits = found.dtype.bits * found.dtype.lanes;
    return true;
}

int is_lazy(PyObject *object, const Tensor &tensor) {
    if (tensor.dtype_code == DLPACK_COMPLEX) {
        return truth(PyObject_CallMethodObjArgs(object, torch.is_conj, nullptr));
    }
    return truth(PyObject_CallMethodObjArgs(object, torch.is_neg, nullptr));
}

int is_protected(PyObject *object) {
    int result = truth(PyObject_GetAttr(object, torch.requires_grad));
    if (result <= 0) return result;
    result = truth(PyObject_CallObject(torch.is_grad_enabled, nullptr));
    if (result <= 0) return result;
    result = truth(PyObject_GetAttr(object, torch.is_leaf));
    if (result != 0) return result;
    PyObject *base = PyObject_GetAttr(object, torch.base);
    if (base == nullptr || base == Py_None) return Py_XDECREF(base), base == nullptr ? -1 : 0;
    result = truth(PyObject_GetAttr(base, torch.is_leaf));
    if (result > 0) result = truth(PyObject_GetAttr(base, torch.requires_grad));
    Py_DECREF(base);
    return result;
}

bool bump_versions(PyObject *const *tensors, Py_ssize_t count) {
    PyObject *all = PyTuple_New(count);
    if (all == nullptr) return false;
    for (Py_ssize_t i = 0; i < count; ++i) {
        Py_INCREF(tensors[i]);
        PyTuple_SetItem(all, i, tensors[i]);
    }
    PyObject *done = PyObject_CallFunctionObjArgs(torch.increment_version, all, nullptr);
    Py_DECREF(all);
    Py_XDECREF(done);
    return done != nullptr;
}

}  // namespace bridge
