// c_api/my_lib/runtime/errors.h: how the library's code reports a failure to its caller.
#pragma once

#include "my_lib.h"

namespace my_lib {

// Records code and message for the calling thread; the format is printf's. Returns 0, so that an entry point
// ends with `return set_error(...)`. A message longer than the buffer is cut.
[[gnu::cold]] __attribute__((format(printf, 2, 3)))
int set_error(my_lib_error code, const char *format, ...);

}  // namespace my_lib
