// portable/runtime/python/exceptions.cpp: Python errors as C++ exceptions, and C++ exceptions as Python errors.
#include <cxxabi.h>

#include "portable/python/exceptions.h"
#include "portable/python/types.h"

#include <new>
#include <vector>

namespace pybind11 {

struct error_already_set::state {
    object type, value, trace;
    std::string text;

    std::string describe() const {
        error_scope pending;
        std::string all = std::string(pybind11::str(getattr(type, "__name__")));
        PyObject *shown = value ? PyObject_Str(value.ptr()) : nullptr;
        if (shown) {
            all += ": " + std::string(reinterpret_steal<pybind11::str>(shown));
        } else {
            PyErr_Clear();
            all += ": <MESSAGE UNAVAILABLE>";
        }
        return all;
    }
};

error_already_set::error_already_set()
    : m_state(new state, [](state *last) {
          if (!Py_IsInitialized()) return;  // its objects are gone
          gil_scoped_acquire gil;
          error_scope pending;
          delete last;
      }) {
    PyErr_Fetch(&m_state->type.ptr(), &m_state->value.ptr(), &m_state->trace.ptr());
    if (!m_state->type) {
        m_state->type = detail::borrowed(PyExc_SystemError);
        m_state->value = str("error_already_set was thrown without a Python error");
    }
    PyErr_NormalizeException(&m_state->type.ptr(), &m_state->value.ptr(), &m_state->trace.ptr());
    if (m_state->trace && m_state->value) PyException_SetTraceback(m_state->value.ptr(), m_state->trace.ptr());
}
const char *error_already_set::what() const noexcept {
    if (m_state->text.empty()) {
        gil_scoped_acquire gil;
        try {
            m_state->text = m_state->describe();
        } catch (abi::__forced_unwind &) {
            throw;
        } catch (...) {
            return "Python error, whose text could not be read";
        }
    }
    return m_state->text.c_str();
}
void error_already_set::restore() {
    PyErr_Restore(object(m_state->type).release().ptr(), object(m_state->value).release().ptr(),
                  object(m_state->trace).release().ptr());
}
void error_already_set::discard_as_unraisable(object context) {
    restore();
    PyErr_WriteUnraisable(context.ptr());
}
void error_already_set::discard_as_unraisable(const char *context) { discard_as_unraisable(str(context)); }
bool error_already_set::matches(handle exception_type) const {
    return PyErr_GivenExceptionMatches(m_state->type.ptr(), exception_type.ptr()) != 0;
}
const object &error_already_set::type() const { return m_state->type; }
const object &error_already_set::value() const { return m_state->value; }
const object &error_already_set::trace() const { return m_state->trace; }

namespace {

// Never destroyed: modules may translate until the process ends.
std::vector<exception_translator> &translators() {
    static auto *all = new std::vector<exception_translator>;
    return *all;
}
std::vector<detail::translation_hook> &hooks() {
    static auto *all = new std::vector<detail::translation_hook>;
    return *all;
}

/// The causes of a std::nested_exception, as a Python exception; the pending error is the effect.
template <class E> void set_with_cause(PyObject *type, const E &error) {
    if (const auto *nested = dynamic_cast<const std::nested_exception *>(&error); nested && nested->nested_ptr()) {
        detail::translate(nested->nested_ptr());
        raise_from(type, error.what());
    } else {
        PyErr_SetString(type, error.what());
    }
}

void translate_standard(const std::exception_ptr &error) {
    try {
        std::rethrow_exception(error);
    } catch (const std::bad_alloc &found) {
        set_with_cause(PyExc_MemoryError, found);
    } catch (const std::domain_error &found) {
        set_with_cause(PyExc_ValueError, found);
    } catch (const std::invalid_argument &found) {
        set_with_cause(PyExc_ValueError, found);
    } catch (const std::length_error &found) {
        set_with_cause(PyExc_ValueError, found);
    } catch (const std::out_of_range &found) {
        set_with_cause(PyExc_IndexError, found);
    } catch (const std::range_error &found) {
        set_with_cause(PyExc_ValueError, found);
    } catch (const std::overflow_error &found) {
        set_with_cause(PyExc_OverflowError, found);
    } catch (const std::exception &found) {
        set_with_cause(PyExc_RuntimeError, found);
    } catch (abi::__forced_unwind &) {
        throw;
    } catch (...) {
        PyErr_SetString(PyExc_RuntimeError, "Caught an unknown exception!");
    }
}

/// Whether the exception was one of ours.
bool translate_own(const std::exception_ptr &error) {
    try {
        std::rethrow_exception(error);
    } catch (error_already_set &found) {
        found.restore();
    } catch (const builtin_exception &found) {
        found.set_error();
    } catch (abi::__forced_unwind &) {
        throw;
    } catch (...) {
        return false;
    }
    return true;
}

}  // namespace

void register_exception_translator(exception_translator translator) { translators().push_back(translator); }

namespace detail {

void add_translation_hook(translation_hook hook) { hooks().push_back(hook); }

void translate(std::exception_ptr error) {
    if (!error) return;
    for (size_t i = translators().size(); i-- > 0;) {
        try {
            translators()[i](error);
            return;
        } catch (abi::__forced_unwind &) {
            throw;
        } catch (...) {
            error = std::current_exception();  // not its kind, or changed by it
        }
    }
    try {
        if (translate_own(error)) return;
        for (size_t i = hooks().size(); i-- > 0;) {
            if (hooks()[i](error)) return;
        }
        translate_standard(error);
    } catch (abi::__forced_unwind &) {
        throw;
    } catch (...) {
        if (!PyErr_Occurred()) PyErr_SetString(PyExc_SystemError, "An exception could not be translated");
    }
}

PyObject *new_exception_type(handle scope, const char *name, handle base) {
    std::string full_name = std::string(str(getattr(scope, "__name__"))) + "." + name;
    object type = owned(PyErr_NewException(full_name.c_str(), base.ptr(), nullptr));
    if (hasattr(scope, name))
        pybind11_fail("Error during initialization: multiple incompatible definitions with name \"" +
                      std::string(name) + "\"");
    setattr(scope, name, type);
    return type.release().ptr();
}

}  // namespace detail

void raise_from(PyObject *type, const char *message) {
    PyObject *cause_type, *cause, *trace;
    PyErr_Fetch(&cause_type, &cause, &trace);
    PyErr_NormalizeException(&cause_type, &cause, &trace);
    if (trace) PyException_SetTraceback(cause, trace);
    Py_XDECREF(cause_type);
    Py_XDECREF(trace);

    PyObject *new_type, *effect, *new_trace;
    PyErr_SetString(type, message);
    PyErr_Fetch(&new_type, &effect, &new_trace);
    PyErr_NormalizeException(&new_type, &effect, &new_trace);
    if (cause) {
        Py_INCREF(cause);
        PyException_SetCause(effect, cause);    // takes the reference
        PyException_SetContext(effect, cause);  // takes the other
    }
    PyErr_Restore(new_type, effect, new_trace);
}
void raise_from(error_already_set &cause, PyObject *type, const char *message) {
    cause.restore();
    raise_from(type, message);
}

}  // namespace pybind11
