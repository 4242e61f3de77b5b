// portable/python/objects/exceptions.h: C++ exceptions that become Python errors, and the translation at the border.
#pragma once
#include "portable/python/objects/gil.h"

#include "portable/python/objects/names.h"

#include <stdexcept>

namespace pybind11 {

inline namespace torchthaw_1 {  // PyTorch's pybind11 has exceptions of the same names and another layout

/// Base of the exceptions that stand for one of Python's types.
class builtin_exception : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
    /// Makes it the pending Python error.
    virtual void set_error() const = 0;
};

#define PYBIND11_RUNTIME_EXCEPTION(name, python_type)                                                                  \
    class name : public ::pybind11::builtin_exception {                                                                \
      public:                                                                                                          \
        using builtin_exception::builtin_exception;                                                                    \
        name() : name("") {}                                                                                           \
        void set_error() const override { PyErr_SetString(python_type, what()); }                                      \
    };
PYBIND11_RUNTIME_EXCEPTION(stop_iteration, PyExc_StopIteration)
PYBIND11_RUNTIME_EXCEPTION(index_error, PyExc_IndexError)
PYBIND11_RUNTIME_EXCEPTION(key_error, PyExc_KeyError)
PYBIND11_RUNTIME_EXCEPTION(value_error, PyExc_ValueError)
PYBIND11_RUNTIME_EXCEPTION(type_error, PyExc_TypeError)
PYBIND11_RUNTIME_EXCEPTION(buffer_error, PyExc_BufferError)
PYBIND11_RUNTIME_EXCEPTION(import_error, PyExc_ImportError)
PYBIND11_RUNTIME_EXCEPTION(attribute_error, PyExc_AttributeError)
PYBIND11_RUNTIME_EXCEPTION(cast_error, PyExc_RuntimeError)
/// None was given for a reference: the next overload is tried.
PYBIND11_RUNTIME_EXCEPTION(reference_cast_error, PyExc_RuntimeError)

}  // namespace torchthaw_1

using exception_translator = void (*)(std::exception_ptr);

/// Adds a function that rethrows its argument, catches what it knows and sets a Python error. The newest runs first.
void register_exception_translator(exception_translator translator);
inline void register_local_exception_translator(exception_translator translator) {
    register_exception_translator(translator);
}

namespace detail {

/// Sets the Python error of a C++ exception: by registered translators, the newest first, then pybind11's own
/// exceptions, then the hooks, then the standard library's. Throws nothing.
void translate(std::exception_ptr error);

/// A runtime's translator for foreign exceptions. It returns whether it has set a Python error. The newest runs first.
using translation_hook = bool (*)(const std::exception_ptr &error);
void add_translation_hook(translation_hook hook);

/// A new exception type `scope.name`; a failure throws.
PyObject *new_exception_type(handle scope, const char *name, handle base);

}  // namespace detail

/// Sets a Python error of the given type.
inline void set_error(handle type, const char *message) { PyErr_SetString(type.ptr(), message); }
inline void set_error(handle type, handle value) { PyErr_SetObject(type.ptr(), value.ptr()); }

/// Sets a Python error whose cause is the pending one.
void raise_from(PyObject *type, const char *message);
void raise_from(error_already_set &cause, PyObject *type, const char *message);

/// A new Python exception type, for C++ exceptions of type E.
template <class E> class exception : public object {
  public:
    exception() = default;
    exception(handle scope, const char *name, handle base = PyExc_Exception)
        : object(detail::new_exception_type(scope, name, base), stolen_t{}) {}
    void operator()(const char *message) const { set_error(m_ptr, message); }
};

namespace detail {

template <class T> struct handle_type_name;
template <class E> struct handle_type_name<exception<E>> {
    static constexpr auto name = text("Exception");
};

template <class E> inline exception<E> *registered_exception = nullptr;

template <class E> void translate_registered(std::exception_ptr error) {
    if (!error) return;
    try {
        std::rethrow_exception(error);
    } catch (const E &found) {
        set_error(*registered_exception<E>, found.what());
    }
}

}  // namespace detail

/// A new Python exception type to which every C++ exception of type E is translated.
template <class E> exception<E> &register_exception(handle scope, const char *name, handle base = PyExc_Exception) {
    detail::registered_exception<E> = new exception<E>(scope, name, base);  // never deleted: translators use it
    register_exception_translator(detail::translate_registered<E>);
    return *detail::registered_exception<E>;
}
template <class E>
exception<E> &register_local_exception(handle scope, const char *name, handle base = PyExc_Exception) {
    return register_exception<E>(scope, name, base);
}

}  // namespace pybind11

inline namespace torchthaw_1 {

/// Thrown where a Python error is pending, or is kept here.
class python_error : public pybind11::builtin_exception {
  public:
    python_error() : builtin_exception("a Python error") {}
    /// Takes the pending Python error, with the GIL taken meanwhile; without one, nothing.
    void persist();
    /// Makes the error that it took the pending one again.
    void restore();
    void set_error() const override;

  private:
    std::shared_ptr<pybind11::error_already_set> kept_;
};

}  // namespace torchthaw_1

namespace torch {
using AttributeError = pybind11::attribute_error;
}
