// portable/python/objects/object.h: handles, owned objects, accessors, calls and Python errors, on the limited API.
#pragma once
#if defined(Py_PYTHON_H) && !defined(Py_LIMITED_API)
#error "Python.h was included without Py_LIMITED_API: compile with -DPy_LIMITED_API=0x030a0000"
#endif
#ifndef Py_LIMITED_API
#define Py_LIMITED_API 0x030a0000
#endif
#ifndef PY_SSIZE_T_CLEAN
#define PY_SSIZE_T_CLEAN
#endif
#include <Python.h>
#include <structmember.h>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iterator>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace pybind11 {

using ssize_t = Py_ssize_t;
using size_t = std::size_t;

class handle;
class object;
class accessor;
class iterator;
class str;
struct arg_v;

/// What a returned pointer or reference becomes: a copy, an owner, or a view that keeps its parent alive.
enum class return_value_policy : std::uint8_t {
    automatic = 0,
    automatic_reference,
    take_ownership,
    copy,
    move,
    reference,
    reference_internal
};

namespace detail {

class args_proxy;
class kwargs_proxy;

/// A new reference to the conversion of a C++ value; null with a Python error set. Defined in cast.h.
template <class T>
PyObject *to_python(T &&value, return_value_policy policy = return_value_policy::automatic_reference);

/// Throws error_already_set for a null pointer; otherwise returns it.
PyObject *checked(PyObject *new_reference);
/// Throws error_already_set for a negative status; otherwise returns it.
int checked(int status);
/// Whether two objects satisfy a rich comparison; throws what the comparison raises.
bool compares(PyObject *left, PyObject *right, int operation);

/// The operations that handles, objects and accessors share. Derived supplies ptr().
template <class Derived> class object_api {
    PyObject *self() const { return static_cast<const Derived &>(*this).ptr(); }
    template <class O> object binary(PyObject *(*operation)(PyObject *, PyObject *), const O &other) const;

  public:
    iterator begin() const;
    iterator end() const;
    accessor operator[](handle key) const;
    accessor operator[](const char *key) const;
    template <class I, std::enable_if_t<std::is_integral_v<I>, int> = 0> accessor operator[](I key) const;
    accessor operator[](object &&key) const;
    accessor attr(handle name) const;
    accessor attr(const char *name) const;
    /// The same, and notes T as the attribute's type in `__annotations__`. Defined in module.h.
    template <class T, class Name> accessor attr_with_type_hint(Name name) const;
    accessor doc() const;
    args_proxy operator*() const;
    /// Calls it; arguments may be values, "name"_a = value, *sequence and **mapping.
    template <return_value_policy policy = return_value_policy::automatic_reference, class... A>
    object operator()(A &&...arguments) const;
    template <class T> bool contains(T &&item) const;
    bool is(const handle &other) const;
    bool is_none() const { return self() == Py_None; }
    bool equal(const handle &other) const;
    bool not_equal(const handle &other) const;
    bool operator<(const handle &other) const;
    bool operator<=(const handle &other) const;
    bool operator>(const handle &other) const;
    bool operator>=(const handle &other) const;
    object operator-() const;
    object operator~() const;
    object operator+(const handle &other) const;
    object operator-(const handle &other) const;
    object operator*(const handle &other) const;
    object operator/(const handle &other) const;
    object operator|(const handle &other) const;
    object operator&(const handle &other) const;
    object operator^(const handle &other) const;
    object operator<<(const handle &other) const;
    object operator>>(const handle &other) const;
    pybind11::str str() const;
    /// The number of references; immortal objects have a large one.
    ssize_t ref_count() const { return Py_REFCNT(self()); }
    handle get_type() const;
};

}  // namespace detail

/// A borrowed pointer to a Python object, or null. Counts no references.
class handle : public detail::object_api<handle> {
  protected:
    PyObject *m_ptr = nullptr;

