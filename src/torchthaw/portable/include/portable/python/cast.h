// portable/python/cast.h: conversion between Python and C++ values, and how to add conversions of further types.
//
// To add a type T, specialise pybind11::detail::caster<T> with
//     static bool load(PyObject *source, T &value, bool convert);     // false, no Python error, for a misfit
//     static PyObject *make(const T &value, return_value_policy, handle parent);  // new reference, null with an error
//     static constexpr const char *name;                              // in signatures; or a descr, see below
// and, where a T lies inside the Python object, with
//     static const T *borrow(PyObject *source);                       // null for a misfit
// which serves parameters `const T &` without a copy and parameters `T` by one copy.
// `convert` says whether conversions that lose type information are allowed: it is false for arg().noconvert().
// pybind11's type_caster<T> with PYBIND11_TYPE_CASTER works too.
#pragma once
#include "portable/python/instance.h"
#include "portable/python/objects/names.h"

#include <functional>


namespace pybind11 {

template <class T> T cast(const handle &value);

namespace detail {

template <class T> using bare_t = std::remove_cv_t<std::remove_reference_t<T>>;
/// The type to which a parameter's type refers: `const T &`, `T *`, `T[2]` and `T` give T.
template <class T> using intrinsic_t = std::remove_cv_t<std::remove_pointer_t<std::remove_extent_t<bare_t<T>>>>;

/// A registered class, unless specialised.
template <class T, class = void> struct caster : class_caster<T> {
    static constexpr auto name = type_name<T>();
};

template <class T, class = void> struct has_borrow : std::false_type {};
template <class T> struct has_borrow<T, std::void_t<decltype(&caster<T>::borrow)>> : std::true_type {};
template <class T> inline constexpr bool is_class_caster = std::is_base_of_v<class_caster<T>, caster<T>>;
template <class T> inline constexpr bool is_handle = std::is_base_of_v<handle, T>;

// ---- loading: one object for each parameter, alive during the call

/// Loads a value of its own.
template <class T> struct value_argument {
    T value{};
    bool load(PyObject *source, bool convert) { return caster<T>::load(source, value, convert); }
    template <class P> decltype(auto) get() {
        if constexpr (std::is_pointer_v<bare_t<P>>)
            return std::addressof(value);
        else if constexpr (std::is_lvalue_reference_v<P>)
            return (value);
        else
            return std::move(value);
    }
};

/// Refers to a value inside the Python object.
template <class T> struct borrowed_argument {
    const T *value = nullptr;
    bool load(PyObject *source, bool) { return (value = caster<T>::borrow(source)) != nullptr; }
    template <class P> const T &get() { return *value; }
};

/// Refers to the value of an instance.
template <class T> struct class_argument {
    T *value = nullptr;
    object temporary;
    bool load(PyObject *source, bool convert) { return class_caster<T>::load(source, convert, value, temporary); }
    template <class P> decltype(auto) get() {
        if constexpr (std::is_pointer_v<bare_t<P>>) {
            return value;
        } else {
            if (!value) throw reference_cast_error();
            if constexpr (std::is_rvalue_reference_v<P>)
                return std::move(*value);
            else
                return (*value);
        }
    }
};

/// Python objects of a checked type.
template <class T> struct handle_argument {
    T value = reinterpret_steal<T>(handle());
    bool load(PyObject *source, bool convert) { return caster<T>::load(source, value, convert); }
    template <class P> decltype(auto) get() {
        if constexpr (std::is_pointer_v<bare_t<P>>)
            return std::addressof(value);
        else if constexpr (std::is_lvalue_reference_v<P>)
            return (value);
        else
            return std::move(value);
    }
};
template <> struct handle_argument<handle> {
    handle value;
    bool load(PyObject *source, bool) { return value = source, true; }
    template <class P> handle &get() { return value; }
};

/// The loader of a type with built-in conversion.
template <class T, class = void> struct builtin_argument : value_argument<T> {};
template <class T> struct builtin_argument<T, std::enable_if_t<is_class_caster<T>>> : class_argument<T> {};
template <class T> struct builtin_argument<T, std::enable_if_t<is_handle<T>>> : handle_argument<T> {};
template <> struct builtin_argument<PyObject> {
    PyObject *value = nullptr;
    bool load(PyObject *source, bool) { return value = source, true; }
    template <class P> PyObject *get() { return value; }
};
template <> struct builtin_argument<void> {
    void *value = nullptr;
    /// None, a capsule's pointer or an instance's value.
    bool load(PyObject *source, bool convert);
    template <class P> void *get() { return value; }
};
/// A character or a C string; None is a null string.
template <> struct builtin_argument<char> {
    std::string text;
    bool is_null = false;
    bool load(PyObject *source, bool convert);
    /// Throws value_error for a text of another length.
    char &character();
    template <class P> decltype(auto) get() {
        if constexpr (std::is_pointer_v<bare_t<P>>)
            return is_null ? nullptr : text.data();
        else
            return (character());
    }
};
template <class T> struct builtin_argument<std::reference_wrapper<T>>;

}  // namespace detail
}  // namespace pybind11

