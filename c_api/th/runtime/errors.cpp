// c_api/th/runtime/errors.cpp: errors of C code, and the handler that is in force.
#include "th/runtime/errors.h"

#include "base/setting.h"
#include "th/runtime/export.h"

namespace th {
namespace {

template <typename Function> struct Handler {
    Function function = nullptr;
    void *data = nullptr;

    bool operator==(const Handler &other) const { return function == other.function && data == other.data; }
};

thread_local Handler<THErrorHandlerFunction> thread_error;
thread_local Handler<THArgErrorHandlerFunction> thread_argument_error;
base::Setting<Handler<THErrorHandlerFunction>> default_error;
base::Setting<Handler<THArgErrorHandlerFunction>> default_argument_error;

void print_and_exit(const char *message, void *) {
    printf("$ Error: %s\n", message);
    exit(-1);
}

void print_argument_and_exit(int argument, const char *message, void *) {
    printf("$ Invalid argument %d: %s\n", argument, message);
    exit(-1);
}

template <typename Function>
Handler<Function> in_force(const Handler<Function> &own, const base::Setting<Handler<Function>> &fallback,
                           Function builtin) {
    if (own.function) return own;
    const Handler<Function> *set = fallback.get();
    return set && set->function ? *set : Handler<Function>{builtin, nullptr};
}

}  // namespace

void report(const Error &error) {
    if (error.argument != not_an_argument) {
        auto handler = in_force(thread_argument_error, default_argument_error, &print_argument_and_exit);
        handler.function(error.argument, error.message, handler.data);
    } else {
        auto handler = in_force(thread_error, default_error, &print_and_exit);
        handler.function(error.message, handler.data);
    }
}

}  // namespace th

// ---- For C code: nothing of the library is held, so the handler is called straight away -----------------------------

extern "C" {

void _THError(const char *file, const int line, const char *fmt, ...) {
    th::Error error;
    va_list values;
    va_start(values, fmt);
    th::fill(error, th::not_an_argument, file, line, fmt, values);
    va_end(values);
    th::report(error);
}

void _THArgCheck(const char *file, int line, int condition, int argNumber, const char *fmt, ...) {
    if (condition) return;
    th::Error error;
    va_list values;
    va_start(values, fmt);
    th::fill(error, argNumber, file, line, fmt, values);
    va_end(values);
    th::report(error);
}

void _THAssertionFailed(const char *file, const int line, const char *exp, const char *fmt, ...) {
    char text[1024];
    va_list values;
    va_start(values, fmt);
    vsnprintf(text, sizeof text, fmt, values);
    va_end(values);
    _THError(file, line, "Assertion `%s' failed. %s", exp, text);
}

void thaw_report_error(int argument, const char *message) {
    th::Error error;
    error.argument = argument;
    snprintf(error.message, sizeof error.message, "%s", message);
    th::report(error);
}

void THSetErrorHandler(THErrorHandlerFunction new_handler, void *data) { th::thread_error = {new_handler, data}; }

void THSetArgErrorHandler(THArgErrorHandlerFunction new_handler, void *data) {
    th::thread_argument_error = {new_handler, data};
}

void THSetDefaultErrorHandler(THErrorHandlerFunction new_handler, void *data) {
    th::guarded([&] { th::default_error.set({new_handler, data}); });
}

void THSetDefaultArgErrorHandler(THArgErrorHandlerFunction new_handler, void *data) {
    th::guarded([&] { th::default_argument_error.set({new_handler, data}); });
}
}
