// portable/runtime/pytorch/start.h: what the runtime's files have of each other.
#pragma once
#include <portable/tensors.h>

namespace torchthaw {

/// The first function without which nothing works and which this PyTorch lacks; null if there is none.
const char *missing();

/// Tries operators whose results are known. False if one gives something else, or an error.
bool trial();

/// Registers what waits for the import of the binary.
void register_deferred();

/// Registers that, and says whether all operators of TORCH_LIBRARY were registered; else a Python error is set.
bool registered_all();

/// Sets the Python error of an exception of c10 or of PyTorch. False for others.
bool translate_pytorch(const std::exception_ptr &error);

}  // namespace torchthaw
