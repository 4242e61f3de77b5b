// portable/python/annotations.h: what def() and class_ take besides the function: arguments, docs, policies, guards.
#pragma once
#include "portable/python/cast.h"

namespace pybind11 {

/// A parameter's name, and whether implicit conversions and None are allowed. `arg("x") = 3` gives it a default.
struct arg {
    const char *name;
    bool flag_noconvert = false;
    bool flag_none = true;

    constexpr explicit arg(const char *name = nullptr) : name(name) {}
    template <class T> arg_v operator=(T &&value) const;
    arg &noconvert(bool flag = true) {
        flag_noconvert = flag;
        return *this;
    }
    arg &none(bool flag = true) {
        flag_none = flag;
        return *this;
    }
};

/// A parameter with a default, or a keyword argument of a call. `value` is null when the conversion failed.
struct arg_v : arg {
    object value;
    const char *descr;           ///< the text of the default in signatures; null for its repr
    const std::type_info *type;  ///< of the C++ value, for errors

    template <class T>
    arg_v(arg base, T &&content, const char *descr = nullptr)
        : arg(base), value(detail::to_python(std::forward<T>(content), return_value_policy::automatic, handle()),
                           object::stolen_t{}),
          descr(descr), type(&typeid(T)) {
        if (!value) PyErr_Clear();
    }
    template <class T>
    arg_v(const char *name, T &&content, const char *descr = nullptr)
        : arg_v(arg(name), std::forward<T>(content), descr) {}
    arg_v &noconvert(bool flag = true) {
        flag_noconvert = flag;
        return *this;
    }
    arg_v &none(bool flag = true) {
        flag_none = flag;
        return *this;
    }
};
template <class T> arg_v arg::operator=(T &&value) const { return {*this, std::forward<T>(value)}; }

inline namespace literals {
constexpr arg operator""_a(const char *name, size_t) { return arg(name); }
}  // namespace literals

/// Parameters after it can be given by name only.
struct kw_only {};
/// Parameters before it can be given by position only.
struct pos_only {};
struct name {
    const char *value;
    name(const char *value) : value(value) {}
};
struct doc {
    const char *value;
    doc(const char *value) : value(value) {}
};
/// The function is a method of this class.
struct is_method {
    handle class_;
    is_method(const handle &class_) : class_(class_) {}
};
/// The function is a property's setter: its result is dropped.
struct is_setter {};
/// A misfit gives NotImplemented instead of a TypeError.
struct is_operator {};
struct is_final {};
struct scope {
    handle value;
    scope(const handle &value) : value(value) {}
};
/// The function of the same name to which an overload is added.
struct sibling {
    handle value;
    sibling(const handle &value) : value(value.ptr()) {}
};
/// The overload comes before those that exist.
struct prepend {};

/// Instances have a __dict__.
struct dynamic_attr {};
/// The class's metaclass, instead of the one that all others have.
struct metaclass {
    handle value;
    metaclass() = default;
    explicit metaclass(handle value) : value(value) {}
};
/// Values are destroyed without the GIL.
struct release_gil_before_calling_cpp_dtor {};
/// Accepted; classes are always local to their extension.
struct module_local {
    bool value;
    constexpr module_local(bool value = true) : value(value) {}
};
/// Accepted; classes may have several bases without it.
struct multiple_inheritance {};
/// The class will have def_buffer.
struct buffer_protocol {};
/// Accepted; an enum_ with it has the operators of integers.
struct arithmetic {};

/// Object number Patient lives at least as long as object number Nurse; 0 is the result, 1 the first parameter.
template <size_t Nurse, size_t Patient> struct keep_alive {};

/// Objects of these types exist while the C++ function runs.
template <class... T> struct call_guard;
template <> struct call_guard<> {
    struct type {};
};
template <class T> struct call_guard<T> {
    using type = T;
};
template <class T, class... More> struct call_guard<T, More...> {
    struct type {
        T first{};
        typename call_guard<More...>::type more{};
    };
};

/// Whether docstrings of functions defined in this scope have signatures and users' texts.
class options {
    bool m_before[3];

  public:
    options();
    options(const options &) = delete;
    options &operator=(const options &) = delete;
    ~options();
    options &disable_user_defined_docstrings() &;
    options &enable_user_defined_docstrings() &;
    options &disable_function_signatures() &;
    options &enable_function_signatures() &;
    options &disable_enum_members_docstring() &;
    options &enable_enum_members_docstring() &;
};

namespace detail {

/// *sequence and **mapping in a call.
class kwargs_proxy : public handle {
  public:
    explicit kwargs_proxy(handle value) : handle(value) {}
};
class args_proxy : public handle {
  public:
    explicit args_proxy(handle value) : handle(value) {}
    kwargs_proxy operator*() const { return kwargs_proxy(*this); }
};
template <class D> args_proxy object_api<D>::operator*() const { return args_proxy(self()); }

/// The arguments of a call of a Python object.
class call_arguments {
    list m_positional{0};
    object m_named;
    void name_argument(handle key, handle value);

  public:
    void add(object value, const std::type_info &type);
    void add(const arg_v &named);
    void add(args_proxy sequence);
    void add(kwargs_proxy mapping);
    object call(handle callable) const;
    /// The named arguments as a dictionary; a new reference.
    PyObject *release_named() { return m_named ? m_named.release().ptr() : checked(PyDict_New()); }
};

template <return_value_policy policy, class T> void add_argument(call_arguments &all, T &&value) {
    using V = bare_t<T>;
    if constexpr (std::is_same_v<V, arg_v> || std::is_same_v<V, args_proxy> || std::is_same_v<V, kwargs_proxy>)
        all.add(value);
    else
        all.add(maybe_owned(to_python(std::forward<T>(value), policy, handle())), typeid(T));
}
template <class... A> PyObject *named_values(A &&...named) {
    call_arguments all;
    (all.add(named), ...);
    return all.release_named();
}
/// Calls with at most six arguments by position, without a tuple of the caller's.
object call_positional(PyObject *callable, PyObject *const *arguments, const std::type_info *const *types,
    size_t count);

template <class D>
template <return_value_policy policy, class... A>
object object_api<D>::operator()(A &&...arguments) const {
    constexpr bool is_plain = sizeof...(A) <= 6 && ((!std::is_same_v<bare_t<A>, arg_v> &&
                                                     !std::is_same_v<bare_t<A>, args_proxy> &&
                                                     !std::is_same_v<bare_t<A>, kwargs_proxy>)&&...);
    if constexpr (is_plain) {
        object converted[sizeof...(A) + 1] = {maybe_owned(to_python(std::forward<A>(arguments), policy, handle()))...};
        PyObject *pointers[sizeof...(A) + 1] = {};
        for (size_t i = 0; i < sizeof...(A); ++i) pointers[i] = converted[i].ptr();
        const std::type_info *types[sizeof...(A) + 1] = {&typeid(A)...};
        return call_positional(self(), pointers, types, sizeof...(A));
    } else {
        call_arguments all;
        (add_argument<policy>(all, std::forward<A>(arguments)), ...);
        return all.call(self());
    }
}

}  // namespace detail
}  // namespace pybind11
