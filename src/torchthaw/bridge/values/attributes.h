/* attributes.h: functions, properties and methods of PyTorch, called without Python's machinery around them. */
#pragma once

#include "bridge/python.h"

namespace bridge {

/* A builtin of PyTorch, called by its C function where that takes `flags`. */
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

    Ref operator()(PyObject *argument) const {
        if (direct_ != nullptr) return Ref(direct_(self_, argument));
        return Ref(PyObject_CallFunctionObjArgs(function_, argument, nullptr));
    }

private:
    PyObject *function_, *self_;
    PyCFunction direct_;
};

/* An attribute of tensors that is a property in C, read without looking it up each time. */
class Property {
public:
    /* False with an exception set. */
    bool set(PyObject *type, const char *name) {
        if (name_ == nullptr) name_ = PyUnicode_InternFromString(name);
        PyObject *descriptor = name_ == nullptr ? nullptr : PyObject_GetAttr(type, name_);
        if (descriptor != nullptr) return set(descriptor), true;
        const bool lacks_memory = name_ == nullptr || PyErr_ExceptionMatches(PyExc_MemoryError);
        if (!lacks_memory) PyErr_Clear();
        return !lacks_memory;
    }

    /* Takes the reference. */
    void set(PyObject *descriptor) {
        descriptor_ = descriptor;
        get_ = reinterpret_cast<descrgetfunc>(PyType_GetSlot(Py_TYPE(descriptor), Py_tp_descr_get));
    }

    Ref operator()(PyObject *object) const {
        if (get_ == nullptr) return Ref(PyObject_GetAttr(object, name_));
        return Ref(get_(descriptor_, object, reinterpret_cast<PyObject *>(Py_TYPE(object))));
    }

private:
    PyObject *name_, *descriptor_;
    descrgetfunc get_;
};

/* A method without arguments. The C function of the last object's type is remembered. */
class Method {
public:
    explicit constexpr Method(const char *text) : text_(text) {}

    Ref operator()(PyObject *object) {
        return Py_TYPE(object) == type_ ? Ref(direct_(object, nullptr)) : look_up(object);
    }

    /* The result as an integer; -1 with an exception set. */
    int64_t integer(PyObject *object) {
        const Ref result = (*this)(object);
        return result == nullptr ? -1 : PyLong_AsLongLong(result);
    }

    /* Whether the result is `expected`. */
    bool is(PyObject *object, PyObject *expected) { return (*this)(object).get() == expected; }

private:
    Ref look_up(PyObject *object) {
        if (name_ == nullptr) name_ = PyUnicode_InternFromString(text_);
        const Ref bound(name_ == nullptr ? nullptr : PyObject_GetAttr(object, name_));
        if (bound == nullptr) return Ref();
        const bool builtin = PyCFunction_Check(bound.get()) && PyCFunction_GetSelf(bound) == object;
        if (builtin && PyCFunction_GetFlags(bound) == METH_NOARGS) {
            PyTypeObject *before = type_;
            direct_ = PyCFunction_GetFunction(bound);
            type_ = Py_TYPE(object);
            Py_INCREF(type_);
            Py_XDECREF(before);
        }
        return Ref(PyObject_CallFunctionObjArgs(bound, nullptr));
    }

    const char *text_;
    PyObject *name_ = nullptr;
    PyTypeObject *type_ = nullptr;
    PyCFunction direct_ = nullptr;
};

}  // namespace bridge
