// portable/runtime/pytorch/boxed.h: kernels that PyTorch's dispatcher calls without Python.
#pragma once
#include <portable/library.h>

namespace torchthaw {

/// Registers a kernel for an operator, "name" or "name.overload", and a dispatch key. schema: torch.ops' own. False, and
/// nothing is registered, where this PyTorch has no such functions, or a type of the schema or of the kernel no cell.
bool register_boxed(const std::string &ns, const std::string &name, const std::string &key, const torch::CppFunction &function,
                    const pybind11::object &schema);

}  // namespace torchthaw
