/* guard.cpp: the try and catch around every call, so that extensions themselves stay plain C. */
#include "guard.h"

#include <exception>
#include <new>

namespace bridge {

namespace {
thread_local std::exception_ptr kept;
thread_local bool is_kept;
}  // namespace

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

}  // namespace bridge
