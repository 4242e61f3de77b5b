// c_api/my_lib/runtime/errors.cu: this library's failures, recorded in libmy_lib.
#include "runtime/errors.h"

#include <stdarg.h>
#include <stdio.h>

int my_lib::set_error(my_lib_error code, const char *format, ...) {
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return my_lib_set_last_error(code, message);
}
