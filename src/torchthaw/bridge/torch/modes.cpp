/* modes.cpp: from a call of a C function to the call of its operator, where a dispatch mode has to see it. */
#include "modes.h"

#include "bridge/python.h"
#include "pytorch.h"

namespace bridge {

namespace {

PythonModule operators_py{"torchthaw.library"};

thread_local int below_modes; /* how many calls of kernels this thread is in */

bool is_mode_active() {
    if (torch.mode_count != nullptr) return torch.mode_count() > 0;
    const int active = truth(torch.ask_mode_count(nullptr));
    if (active < 0) PyErr_Clear();
    return active > 0;
}

}  // namespace

bool belongs_to_modes(PyObject *const *arguments, Py_ssize_t count, PyObject *keywords) {
    if (!knows_torch() || !is_mode_active() || below_modes > 0) return false;
    const Py_ssize_t all = count + (keywords == nullptr ? 0 : PyTuple_Size(keywords));
    for (Py_ssize_t i = 0; i < all; ++i) {
        if (is_tensor(arguments[i])) return true;
    }
    return false;
}

PyObject *after_refusal(const thaw_callable *function, PyObject *refused, PyObject *const *arguments, Py_ssize_t count,
                        PyObject *keywords) {
    if (below_modes > 0) return nullptr;
    if (!is_tensor(refused) || is_plain_tensor(refused)) return nullptr;
    {
        SavedError why;
        const int stands = truth(errors_py.call("stands_for_another", "(O)", refused));
        if (stands < 0) PyErr_Clear();
        if (stands <= 0) return nullptr;
        why.drop();
    }
    return call_operator(function, arguments, count, keywords);
}

PyObject *call_operator(const thaw_callable *function, PyObject *const *arguments, Py_ssize_t count,
                        PyObject *keywords) {
    const Py_ssize_t named_count = keywords == nullptr ? 0 : PyTuple_Size(keywords);
    const Ref values(PyTuple_New(count)), named(PyDict_New());
    if (values == nullptr || named == nullptr) return nullptr;
    for (Py_ssize_t i = 0; i < count; ++i) PyTuple_SetItem(values, i, Ref::borrow(arguments[i]).release());
    for (Py_ssize_t i = 0; i < named_count; ++i) {
        if (PyDict_SetItem(named, PyTuple_GetItem(keywords, i), arguments[count + i]) != 0) return nullptr;
    }
    return operators_py.call("redirect", "OsOO", function->cffi_function, function->name, values.get(), named.get())
        .release();
}

PyObject *call_below_modes(PyObject *, PyObject *const *arguments, Py_ssize_t count) {
    if (count < 1) return PyErr_Format(PyExc_TypeError, "call_below_modes: expected a function, got no argument");
    const Ref values(PyTuple_New(count - 1));
    if (values == nullptr) return nullptr;
    for (Py_ssize_t i = 1; i < count; ++i) PyTuple_SetItem(values, i - 1, Ref::borrow(arguments[i]).release());
    ++below_modes;
    PyObject *result = with_python([&] { return PyObject_Call(arguments[0], values, nullptr); });
    --below_modes;
    return result;
}

}  // namespace bridge
