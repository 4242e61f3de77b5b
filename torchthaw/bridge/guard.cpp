/* guard.cpp: the try and catch around every call, so that extensions themselves stay plain C. */
#include "guard.h"

#include "slot.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>

namespace bridge {

namespace {
thread_local std::exception_ptr kept;
thread_local bool is_kept;
thread_local int depth; /* of guards around what this thread runs now */

/* Where TH's errors go: to the guard. A thread that C code started has none. */
void throw_error(const std::string &message) {
    if (depth > 0) throw std::runtime_error(message);
    std::fprintf(stderr, "TH error in a thread that no Python call waits for: %s\n", message.c_str());
    std::abort();
}

void on_error(const char *message, void *) { throw_error(message); }

void on_argument_error(int number, const char *message, void *) {
    throw_error("invalid argument " + std::to_string(number) + ": " + message);
}
}  // namespace

bool guard(void (*run)(void *frame), void *frame) {
    ++depth;
    try {
        run(frame);
        --depth;
        return true;
    } catch (...) {
        --depth;
        kept = std::current_exception();
        is_kept = true;
        return false;
    }
}

bool raise_kept() {
    if (!is_kept) return false;
    is_kept = false;
    std::exception_ptr exception;
    exception.swap(kept);
    try {
        std::rethrow_exception(exception);
    } catch (const std::bad_alloc &) {
        PyErr_NoMemory();
    } catch (const std::exception &error) {
        PyErr_SetString(PyExc_RuntimeError, error.what());
    } catch (...) {
        PyErr_SetString(PyExc_RuntimeError, "a C++ exception that is no std::exception");
    }
    return true;
}

bool raise_kept_fatal() {
    if (!is_kept) return false;
    is_kept = false;
    std::exception_ptr exception;
    exception.swap(kept);
    std::string message = "a C++ exception that is no std::exception";
    try {
        std::rethrow_exception(exception);
    } catch (const std::exception &error) {
        message = error.what();
    } catch (...) {
    }
    PyErr_Clear();
    PyObject *text = PyUnicode_DecodeUTF8(message.c_str(), static_cast<Py_ssize_t>(message.size()), "replace");
    if (text != nullptr) Py_XDECREF(call_python("fatal", "(N)", text));
    return true;
}

PyObject *open_th(PyObject *, PyObject *path) {
    PyObject *bytes;
    if (!PyUnicode_FSConverter(path, &bytes)) return nullptr;
    void *library = dlopen(PyBytes_AsString(bytes), RTLD_NOW | RTLD_LOCAL);
    Py_DECREF(bytes);
    if (library == nullptr) return PyErr_Format(PyExc_ImportError, "%s", dlerror());
    auto set = reinterpret_cast<void (*)(void (*)(const char *, void *), void *)>(
        dlsym(library, "THSetDefaultErrorHandler"));
    auto set_argument = reinterpret_cast<void (*)(void (*)(int, const char *, void *), void *)>(
        dlsym(library, "THSetDefaultArgErrorHandler"));
    if (set == nullptr || set_argument == nullptr) return PyErr_Format(PyExc_ImportError, "%R is no libth", path);
    set(on_error, nullptr);
    set_argument(on_argument_error, nullptr);
    Py_INCREF(Py_None);
    return Py_None;
}

}  // namespace bridge
