/* python.h: Python's references, exceptions, modules and lock as C++ values. */
#pragma once

#include "bridge/call/thread_exit.h"

#include <Python.h>

#include <utility>

namespace bridge {

/* An owned reference, or NULL. */
class Ref {
public:
    Ref() = default;
    explicit Ref(PyObject *owned) : object_(owned) {}
    Ref(Ref &&other) noexcept : object_(other.release()) {}
    ~Ref() { Py_XDECREF(object_); }

    Ref &operator=(Ref &&other) noexcept {
        std::swap(object_, other.object_);
        return *this;
    }

    static Ref borrow(PyObject *object) {
        Py_XINCREF(object);
        return Ref(object);
    }

    PyObject *get() const { return object_; }
    PyObject *release() { return std::exchange(object_, nullptr); }
    operator PyObject *() const & { return object_; }
    operator PyObject *() && = delete; /* it would be gone at once */

private:
    PyObject *object_ = nullptr;
};

inline PyObject *none() { return Ref::borrow(Py_None).release(); }

/* The Python exception that was set, put aside for code that may set others. It is set again at the end, if it was one
 * and was not dropped. */
class SavedError {
public:
    SavedError() { PyErr_Fetch(&type_, &value_, &traceback_); }
    ~SavedError() {
        if (type_ != nullptr) PyErr_Restore(type_, value_, traceback_);
    }
    SavedError(const SavedError &) = delete;

    /* The exception, borrowed; NULL if none was set. */
    PyObject *value() {
        PyErr_NormalizeException(&type_, &value_, &traceback_);
        return value_;
    }

    void drop() {
        Py_CLEAR(type_);
        Py_CLEAR(value_);
        Py_CLEAR(traceback_);
    }

private:
    PyObject *type_, *value_, *traceback_;
};

/* A module written in Python, imported when something of it is first used. */
class PythonModule {
public:
    explicit constexpr PythonModule(const char *name) : name_(name) {}

    /* NULL with an exception set. */
    Ref attribute(const char *name) {
        return Ref(module() == nullptr ? nullptr : PyObject_GetAttrString(module_, name));
    }

    /* module.<name>(*arguments by Py_BuildValue's format); NULL with an exception set. */
    template <typename... Arguments> Ref call(const char *name, const char *format, Arguments... arguments) {
        return Ref(with_python([&] {
            return module() == nullptr ? nullptr : PyObject_CallMethod(module_, name, format, arguments...);
        }));
    }

private:
    PyObject *module() {
        if (module_ == nullptr) module_ = PyImport_ImportModule(name_);
        return module_;
    }

    const char *name_;
    PyObject *module_ = nullptr;
};

inline PythonModule errors_py{"torchthaw.bridge.errors"}, pytorch_py{"torchthaw.bridge.pytorch"};
inline PythonModule arrays_py{"torchthaw.bridge.arrays"};
inline PythonModule outputs_py{"torchthaw.bridge.outputs"};
inline PythonModule cffi_py{"torchthaw.bridge.cffi_arguments"};
inline PythonModule cuda_errors_py{"torchthaw.bridge.cuda_errors"};

/* The GIL, where C calls Python without it. */
class Gil {
public:
    Gil() : state_(with_python(PyGILState_Ensure)) {}
    ~Gil() { PyGILState_Release(state_); }
    Gil(const Gil &) = delete;

private:
    PyGILState_STATE state_;
};

/* Lets other threads have the GIL that this one holds. */
class WithoutGil {
public:
    WithoutGil() : state_(PyEval_SaveThread()) {}
    ~WithoutGil() {
        with_python([this] { PyEval_RestoreThread(state_); });
    }
    WithoutGil(const WithoutGil &) = delete;

private:
    PyThreadState *state_;
};

}  // namespace bridge
