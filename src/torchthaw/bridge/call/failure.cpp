/* failure.cpp: the failures of functions with a status, and failures as Python exceptions. */
#include "failure.h"

#include "bridge/python.h"
#include "call.h"

#include <algorithm>
#include <new>

namespace bridge {

namespace {

/* By whether the header has a function with THAW_ERROR_MESSAGE. */
constexpr const char *NO_TEXT[] = {
    ": failed: it returned 0; a function with THAW_ERROR_MESSAGE in its header would give the reason",
    ": failed: it returned 0, and the function with THAW_ERROR_MESSAGE gave no text",
};

}  // namespace

Failure failure_of(const thaw_callable *function) {
    const thaw_module &module = *function->module;
    Failure failure;
    const char *message = module.error_message == nullptr ? nullptr : module.error_message();
    const bool has_text = message != nullptr && *message != '\0';
    failure.text = has_text ? message : std::string(function->name) + NO_TEXT[module.error_message != nullptr];
    const int *codes = module.runtime_codes, *end = codes + module.runtime_code_count;
    const bool is_runtime = module.error_code == nullptr || std::find(codes, end, module.error_code()) != end;
    failure.type = is_runtime ? Failure::RUNTIME_ERROR : Failure::VALUE_ERROR;
    return failure;
}

void raise(Failure::Type type, std::string_view text) {
    PyObject *const types[] = {PyExc_TypeError, PyExc_ValueError, PyExc_RuntimeError, PyExc_OverflowError,
                               PyExc_MemoryError};
    const Ref message(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
    if (message != nullptr) PyErr_SetObject(types[type], message);
}

void raise_failure_of(const thaw_callable *function) noexcept try {
    raise(failure_of(function));
} catch (const std::bad_alloc &) {
    PyErr_NoMemory();
}

}  // namespace bridge
