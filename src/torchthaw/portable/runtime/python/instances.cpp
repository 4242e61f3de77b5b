// portable/runtime/python/instances.cpp: instances of C++ classes: found, made, owned and converted; overriding in Python.
#include "class_types.h"

namespace pybind11 {
namespace detail {

bool is_instance(PyObject *value) {
    return PyObject_TypeCheck(value, reinterpret_cast<PyTypeObject *>(root_type()));
}

void *upcast(const class_record *from, void *value, const class_record *target) {
    if (from == target) return value;
    for (const base_link &base : from->bases) {
        if (void *found = upcast(base.record, base.upcast(value), target)) return found;
    }
    return nullptr;
}

// ---- constructors of before pybind11 2.2: def("__init__", [](T &self, ...) { new (&self) T(...); })

namespace {
PyObject *in_old_constructor = nullptr;  // the object that such a function fills; the GIL guards it

/// Memory for the value that the function will make there; null outside such a function.
void *allocate_for_constructor(PyObject *source, held_value *place, const class_record *record) {
    if (source != in_old_constructor || Py_TYPE(source) == nullptr) return nullptr;
    place->record = record;
    return place->value = record->allocate();
}
}  // namespace

PyObject *run_old_constructor(const function_record &record, PyObject *const *arguments, std::uint64_t convert) {
    PyObject *before = std::exchange(in_old_constructor, arguments[0]);
    auto finish = [&](bool has_value) {
        in_old_constructor = before;
        instance *self = as_instance(arguments[0]);
        for (size_t i = 0; is_instance(arguments[0]) && i < self->count(); ++i) {
            held_value *place = &self->held(i);
            if (!place->value || place->is_indexed) continue;
            void *value = std::exchange(place->value, nullptr);
            if (has_value) {
                adopt_value(self, place, value, place->record);
                place->record->take_ownership(place, value);
            } else {
                place->record->deallocate(value);
            }
        }
    };
    try {
        PyObject *result = record.run_inside(record, arguments, convert);
        finish(result && result != try_next_overload);
        return result;
    } catch (...) {
        finish(false);
        throw;
    }
}

held_value *find_held(PyObject *source, const class_record *target) {
    if (!target || !is_instance(source) || !PyType_IsSubtype(Py_TYPE(source), target->python_type)) return nullptr;
    instance *self = as_instance(source);
    if (self->other_count == 0) return &self->first;
    const auto &records = classes_of(Py_TYPE(source));
    for (size_t i = 0; i < self->count(); ++i) {
        if (PyType_IsSubtype(records[i]->python_type, target->python_type)) return &self->held(i);
    }
    return nullptr;
}

bool load_instance(const class_record *target, PyObject *source, bool convert, void *&value, object &temporary) {
    if (!target) return false;
    if (held_value *place = find_held(source, target)) {
        if (!place->value && !allocate_for_constructor(source, place, target))
            throw value_error("The object has no value: __init__ was not called");
        if (void *found = upcast(place->record, place->value, target)) {
            value = found;
            return true;
        }
    }
    if (!convert) return false;
    for (auto make : target->implicit_conversions) {
        temporary = maybe_owned(make(source, target->python_type));
        held_value *place = temporary ? find_held(temporary.ptr(), target) : nullptr;
        if (place && place->value) {
            value = upcast(place->record, place->value, target);
            return value != nullptr;
        }
    }
    value = nullptr;
    return source == Py_None;
}

PyObject *find_instance(const void *value, const class_record *record) {
    auto [at, end] = get_internals().registered_instances.equal_range(value);
    for (; at != end; ++at) {
        held_value *place = find_held(reinterpret_cast<PyObject *>(at->second), record);
        if (place && place->value && upcast(place->record, place->value, record) == value)
            return reinterpret_cast<PyObject *>(at->second);
    }
    return nullptr;
}

void adopt_value(instance *self, held_value *place, void *value, const class_record *record) {
    place->value = value;
    place->record = record;
    auto &instances = get_internals().registered_instances;
    instances.emplace(value, self);
    visit_bases(record, value, [&](void *address) { instances.emplace(address, self); });
    place->is_indexed = true;
}

instance *new_instance(const class_record *record) { return as_instance(PyType_GenericAlloc(record->python_type, 0)); }

namespace {

/// An existing instance, or a new one that `own` fills; null with an error.
template <class Own> PyObject *wrap(const value_source &source, const Own &own) {
    if (!source.record) {
        PyErr_SetString(PyExc_TypeError, ("Unregistered type : " + readable_name(*source.type)).c_str());
        return nullptr;
    }
    if (PyObject *existing = find_instance(source.value, source.record)) {
        Py_INCREF(existing);
        return existing;
    }
    instance *made = new_instance(source.record);
    if (!made) return nullptr;
    object owner = maybe_owned(reinterpret_cast<PyObject *>(made));
    own(made);
    return owner.release().ptr();
}

}  // namespace

PyObject *wrap_value(const value_source &source, return_value_policy policy, handle parent) {
    return wrap(source, [&](instance *made) {
        void *value = const_cast<void *>(source.value);
        bool is_owned = true;
        if (policy == return_value_policy::copy || (policy == return_value_policy::move && !source.move)) {
            if (!source.copy) {
                bool is_move = policy == return_value_policy::move;
                throw cast_error(std::string("return_value_policy = ") + (is_move ? "move" : "copy") + ", but type " +
                                 readable_name(*source.type) +
                                 (is_move ? " is neither movable nor copyable!" : " is non-copyable!"));
            }
            value = source.copy(value);
        } else if (policy == return_value_policy::move) {
            value = source.move(value);
        } else if (policy == return_value_policy::reference || policy == return_value_policy::automatic_reference) {
            is_owned = false;
        } else if (policy == return_value_policy::reference_internal) {
            is_owned = false;
            keep_alive_impl(reinterpret_cast<PyObject *>(made), parent);
        }
        adopt_value(made, &made->first, value, source.record);
        if (is_owned)
            source.record->take_ownership(&made->first, value);
        else if (source.record->join_owners)
            source.record->join_owners(&made->first, value);
    });
}
PyObject *wrap_shared(const value_source &source, std::shared_ptr<void> owner, handle parent) {
    if (source.record && source.record->holder != holder_kind::shared) {
        if (parent) return wrap_value(source, return_value_policy::reference_internal, parent);
        throw cast_error("Unable to convert std::shared_ptr<T> to Python when the bound type does not use "
                         "std::shared_ptr or py::smart_holder as its holder type");
    }
    return wrap(source, [&](instance *made) {
        adopt_value(made, &made->first, const_cast<void *>(source.value), source.record);
        holder_operations<void, std::shared_ptr<void>>::hold(&made->first, std::move(owner));
    });
}
PyObject *wrap_custom(const value_source &source, void (*fill)(held_value *, const void *), const void *holder) {
    return wrap(source, [&](instance *made) {
        adopt_value(made, &made->first, const_cast<void *>(source.value), source.record);
        fill(&made->first, holder);
    });
}

namespace {

held_value &require_holder(PyObject *source, const class_record *record, const std::type_info &holder) {
    if (record->holder == holder_kind::unique)
        throw cast_error("Unable to load a custom holder type from a default-holder instance");
    held_value *place = find_held(source, record);
    if (!place || !place->destroy)
        throw cast_error("Unable to cast from non-held to held instance (T& to Holder<T>) of type '" +
                         readable_name(holder) + "''");
    return *place;
}

}  // namespace

const std::shared_ptr<void> &share_instance(PyObject *source, const class_record *record,
    const std::type_info &holder) {
    held_value &place = require_holder(source, record, holder);
    if (!place.is_shared) throw cast_error("Unable to load a custom holder type from a default-holder instance");
    return place.shared();
}
void *holder_of(PyObject *source, const class_record *record, const std::type_info &holder) {
    held_value &place = require_holder(source, record, holder);
    if (place.is_shared) throw cast_error("Unable to load a custom holder type from a default-holder instance");
    return place.custom_holder();
}
void fail_to_disown(const std::type_info &type) {
    pybind11_fail("Passing `std::unique_ptr<T>` from Python to C++ requires `py::class_<T, py::smart_holder>` "
                  "(with T = " +
                  readable_name(type) + ")");
}

held_value *find_place(PyObject *source, const class_record *record) {
    if (!PyType_IsSubtype(Py_TYPE(source), record->python_type)) return nullptr;
    const auto &records = classes_of(Py_TYPE(source));
    for (size_t i = 0; i < records.size(); ++i) {
        if (records[i] == record) return &as_instance(source)->held(i);
    }
    return nullptr;
}
void fill(const new_instance_self &place, void *value) {
    if (!value) throw type_error("pybind11::init(): factory function returned nullptr");
    adopt_value(place.self, place.place, value, place.record);
    place.record->take_ownership(place.place, value);
}
void fill_shared(const new_instance_self &place, void *value, std::shared_ptr<void> owner) {
    if (!value) throw type_error("pybind11::init(): factory function returned nullptr");
    adopt_value(place.self, place.place, value, place.record);
    holder_operations<void, std::shared_ptr<void>>::hold(place.place, std::move(owner));
}
void fail_without_trampoline() {
    throw type_error("pybind11::init(): construction failed: returned holder-wrapped instance is not an alias "
                     "instance");
}

void keep_alive_impl(handle nurse, handle patient) {
    if (!nurse || !patient) pybind11_fail("Could not activate keep_alive!");
    if (patient.is_none() || nurse.is_none()) return;
    if (is_instance(nurse.ptr())) {
        PyObject *&patients = as_instance(nurse.ptr())->patients;
        if (!patients) patients = checked(PyList_New(0));
        checked(PyList_Append(patients, patient.ptr()));
        return;
    }
    // The patient lives until the nurse's weak reference calls back, which also drops the weak reference.
    PyObject *kept = patient.inc_ref().ptr();
    cpp_function disable([kept](handle reference) {
        Py_DECREF(kept);
        reference.dec_ref();
    });
    weakref(nurse, disable).release();
}

// ---- overriding in Python

object find_override(const void *value, const class_record *record, const char *name) {
    PyObject *self = record ? find_instance(value, record) : nullptr;
    if (!self || own_record(Py_TYPE(self))) return {};
    object found = getattr(as_object(Py_TYPE(self)), name, none());
    if (found.is_none() || record_of(found.ptr())) return {};
    // A Python method that calls its C++ base gets the base, not itself again.
    if (PyFrameObject *frame = PyEval_GetFrame()) {
        handle current = reinterpret_cast<PyObject *>(frame);
        object code = current.attr("f_code");
        if (std::string(str(code.attr("co_name"))) == name && int(int_(code.attr("co_argcount"))) > 0) {
            object locals = current.attr("f_locals");
            object first = code.attr("co_varnames")[0];
            object caller = maybe_owned(PyObject_GetItem(locals.ptr(), first.ptr()));
            if (!caller) PyErr_Clear();
            if (caller.ptr() == self) return {};
        }
    }
    return getattr(self, name);
}

}  // namespace detail
}  // namespace pybind11
