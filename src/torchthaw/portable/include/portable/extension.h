// portable/extension.h: torch/extension.h: tensors, and pybind11 with the conversions of tensors.
#pragma once
#include "dispatcher.h"
#include "library.h"
#include "core/memory.h"
#include "nn.h"
#include "python/pybind11.h"

namespace py = pybind11;
