// portable/python/instance.h: Python objects that hold C++ values, their class records, and conversion of both ways.
#pragma once
#include "portable/python/objects/common.h"
#include "portable/python/objects/exceptions.h"
#include "portable/python/objects/traits.h"
#include "portable/python/objects/types.h"

#include <memory>
#include <typeinfo>
#include <vector>

namespace pybind11 {
namespace detail {

struct class_record;
struct held_value;
struct instance;

/// How the instances of a class own their values.
enum class holder_kind : std::uint8_t { unique, shared, custom };

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
    void (*take_ownership)(held_value *, void *value) = nullptr;
    /// Makes it own a value that it would only refer to, where the value knows its owners; null for other classes.
    void (*join_owners)(held_value *, void *value) = nullptr;
    /// Memory for a value that an old constructor makes in place.
    void *(*allocate)() = nullptr;
    void (*deallocate)(void *) = nullptr;
    std::vector<base_link> bases;
    /// Each returns a new object of this class, or null without an error when the value does not fit.
    std::vector<PyObject *(*)(PyObject *value, PyTypeObject *target)> implicit_conversions;
    /// For classes with def_buffer: fills a new buffer_info (buffer.h); null for the others.
    void *(*get_buffer)(PyObject *self, void *data) = nullptr;
    void *get_buffer_data = nullptr;
    /// The constructor's functions, for calls of the class that need not look up __init__; null when there are none.
    struct function_record *constructor = nullptr;
    holder_kind holder = holder_kind::unique;
    bool dynamic_attributes = false;
    bool is_local = false;
    bool releases_gil = false;  ///< while a value is destroyed
};

/// A C++ value in a Python object.
struct held_value {
    void *value;                     ///< of the type that `record` says; null before __init__
    const class_record *record;      ///< the most derived C++ class that is registered
    void (*destroy)(held_value *);   ///< destroys the holder or the value; null for a borrowed value
    alignas(std::shared_ptr<void>) unsigned char holder[sizeof(std::shared_ptr<void>)];
    bool is_shared;                  ///< whether `holder` is a std::shared_ptr<void>
    bool is_indexed;                 ///< whether find_instance can find it

    std::shared_ptr<void> &shared() { return *reinterpret_cast<std::shared_ptr<void> *>(holder); }
    void *&custom_holder() { return *reinterpret_cast<void **>(holder); }
};

/// A Python object that holds a C++ value. Subclasses written in Python have the same head.
struct instance {
    PyObject_HEAD
    held_value first;
    held_value *others;              ///< of a Python class with several registered bases, else null
    size_t other_count;
    PyObject *attributes;            ///< __dict__ of classes with dynamic_attr, else null
    PyObject *weak_references;
    PyObject *patients;              ///< a list of what keep_alive holds, or null

