// portable/python/pybind11.h: pybind11/pybind11.h and what it includes, with tensors as arguments.
#pragma once
#include "portable/python/module.h"
#include "portable/python/tensors.h"
#include "portable/python/objects/typing.h"
