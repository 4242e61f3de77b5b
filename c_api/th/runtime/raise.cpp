// c_api/th/runtime/raise.cpp: errors on their way out of the library.
#include "th/runtime/errors.h"

#include <new>

namespace th {

void fill(Error &error, int argument, const char *file, int line, const char *format, va_list values) {
    error.argument = argument;
    int used = vsnprintf(error.message, sizeof error.message, format, values);
    if (used < 0) used = error.message[0] = 0;
    if (size_t(used) < sizeof error.message)
        snprintf(error.message + used, sizeof error.message - size_t(used), " at %s:%d", file, line);
}

void raise(const char *file, int line, int argument, const char *format, ...) {
    Error error;
    va_list values;
    va_start(values, format);
    fill(error, argument, file, line, format, values);
    va_end(values);
    throw error;
}

void capture(Error &error) {
    try {
        throw;
    } catch (const Error &raised) {
        error = raised;
    } catch (const std::bad_alloc &) {
        error.argument = not_an_argument;
        snprintf(error.message, sizeof error.message, "$ Torch: not enough memory");
    }
}

}  // namespace th
