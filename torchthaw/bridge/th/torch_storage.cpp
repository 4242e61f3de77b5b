/* th/torch_storage.cpp: asks the torch storage below a tensor, by PyTorch's public methods. */
#include "torch_storage.h"

#include "../attributes.h"
#include "backing.h"
#include "../tensor.h"

namespace bridge {

namespace {

struct {
    Method untyped_storage{"untyped_storage"}, storage_offset{"storage_offset"}, element_size{"element_size"};
    Method nbytes{"nbytes"}, data_ptr{"data_ptr"}, is_shared{"is_shared"}, resizable{"resizable"}; /* of storages */
    PyObject *resize = PyUnicode_InternFromString("resize_");
} torch;

void set_error(const char *message) {
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_RuntimeError, message);
}

/* What growing a storage that cannot grow would do to it, PyTorch does not say until it has happened, or crashes. */
bool can_grow(PyObject *tensor, PyObject *storage, bool on_cuda) {
    if (!on_cuda && !torch.is_shared.is(storage, Py_False)) {
        set_error("Trying to resize storage that is not resizable (it is in shared memory)");
        return false;
    }
    if (!torch.resizable.is(storage, Py_True)) {
        set_error("Trying to resize storage that is not resizable");
        return false;
    }
    if (requires_grad(tensor) == 0) return true;
    PyObject *allowed = call_python("check_resizing", "(O)", tensor);
    Py_XDECREF(allowed);
    return allowed != nullptr;
}

/* Whether th.followed has the tensor. */
bool is_followed(PyObject *tensor) {
    static PyObject *followed = nullptr;
    if (followed == nullptr) followed = th_attribute("followed");
    if (PyDict_Size(followed) == 0) return false;
    PyObject *id = PyLong_FromVoidPtr(tensor);
    const bool found = PyDict_Contains(followed, id) != 0;
    Py_XDECREF(id);
    return found;
}

/* Where a storage begins; NULL perhaps with an exception set. */
char *address_of(PyObject *storage) {
    PyObject *address = torch.data_ptr(storage);
    void *data = address == nullptr ? nullptr : PyLong_AsVoidPtr(address);
    Py_XDECREF(address);
    return static_cast<char *>(data);
}

bool resize(PyObject *tensor, PyObject *storage, bool on_cuda, int64_t bytes, Resized *resized) {
    const int64_t needed = resized->offset + bytes;
    resized->bytes_before = torch.nbytes.integer(storage);
    if (resized->bytes_before < 0) return false;
    resized->now = resized->before = resized->bytes_before == 0 ? nullptr : address_of(storage);
    if (needed <= resized->bytes_before) return !PyErr_Occurred();
    if (!can_grow(tensor, storage, on_cuda)) return false;
    PyObject *size = PyLong_FromLongLong(needed);
    PyObject *done = size == nullptr ? nullptr : PyObject_CallMethodObjArgs(storage, torch.resize, size, nullptr);
    Py_XDECREF(size);
    Py_XDECREF(done);
    resized->now = done == nullptr ? nullptr : address_of(storage);
    return !PyErr_Occurred();
}

}  // namespace

bool read_window(PyObject *tensor, void *data, int64_t extent, int element, Window *window) {
    window->storage = torch.untyped_storage(tensor);
    if (window->storage == nullptr) return false;
    window->bytes = PyObject_Size(window->storage); /* nbytes(), and faster */
    window->offset = 0;
    window->data = data;
    /* Nearly always a tensor covers all of its storage, and begins where that does; else PyTorch knows. */
    if (window->bytes == extent * element && data != nullptr) return true;
    if (window->bytes >= 0) window->offset = torch.storage_offset.integer(tensor);
    if (data != nullptr) window->data = static_cast<char *>(data) - window->offset * element;
    else if (window->offset >= 0) window->data = address_of(window->storage);
    if (!PyErr_Occurred()) return true;
    Py_DECREF(window->storage);
    return false;
}

bool resize_storage(PyObject *tensor, bool whole, bool on_cuda, int64_t bytes, Resized *resized) {
    resized->offset = whole ? 0 : torch.storage_offset.integer(tensor);
    if (resized->offset > 0) resized->offset *= torch.element_size.integer(tensor);
    PyObject *storage = PyErr_Occurred() ? nullptr : torch.untyped_storage(tensor);
    const bool done = storage != nullptr && resize(tensor, storage, on_cuda, bytes, resized);
    resized->storage = storage;
    Py_XDECREF(storage);
    return done;
}

int resize_tensor(PyObject *tensor, const int64_t *size, int dimensions) {
    static PyObject *native = nullptr;
    if (native == nullptr) native = th_attribute("native_resize");
    if (native == nullptr) return -1;
    if (!is_plain_tensor(tensor) || is_followed(tensor)) return 0;
    const int grad = requires_grad(tensor);
    if (grad != 0) return grad < 0 ? -1 : 0;
    const int count = dimensions == 0 ? 1 : dimensions; /* no dimensions are a size of 0 */
    PyObject *arguments = PyTuple_New(1 + count);
    if (arguments == nullptr) return -1;
    Py_INCREF(tensor);
    PyTuple_SetItem(arguments, 0, tensor);
    for (int i = 0; i < count; ++i) {
        PyTuple_SetItem(arguments, 1 + i, PyLong_FromLongLong(dimensions == 0 ? 0 : size[i]));
    }
    PyObject *resized = PyObject_Call(native, arguments, nullptr);
    Py_DECREF(arguments);
    Py_XDECREF(resized);
    return resized == nullptr ? -1 : 1;
}

PyObject *integers(const int64_t *values, int count) {
    PyObject *tuple = PyTuple_New(count);
    for (int i = 0; tuple != nullptr && i < count; ++i) PyTuple_SetItem(tuple, i, PyLong_FromLongLong(values[i]));
    return tuple;
}

}  // namespace bridge
