// c_api/my_lib/runtime/version.cpp: what the loaded library says about itself, and its thread count.
#include "base/isa.h"
#include "base/refused_isa.h"
#include "runtime/threads.h"
#include "runtime/errors.h"

#include <pthread.h>
#include <stdio.h>

#define MY_LIB_TEXT_OF(number) #number
#define MY_LIB_TEXT(number) MY_LIB_TEXT_OF(number)
#define MY_LIB_VERSION                                                                                                 \
    MY_LIB_TEXT(MY_LIB_VERSION_MAJOR) "." MY_LIB_TEXT(MY_LIB_VERSION_MINOR) "." MY_LIB_TEXT(MY_LIB_VERSION_PATCH)

namespace {

char build_info[384];
pthread_once_t build_info_once = PTHREAD_ONCE_INIT;

void write_build_info() {
    char refused[256] = "";
    const bool is_refused = base::is_refused_isa(refused, sizeof refused);
    snprintf(build_info, sizeof build_info, "my_lib " MY_LIB_VERSION " cpu=%s openmp=%s%s%s",
             is_refused ? "none" : base::isa_name(), my_lib::threads_name(), is_refused ? "; " : "", refused);
}

}  // namespace

int my_lib_abi_version(void) { return MY_LIB_VERSION_MAJOR; }

const char *my_lib_version(void) { return MY_LIB_VERSION; }

const char *my_lib_build_info(void) {
    pthread_once(&build_info_once, write_build_info);
    return build_info;
}

int my_lib_set_num_threads(int num_threads) {
    if (num_threads < 0)
        return my_lib::set_error(MY_LIB_ERROR_INVALID_VALUE, "num_threads: expected at least 0, got %d", num_threads);
    my_lib::set_num_threads(num_threads);
    return 1;
}

int my_lib_limit_threads(int num_threads) { return my_lib::limit_threads(num_threads); }

int my_lib_get_num_threads(void) { return my_lib::num_threads(); }
