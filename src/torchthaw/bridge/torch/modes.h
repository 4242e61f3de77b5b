/* modes.h: calls that PyTorch's dispatch modes have to see: those of torch.export, make_fx and fake tensors. */
#pragma once

#include "bridge/call/call.h"

namespace bridge {

/* Whether a call goes to the operator: an argument is a tensor, and a mode is active in this thread. */
bool belongs_to_modes(PyObject *const *arguments, Py_ssize_t count, PyObject *keywords);

/* For a call that has refused an argument: the operator's result where the argument is a fake tensor or a functional
 * one, which modes make; else NULL with the exception that is set. */
PyObject *after_refusal(const thaw_callable *function, PyObject *refused, PyObject *const *arguments, Py_ssize_t count,
                        PyObject *keywords);

/* Calls the function's operator, by torchthaw.library, with what the caller passed. */
PyObject *call_operator(const thaw_callable *function, PyObject *const *arguments, Py_ssize_t count,
                        PyObject *keywords);

/* call_below_modes(function, *arguments): for the operators' kernels, which modes have already seen. */
PyObject *call_below_modes(PyObject *module, PyObject *const *arguments, Py_ssize_t count);

}  // namespace bridge
