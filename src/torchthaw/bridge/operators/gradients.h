/* operators/gradients.h: an operator made of a C function has no derivative, and says so before one is lost. */
#pragma once

#include "bridge/python.h"
#include "handles.h"
#include "plan.h"

namespace bridge {

/* Whether PyTorch tells what refuse_gradient() asks; false, perhaps with an exception set, where it does not. Needs the
 * GIL. */
bool find_gradients();

/* Throws a std::runtime_error where autograd would lose what a kernel does with a tensor: it has a tangent, or it
 * requires grad in grad mode, which `records` says. Nothing, where PyTorch does not tell. */
void refuse_gradient(TensorObject *tensor, bool records, const Plan &plan, const char *parameter);

/* kernels_refuse_gradients(), for Python. */
PyObject *kernels_refuse_gradients(PyObject *self, PyObject *nothing);

}  // namespace bridge
