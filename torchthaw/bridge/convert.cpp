/* convert.cpp: what all converters share: how they refuse. */
#include "convert.h"

namespace bridge {

namespace {

PyTypeObject *cdata_type;

}  // namespace

Outcome refuse(const Argument &argument, const int *device, const char *explainer) {
    const thaw_parameter &parameter = argument.parameter;
    SavedError cause; /* what PyTorch said, if anything */
    PythonModule &module = device == nullptr ? errors_py : cuda_py;
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
    cdata_type = reinterpret_cast<PyTypeObject *>(base.release());
    return cdata_type != nullptr;
}

bool is_cdata(PyObject *object) { return PyType_IsSubtype(Py_TYPE(object), cdata_type); }

}  // namespace bridge
