/* operators/errors.h: failures of kernels, which reach Python as the classes that they are. */
#pragma once

#include "bridge/call/failure.h"
#include "bridge/python.h"

#include <memory>
#include <stdexcept>

/* As pybind11 declares it for all modules of a process: what such an exception becomes in Python, set_error() says.
 * PyTorch's functions for Python are pybind11's. Of another exception PyTorch makes what it wants: of
 * std::invalid_argument, ValueError before 2.15 and RuntimeError since. */
namespace pybind11 {

class __attribute__((visibility("default"))) builtin_exception : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
    virtual void set_error() const = 0; /* with the GIL */
};

}  // namespace pybind11

namespace bridge {

/* For callers in C++, a std::runtime_error. */
class KernelError : public pybind11::builtin_exception {
public:
    explicit KernelError(const Failure &failure) : KernelError(failure.type, failure.text) {}
    KernelError(Failure::Type type, const std::string &text) : builtin_exception(text), type_(type) {}

    void set_error() const override { raise(type_, what()); }

private:
    const Failure::Type type_;
};

/* The exception that is set in Python; the GIL is held where it is made. */
class RaisedError : public pybind11::builtin_exception {
public:
    RaisedError() : builtin_exception("an exception in Python") {
        SavedError saved;
        PyObject *value = saved.value();
        Py_XINCREF(value);
        saved.drop();
        value_ = std::shared_ptr<PyObject>(value, [](PyObject *object) {
            const Gil gil;
            Py_XDECREF(object);
        });
    }

    void set_error() const override {
        PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(value_.get())), value_.get());
    }

private:
    std::shared_ptr<PyObject> value_;
};

}  // namespace bridge
