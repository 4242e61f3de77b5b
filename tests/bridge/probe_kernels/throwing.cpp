/* tests/bridge/probe_kernels/throwing.cpp: C++ exceptions from a C function. */
#include "probe_kernels.h"

#include <new>
#include <stdexcept>

void throwing(const float *, int64_t, int64_t what, float *) {
    if (what == 1) throw std::invalid_argument("thrown in C++");
    if (what == 2) throw std::bad_alloc();
    if (what == 3) throw 3;
}
