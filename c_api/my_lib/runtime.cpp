// c_api/my_lib/runtime.cpp: what the loaded library says about itself, and its thread count.
#include "my_lib.h"

#define MY_LIB_TEXT_OF(number) #number
#define MY_LIB_TEXT(number) MY_LIB_TEXT_OF(number)

#define MY_LIB_VERSION \
    MY_LIB_TEXT(MY_LIB_VERSION_MAJOR) "." MY_LIB_TEXT(MY_LIB_VERSION_MINOR) "." MY_LIB_TEXT(MY_LIB_VERSION_PATCH)

int my_lib_abi_version(void) { return MY_LIB_VERSION_MAJOR; }

const char *my_lib_version(void) { return MY_LIB_VERSION; }
