/* operators/register.h: gives PyTorch the kernels of an extension. */
#pragma once

#include <Python.h>

namespace bridge {

/* register_kernels(module, namespace, operators, dispatch_key, remedies={}), for Python.
 *
 * module: that of an extension. operators: {name of an operator, with its overload behind a dot: name of the C function
 * that stands for it}; "f" is the functional form if the function has one, "f.out" the one that writes to its arguments.
 * dispatch_key: "CPU" or "CUDA". remedies: {name of an operator: what its error says to call where a derivative is
 * wanted}. The operators' schemas are defined already; ValueError for one that does not fit its function.
 *
 * Returns the list of those that got a kernel. All others need one in Python: functions of which a kernel cannot make
 * all arguments, and all functions where PyTorch has no stable C interface for kernels, or where
 * TORCHTHAW_NO_NATIVE_KERNELS is set. KeyError for a function that the module does not have. */
PyObject *register_kernels(PyObject *self, PyObject *arguments);

/* register_failure(namespace, operator), for Python: gives an operator of one tensor, and no result, a kernel for the
 * CPU that raises an OverflowError. Returns False where PyTorch has no stable C interface for kernels. */
PyObject *register_failure(PyObject *self, PyObject *arguments);

}  // namespace bridge
