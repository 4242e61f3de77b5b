/* call.h: one call from Python to C. */
#pragma once

#include "bridge.h"

namespace bridge {

/* Imports what error messages and conversions need. False with an exception set. */
bool prepare_calls();

/* See thaw_bridge::call. */
PyObject *call(const thaw_function *function, void *frame, PyObject **scratch, PyObject *const *arguments,
               Py_ssize_t count, PyObject *keywords);

}  // namespace bridge
