/* guard.cpp: the try and catch around every call, so that extensions themselves stay plain C. */
#include "guard.h"

#include "slot.h"

#include <dlfcn.h>
#include <pthread.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

namespace bridge {

namespace {
thread_local std::exception_ptr kept;
thread_local bool is_kept;

int no_level() { return 0; }
int (*region_level)() = no_level; /* omp_get_level: how many parallel regions this code is in */
thread_local int caught_level;    /* how many of them region_member() is in */

std::mutex regions;
bool is_forked; /* OpenMP's threads stayed behind in the parent */
const int watching = pthread_atfork(nullptr, nullptr, [] { is_forked = true; });

void on_error(const char *message, void *) { throw_error(message); }

void on_argument_error(int number, const char *message, void *) {
    throw_error("invalid argument " + std::to_string(number) + ": " + message);
}
}  // namespace

void throw_error(const std::string &message) {
    if (region_level() <= caught_level) throw std::runtime_error(message);
    std::fprintf(stderr, "error in a parallel region that cannot end early: %s\n", message.c_str());
    std::abort();
}

bool guard(void (*run)(void *frame), void *frame) {
    try {
        run(frame);
        return true;
    } catch (...) {
        kept = std::current_exception();
        is_kept = true;
        return false;
    }
}

unsigned region_threads(unsigned asked) { return is_forked ? 1 : asked; }

void region_member(void *opaque) {
    auto *region = static_cast<thaw_region *>(opaque);
    const int outer = caught_level;
    caught_level = region_level();
    try {
        region->body(region->data);
    } catch (...) {
        std::lock_guard<std::mutex> lock(regions);
        if (region->kept == nullptr) region->kept = new std::exception_ptr(std::current_exception());
    }
    caught_level = outer;
}

void region_join(thaw_region *region) {
    if (region->kept == nullptr) return;
    auto *pointer = static_cast<std::exception_ptr *>(region->kept);
    std::exception_ptr exception = std::move(*pointer);
    delete pointer;
    std::rethrow_exception(std::move(exception));
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

void forget_kept() {
    is_kept = false;
    kept = nullptr;
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
    if (void *level = dlsym(library, "omp_get_level")) region_level = reinterpret_cast<int (*)()>(level);
    set(on_error, nullptr);
    set_argument(on_argument_error, nullptr);
    Py_INCREF(Py_None);
    return Py_None;
}

}  // namespace bridge