#include "portable/python/type_caster.h"

namespace pybind11 {
namespace detail {

/// The loader of a parameter of type P.
template <class P, class T = intrinsic_t<P>> struct select_argument {
    static constexpr bool is_borrowed =
        std::is_same_v<P, std::add_lvalue_reference_t<const T>> || std::is_same_v<P, T> || std::is_same_v<P, const T>;
    static auto choose() {
        if constexpr (is_user_caster<T>)
            return static_cast<user_argument<T> *>(nullptr);
        else if constexpr (is_borrowed && has_borrow<T>::value)
            return static_cast<borrowed_argument<T> *>(nullptr);
        else
            return static_cast<builtin_argument<T> *>(nullptr);
    }
    using type = std::remove_pointer_t<decltype(choose())>;
};
template <class P> using argument = typename select_argument<P>::type;

template <class T> struct builtin_argument<std::reference_wrapper<T>> : argument<T &> {
    template <class P> std::reference_wrapper<T> get() { return std::ref(argument<T &>::template get<T &>()); }
};

/// The text of a type in signatures.
template <class P> constexpr auto name_of() {
    using T = intrinsic_t<P>;
    if constexpr (is_user_caster<T>)
        return as_descr(type_caster<T>::name);
    else if constexpr (std::is_same_v<T, void> && !std::is_pointer_v<bare_t<P>>)
        return text("None");
    else
        return as_descr(caster<T>::name);
}

// ---- making: a new reference of a C++ value

template <class T> constexpr bool find_moved_result() {
    if constexpr (std::is_void_v<T> || std::is_function_v<T> || is_user_caster<T>) return false;
    else return is_class_caster<T>;
}
template <class T> inline constexpr bool is_moved_result = find_moved_result<T>();
/// The policy for the result of a function: temporaries of registered classes are moved.
template <class R> constexpr return_value_policy result_policy(return_value_policy policy) {
    using T = intrinsic_t<R>;
    if constexpr (!std::is_lvalue_reference_v<R> && !std::is_pointer_v<R> && is_moved_result<T>)
        return return_value_policy::move;
    else
        return policy;
}

PyObject *make_text(const char *text);
PyObject *make_text(const char *text, size_t size);
PyObject *make_capsule(const void *pointer);
PyObject *make_of_pyobject(PyObject *value, return_value_policy policy);

template <class T> PyObject *make_of_pointer(T *value, return_value_policy policy, handle parent) {
    using U = std::remove_cv_t<T>;
    if constexpr (std::is_same_v<U, char>) {
        return make_text(value);
    } else if constexpr (std::is_void_v<U>) {
        return make_capsule(value);
    } else if constexpr (std::is_same_v<U, PyObject>) {
        return make_of_pyobject(value, policy);
    } else if constexpr (is_user_caster<U>) {
        return type_caster<U>::cast(value, policy, parent).ptr();
    } else if constexpr (is_class_caster<U>) {
        return caster<U>::make(const_cast<const U *>(value), policy, parent);
    } else {
        if (!value) Py_RETURN_NONE;
        std::unique_ptr<T> owner(policy == return_value_policy::take_ownership ? value : nullptr);
        return caster<U>::make(*value, policy, parent);
    }
}

template <class V> PyObject *to_python(V &&value, return_value_policy policy, handle parent) {
    using T = bare_t<V>;
    if constexpr (std::is_array_v<T>)
        return make_of_pointer(static_cast<const std::remove_extent_t<T> *>(value), policy, parent);
    else if constexpr (std::is_pointer_v<T> && !std::is_function_v<std::remove_pointer_t<T>>)
        return make_of_pointer(value, policy, parent);
    else if constexpr (is_user_caster<T>)
        return type_caster<T>::cast(std::forward<V>(value), policy, parent).ptr();
    else
        return caster<T>::make(std::forward<V>(value), policy, parent);
}
template <class T> PyObject *to_python(T &&value, return_value_policy policy) {
    return to_python(std::forward<T>(value), policy, handle());
}

[[noreturn]] void fail_to_cast(handle value, const std::type_info &type);
/// Keeps an object until the bound function that runs in this thread returns; throws cast_error outside of one.
void keep_for_call(object value);
/// The same where there is one.
void keep_for_call_if_any(PyObject *value);

}  // namespace detail

/// A Python value as a C++ value; throws cast_error when it does not fit. References refer into the Python object.
template <class T> T cast(const handle &value) {
    using namespace detail;
    if constexpr (std::is_same_v<T, PyObject *>) {
        return value.inc_ref().ptr();
    } else if constexpr (is_handle<bare_t<T>> && !std::is_same_v<bare_t<T>, handle>) {
        return bare_t<T>(borrowed(value.ptr()));
    } else {
        static_assert(!std::is_reference_v<T> || is_class_caster<intrinsic_t<T>> || has_borrow<intrinsic_t<T>>::value,
                      "cast to a reference: the value would not outlive the call");
        argument<T> loaded;
        if (!value || !loaded.load(value.ptr(), true)) fail_to_cast(value, typeid(T));
        if constexpr (std::is_base_of_v<class_argument<intrinsic_t<T>>, argument<T>> &&
                      (std::is_reference_v<T> || std::is_pointer_v<T>)) {
            if (loaded.temporary) keep_for_call(std::move(loaded.temporary));
        }
        if constexpr (std::is_reference_v<T> || std::is_pointer_v<T>)
            return loaded.template get<T>();
        else
            return T(loaded.template get<T>());
    }
}
namespace detail {
[[noreturn]] void fail_to_move(handle value, const std::type_info &type);
/// Values that an object nobody else refers to may lose.
template <class T> inline constexpr bool may_move =
    !std::is_reference_v<T> && !std::is_pointer_v<T> && !std::is_void_v<T> && !is_handle<bare_t<T>> &&
    (is_class_caster<bare_t<T>> || is_user_caster<bare_t<T>>)&&is_move_constructible<T>::value;
}  // namespace detail

/// The value that an object holds, which must have no other owner.
template <class T> T move(object &&value) {
    if (value.ref_count() > 1) detail::fail_to_move(value, typeid(T));
    detail::argument<T> loaded;
    if (!loaded.load(value.ptr(), true)) detail::fail_to_cast(value, typeid(T));
    return std::move(loaded.template get<std::conditional_t<detail::is_class_caster<T>, T &, T>>());
}
template <class T> T cast(object &&value) {
    if constexpr (std::is_same_v<T, PyObject *>) {
        return value.release().ptr();
    } else if constexpr (detail::may_move<T>) {
        if constexpr (!detail::is_copy_constructible<T>::value) {
            return move<T>(std::move(value));
        } else {
            if (value.ref_count() > 1) return cast<T>(static_cast<const handle &>(value));
            return move<T>(std::move(value));
        }
    } else {
        return cast<T>(static_cast<const handle &>(value));
    }
}

/// A C++ value as a Python object; throws what the conversion raises.
template <class T, std::enable_if_t<!detail::is_handle<detail::bare_t<T>>, int> = 0>
object cast(T &&value, return_value_policy policy = return_value_policy::automatic_reference, handle parent = {}) {
    using namespace detail;
    if (policy == return_value_policy::automatic || policy == return_value_policy::automatic_reference) {
        if constexpr (std::is_pointer_v<bare_t<T>>)
            policy = policy == return_value_policy::automatic ? return_value_policy::take_ownership
                                                              : return_value_policy::reference;
        else
            policy = std::is_lvalue_reference_v<T> ? return_value_policy::copy : return_value_policy::move;
    }
    return owned(to_python(std::forward<T>(value), policy, parent));
}
inline object cast(const object &value) { return value; }

template <class T> T handle::cast() const { return pybind11::cast<T>(*this); }
template <> inline void handle::cast<void>() const {}
template <class T> T object::cast() const & { return pybind11::cast<T>(static_cast<const handle &>(*this)); }
template <class T> T object::cast() && { return pybind11::cast<T>(std::move(*this)); }
template <> inline void object::cast<void>() const & {}
template <> inline void object::cast<void>() && {}

template <class T> bool isinstance(handle value) {
    if (!value) return false;
    if constexpr (std::is_same_v<T, object> || std::is_same_v<T, handle>) return true;
    else if constexpr (detail::is_handle<T>) return T::check_(value);
    else {
        const detail::class_record *record = detail::registered_class<T>;
        return record && PyObject_TypeCheck(value.ptr(), record->python_type) != 0;
    }
}
template <class T> handle type::handle_of() {
    const detail::class_record *record = detail::registered_class<T>;
    if (!record) detail::fail_unregistered(typeid(T));
    return reinterpret_cast<PyObject *>(record->python_type);
}

}  // namespace pybind11

#include "portable/python/holders.h"
#include "portable/python/stl/tuples.h"
#include "portable/python/objects/values.h"
