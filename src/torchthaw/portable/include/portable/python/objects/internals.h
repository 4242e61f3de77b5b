// portable/python/objects/internals.h: the tables of registered classes and of instances, under pybind11's names.
#pragma once
#include "portable/python/instance.h"

#include <typeindex>
#include <unordered_map>
#include <unordered_set>

namespace pybind11 {
namespace detail {

/// One for each extension; never destroyed, since instances may die after the static objects.
struct internals {
    std::unordered_map<std::type_index, class_record *> registered_types_cpp;
    /// Each class has one record; classes of Python are not here.
    std::unordered_map<PyTypeObject *, std::vector<class_record *>> registered_types_py;
    std::unordered_multimap<const void *, instance *> registered_instances;
};
internals &get_internals();
internals &get_local_internals();
/// How many addresses are known as those of values of instances.
size_t num_registered_instances();

}  // namespace detail
}  // namespace pybind11
