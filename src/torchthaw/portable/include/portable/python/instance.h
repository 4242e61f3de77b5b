// portable/python/instance.h: Python objects that hold C++ values, their class records, and conversion of both ways.
#pragma once
#include "portable/python/exceptions.h"
#include "portable/python/types.h"

#include <memory>
#include <typeinfo>
#include <vector>

namespace pybind11 {
namespace detail {

struct class_record;
struct instance;

/// A base class: its record, and the conversion of a pointer to it.
struct base_link {
    const class_record *record;
    void *(*upcast)(void *);
};

/// What is known of a class that class_ has registered. Lives until the process ends.
struct class_record {
    PyTypeObject *python_type = nullptr;
    const std::type_info *cpp_type = nullptr;
    /// Makes the instance own its value by the class's holder; the value is not yet owned by anything.
    void (*take_ownership)(instance *, void *value) = nullptr;
    std::vector<base_link> bases;
    /// Each returns a new object of this class, or null without an error when the value does not fit.
    std::vector<PyObject *(*)(PyObject *value, PyTypeObject *target)> implicit_conversions;
    /// For classes with def_buffer: fills a new buffer_info (buffer.h); null for the others.
    void *(*get_buffer)(PyObject *self, void *data) = nullptr;
    void *get_buffer_data = nullptr;
    /// The constructor's functions, for calls of the class that need not look up __init__; null when there are none.
    struct function_record *constructor = nullptr;
    bool dynamic_attributes = false;
    bool is_local = false;
};

/// A Python object that holds a C++ value. Subclasses written in Python have the same head.
struct instance {
    PyObject_HEAD
    void *value;                     ///< of the type that `record` says; null before __init__
    const class_record *record;      ///< the most derived C++ class that is registered
    void (*destroy)(instance *);     ///< destroys the holder or the value; null for a borrowed value
    alignas(std::shared_ptr<void>) unsigned char holder[sizeof(std::shared_ptr<void>)];
    PyObject *attributes;            ///< __dict__ of classes with dynamic_attr, else null
    PyObject *weak_references;
    PyObject *patients;              ///< a list of what keep_alive holds, or null
    bool is_shared;                  ///< whether `holder` is a std::shared_ptr<void>
    bool is_indexed;                 ///< whether find_instance can find it