  public:
    handle() = default;
    template <class P, std::enable_if_t<std::is_same_v<P, PyObject *> || std::is_same_v<P, std::nullptr_t>, int> = 0>
    handle(P pointer) : m_ptr(pointer) {}
    template <class P, std::enable_if_t<std::is_class_v<P> && std::is_convertible_v<P, PyObject *> &&
                                            !std::is_base_of_v<handle, P>,
                                        int> = 0>
    handle(P &pointer) : m_ptr(pointer) {}

    PyObject *ptr() const { return m_ptr; }
    PyObject *&ptr() { return m_ptr; }
    const handle &inc_ref() const & {
        Py_XINCREF(m_ptr);
        return *this;
    }
    const handle &dec_ref() const & {
        Py_XDECREF(m_ptr);
        return *this;
    }
    /// Converts to a C++ value; throws cast_error when it does not fit.
    template <class T> T cast() const;
    explicit operator bool() const { return m_ptr != nullptr; }
    /// Compare identity, not value.
    bool operator==(const handle &other) const { return m_ptr == other.m_ptr; }
    bool operator!=(const handle &other) const { return m_ptr != other.m_ptr; }
};

/// An owned reference to a Python object, or null. Needs the GIL whenever it is copied or destroyed.
class object : public handle {
  public:
    struct borrowed_t {};
    struct stolen_t {};

    object() = default;
    object(const object &other) : handle(other) { inc_ref(); }
    object(object &&other) noexcept : handle(other) { other.m_ptr = nullptr; }
    object(handle value, bool is_borrowed) : handle(value) {
        if (is_borrowed) inc_ref();
    }
    object(handle value, borrowed_t) : handle(value) { inc_ref(); }
    object(handle value, stolen_t) : handle(value) {}
    ~object() { dec_ref(); }
    object &operator=(const object &other) {
        other.inc_ref();
        PyObject *previous = std::exchange(m_ptr, other.m_ptr);
        Py_XDECREF(previous);
        return *this;
    }
    object &operator=(object &&other) noexcept {
        if (this != &other) {
            PyObject *previous = std::exchange(m_ptr, std::exchange(other.m_ptr, nullptr));
            Py_XDECREF(previous);
        }
        return *this;
    }
    /// Gives the reference to the caller and becomes null.
    handle release() { return std::exchange(m_ptr, nullptr); }
    template <class T> T cast() const &;
    template <class T> T cast() &&;
    // Python's in-place operators; an immutable object is replaced.
    object &operator+=(const handle &other) { return assign(PyNumber_InPlaceAdd, other); }
    object &operator-=(const handle &other) { return assign(PyNumber_InPlaceSubtract, other); }
    object &operator*=(const handle &other) { return assign(PyNumber_InPlaceMultiply, other); }
    object &operator/=(const handle &other) { return assign(PyNumber_InPlaceTrueDivide, other); }
    object &operator|=(const handle &other) { return assign(PyNumber_InPlaceOr, other); }
    object &operator&=(const handle &other) { return assign(PyNumber_InPlaceAnd, other); }
    object &operator^=(const handle &other) { return assign(PyNumber_InPlaceXor, other); }
    object &operator<<=(const handle &other) { return assign(PyNumber_InPlaceLshift, other); }
    object &operator>>=(const handle &other) { return assign(PyNumber_InPlaceRshift, other); }

  private:
    object &assign(PyObject *(*operation)(PyObject *, PyObject *), const handle &other) {
        return *this = object(detail::checked(operation(m_ptr, other.ptr())), stolen_t{});
    }
};

/// A T that takes over the caller's reference, without a check of the type.
template <class T> T reinterpret_steal(handle value) { return T(value, object::stolen_t{}); }
/// A T with a reference of its own, without a check of the type.
template <class T> T reinterpret_borrow(handle value) { return T(value, object::borrowed_t{}); }

namespace detail {

/// Takes a new reference over; throws error_already_set for null.
inline object owned(PyObject *new_reference) { return object(checked(new_reference), object::stolen_t{}); }
/// Takes a new reference over, null included.
inline object maybe_owned(PyObject *new_reference) { return object(new_reference, object::stolen_t{}); }
inline object borrowed(PyObject *reference) { return object(reference, object::borrowed_t{}); }

}  // namespace detail

