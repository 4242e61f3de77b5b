/* convert.cpp: what all converters share: how they refuse. */
#include "convert.h"

namespace bridge {

namespace {

PyTypeObject *cdata_type, *buffer_type; /* the latter of ffi.from_buffer */

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
    cdata_type = reinterpret_cast<PyTypeObject *>(base.release());
    if (buffer != nullptr) buffer_type = Py_TYPE(buffer.get());
    return buffer != nullptr;
}

bool is_cdata(PyObject *object) { return PyType_IsSubtype(Py_TYPE(object), cdata_type); }

bool is_plain_for_cffi(const Argument &argument) {
    PyObject *object = argument.object;
    if (is_cdata(object)) return Py_TYPE(object) != buffer_type;
    if (PyBytes_CheckExact(object)) return (argument.parameter.flags & THAW_WRITTEN) == 0;
    if (is_number(object) || object == Py_None || PyUnicode_CheckExact(object)) return true;
    const bool is_tuple = PyTuple_CheckExact(object);
    if (!is_tuple && !PyList_CheckExact(object)) return false;
    const Py_ssize_t count = is_tuple ? PyTuple_Size(object) : PyList_Size(object);
    for (Py_ssize_t i = 0; i < count; ++i) {
        if (!is_number(is_tuple ? PyTuple_GetItem(object, i) : PyList_GetItem(object, i))) return false;
    }
    return true;
}

}  // namespace bridge
