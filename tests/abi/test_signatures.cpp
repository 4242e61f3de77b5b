// tests/abi/test_signatures.cpp: every released function and constant of my_lib.h, as it was released.
//
// Compiling this file is the check. What no longer compiles means that programs built against a released header break:
// keep the function as it was and add a new one beside it. abi/libmy_lib.txt has the functions; lines of it are never
// changed or removed within one major version.
#include "my_lib.h"

extern "C" {
#include "libmy_lib.txt"
}

static_assert(MY_LIB_VERSION_MAJOR == 1, "a new major version begins a new list");
static_assert(MY_LIB_SUCCESS == 0 && MY_LIB_ERROR_NULL_POINTER == 1 && MY_LIB_ERROR_UNALIGNED_POINTER == 2 &&
                  MY_LIB_ERROR_INVALID_SIZE == 3 && MY_LIB_ERROR_SIZE_OVERFLOW == 4 &&
                  MY_LIB_ERROR_SHAPE_MISMATCH == 5 && MY_LIB_ERROR_INVALID_VALUE == 6 &&
                  MY_LIB_ERROR_WORKSPACE_TOO_SMALL == 7 && MY_LIB_ERROR_NO_GPU == 8 && MY_LIB_ERROR_CUDA == 9 &&
                  MY_LIB_ERROR_NOT_PREPARED == 10,
              "an error code changed");
static_assert(sizeof(my_lib_error) == sizeof(int), "the enum is as wide as int");

int main() { return 0; }
