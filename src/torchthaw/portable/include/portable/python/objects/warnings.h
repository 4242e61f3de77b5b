// portable/python/objects/warnings.h: pybind11/warnings.h: warnings of Python.
#pragma once
#include "portable/python/module.h"

namespace pybind11 {
namespace warnings {

/// A new class of warnings in a scope; throws where the base is no warning or the name is taken.
object new_warning_type(handle scope, const char *name, handle base = PyExc_RuntimeWarning);
/// Warns; throws where the category is no warning, or a filter makes an error of it.
void warn(const char *message, handle category = PyExc_RuntimeWarning, int stack_level = 2);

}  // namespace warnings
}  // namespace pybind11