    size_t count() const { return 1 + other_count; }
    held_value &held(size_t i) { return i == 0 ? first : others[i - 1]; }
};

/// The record of a class, null before class_<T> runs.
template <class T> inline class_record *registered_class = nullptr;

class_record *find_class(const std::type_info &type);
/// The record of a Python type or of its nearest registered base; null for other types.
class_record *find_class(PyTypeObject *type);
/// The records of the values that instances of a Python type hold: one where the type has no two unrelated bases.
const std::vector<class_record *> &classes_of(PyTypeObject *type);
/// The value of an instance that is of a class or of one derived from it; null for another object.
held_value *find_held(PyObject *source, const class_record *target);
class_record *get_type_info(const std::type_info &type, bool throws_if_missing = false);
/// Whether an object is an instance of any class of this extension.
bool is_instance(PyObject *value);
/// The instance that holds this value of this class; borrowed, null when there is none.
PyObject *find_instance(const void *value, const class_record *record);
/// Sets value and record, and lets find_instance find the instance.
void adopt_value(instance *self, held_value *place, void *value, const class_record *record);
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
PyObject *wrap_shared(const value_source &source, std::shared_ptr<void> owner, handle parent);
PyObject *wrap_custom(const value_source &source, void (*fill)(held_value *, const void *holder),
                      const void *holder);
/// The owner of an instance's value; throws cast_error where that is no shared_ptr.
const std::shared_ptr<void> &share_instance(PyObject *source, const class_record *record, const std::type_info &holder);
/// The address of the holder of an instance of a class with a holder of its own; throws cast_error for others.
void *holder_of(PyObject *source, const class_record *record, const std::type_info &holder);
[[noreturn]] void fail_to_disown(const std::type_info &type);
[[noreturn]] void fail_unregistered(const std::type_info &type);

template <class T> void *copy_value(const void *value) { return new T(*static_cast<const T *>(value)); }
template <class T> void *move_value(const void *value) {
    return new T(std::move(*const_cast<T *>(static_cast<const T *>(value))));
}

template <class T, class From, class = void> inline constexpr bool is_newable = false;
template <class T, class From>
inline constexpr bool is_newable<T, From, std::void_t<decltype(new T(std::declval<From>()))>> = true;

// Null for types without the constructor, and where `new` is not for everybody.
template <class T> constexpr auto copier() -> void *(*)(const void *) {
    if constexpr (is_copy_constructible<T>::value && is_newable<T, const T &>)
        return copy_value<T>;
    else
        return nullptr;
}
template <class T> constexpr auto mover() -> void *(*)(const void *) {
    if constexpr (is_move_constructible<T>::value && is_newable<T, T &&>)
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
    const std::type_info *type = nullptr;
    const void *whole = polymorphic_type_hook<T>::get(value, type);
    if (type && *type != typeid(T)) {
        if (const class_record *derived = find_class(*type)) {
            source.value = whole;
            source.record = derived;
        }
    }
    return source;
}

/// Conversion of a registered class. It is the base of caster<T> for every T that has no caster of its own.
template <class T> struct class_caster {
    static constexpr bool is_class = true;

    static bool load(PyObject *source, bool convert, T *&value, object &temporary) {
        const class_record *record = registered_class<T>;
        if (record && Py_TYPE(source) == record->python_type && reinterpret_cast<instance *>(source)->first.value) {
            value = static_cast<T *>(reinterpret_cast<instance *>(source)->first.value);
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
        return make_with(std::addressof(value), policy, parent);
    }
    static PyObject *make(T &&value, return_value_policy, handle parent) {
        return make_with(std::addressof(value), return_value_policy::move, parent);
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

/// Whether instances own values by a holder even where a reference is returned: intrusive counts.
template <class Holder> struct always_construct_holder : std::false_type {};

/// How an instance owns a value by its holder: one specialisation for each kind.
template <class T, class Holder> struct holder_operations {
    static constexpr holder_kind kind = holder_kind::custom;
    static void keep(held_value *place, Holder *holder) {
        place->custom_holder() = holder;
        place->destroy = [](held_value *of) { delete static_cast<Holder *>(of->custom_holder()); };
    }
    /// Takes a copy of the holder, or what a holder that only moves has.
    static void fill(held_value *place, const void *holder) {
        auto *given = const_cast<Holder *>(static_cast<const Holder *>(holder));
        if constexpr (std::is_copy_constructible_v<Holder>)
            keep(place, new Holder(*static_cast<const Holder *>(given)));
        else
            keep(place, new Holder(std::move(*given)));
    }
    static void take_ownership(held_value *place, void *value) { keep(place, new Holder(static_cast<T *>(value))); }
    static constexpr auto join_owners = always_construct_holder<Holder>::value ? take_ownership : nullptr;
};

template <class T, class Deleter> struct holder_operations<T, std::unique_ptr<T, Deleter>> {
    static constexpr holder_kind kind = holder_kind::unique;
    static constexpr void (*join_owners)(held_value *, void *) = nullptr;
    static void take_ownership(held_value *place, void *) {
        place->destroy = [](held_value *of) { Deleter()(static_cast<T *>(of->value)); };
    }
};

template <class T> struct holder_operations<T, std::shared_ptr<T>> {
    static constexpr holder_kind kind = holder_kind::shared;
    template <class X> static std::shared_ptr<X> find(const std::enable_shared_from_this<X> *value) {
        return std::const_pointer_cast<X>(value->weak_from_this().lock());
    }
    static std::shared_ptr<T> find(const void *) { return {}; }

    static void take_ownership(held_value *place, void *value) {
        std::shared_ptr<void> owner = find(static_cast<T *>(value));
        if (!owner) owner = std::shared_ptr<T>(static_cast<T *>(value));
        hold(place, std::move(owner));
    }
    static void join_owners(held_value *place, void *value) {
        if (std::shared_ptr<void> owner = find(static_cast<T *>(value))) hold(place, std::move(owner));
    }
    static void hold(held_value *place, std::shared_ptr<void> owner) {
        new (place->holder) std::shared_ptr<void>(std::move(owner));
        place->is_shared = true;
        place->destroy = [](held_value *of) { of->shared().~shared_ptr(); };
    }
};

}  // namespace detail

/// A holder as std::shared_ptr. Instances do not give their values up for a std::unique_ptr.
struct smart_holder {};
/// Accepted as a base of trampolines.
struct trampoline_self_life_support {};

namespace detail {
template <class T> struct holder_operations<T, smart_holder> : holder_operations<T, std::shared_ptr<T>> {};
}  // namespace detail
}  // namespace pybind11
