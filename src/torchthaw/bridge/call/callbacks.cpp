/* callbacks.cpp: the hook through which cffi reports exceptions of callbacks. */
#include "callbacks.h"

#include <cassert>
#include <cstring>

namespace bridge {

namespace {

thread_local CallbackScope *innermost;

/* These are guarded by the GIL. */
int scopes; /* in all threads */
PyObject *hook_before;

const char *const HOOK = "unraisablehook"; /* of sys */

PyObject *on_unraisable(PyObject *, PyObject *unraisable) {
    if (innermost != nullptr && innermost->keep(unraisable)) return none();
    return hook_before == nullptr ? none() : PyObject_CallFunctionObjArgs(hook_before, unraisable, nullptr);
}

PyObject *hook;

/* Whether cffi reports this, and not the interpreter some other error of the same thread. False perhaps with an
 * exception set. */
bool is_of_callback(PyObject *unraisable) {
    const Ref message(PyObject_GetAttrString(unraisable, "err_msg"));
    const Ref bytes(message == nullptr || message == Py_None ? nullptr : PyUnicode_AsUTF8String(message));
    const char *text = bytes == nullptr ? nullptr : PyBytes_AsString(bytes);
    return text != nullptr && std::strstr(text, "cffi callback ") != nullptr;
}

}  // namespace

bool prepare_callbacks() {
    static PyMethodDef method = {"unraisablehook", on_unraisable, METH_O, "keeps exceptions of callbacks for the call"};
    if (hook == nullptr) hook = PyCFunction_NewEx(&method, nullptr, nullptr);
    return hook != nullptr;
}

CallbackScope::CallbackScope() : outer_(innermost) {
    innermost = this;
    PyObject *before = PySys_GetObject(HOOK);
    if (scopes++ > 0 || before == hook) return;
    Py_XDECREF(hook_before);
    hook_before = Ref::borrow(before).release();
    has_entered_ = PySys_SetObject(HOOK, hook) == 0;
}

CallbackScope::~CallbackScope() {
    assert(innermost == this && scopes > 0);
    innermost = outer_;
    if (--scopes > 0 || PySys_GetObject(HOOK) != hook) return; /* somebody else's hook stays */
    const SavedError saved;
    if (PySys_SetObject(HOOK, hook_before) != 0) PyErr_Clear();
}

bool CallbackScope::keep(PyObject *unraisable) {
    if (error_ != nullptr) return false;
    Ref value(is_of_callback(unraisable) ? PyObject_GetAttrString(unraisable, "exc_value") : nullptr);
    SavedError lack; /* of memory to read what it is: the call must not seem to have worked */
    if (PyErr_GivenExceptionMatches(lack.value(), PyExc_MemoryError)) value = Ref::borrow(lack.value());
    lack.drop();
    if (value == nullptr || value == Py_None) return false;
    error_ = std::move(value);
    return true;
}

bool CallbackScope::raise() {
    if (error_ == nullptr) return false;
    PyErr_Clear();
    PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(error_.get())), error_);
    return true;
}

}  // namespace bridge
