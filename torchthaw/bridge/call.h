/* call.h: one call from Python to C. */
#pragma once

#include "bridge.h"

namespace bridge {

/* Imports what error messages and conversions need. False with an exception set. */
bool prepare_calls();

/* See thaw_bridge::call. */
PyObject *call(const thaw_function *function, void *frame, PyObject **scratch, PyObject *const *arguments,
               Py_ssize_t count, PyObject *keywords);

/* See thaw_bridge::call_th. */
PyObject *call_th(const thaw_function *function, void *frame, PyObject **scratch, PyObject *const *arguments,
                  Py_ssize_t count, PyObject *keywords);

/* The Python object for a result of a C function, whose kind is not THAW_CFFI or one of TH's. */
PyObject *to_python(int kind, const void *value);

}  // namespace bridge
