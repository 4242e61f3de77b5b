/* exceptions.cpp: the try and catch around every call, so that extensions themselves stay plain C. */
#include "exceptions.h"

#include "th/backing.h"

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
enum Kept { NOTHING, NO_MEMORY, ERROR };
thread_local Kept kept;
thread_local std::string kept_message; /* of what is kept: rethrowing it would cost as much as the call */

void keep(Kept what, const char *text) noexcept {
    kept = what;
    kept_message = text;
}

/* What guard() kept, which is forgotten. */
Kept take_kept() {
    const Kept taken = kept;
    kept = NOTHING;
    return taken;
}

void raise_message(PyObject *type) {
    const auto length = static_cast<Py_ssize_t>(kept_message.size());
    PyObject *text = PyUnicode_DecodeUTF8(kept_message.c_str(), length, "replace");
    if (text != nullptr) PyErr_SetObject(type, text);
    Py_XDECREF(text);
}

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

void throw_python_error() {
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyErr_NormalizeException(&type, &value, &traceback);
    PyObject *text = value == nullptr ? nullptr : PyObject_Str(value);
    PyObject *bytes = text == nullptr ? nullptr : PyUnicode_AsUTF8String(text);
    const char *characters = bytes == nullptr ? nullptr : PyBytes_AsString(bytes);
    std::string message = characters == nullptr ? "an exception without a text" : characters;
    Py_XDECREF(bytes);
    Py_XDECREF(text);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(traceback);
    PyErr_Clear();
    throw_error(message);
}

bool guard(void (*run)(void *frame), void *frame) {
    try {
        run(frame);
        return true;
    } catch (const std::bad_alloc &error) {
        keep(NO_MEMORY, error.what());
    } catch (const std::exception &error) {
        keep(ERROR, error.what());
    } catch (...) {
        keep(ERROR, "a C++ exception that is no std::exception");
    }
    return false;
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
    const Kept taken = take_kept();
    if (taken == NOTHING) return false;
    if (taken == NO_MEMORY) PyErr_NoMemory();
    else raise_message(PyExc_RuntimeError);
    return true;
}

void forget_kept() { kept = NOTHING; }

bool raise_kept_fatal() {
    if (take_kept() == NOTHING) return false;
    PyErr_Clear();
    static PyObject *type = nullptr;
    if (type == nullptr) type = th_attribute("FatalError");
    if (type != nullptr) raise_message(type);
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
