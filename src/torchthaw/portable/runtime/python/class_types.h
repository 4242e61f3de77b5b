// portable/runtime/python/class_types.h: the types that classes of C++ are made from, for classes.cpp and instances.cpp.
#pragma once
#include "portable/python/objects/eval.h"

namespace pybind11 {
namespace detail {

inline instance *as_instance(PyObject *value) { return reinterpret_cast<instance *>(value); }
inline PyObject *as_object(PyTypeObject *type) { return reinterpret_cast<PyObject *>(type); }

/// Calls `visit` with the address of the value as each of its bases that lies elsewhere.
template <class Visit> void visit_bases(const class_record *record, void *value, const Visit &visit) {
    for (const base_link &base : record->bases) {
        void *address = base.upcast(value);
        if (address != value) visit(address);
        visit_bases(base.record, address, visit);
    }
}

/// The bases of all classes, of those with buffers, and of those with attributes; the type of them, and of static
/// properties. All are borrowed.
PyObject *root_type();
PyObject *buffer_root_type();
PyObject *attributes_root_type();
PyObject *metaclass();
PyTypeObject *static_property_type();

/// The record of a class that class_ made; null for others.
class_record *own_record(PyTypeObject *type);

}  // namespace detail
}  // namespace pybind11
