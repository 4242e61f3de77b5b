/* python.h: the GIL, where C calls Python without it. */
#pragma once

#include <Python.h>

namespace bridge {

class Gil {
public:
    Gil() : state_(PyGILState_Ensure()) {}
    ~Gil() { PyGILState_Release(state_); }
    Gil(const Gil &) = delete;

private:
    PyGILState_STATE state_;
};

/* Keeps the exception that is set, if any, from code that may set others. */
class KeptError {
public:
    KeptError() { PyErr_Fetch(&type_, &value_, &traceback_); }
    ~KeptError() { PyErr_Restore(type_, value_, traceback_); }
    KeptError(const KeptError &) = delete;

private:
    PyObject *type_, *value_, *traceback_;
};

}  // namespace bridge
