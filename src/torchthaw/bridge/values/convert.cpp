/* convert.cpp: what all converters share: how they refuse. */
#include "convert.h"

namespace bridge {

namespace {

PyTypeObject *cdata_type, *buffer_type; /* the latter of ffi.from_buffer */
PyObject *view_type;                    /* ffi.buffer */
PyObject *type_of;                      /* _cffi_backend.typeof */

/* What cffi's generated modules call, by its number in their table: _cffi_to_c_pointer. NULL: cffi converts each time. */
char *(*to_pointer)(PyObject *object, PyObject *ctype);
constexpr int TO_POINTER = 11;

/* Looks for it, and tries it. An exception that is set is of a lack of memory. */
void find_to_pointer(PyObject *backend, PyObject *ffi) {
    const Ref table(PyObject_GetAttrString(backend, "_C_API"));
    auto *entries = static_cast<void **>(table == nullptr ? nullptr : PyCapsule_GetPointer(table, "cffi"));
    const Ref type(entries == nullptr ? nullptr : PyObject_CallMethod(ffi, "typeof", "s", "int *"));
    const Ref pointer(type == nullptr ? nullptr : PyObject_CallMethod(ffi, "cast", "Oi", type.get(), 4096));
    if (pointer != nullptr) {
        std::memcpy(&to_pointer, &entries[TO_POINTER], sizeof to_pointer);
        if (to_pointer(pointer, type) != reinterpret_cast<char *>(4096)) to_pointer = nullptr;
    }
    if (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_MemoryError)) PyErr_Clear();
}

bool is_number(PyObject *object) {
    return PyLong_CheckExact(object) || PyFloat_CheckExact(object) || PyBool_Check(object);
}

}  // namespace

Outcome refuse(const Argument &argument, const int *device, const char *explainer) {
    const thaw_parameter &parameter = argument.parameter;
    SavedError cause; /* what PyTorch said, if anything */
    PythonModule &module = device == nullptr ? errors_py : cuda_errors_py;
    module.call(explainer, device == nullptr ? "siiiiOO" : "siiiiOOi", parameter.name, parameter.kind, parameter.flags,
                parameter.dtype_code, parameter.dtype_bits, argument.object,
                cause.value() == nullptr ? Py_None : cause.value(), device == nullptr ? 0 : *device);
    cause.drop();
    if (!PyErr_Occurred()) PyErr_Format(PyExc_SystemError, "%s: refused without a reason", parameter.name);
    return FAILED;
}

Outcome out_of_range(const Argument &argument) {
    PyErr_Clear();
    return refuse(argument, nullptr, "out_of_range");
}

bool prepare_conversion() {
    const Ref backend(PyImport_ImportModule("_cffi_backend"));
    Ref base(backend == nullptr ? nullptr : PyObject_GetAttrString(backend, "_CDataBase"));
    const Ref ffi(base == nullptr ? nullptr : PyObject_CallMethod(backend, "FFI", nullptr));
    const Ref buffer(ffi == nullptr ? nullptr : PyObject_CallMethod(ffi, "from_buffer", "y", ""));
    Ref view(buffer == nullptr ? nullptr : PyObject_GetAttrString(ffi, "buffer"));
    Ref typeof_function(view == nullptr ? nullptr : PyObject_GetAttrString(backend, "typeof"));
    if (typeof_function == nullptr) return false;
    type_of = typeof_function.release();
    cdata_type = reinterpret_cast<PyTypeObject *>(base.release());
    buffer_type = Py_TYPE(buffer.get());
    view_type = view.release();
    find_to_pointer(backend, ffi);
    return PyErr_Occurred() == nullptr;
}

bool is_cdata(PyObject *object) { return PyType_IsSubtype(Py_TYPE(object), cdata_type); }

bool cffi_address(PyObject *object, PyObject *ctype, void **address) {
    if (to_pointer == nullptr || Py_TYPE(object) == buffer_type) return false;
    *address = to_pointer(object, ctype);
    if (*address != nullptr || PyErr_Occurred() == nullptr) return true;
    PyErr_Clear();
    return false;
}

int is_function(PyObject *object) {
    const Ref type(PyObject_CallFunctionObjArgs(type_of, object, nullptr));
    const Ref kind(type == nullptr ? nullptr : PyObject_GetAttrString(type, "kind"));
    return kind == nullptr ? -1 : PyUnicode_CompareWithASCIIString(kind, "function") == 0;
}

bool describe_cdata(PyObject *object, void *address, Array *array) {
    const Py_ssize_t count = PyObject_Size(object);
    array->dimensions = count >= 0 ? Array::COUNTED : address != nullptr ? Array::UNKNOWN : Array::NOTHING;
    array->count = count >= 0 ? count : 0;
    array->begin = static_cast<const char *>(address);
    array->end = array->begin + (address != nullptr ? 1 : 0);
    if (count < 0) return PyErr_ExceptionMatches(PyExc_TypeError) && (PyErr_Clear(), true);
    const Ref view(PyObject_CallFunctionObjArgs(view_type, object, nullptr));
    const Py_ssize_t bytes = view == nullptr ? -1 : PyObject_Size(view);
    array->end = array->begin + bytes;
    return bytes >= 0;
}

bool is_plain_for_cffi(const Argument &argument) {
    PyObject *object = argument.object;
    if (is_cdata(object)) return Py_TYPE(object) != buffer_type;
    if (PyBytes_CheckExact(object)) return (argument.parameter.flags & THAW_WRITTEN) == 0;
    if (is_number(object) || object == Py_None || PyUnicode_CheckExact(object)) return true;
    if (argument.parameter.kind == THAW_CFFI) return false; /* the fields of a struct: cffi leaves out those not given */
    const bool is_tuple = PyTuple_CheckExact(object);
    if (!is_tuple && !PyList_CheckExact(object)) return false;
    const Py_ssize_t count = is_tuple ? PyTuple_Size(object) : PyList_Size(object);
    for (Py_ssize_t i = 0; i < count; ++i) {
        if (!is_number(is_tuple ? PyTuple_GetItem(object, i) : PyList_GetItem(object, i))) return false;
    }
    return true;
}

}  // namespace bridge
