// portable/runtime/python/functions.h: what the files about bound functions share.
#pragma once
#include "portable/python/module.h"

namespace pybind11 {
namespace detail {

using vectorcall = PyObject *(*)(PyObject *, PyObject *const *, size_t, PyObject *);

/// Owns the overloads. It is `self` of a builtin function, or a method itself.
struct function_object {
    PyObject_HEAD
    vectorcall call;  // of methods
    function_record *records;
    PyMethodDef *definition;
    std::string *doc;
    PyObject *name, *module, *qualified_name;
};

inline function_object *as_function_object(PyObject *value) { return reinterpret_cast<function_object *>(value); }

// Calls of builtin functions, of methods, and of methods from C.
PyObject *call_builtin(PyObject *self, PyObject *const *given, Py_ssize_t count, PyObject *names);
PyObject *call_method(PyObject *self, PyObject *const *given, size_t count, PyObject *names);
PyObject *call_with_tuple(PyObject *self, PyObject *arguments, PyObject *named);

/// The call's result where no overload fits: NotImplemented of an operator, else null and a TypeError.
PyObject *refuse(const function_record *first, PyObject *const *given, size_t count, PyObject *names);

/// Sets the error of a result that no Python type stands for.
void explain_result(const function_record &record);

/// "(x: int) -> None"; parts: the types, each parameter's end an empty part.
std::string describe_signature(const function_record &record, const text_part *parts, size_t count);

/// __doc__ of a function, as the options say.
std::string describe_overloads(const function_record *first);

}  // namespace detail
}  // namespace pybind11