    std::shared_ptr<void> &shared() { return *reinterpret_cast<std::shared_ptr<void> *>(holder); }
    void *&custom_holder() { return *reinterpret_cast<void **>(holder); }
};

/// The record of a class, null before class_<T> runs.
template <class T> inline class_record *registered_class = nullptr;

class_record *find_class(const std::type_info &type);
/// The record of a Python type or of its nearest registered base; null for other types.
class_record *find_class(PyTypeObject *type);
/// Whether an object is an instance of any class of this extension.
bool is_instance(PyObject *value);
/// The instance that holds this value of this class; borrowed, null when there is none.
PyObject *find_instance(const void *value, const class_record *record);
/// Sets value and record, and lets find_instance find the instance.
void adopt_value(instance *self, void *value, const class_record *record);
/// The address of a value as one of its bases; null when `target` is no base.
void *upcast(const class_record *from, void *value, const class_record *target);
/// The general way to load an instance: derived classes, None, implicit conversions (kept in `temporary`).
bool load_instance(const class_record *target, PyObject *source, bool convert, void *&value, object &temporary);
/// A new instance without a value; null with a Python error.
instance *new_instance(const class_record *record);
/// Keeps `patient` alive as long as `nurse` lives; throws for a nurse without weak references.
void keep_alive_impl(handle nurse, handle patient);

/// How to hand a C++ value over to Python.
struct value_source {
    const void *value;
    const class_record *record;
    void *(*copy)(const void *);  ///< null when the class cannot be copied
    void *(*move)(const void *);  ///< null when it cannot be moved
    const std::type_info *type;   ///< for the error's text when there is no record
};
/// A new reference to an instance, an existing one where there is one; null with a Python error.
PyObject *wrap_value(const value_source &source, return_value_policy policy, handle parent);
/// The same for a value that a shared_ptr owns.
PyObject *wrap_shared(const value_source &source, std::shared_ptr<void> owner);
PyObject *wrap_custom(const value_source &source, void (*fill)(instance *, const void *holder), const void *holder);
/// A shared_ptr to the holder's owner, or one that keeps the Python object alive.
std::shared_ptr<void> share_instance(PyObject *source);
[[noreturn]] void fail_unregistered(const std::type_info &type);
/// A type's name for people.
std::string readable_name(const std::type_info &type);

template <class T> void *copy_value(const void *value) { return new T(*static_cast<const T *>(value)); }
template <class T> void *move_value(const void *value) {
    return new T(std::move(*const_cast<T *>(static_cast<const T *>(value))));
}

template <class T> constexpr auto copier() -> void *(*)(const void *) {
    if constexpr (std::is_copy_constructible_v<T>)
        return copy_value<T>;
    else
        return nullptr;
}
template <class T> constexpr auto mover() -> void *(*)(const void *) {
    if constexpr (std::is_move_constructible_v<T>)
        return move_value<T>;
    else
        return nullptr;
}

/// The value as its static class.
template <class T> value_source source_of(const T *value) {
    return {value, registered_class<T>, copier<T>(), mover<T>(), &typeid(T)};
}

/// The value as its most derived registered class, which cannot be copied from here.
template <class T> value_source dynamic_source_of(const T *value) {
    value_source source = source_of(value);
    if constexpr (std::is_polymorphic_v<T>) {
        if (value && typeid(*value) != typeid(T)) {
            if (const class_record *derived = find_class(typeid(*value))) {
                source.value = dynamic_cast<const void *>(value);
                source.record = derived;
            }
        }
    }
    return source;
}

/// Conversion of a registered class. It is the base of caster<T> for every T that has no caster of its own.
template <class T> struct class_caster {
    static constexpr bool is_class = true;

    static bool load(PyObject *source, bool convert, T *&value, object &temporary) {
        const class_record *record = registered_class<T>;
        if (record && Py_TYPE(source) == record->python_type && reinterpret_cast<instance *>(source)->value) {
            value = static_cast<T *>(reinterpret_cast<instance *>(source)->value);
            return true;
        }
        void *found = nullptr;
        if (!load_instance(record, source, convert, found, temporary)) return false;
        value = static_cast<T *>(found);
        return true;
    }

    static PyObject *make(const T &value, return_value_policy policy, handle parent) {
        if (policy == return_value_policy::automatic || policy == return_value_policy::automatic_reference ||
            std::is_enum_v<T>)
            policy = return_value_policy::copy;
        return make_with(&value, policy, parent);
    }
    static PyObject *make(T &&value, return_value_policy, handle parent) {
        return make_with(&value, return_value_policy::move, parent);
    }
    static PyObject *make(const T *value, return_value_policy policy, handle parent) {
        if (!value) Py_RETURN_NONE;
        if (policy == return_value_policy::automatic) policy = return_value_policy::take_ownership;
        if (policy == return_value_policy::automatic_reference) policy = return_value_policy::reference;
        return make_with(value, policy, parent);
    }

  private:
    static PyObject *make_with(const T *value, return_value_policy policy, handle parent) {
        bool is_new_value = policy == return_value_policy::copy || policy == return_value_policy::move;
        return wrap_value(is_new_value ? source_of(value) : dynamic_source_of(value), policy, parent);
    }
};

/// How an instance owns a value by its holder: one specialisation for each kind.
template <class T, class Holder> struct holder_operations {
    static void fill(instance *self, const void *holder) {
        self->custom_holder() = new Holder(*static_cast<const Holder *>(holder));
        self->destroy = [](instance *of) { delete static_cast<Holder *>(of->custom_holder()); };
    }
    static void take_ownership(instance *self, void *value) {
        self->custom_holder() = new Holder(static_cast<T *>(value));
        self->destroy = [](instance *of) { delete static_cast<Holder *>(of->custom_holder()); };
    }
};

template <class T, class Deleter> struct holder_operations<T, std::unique_ptr<T, Deleter>> {
    static void take_ownership(instance *self, void *) {
        self->destroy = [](instance *of) { Deleter()(static_cast<T *>(of->value)); };
    }
};

template <class T> struct holder_operations<T, std::shared_ptr<T>> {
    template <class X> static std::shared_ptr<X> find(const std::enable_shared_from_this<X> *value) {
        return std::const_pointer_cast<X>(value->weak_from_this().lock());
    }
    static std::shared_ptr<T> find(const void *) { return {}; }

    static void take_ownership(instance *self, void *value) {
        std::shared_ptr<void> owner = find(static_cast<T *>(value));
        if (!owner) owner = std::shared_ptr<T>(static_cast<T *>(value));
        hold(self, std::move(owner));
    }
    static void hold(instance *self, std::shared_ptr<void> owner) {
        new (self->holder) std::shared_ptr<void>(std::move(owner));
        self->is_shared = true;
        self->destroy = [](instance *of) { of->shared().~shared_ptr(); };
    }
};

}  // namespace detail
}  // namespace pybind11
