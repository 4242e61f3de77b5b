/* buffers.cpp: takes the memory of arrays, and reads the formats of their elements. */
#include "buffers.h"

#include "numpy.h"

#include <dlfcn.h>

#include <climits>
#include <cstring>

namespace bridge {

namespace {

enum { WRITABLE = 0x1, FORMAT = 0x4, SHAPE = 0x8 }; /* PyBUF_WRITABLE, PyBUF_FORMAT, PyBUF_ND: without strides */

int (*get_buffer)(PyObject *object, PythonBuffer *buffer, int flags);
void (*release_buffer)(PythonBuffer *buffer);

template <typename F> bool find(F *function, const char *name) {
    *function = reinterpret_cast<F>(dlsym(RTLD_DEFAULT, name));
    if (*function == nullptr) PyErr_Format(PyExc_ImportError, "torchthaw.bridge: this Python has no %s", name);
    return *function != nullptr;
}

constexpr int64_t NO_SIZE = 0; /* where the sizes of a number would be */

/* DLPack's code of the elements, by a format of the module struct; -1 for what no C type of a parameter is. */
int code_of(const char *format) {
    constexpr char native = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? '<' : '>';
    if (*format == '@' || *format == '=' || *format == native) ++format;
    const bool is_complex = *format == 'Z';
    if (is_complex) ++format;
    if (*format == 0 || format[1] != 0) return -1;
    if (std::strchr("efd", *format) != nullptr) return is_complex ? DLPACK_COMPLEX : DLPACK_FLOAT;
    if (is_complex) return -1;
    if (std::strchr("cbhilqn", *format) != nullptr) return DLPACK_INT;
    if (std::strchr("BHILQN", *format) != nullptr) return DLPACK_UINT;
    return *format == '?' ? int{DLPACK_BOOL} : -1;
}

/* Whether some of the elements are Python's objects: C would write over references. Names stand between colons. */
bool has_objects(const char *format) {
    bool in_name = false;
    for (; *format != 0; ++format) {
        if (*format == ':') in_name = !in_name;
        else if (*format == 'O' && !in_name) return true;
    }
    return false;
}

/* False for elements that have no place in C. */
bool describe(const PythonBuffer &buffer, Tensor *tensor) {
    const char *format = buffer.format == nullptr ? "B" : buffer.format;
    if (buffer.itemsize <= 0 || buffer.itemsize > INT_MAX / 8 || has_objects(format)) return false;
    static_assert(sizeof *buffer.shape == sizeof *tensor->size, "sizes of buffers are sizes of tensors");
    tensor->data = buffer.buf;
    tensor->count = buffer.len / buffer.itemsize;
    tensor->device = ON_CPU;
    tensor->dtype_code = code_of(format);
    tensor->dtype_bits = static_cast<int>(8 * buffer.itemsize);
    tensor->contiguous = true;
    tensor->dimensions = buffer.ndim;
    tensor->size = buffer.ndim == 0 ? &NO_SIZE : buffer.shape;
    tensor->stride = nullptr;
    return true;
}

}  // namespace

bool prepare_buffers() {
    return find(&get_buffer, "PyObject_GetBuffer") && find(&release_buffer, "PyBuffer_Release");
}

bool Buffers::take(PyObject *object, bool is_written, const void *place, Sizes *sizes, Tensor *tensor) {
    static_assert(sizeof(Taken) % sizeof(int64_t) == 0 && alignof(Taken) <= alignof(int64_t), "as sizes have memory");
    auto *taken = reinterpret_cast<Taken *>(sizes->take(sizeof(Taken) / sizeof(int64_t)));
    if (taken == nullptr) return false;
    taken->place = place;
    if (read_numpy(object, is_written, sizes, tensor)) {
        taken->buffer.obj = Ref::borrow(object).release(); /* as its buffer would have it */
        return keep(taken), true;
    }
    if (PyErr_Occurred() != nullptr) return false;
    /* A subclass of NumPy's arrays is a class in Python. */
    const bool may_be_masked = (PyType_GetFlags(Py_TYPE(object)) & Py_TPFLAGS_HEAPTYPE) != 0;
    if (may_be_masked && truth(arrays_py.call("is_masked", "(O)", object)) != 0) return false;
    if (take_buffer(object, is_written, taken, tensor)) return true;
    const bool raised = PyErr_ExceptionMatches(PyExc_Exception) && !PyErr_ExceptionMatches(PyExc_MemoryError);
    return raised && take_exported(object, is_written, taken, tensor);
}

void Buffers::keep(Taken *taken) {
    taken->next = first_;
    first_ = taken;
}

bool Buffers::take_buffer(PyObject *object, bool is_written, Taken *taken, Tensor *tensor) {
    const int flags = FORMAT | SHAPE | (is_written ? WRITABLE : 0);
    if (with_python([&] { return get_buffer(object, &taken->buffer, flags); }) != 0) return false;
    keep(taken);
    const bool may_be_number = taken->buffer.ndim == 0 && taken->buffer.readonly != 0; /* NumPy's have a buffer */
    return !(may_be_number && truth(arrays_py.call("is_number", "(O)", object)) != 0) && describe(taken->buffer, tensor);
}

/* In place of a buffer, what torchthaw.bridge.arrays finds; else the exception that is set stays. */
__attribute__((noinline, cold)) bool Buffers::take_exported(PyObject *object, bool is_written, Taken *taken,
                                                            Tensor *tensor) {
    SavedError refused;
    const Ref found = arrays_py.call("export", "(O)", object);
    if (found == Py_None) return false;
    refused.drop();
    PyObject *memory;
    int code;
    if (found == nullptr || !PyArg_ParseTuple(found, "Oi", &memory, &code)) return false;
    if (PyCapsule_CheckExact(memory)) return take_capsule(memory, is_written, taken, tensor);
    if (!take_buffer(memory, is_written, taken, tensor)) return false;
    tensor->dtype_code = code;
    return true;
}

/* DLPack of before version 1.0 does not tell what is only to be read: JAX gives its arrays, which never change. */
bool Buffers::take_capsule(PyObject *capsule, bool is_written, Taken *taken, Tensor *tensor) {
    const char *name = PyCapsule_GetName(capsule);
    const DLTensor *found;
    bool is_read_only = true;
    if (name != nullptr && std::strcmp(name, "dltensor_versioned") == 0) {
        auto *managed = static_cast<DLManagedTensorVersioned *>(PyCapsule_GetPointer(capsule, name));
        if (managed == nullptr || managed->major != 1) return false;
        is_read_only = (managed->flags & (DLPACK_READ_ONLY | DLPACK_IS_COPIED)) != 0;
        found = &managed->tensor;
    } else {
        auto *managed = static_cast<DLManagedTensor *>(PyCapsule_GetPointer(capsule, "dltensor"));
        if (managed == nullptr) return false;
        found = &managed->tensor;
    }
    taken->buffer.obj = Ref::borrow(capsule).release(); /* nobody else takes what it has: it frees that with itself */
    keep(taken);
    read_dltensor(*found, tensor);
    if (found->ndim == 0) tensor->size = &NO_SIZE;
    return !is_written || !is_read_only;
}

bool Buffers::has(const void *place) const {
    const Taken *taken = first_;
    while (taken != nullptr && taken->place != place) taken = taken->next;
    return taken != nullptr;
}

void Buffers::give_back() {
    for (; first_ != nullptr; first_ = first_->next) release_buffer(&first_->buffer);
}

}  // namespace bridge
