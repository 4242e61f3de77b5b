/* structs/part.cpp: what is added to the bridge: calls of functions that take TH structs, libth and libthc. */
#include "bridge/call/extension_point.h"

#include "arguments.h"
#include "backing.h"
#include "bridge/call/call.h"
#include "bridge/call/exceptions.h"
#include "bridge/torch/modes.h"
#include "thc.h"

#include <dlfcn.h>

#include <new>
#include <string>

namespace bridge {

namespace {

/* For its message, cffi is called as Python would call it. */
PyObject *call_as_is(const thaw_callable *function, PyObject *const *arguments, Py_ssize_t count, PyObject *keywords) {
    const Ref values(PyTuple_New(count)), named(keywords == nullptr ? nullptr : PyDict_New());
    if (values == nullptr || (keywords != nullptr && named == nullptr)) return nullptr;
    for (Py_ssize_t i = 0; i < count; ++i) PyTuple_SetItem(values, i, Ref::borrow(arguments[i]).release());
    for (Py_ssize_t i = 0; keywords != nullptr && i < PyTuple_Size(keywords); ++i) {
        if (PyDict_SetItem(named, PyTuple_GetItem(keywords, i), arguments[count + i]) != 0) return nullptr;
    }
    return with_python([&] { return PyObject_Call(function->cffi_function, values, named); });
}

/* See thaw_bridge. */
PyObject *call_th(const thaw_callable *function, void *frame, PyObject **scratch, PyObject *const *arguments,
                  Py_ssize_t count, PyObject *keywords) try {
    if (belongs_to_modes(arguments, count, keywords)) {
        return call_operator(function, arguments, count, keywords);
    }
    const bool named = keywords != nullptr && PyTuple_Size(keywords) > 0;
    const bool fits = function->variadic ? count >= function->parameter_count : count == function->parameter_count;
    if (named || !fits) return call_as_is(function, arguments, count, keywords);
    if (!refresh_retained()) return nullptr;
    StructArguments structs;
    return call_with_structs(function, frame, scratch, arguments, count, &structs);
} catch (const std::bad_alloc &) { /* before C was called: what comes after it needs no such memory */
    return PyErr_NoMemory();
}

void on_error(const char *message, void *) { throw_error(message); }

void on_argument_error(int number, const char *message, void *) {
    throw_error("invalid argument " + std::to_string(number) + ": " + message);
}

/* From now on libth's errors are C++ exceptions. None, or NULL with an exception. */
PyObject *open_th(PyObject *, PyObject *path) {
    void *library = open_library(path);
    if (library == nullptr) return nullptr;
    auto set = reinterpret_cast<void (*)(void (*)(const char *, void *), void *)>(
        dlsym(library, "THSetDefaultErrorHandler"));
    auto set_argument = reinterpret_cast<void (*)(void (*)(int, const char *, void *), void *)>(
        dlsym(library, "THSetDefaultArgErrorHandler"));
    if (set == nullptr || set_argument == nullptr) return PyErr_Format(PyExc_ImportError, "%R is no libth", path);
    set(on_error, nullptr);
    set_argument(on_argument_error, nullptr);
    return none();
}

PyMethodDef methods[] = {
    {"open_th", open_th, METH_O, "open_th(path): loads libth and makes exceptions of its errors"},
    {"open_thc", open_thc, METH_O, "open_thc(path): loads libthc, which works with PyTorch's streams and memory"},
    {"cuda_is_ready", cuda_is_ready, METH_NOARGS, "cuda_is_ready(): libthc's state is there from now on"},
    {nullptr, nullptr, 0, nullptr},
};

const Part th = {methods, call_th};
const bool is_added = (part = &th, true);

}  // namespace

}  // namespace bridge