inline namespace torchthaw_1 {  // PyTorch's pybind11 has exceptions of the same names and another layout

/// A Python exception as a C++ exception. Copies share one Python error; any thread may destroy the last.
class error_already_set : public std::exception {
    struct state;
    std::shared_ptr<state> m_state;

  public:
    /// Takes the pending Python error; there must be one.
    error_already_set();
    /// "ValueError: text"; needs no GIL held.
    const char *what() const noexcept override;
    /// Makes it the pending Python error again.
    void restore();
    void discard_as_unraisable(object context);
    void discard_as_unraisable(const char *context);
    bool matches(handle exception_type) const;
    const object &type() const;
    const object &value() const;
    const object &trace() const;
};

}  // namespace torchthaw_1

/// Throws a std::runtime_error.
[[noreturn]] void pybind11_fail(const std::string &reason);

/// An attribute or an element, read when it is used and written by assignment.
class accessor : public detail::object_api<accessor> {
  public:
    enum class kind : std::uint8_t { attribute, item, sequence_item, list_item, tuple_item };

  private:
    object m_owner, m_key;
    ssize_t m_index = 0;
    kind m_kind;
    mutable object m_cache;

  public:
    accessor(handle owner, object key, kind which)
        : m_owner(detail::borrowed(owner.ptr())), m_key(std::move(key)), m_kind(which) {}
    accessor(handle owner, ssize_t index, kind which)
        : m_owner(detail::borrowed(owner.ptr())), m_index(index), m_kind(which) {}
    accessor(const accessor &) = default;
    accessor(accessor &&) = default;

    /// Reads the value; throws what Python raises.
    const object &get() const;
    void set(object value);
    PyObject *ptr() const { return get().ptr(); }
    explicit operator bool() const { return get().ptr() != nullptr; }
    operator object() const { return get(); }
    void operator=(const accessor &other) && { set(other.get()); }
    void operator=(const accessor &other) & { m_cache = other.get(); }  // of its own: the owner does not change
    template <class T> void operator=(T &&value) && { set(detail::owned(detail::to_python(std::forward<T>(value)))); }
    template <class T> void operator=(T &&value) & { m_cache =
            detail::owned(detail::to_python(std::forward<T>(value))); }
    template <class T> T cast() const { return get().template cast<T>(); }
    operator handle() const { return get(); }
};

/// Iterates over any iterable; a null value is the end.
class iterator : public object {
    object m_value;
    bool m_started = false;
    void advance();

  public:
    using iterator_category = std::input_iterator_tag;
    using difference_type = ssize_t;
    using value_type = handle;
    using reference = const handle;
    using pointer = const handle *;

    iterator() = default;
    iterator(handle value, borrowed_t) : object(value, borrowed_t{}) {}
    iterator(handle value, stolen_t) : object(value, stolen_t{}) {}
    iterator(const object &value);
    static bool check_(handle value) { return value.ptr() && PyIter_Check(value.ptr()); }
    static iterator sentinel() { return {}; }
    iterator &operator++() {
        advance();
        return *this;
    }
    iterator operator++(int) {
        iterator before = *this;
        advance();
        return before;
    }
    reference operator*() const;
    pointer operator->() const {
        operator*();
        return &m_value;
    }
    friend bool operator==(const iterator &left, const iterator &right) { return (*left).ptr() == (*right).ptr(); }
    friend bool operator!=(const iterator &left, const iterator &right) { return (*left).ptr() != (*right).ptr(); }
};

/// Attributes by name; get and set throw what Python raises, hasattr hides it.
bool hasattr(handle value, handle name);
bool hasattr(handle value, const char *name);
object getattr(handle value, handle name);
object getattr(handle value, const char *name);
object getattr(handle value, handle name, handle otherwise);
object getattr(handle value, const char *name, handle otherwise);
void setattr(handle value, handle name, handle attribute);
void setattr(handle value, const char *name, handle attribute);
void delattr(handle value, handle name);
void delattr(handle value, const char *name);

