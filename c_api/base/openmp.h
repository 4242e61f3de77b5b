// c_api/base/openmp.h: finds the OpenMP runtime that a process already uses. No library of this project links one: two
// runtimes in one process compete for the cores, and each has its own number of threads.
#pragma once

#include "base/threads.h"

namespace base {

// What loops need, and what a library needs to set and to tell their number of threads.
struct OpenMPLibrary : OpenMP {
    void (*set_max_threads)(int);
    int (*processors)();
};

using Load = void *(*)(const char *library, int flags);  // dlopen; NULL for a library that it cannot load

// Each fills `found` and returns the runtime's name where the runtime has every function of OpenMP, else NULL.
// "pytorch": the runtime that PyTorch has loaded, under whatever name; "process": one that the program brings.
const char *openmp_of_process(Load load, OpenMPLibrary &found);
// "libgomp.so.1": gcc's, loaded now.
const char *openmp_of_gcc(Load load, OpenMPLibrary &found);

}  // namespace base
