// portable/python/pybind11.h: pybind11/pybind11.h and its kin: all that these headers serve, with tensors as arguments.
#pragma once
#include "portable/python/array.h"
#include "portable/python/class.h"
#include "portable/python/enum.h"
#include "portable/python/module.h"
#include "portable/python/operators.h"
#include "portable/python/override.h"
#include "portable/python/tensors.h"
