// c_api/th/runtime/errors.h: how library code reports errors, and how they leave the library.
//
// Inside, an error is a C++ exception, so that everything a call holds is released on the way out. The exported
// function (export.h) catches it and only then calls the handler, which may throw, longjmp, exit or return.
#pragma once

#include <TH/THGeneral.h>

namespace th {

constexpr int not_an_argument = -1;

struct Error {
    int argument;  // not_an_argument, or the number that the argument handler gets
    char message[2048];
};

// Throws an Error: the formatted text, then " at file:line" where that fits.
[[noreturn]] void raise(const char *file, int line, int argument, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

// In a catch block: the error that was thrown. An exception of another kind (of a handler or allocator) goes on.
void capture(Error &error);

// The formatted text, then " at file:line" where that fits.
void fill(Error &error, int argument, const char *file, int line, const char *format, va_list values);

// Hands an error to the handler in force; returns when that does.
void report(const Error &error);

}  // namespace th

#define TH_ERROR(...) ::th::raise(__FILE__, __LINE__, ::th::not_an_argument, __VA_ARGS__)
#define TH_CHECK(condition, ...) TH_ARGUMENT(condition, ::th::not_an_argument, __VA_ARGS__)
#define TH_ARGUMENT(condition, number, ...)                                                                            \
    ((condition) ? (void)0 : ::th::raise(__FILE__, __LINE__, number, __VA_ARGS__))
