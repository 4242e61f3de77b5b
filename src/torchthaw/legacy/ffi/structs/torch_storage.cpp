/* structs/torch_storage.cpp: asks the torch storage below a tensor, by PyTorch's public methods. */
#include "torch_storage.h"

#include "bridge/values/attributes.h"
#include "bridge/values/tensor.h"
#include "in_python.h"

#include <algorithm>
#include <exception>

namespace bridge {

namespace {

struct {
    Method untyped_storage{"untyped_storage"}, storage_offset{"storage_offset"}, element_size{"element_size"};
    Method nbytes{"nbytes"}, data_ptr{"data_ptr"}, is_shared{"is_shared"}, resizable{"resizable"}; /* of storages */
} methods;

void set_error(const char *message) {
    const Ref text(PyErr_Occurred() ? nullptr : PyUnicode_FromString(message));
    if (text != nullptr) PyErr_SetObject(PyExc_RuntimeError, text);
}

/* What growing a storage that cannot grow would do to it, PyTorch does not say until it has happened, or crashes. */
bool can_grow(PyObject *tensor, PyObject *storage, bool on_cuda) {
    if (!on_cuda && !methods.is_shared.is(storage, Py_False)) {
        set_error("Trying to resize storage that is not resizable (it is in shared memory)");
        return false;
    }
    if (!methods.resizable.is(storage, Py_True)) {
        set_error("Trying to resize storage that is not resizable");
        return false;
    }
    return requires_grad(tensor) == 0 || th_py.call("check_resizing", "(O)", tensor).get() != nullptr;
}

/* Whether th.followed has the tensor: 1, 0, or -1 with an exception. */
int is_followed(PyObject *tensor) {
    static PyObject *followed = nullptr;
    if (followed == nullptr) followed = th_py.attribute("followed").release();
    if (followed == nullptr) return -1;
    if (PyDict_Size(followed) == 0) return 0;
    const Ref key(PyLong_FromVoidPtr(tensor));
    return key == nullptr ? -1 : PyDict_Contains(followed, key);
}

/* Takes the reference, and gives the tuple its item. False with an exception set. */
bool set_item(PyObject *tuple, int index, PyObject *item) {
    return item != nullptr && PyTuple_SetItem(tuple, index, item) == 0;
}

/* Where a storage begins; NULL perhaps with an exception set. */
char *address_of(PyObject *storage) {
    const Ref address = methods.data_ptr(storage);
    return static_cast<char *>(address == nullptr ? nullptr : PyLong_AsVoidPtr(address));
}

bool resize(PyObject *tensor, PyObject *storage, bool on_cuda, int64_t bytes, Resized *resized) {
    int64_t needed;
    if (__builtin_add_overflow(resized->offset, bytes, &needed)) {
        set_error("Trying to resize storage beyond all memory");
        return false;
    }
    resized->bytes_before = methods.nbytes.integer(storage);
    if (resized->bytes_before < 0) return false;
    resized->now = resized->before = resized->bytes_before == 0 ? nullptr : address_of(storage);
    if (resized->now == nullptr && PyErr_Occurred()) return false;
    if (needed <= resized->bytes_before) return true;
    if (!can_grow(tensor, storage, on_cuda)) return false;
    const Ref size(PyLong_FromLongLong(needed));
    if (size == nullptr) return false;
    static PyObject *name = nullptr;
    if (name == nullptr) name = PyUnicode_InternFromString("resize_");
    const Ref done(name == nullptr ? nullptr : PyObject_CallMethodObjArgs(storage, name, size.get(), nullptr));
    resized->now = done == nullptr ? nullptr : address_of(storage);
    return !PyErr_Occurred();
}

/* False where PyTorch's function for Python has to do it, or to raise why it cannot be done. */
bool resize_body(PyObject *tensor, const int64_t *size, int dimensions) {
    constexpr uint16_t NO_FORMAT = 0; /* an empty std::optional<MemoryFormat> */
    /* The sizes are c10::SymInt to PyTorch: below zero some of these are pointers. */
    if (torch.resize_body == nullptr || std::any_of(size, size + dimensions, [](int64_t each) { return each < 0; })) {
        return false;
    }
    try {
        torch.resize_body(body_of(tensor), size, static_cast<size_t>(dimensions), NO_FORMAT);
        return true;
    } catch (const std::exception &) {
        return false;
    }
}

}  // namespace

bool read_storage(PyObject *tensor, void *data, int64_t extent, int element, TorchStorage *storage) {
    storage->object = methods.untyped_storage(tensor);
    if (storage->object == nullptr) return false;
    storage->bytes = PyObject_Size(storage->object); /* nbytes(), and faster */
    if (storage->bytes < 0) return false;
    storage->offset = 0;
    storage->data = data;
    /* Nearly always a tensor covers all of its storage, and begins where that does; else PyTorch knows. */
    if (storage->bytes == extent * element && data != nullptr) return true;
    storage->offset = methods.storage_offset.integer(tensor);
    if (data != nullptr) storage->data = static_cast<char *>(data) - storage->offset * element;
    else if (storage->offset >= 0) storage->data = address_of(storage->object);
    return !PyErr_Occurred();
}

bool resize_storage(PyObject *tensor, bool full, bool on_cuda, int64_t bytes, Resized *resized) {
    resized->offset = full ? 0 : methods.storage_offset.integer(tensor);
    if (resized->offset > 0) resized->offset *= methods.element_size.integer(tensor);
    const Ref storage = PyErr_Occurred() ? Ref() : methods.untyped_storage(tensor);
    resized->storage = storage;
    return storage != nullptr && resize(tensor, storage, on_cuda, bytes, resized);
}

int resize_tensor(PyObject *tensor, const int64_t *size, int dimensions) {
    static PyObject *native = nullptr;
    if (native == nullptr) native = th_py.attribute("native_resize").release();
    if (native == nullptr) return -1;
    if (!is_plain_tensor(tensor)) return 0;
    const int followed = is_followed(tensor);
    if (followed != 0) return followed < 0 ? -1 : 0;
    const int grad = requires_grad(tensor);
    if (grad != 0) return grad < 0 ? -1 : 0;
    static const int64_t nothing = 0;
    const int count = dimensions == 0 ? 1 : dimensions; /* no dimensions are a size of 0 */
    if (resize_body(tensor, dimensions == 0 ? &nothing : size, count)) return 1;
    const Ref arguments(PyTuple_New(1 + count));
    if (arguments == nullptr) return -1;
    PyTuple_SetItem(arguments, 0, Ref::borrow(tensor).release());
    for (int i = 0; i < count; ++i) {
        if (!set_item(arguments, 1 + i, PyLong_FromLongLong(dimensions == 0 ? 0 : size[i]))) return -1;
    }
    return Ref(PyObject_Call(native, arguments, nullptr)).get() == nullptr ? -1 : 1;
}

Ref integers(const int64_t *values, int count) {
    Ref tuple(PyTuple_New(count));
    for (int i = 0; tuple != nullptr && i < count; ++i) {
        if (!set_item(tuple, i, PyLong_FromLongLong(values[i]))) tuple = Ref();
    }
    return tuple;
}

}  // namespace bridge
