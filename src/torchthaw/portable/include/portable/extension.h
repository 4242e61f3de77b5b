// portable/extension.h: torch/extension.h: tensors, and pybind11 with the conversions of tensors.
#pragma once
#include "library.h"
#include "python/pybind11.h"

namespace py = pybind11;
