// tests/support/skip_refused_cpu.cpp: before main(): a test for an instruction set that this processor lacks, by the
// environment variable MY_LIB_CPU, says so and ends with 77, which ctest takes as skipped.
#include "my_lib.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

static const bool runs = [] {
    const float input = 1;
    float output = 0;
    if (my_lib_mul_constant_forward(&input, nullptr, 0, 2, &output)) return true;
    const char *why = my_lib_last_error_message();
    if (std::strstr(why, ", which this processor has, got ") == nullptr) return true;
    std::printf("skipped: %s\n", why);
    std::exit(77);
}();
