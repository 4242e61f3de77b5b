// c_api/my_lib/runtime/errors.cpp: the calling thread's last error, and the names of the codes.
#include "runtime/errors.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

namespace {

struct last_error {
    int code;
    char message[512];
};

thread_local last_error last = {MY_LIB_SUCCESS, ""};

}  // namespace

int my_lib::set_error(my_lib_error code, const char *format, ...) {
    assert(code != MY_LIB_SUCCESS);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(last.message, sizeof last.message, format, arguments);
    va_end(arguments);
    last.code = code;
    return 0;
}

int my_lib_set_last_error(int code, const char *message) {
    // The text may be the thread's own message.
    const size_t length = message ? strnlen(message, sizeof last.message - 1) : 0;
    if (length) memmove(last.message, message, length);
    last.message[length] = 0;
    last.code = code;
    return 0;
}

int my_lib_last_error_code(void) { return last.code; }

const char *my_lib_last_error_message(void) { return last.message; }

const char *my_lib_error_name(int code) {
#define MY_LIB_CASE(name, value, description) \
    case value: return #name;
    switch (code) { MY_LIB_ERROR_LIST(MY_LIB_CASE) }
#undef MY_LIB_CASE
    return "MY_LIB_ERROR_UNKNOWN";
}

const char *my_lib_error_description(int code) {
#define MY_LIB_CASE(name, value, description) \
    case value: return description;
    switch (code) { MY_LIB_ERROR_LIST(MY_LIB_CASE) }
#undef MY_LIB_CASE
    return "unknown error code";
}
