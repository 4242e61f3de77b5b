// portable/python/objects/types.h: Python's own types as C++ classes: str, int_, list, dict, capsule and their kin.
#pragma once
#include "portable/python/stl/iterators.h"

#include <optional>
#include <string_view>

namespace pybind11 {

namespace detail {

/// Sets a TypeError about an object that is no `expected` and returns null.
PyObject *refuse_type(PyObject *value, const char *expected);
PyObject *to_bool(PyObject *value);
PyObject *to_dict(PyObject *value);
PyObject *to_set(PyObject *value);
PyObject *to_frozenset(PyObject *value);
/// Integers of any width; raise OverflowError or TypeError as CPython does.
long long as_signed(PyObject *value);
unsigned long long as_unsigned(PyObject *value);
inline bool is_iterable(PyObject *value) {
    PyObject *found = PyObject_GetIter(value);
    if (!found) PyErr_Clear();
    Py_XDECREF(found);
    return found != nullptr;
}
inline bool is_none(PyObject *value) { return value == Py_None; }
inline bool is_ellipsis(PyObject *value) { return value == Py_Ellipsis; }
bool is_anyset(PyObject *value);
bool is_set(PyObject *value);
bool is_frozenset(PyObject *value);
bool is_weakref(PyObject *value);
PyObject *to_weakref(PyObject *value);
bool is_static_method(PyObject *value);

/// What converts to a string_view, but neither a pointer nor an object of Python.
template <class T> inline constexpr bool is_text =
    std::is_class_v<T> && !std::is_same_v<T, std::string> && !std::is_same_v<T, std::string_view>
        && std::is_convertible_v<const T &, std::string_view> && !std::is_base_of_v<handle, T>;
/// By copy initialization: a class may convert to std::string too.
template <class T> auto view_of(const T &text) {
    using Text = std::conditional_t<std::is_convertible_v<const T &, std::string>, std::string, std::string_view>;
    Text content = text;
    return content;
}
/// A dictionary of named values and of **mappings, as a new reference. Defined in annotations.h.
template <class... A> PyObject *named_values(A &&...named);
template <class T> inline constexpr bool is_named = std::is_same_v<T, arg_v> || std::is_same_v<T, kwargs_proxy>;

}  // namespace detail

/// The members that each type needs: construction from handles, and check_, whether an object is one.
#define PYBIND11_OBJECT_COMMON(Name, Parent, check)                                                                    \
  public:                                                                                                              \
    Name(::pybind11::handle value, borrowed_t) : Parent(value, borrowed_t{}) {}                                        \
    Name(::pybind11::handle value, stolen_t) : Parent(value, stolen_t{}) {}                                            \
    static bool check_(::pybind11::handle value) { return value.ptr() != nullptr && check(value.ptr()); }              \
    template <class Object> static Name ensure(const Object &value) {                                                  \
        return check_(value) ? Name(value, borrowed_t{}) : Name(::pybind11::handle(), stolen_t{});                     \
    }

/// A type whose objects are only checked: another type raises TypeError.
#define PYBIND11_OBJECT(Name, Parent, check)                                                                           \
    PYBIND11_OBJECT_COMMON(Name, Parent, check)                                                                        \
    Name(const ::pybind11::object &value) : Parent(value, borrowed_t{}) {                                              \
        if (value && !check_(value)) ::pybind11::detail::checked(::pybind11::detail::refuse_type(m_ptr, #Name));       \
    }                                                                                                                  \
    Name(::pybind11::object &&value) : Parent(value.release(), stolen_t{}) {                                           \
        if (m_ptr && !check_(m_ptr)) ::pybind11::detail::checked(::pybind11::detail::refuse_type(m_ptr, #Name));       \
    }                                                                                                                  \
    Name(const ::pybind11::accessor &value) : Name(value.get()) {}

/// A type to which other objects are converted by the function `convert`, which returns a new reference.
#define PYBIND11_OBJECT_CVT(Name, Parent, check, convert)                                                              \
    PYBIND11_OBJECT_COMMON(Name, Parent, check)                                                                        \
    Name(const ::pybind11::object &value)                                                                              \
        : Parent(check_(value) ? value.inc_ref().ptr() : ::pybind11::detail::checked(convert(value.ptr())),            \
                 stolen_t{}) {}                                                                                        \
    Name(::pybind11::object &&value)                                                                                   \
        : Parent(check_(value) ? value.release() : ::pybind11::detail::checked(convert(value.ptr())), stolen_t{}) {}   \
    Name(const ::pybind11::accessor &value) : Name(value.get()) {}

#define PYBIND11_OBJECT_DEFAULT(Name, Parent, check)                                                                   \
    PYBIND11_OBJECT(Name, Parent, check)                                                                               \
    Name() = default;

class none : public object {
  public:
    PYBIND11_OBJECT(none, object, detail::is_none)
    none() : object(Py_None, borrowed_t{}) {}
};

class ellipsis : public object {
  public:
    PYBIND11_OBJECT(ellipsis, object, detail::is_ellipsis)
    ellipsis() : object(Py_Ellipsis, borrowed_t{}) {}
};

class iterable : public object {
  public:
    PYBIND11_OBJECT_DEFAULT(iterable, object, detail::is_iterable)
};

class bytes;

/// Text; C++ strings are UTF-8.
class str : public object {
  public:
    PYBIND11_OBJECT_CVT(str, object, PyUnicode_Check, PyObject_Str)
    str(const char *text = "") : object(detail::checked(PyUnicode_FromString(text)), stolen_t{}) {}
    template <class I, std::enable_if_t<std::is_integral_v<I>, int> = 0>
    str(const char *text, I size)
        : object(detail::checked(PyUnicode_FromStringAndSize(text, static_cast<ssize_t>(size))), stolen_t{}) {}
    str(const std::string &text) : str(text.data(), text.size()) {}
    template <class T, std::enable_if_t<detail::is_text<T>, int> = 0> str(const T &text) : str(detail::view_of(text)) {}
    str(std::string_view text) : str(text.data(), text.size()) {}
    template <class H, std::enable_if_t<std::is_same_v<H, handle>, int> = 0>
    explicit str(const H &value) : object(detail::checked(PyObject_Str(value.ptr())), stolen_t{}) {}
    explicit str(const bytes &value);
    operator std::string() const;
    template <class... A> str format(A &&...arguments) const { return attr("format")(std::forward<A>(arguments)...); }
};

class bytes : public object {
  public:
    PYBIND11_OBJECT(bytes, object, PyBytes_Check)
    bytes(const char *data = "") : object(detail::checked(PyBytes_FromString(data)), stolen_t{}) {}
    template <class I, std::enable_if_t<std::is_integral_v<I>, int> = 0>
    bytes(const char *data, I size)
        : object(detail::checked(PyBytes_FromStringAndSize(data, static_cast<ssize_t>(size))), stolen_t{}) {}
    bytes(const std::string &data) : bytes(data.data(), data.size()) {}
    template <class T, std::enable_if_t<detail::is_text<T>, int> = 0>
    bytes(const T &data) : bytes(detail::view_of(data)) {}
    bytes(std::string_view data) : bytes(data.data(), data.size()) {}
    explicit bytes(const pybind11::str &text);
    operator std::string() const { return std::string(operator std::string_view()); }
    /// The bytes of this object, without a copy.
    operator std::string_view() const;
};

class bytearray : public object {
  public:
    PYBIND11_OBJECT_CVT(bytearray, object, PyByteArray_Check, PyByteArray_FromObject)
    bytearray() : bytearray("", 0) {}
    bytearray(const std::string &data) : bytearray(data.data(), data.size()) {}
    template <class I, std::enable_if_t<std::is_integral_v<I>, int> = 0>
    bytearray(const char *data, I size)
        : object(detail::checked(PyByteArray_FromStringAndSize(data, static_cast<ssize_t>(size))), stolen_t{}) {}
    size_t size() const { return static_cast<size_t>(PyByteArray_Size(m_ptr)); }
    explicit operator std::string() const { return {PyByteArray_AsString(m_ptr), size()}; }
};

class bool_ : public object {
  public:
    PYBIND11_OBJECT_CVT(bool_, object, PyBool_Check, detail::to_bool)
    bool_() : bool_(false) {}
    bool_(bool value) : object(value ? Py_True : Py_False, borrowed_t{}) {}
    operator bool() const { return m_ptr && PyObject_IsTrue(m_ptr) == 1; }
};

class int_ : public object {
  public:
    PYBIND11_OBJECT_CVT(int_, object, PyLong_Check, PyNumber_Long)
    int_() : int_(0) {}
    template <class T, std::enable_if_t<std::is_integral_v<T>, int> = 0>
    int_(T value)
        : object(std::is_signed_v<T> ? PyLong_FromLongLong(static_cast<long long>(value))
                                     : PyLong_FromUnsignedLongLong(static_cast<unsigned long long>(value)),
                 stolen_t{}) {
        detail::checked(m_ptr);
    }
    template <class T, std::enable_if_t<std::is_integral_v<T>, int> = 0> operator T() const {
        return std::is_signed_v<T> ? static_cast<T>(detail::as_signed(m_ptr))
                                   : static_cast<T>(detail::as_unsigned(m_ptr));
    }
};

class float_ : public object {
  public:
    PYBIND11_OBJECT_CVT(float_, object, PyFloat_Check, PyNumber_Float)
    float_(double value = 0) : object(detail::checked(PyFloat_FromDouble(value)), stolen_t{}) {}
    operator double() const { return PyFloat_AsDouble(m_ptr); }
    operator float() const { return static_cast<float>(PyFloat_AsDouble(m_ptr)); }
};

class weakref : public object {
  public:
    PYBIND11_OBJECT_CVT(weakref, object, detail::is_weakref, detail::to_weakref)
    explicit weakref(handle value, handle callback = {})
        : object(detail::checked(PyWeakref_NewRef(value.ptr(), callback.ptr())), stolen_t{}) {}
};

class slice : public object {
  public:
    PYBIND11_OBJECT(slice, object, PySlice_Check)
    static object bound(std::optional<ssize_t> number) { return number ? object(int_(*number)) : object(none()); }
    slice(handle start, handle stop, handle step)
        : object(detail::checked(PySlice_New(start.ptr(), stop.ptr(), step.ptr())), stolen_t{}) {}
    slice(std::optional<ssize_t> start, std::optional<ssize_t> stop, std::optional<ssize_t> step)
        : slice(bound(start), bound(stop), bound(step)) {}
    slice() : slice(std::nullopt, std::nullopt, std::nullopt) {}
    /// The indices for a sequence of `length` elements; false with a Python error for a step of zero.
    template <class L, class I> bool compute(L length, I *start, I *stop, I *step, I *count) const {
        ssize_t first, last, stride;
        if (PySlice_Unpack(m_ptr, &first, &last, &stride) < 0) return false;
        *count = static_cast<I>(PySlice_AdjustIndices(static_cast<ssize_t>(length), &first, &last, stride));
        *start = static_cast<I>(first);
        *stop = static_cast<I>(last);
        *step = static_cast<I>(stride);
        return true;
    }
};

/// A C pointer as a Python object; a destructor gets the pointer or, without one, nothing happens at the end.
class capsule : public object {
    void set_destructor(void (*destructor)(void *));

  public:
    PYBIND11_OBJECT_DEFAULT(capsule, object, PyCapsule_CheckExact)
    explicit capsule(const void *value, const char *name = nullptr, PyCapsule_Destructor destructor = nullptr)
        : object(detail::checked(PyCapsule_New(const_cast<void *>(value), name, destructor)), stolen_t{}) {}
    capsule(const void *value, PyCapsule_Destructor destructor) : capsule(value, nullptr, destructor) {}
    capsule(const void *value, void (*destructor)(void *)) : capsule(value) { set_destructor(destructor); }
    capsule(const void *value, const char *name, void (*destructor)(void *)) : capsule(value, name) {
        set_destructor(destructor);
    }
    /// Calls the function when the capsule dies.
    explicit capsule(void (*destructor)());
    template <class T> operator T *() const { return get_pointer<T>(); }
    template <class T = void> T *get_pointer() const {
        return static_cast<T *>(static_cast<void *>(pointer()));
    }
    /// The pointer; throws error_already_set for a null capsule.
    void *pointer() const;
    void set_pointer(const void *value);
    const char *name() const;
    void set_name(const char *name);
};

class tuple : public object {
  public:
    PYBIND11_OBJECT_CVT(tuple, object, PyTuple_Check, PySequence_Tuple)
    template <class I = size_t, std::enable_if_t<std::is_integral_v<I>, int> = 0>
    explicit tuple(I size = 0) : object(detail::checked(PyTuple_New(static_cast<ssize_t>(size))), stolen_t{}) {}
    size_t size() const { return static_cast<size_t>(PyTuple_Size(m_ptr)); }
    bool empty() const { return size() == 0; }
    accessor operator[](size_t i) const { return {*this, static_cast<ssize_t>(i), accessor::kind::tuple_item}; }
    detail::tuple_iterator begin() const { return {*this, 0}; }
    detail::tuple_iterator end() const { return {*this, PyTuple_Size(m_ptr)}; }
    template <class I, std::enable_if_t<std::is_integral_v<I>, int> = 0> accessor operator[](I i) const {
        return (*this)[static_cast<size_t>(i)];
    }
    template <class T, std::enable_if_t<std::is_base_of_v<handle, T>, int> = 0> accessor operator[](T &&key) const {
        return object::operator[](std::forward<T>(key));
    }
};

namespace typing {
/// An iterator whose signature names the type of its elements.
template <class T> class Iterator : public iterator {
    using iterator::iterator;
};
/// A tuple whose signature names the types of its elements.
template <class... T> class Tuple : public tuple {
    using tuple::tuple;
};
}  // namespace typing

/// The values in one tuple; throws when one of them has no conversion.
template <return_value_policy policy = return_value_policy::automatic_reference, class... A>
typing::Tuple<A...> make_tuple(A &&...values) {
    typing::Tuple<A...> result(sizeof...(A));
    ssize_t i = 0;
    (detail::checked(
         PyTuple_SetItem(result.ptr(), i++, detail::checked(detail::to_python(std::forward<A>(values), policy)))),
     ...);
    (void)i;
    return result;
}

class sequence : public object {
  public:
    PYBIND11_OBJECT_DEFAULT(sequence, object, PySequence_Check)
    size_t size() const {
        ssize_t count = PySequence_Size(m_ptr);
        if (count < 0) throw error_already_set();
        return static_cast<size_t>(count);
    }
    bool empty() const { return size() == 0; }
    accessor operator[](size_t i) const { return {*this, static_cast<ssize_t>(i), accessor::kind::sequence_item}; }
    template <class T, std::enable_if_t<std::is_base_of_v<handle, T>, int> = 0> accessor operator[](T &&key) const {
        return object::operator[](std::forward<T>(key));
    }
    detail::sequence_iterator begin() const { return {*this, 0}; }
    detail::sequence_iterator end() const { return {*this, PySequence_Size(m_ptr)}; }
};

class list : public object {
  public:
    PYBIND11_OBJECT_CVT(list, object, PyList_Check, PySequence_List)
    /// `size` empty places, to be assigned before anything reads them.
    template <class I = size_t, std::enable_if_t<std::is_integral_v<I>, int> = 0>
    explicit list(I size = 0) : object(detail::checked(PyList_New(static_cast<ssize_t>(size))), stolen_t{}) {}
    size_t size() const { return static_cast<size_t>(PyList_Size(m_ptr)); }
    bool empty() const { return size() == 0; }
    accessor operator[](size_t i) const { return {*this, static_cast<ssize_t>(i), accessor::kind::list_item}; }
    detail::list_iterator begin() const { return {*this, 0}; }
    detail::list_iterator end() const { return {*this, PyList_Size(m_ptr)}; }
    template <class I, std::enable_if_t<std::is_integral_v<I>, int> = 0> accessor operator[](I i) const {
        return (*this)[static_cast<size_t>(i)];
    }
    template <class T, std::enable_if_t<std::is_base_of_v<handle, T>, int> = 0> accessor operator[](T &&key) const {
        return object::operator[](std::forward<T>(key));
    }
    template <class T> void append(T &&value) {
        detail::checked(PyList_Append(m_ptr, detail::owned(detail::to_python(std::forward<T>(value))).ptr()));
    }
    template <class I, class T> void insert(const I &at, T &&value) {
        detail::checked(PyList_Insert(m_ptr, static_cast<ssize_t>(at),
                                      detail::owned(detail::to_python(std::forward<T>(value))).ptr()));
    }
    void clear() { detail::checked(PyList_SetSlice(m_ptr, 0, PyList_Size(m_ptr), nullptr)); }
};

class dict : public object {
  public:
    PYBIND11_OBJECT_CVT(dict, object, PyDict_Check, detail::to_dict)
    dict() : object(detail::checked(PyDict_New()), stolen_t{}) {}
    /// dict("a"_a = 1, "b"_a = 2)
    template <class... A,
              std::enable_if_t<(sizeof...(A) > 0) && (detail::is_named<std::decay_t<A>> && ...), int> = 0>
    explicit dict(A &&...named) : object(detail::named_values(std::forward<A>(named)...), stolen_t{}) {}
    size_t size() const { return static_cast<size_t>(PyDict_Size(m_ptr)); }
    bool empty() const { return size() == 0; }
    detail::dict_iterator begin() const { return detail::dict_iterator(*this); }
    detail::dict_iterator end() const { return {}; }
    void clear() { PyDict_Clear(m_ptr); }
    template <class T> bool contains(T &&key) const {
        return detail::checked(
                   PyDict_Contains(m_ptr, detail::owned(detail::to_python(std::forward<T>(key))).ptr())) == 1;
    }
};

class anyset : public object {
  public:
    PYBIND11_OBJECT(anyset, object, detail::is_anyset)
    size_t size() const { return static_cast<size_t>(PySet_Size(m_ptr)); }
    bool empty() const { return size() == 0; }
};

class set : public anyset {
  public:
    PYBIND11_OBJECT_CVT(set, anyset, detail::is_set, detail::to_set)
    set() : anyset(detail::checked(PySet_New(nullptr)), stolen_t{}) {}
    template <class T> bool add(T &&value) {
        return PySet_Add(m_ptr, detail::owned(detail::to_python(std::forward<T>(value))).ptr()) == 0;
    }
    void clear() { PySet_Clear(m_ptr); }
};

class frozenset : public anyset {
  public:
    PYBIND11_OBJECT_CVT(frozenset, anyset, detail::is_frozenset, detail::to_frozenset)
};

class function : public object {
  public:
    PYBIND11_OBJECT_DEFAULT(function, object, PyCallable_Check)
};

class staticmethod : public object {
  public:
    PYBIND11_OBJECT_CVT(staticmethod, object, detail::is_static_method, make)
    static PyObject *make(PyObject *callable);
};

/// The remaining positional arguments of a call, as a parameter of a bound function.
class args : public tuple {
  public:
    PYBIND11_OBJECT(args, tuple, PyTuple_Check)
    args() = default;
};

/// The remaining keyword arguments of a call, as a parameter of a bound function.
class kwargs : public dict {
  public:
    PYBIND11_OBJECT(kwargs, dict, PyDict_Check)
    kwargs() = default;
};

/// The same with the type of each, for signatures.
template <class T> class Args : public args {
    using args::args;
};
template <class T> class KWArgs : public kwargs {
    using kwargs::kwargs;
};

/// A Python type as an object; type::of<T>() is that of a registered class.
class type : public object {
  public:
    PYBIND11_OBJECT(type, object, PyType_Check)
    static handle handle_of(handle value) { return reinterpret_cast<PyObject *>(Py_TYPE(value.ptr())); }
    static type of(handle value) { return type(handle_of(value), borrowed_t{}); }
    template <class T> static handle handle_of();
    template <class T> static type of() { return type(handle_of<T>(), borrowed_t{}); }
};

namespace detail {
template <class D> str object_api<D>::str() const { return pybind11::str(handle(self())); }
}  // namespace detail

inline namespace literals {
/// "text"_s is a Python string.
inline str operator""_s(const char *text, size_t size) { return {text, size}; }
}  // namespace literals

}  // namespace pybind11
