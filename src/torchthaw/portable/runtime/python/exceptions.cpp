// portable/runtime/python/exceptions.cpp: Python errors as C++ exceptions, and C++ exceptions as Python errors.
#include <cxxabi.h>

#include "portable/python/objects/common.h"
#include "portable/python/objects/exceptions.h"
#include "portable/python/objects/types.h"
#include "portable/python/objects/warnings.h"

#include <new>
#include <vector>

namespace pybind11 {

namespace {

/// A Python text as UTF-8, also where it has lone surrogates. False with a Python error.
bool add_text(std::string &all, PyObject *text) {
    object encoded = detail::maybe_owned(text ? PyUnicode_AsEncodedString(text, "utf-8", "backslashreplace") : nullptr);
    Py_XDECREF(text);
    char *data;
    ssize_t size;
    if (!encoded || PyBytes_AsStringAndSize(encoded.ptr(), &data, &size) < 0) return false;
    all.append(data, static_cast<size_t>(size));
    return true;
}

/// "  file(line): function" for the frame where the error was raised and for those that called it.
void add_frames(std::string &all, const object &trace) {
    object last = trace;
    for (object next = trace; !next.is_none(); next = getattr(next, "tb_next")) last = next;
    all += "\n\nAt:\n";
    for (object frame = getattr(last, "tb_frame"); !frame.is_none(); frame = getattr(frame, "f_back")) {
        object code = getattr(frame, "f_code");
        all += "  " + std::string(str(getattr(code, "co_filename"))) + "(" +
               std::string(str(getattr(frame, "f_lineno"))) + "): " + std::string(str(getattr(code, "co_name"))) + "\n";
    }
}

}  // namespace

struct error_already_set::state {
    object type, value, trace;
    std::string text;
    bool is_restored = false;

    std::string describe_value() const {
        if (!value) return "<MESSAGE UNAVAILABLE>";
        std::string all, about;
        if (!add_text(all, PyObject_Str(value.ptr()))) {
            all = "<MESSAGE UNAVAILABLE DUE TO ANOTHER EXCEPTION>";
            about = error_already_set().what();
        }
        object notes = detail::maybe_owned(PyObject_GetAttrString(value.ptr(), "__notes__"));
        if (!notes) {
            PyErr_Clear();
        } else if (PyList_Check(notes.ptr())) {
            all += "\n__notes__ (len=" + std::to_string(PyList_Size(notes.ptr())) + "):";
            for (ssize_t i = 0; i < PyList_Size(notes.ptr()); ++i) {
                PyObject *note = PyList_GetItem(notes.ptr(), i);
                Py_INCREF(note);
                all += "\n";
                if (!add_text(all, note)) PyErr_Clear();
            }
        } else {
            all += "\nFAILURE obtaining len(__notes__): TypeError: expected a list";
        }
        if (all.empty()) all = "<EMPTY MESSAGE>";
        if (trace) add_frames(all, trace);
        if (!about.empty()) all += (trace ? "" : "\n") + ("\nMESSAGE UNAVAILABLE DUE TO EXCEPTION: " + about);
        return all;
    }
    std::string describe() const {
        error_scope pending;
        return detail::obj_class_name(type.ptr()) + ": " + describe_value();
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
    if (!m_state->type)
        pybind11_fail("Internal error: pybind11::error_already_set called while Python error indicator not set.");
    std::string before = detail::obj_class_name(m_state->type.ptr());
    PyErr_NormalizeException(&m_state->type.ptr(), &m_state->value.ptr(), &m_state->trace.ptr());
    std::string after = detail::obj_class_name(m_state->type.ptr());
    if (before != after)
        pybind11_fail("pybind11::error_already_set: MISMATCH of original and normalized active exception types: "
                      "ORIGINAL " +
                      before + " REPLACED BY " + after + ": " + m_state->describe_value());
    if (m_state->trace && m_state->value) PyException_SetTraceback(m_state->value.ptr(), m_state->trace.ptr());
}
const char *error_already_set::what() const noexcept {
    if (m_state->text.empty()) {
        gil_scoped_acquire gil;
        try {
            m_state->text = m_state->describe();
        } catch (const std::exception &) {
            return "Python error, whose text could not be read";
        }
    }
    return m_state->text.c_str();
}
void error_already_set::restore() {
    if (std::exchange(m_state->is_restored, true))
        pybind11_fail("Internal error: pybind11::detail::error_fetch_and_normalize::restore() called a second time. "
                      "ORIGINAL ERROR: " + m_state->describe());
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
    } catch (const std::bad_alloc &) {
        PyErr_NoMemory();  // for the text of the exception
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

namespace warnings {

namespace {
bool is_warning(handle type) {
    int found = PyObject_IsSubclass(type.ptr(), PyExc_Warning);
    if (found < 0) PyErr_Clear();
    return found == 1;
}
}  // namespace

object new_warning_type(handle scope, const char *name, handle base) {
    if (!is_warning(base))
        pybind11_fail("pybind11::warnings::new_warning_type(): cannot create custom warning, base must be a subclass "
                      "of PyExc_Warning!");
    if (hasattr(scope, name))
        pybind11_fail("pybind11::warnings::new_warning_type(): an attribute with name \"" + std::string(name) +
                      "\" exists already.");
    return detail::owned(detail::new_exception_type(scope, name, base));
}
void warn(const char *message, handle category, int stack_level) {
    if (!is_warning(category))
        pybind11_fail("pybind11::warnings::warn(): cannot raise warning, category must be a subclass of "
                      "PyExc_Warning!");
    detail::checked(PyErr_WarnEx(category.ptr(), message, stack_level));
}

}  // namespace warnings

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

inline namespace torchthaw_1 {

void python_error::persist() {
    pybind11::gil_scoped_acquire gil;
    if (PyErr_Occurred()) kept_ = std::make_shared<pybind11::error_already_set>();
}
void python_error::restore() {
    pybind11::gil_scoped_acquire gil;
    if (kept_) std::exchange(kept_, nullptr)->restore();
}
void python_error::set_error() const {
    if (kept_) pybind11::error_already_set(*kept_).restore();
    else if (!PyErr_Occurred()) PyErr_SetString(PyExc_SystemError, "python_error was thrown, and no Python error is pending");
}

}  // namespace torchthaw_1