/// len(value); throws for an object without a length.
size_t len(handle value);
/// An estimate of the number of elements, 0 when unknown; never throws.
size_t len_hint(handle value);
ssize_t hash(handle value);
str repr(handle value);
/// The iterator of an iterable; throws what iter() raises.
iterator iter(handle value);
bool isinstance(handle value, handle type);
/// Whether a Python value has the given Python or registered C++ type. Defined in cast.h.
template <class T> bool isinstance(handle value);

namespace detail {

template <class D> accessor object_api<D>::operator[](handle key) const {
    return {self(), borrowed(key.ptr()), accessor::kind::item};
}
template <class D> accessor object_api<D>::operator[](object &&key) const {
    return {self(), std::move(key), accessor::kind::item};
}
template <class D> accessor object_api<D>::operator[](const char *key) const {
    return {self(), owned(PyUnicode_FromString(key)), accessor::kind::item};
}
template <class D>
template <class I, std::enable_if_t<std::is_integral_v<I>, int>>
accessor object_api<D>::operator[](I key) const {
    return {self(), owned(PyLong_FromSsize_t(static_cast<ssize_t>(key))), accessor::kind::item};
}
template <class D> accessor object_api<D>::attr(handle name) const {
    return {self(), borrowed(name.ptr()), accessor::kind::attribute};
}
template <class D> accessor object_api<D>::attr(const char *name) const {
    return {self(), owned(PyUnicode_InternFromString(name)), accessor::kind::attribute};
}
template <class D> accessor object_api<D>::doc() const { return attr("__doc__"); }
template <class D> iterator object_api<D>::begin() const { return iter(self()); }
template <class D> iterator object_api<D>::end() const { return {}; }
template <class D> handle object_api<D>::get_type() const { return reinterpret_cast<PyObject *>(Py_TYPE(self())); }
template <class D> bool object_api<D>::is(const handle &other) const { return self() == other.ptr(); }
template <class D> bool object_api<D>::equal(const handle &o) const { return compares(self(), o.ptr(), Py_EQ); }
template <class D> bool object_api<D>::not_equal(const handle &o) const { return compares(self(), o.ptr(), Py_NE); }
template <class D> bool object_api<D>::operator<(const handle &o) const { return compares(self(), o.ptr(), Py_LT); }
template <class D> bool object_api<D>::operator<=(const handle &o) const { return compares(self(), o.ptr(), Py_LE); }
template <class D> bool object_api<D>::operator>(const handle &o) const { return compares(self(), o.ptr(), Py_GT); }
template <class D> bool object_api<D>::operator>=(const handle &o) const { return compares(self(), o.ptr(), Py_GE); }
template <class D>
template <class O>
object object_api<D>::binary(PyObject *(*operation)(PyObject *, PyObject *), const O &other) const {
    return owned(operation(self(), other.ptr()));
}
template <class D> object object_api<D>::operator-() const { return owned(PyNumber_Negative(self())); }
template <class D> object object_api<D>::operator~() const { return owned(PyNumber_Invert(self())); }
template <class D> object object_api<D>::operator+(const handle &o) const { return binary(PyNumber_Add, o); }
template <class D> object object_api<D>::operator-(const handle &o) const { return binary(PyNumber_Subtract, o); }
template <class D> object object_api<D>::operator*(const handle &o) const { return binary(PyNumber_Multiply, o); }
template <class D> object object_api<D>::operator/(const handle &o) const { return binary(PyNumber_TrueDivide, o); }
template <class D> object object_api<D>::operator|(const handle &o) const { return binary(PyNumber_Or, o); }
template <class D> object object_api<D>::operator&(const handle &o) const { return binary(PyNumber_And, o); }
template <class D> object object_api<D>::operator^(const handle &o) const { return binary(PyNumber_Xor, o); }
template <class D> object object_api<D>::operator<<(const handle &o) const { return binary(PyNumber_Lshift, o); }
template <class D> object object_api<D>::operator>>(const handle &o) const { return binary(PyNumber_Rshift, o); }
template <class D> template <class T> bool object_api<D>::contains(T &&item) const {
    return checked(PySequence_Contains(self(), owned(to_python(std::forward<T>(item))).ptr())) == 1;
}

}  // namespace detail
}  // namespace pybind11
