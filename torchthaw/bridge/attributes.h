/* attributes.h: functions, properties and methods of PyTorch, called without Python's machinery around them. */
#pragma once

#include <Python.h>

namespace bridge {

/* A builtin of PyTorch, called by its C function where that takes `flags`, without Python's machinery around it. */
class Builtin {
public:
    void set(PyObject *function, int flags) {
        function_ = function;
        if (PyCFunction_Check(function) && PyCFunction_GetFlags(function) == flags) {
            direct_ = PyCFunction_GetFunction(function);
            self_ = PyCFunction_GetSelf(function);
        }
    }

    bool is_direct() const { return direct_ != nullptr; }

    PyObject *operator()(PyObject *argument) const {
        if (direct_ != nullptr) return direct_(self_, argument);
        return PyObject_CallFunctionObjArgs(function_, argument, nullptr);
    }

private:
    PyObject *function_, *self_;
    PyCFunction direct_;
};

/* An attribute of tensors that is a property in C, read without looking it up each time. */
class Property {
public:
    void set(PyObject *type, const char *name) {
        name_ = PyUnicode_InternFromString(name);
        PyObject *descriptor = name_ == nullptr ? nullptr : PyObject_GetAttr(type, name_);
        if (descriptor == nullptr) return PyErr_Clear();
        set(descriptor);
    }

    /* Takes the reference. */
    void set(PyObject *descriptor) {
        descriptor_ = descriptor;
        get_ = reinterpret_cast<descrgetfunc>(PyType_GetSlot(Py_TYPE(descriptor), Py_tp_descr_get));
    }

    PyObject *operator()(PyObject *object) const {
        if (get_ == nullptr) return PyObject_GetAttr(object, name_);
        return get_(descriptor_, object, reinterpret_cast<PyObject *>(Py_TYPE(object)));
    }

private:
    PyObject *name_, *descriptor_;
    descrgetfunc get_;
};

/* A method without arguments. The C function of the last object's type is remembered. */
class Method {
public:
    explicit Method(const char *name) : name_(PyUnicode_InternFromString(name)) {}

    PyObject *operator()(PyObject *object) {
        return Py_TYPE(object) == type_ ? direct_(object, nullptr) : look_up(object);
    }

    /* The result as an integer; -1 with an exception set. */
    int64_t integer(PyObject *object) {
        PyObject *result = (*this)(object);
        const int64_t value = result == nullptr ? -1 : PyLong_AsLongLong(result);
        Py_XDECREF(result);
        return value;
    }

    /* Whether the result is `expected`. */
    bool is(PyObject *object, PyObject *expected) {
        PyObject *result = (*this)(object);
        Py_XDECREF(result);
        return result == expected;
    }

private:
    PyObject *look_up(PyObject *object) {
        PyObject *bound = PyObject_GetAttr(object, name_);
        if (bound == nullptr) return nullptr;
        const bool builtin = PyCFunction_Check(bound) && PyCFunction_GetSelf(bound) == object;
        if (builtin && PyCFunction_GetFlags(bound) == METH_NOARGS) {
            PyTypeObject *before = type_;
            direct_ = PyCFunction_GetFunction(bound);
            type_ = Py_TYPE(object);
            Py_INCREF(type_);
            Py_XDECREF(before);
        }
        PyObject *result = PyObject_CallFunctionObjArgs(bound, nullptr);
        Py_DECREF(bound);
        return result;
    }

    PyObject *name_;
    PyTypeObject *type_ = nullptr;
    PyCFunction direct_ = nullptr;
};

}  // namespace bridge
