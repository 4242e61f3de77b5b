// c_api/base/openmp.cpp: looks the functions of an OpenMP runtime up in what is loaded.
#include "base/openmp.h"

#include <dlfcn.h>

namespace base {
namespace {

template <typename Function> bool find(void *library, const char *name, Function *&function) {
    function = reinterpret_cast<Function *>(dlsym(library, name));
    return function != nullptr;
}

bool take_from(void *library, OpenMPLibrary &found) {
    OpenMPLibrary all;
    if (!find(library, "GOMP_parallel", all.parallel) || !find(library, "omp_get_max_threads", all.max_threads) ||
        !find(library, "omp_get_thread_num", all.thread_num) || !find(library, "omp_get_num_threads", all.team_size) ||
        !find(library, "omp_in_parallel", all.in_parallel) ||
        !find(library, "omp_set_num_threads", all.set_max_threads) ||
        !find(library, "omp_get_num_procs", all.processors))
        return false;
    found = all;
    return true;
}

}  // namespace

const char *openmp_of_process(Load load, OpenMPLibrary &found) {
    // Looking a symbol up through PyTorch's library searches that library's own dependencies, so it finds the very
    // runtime PyTorch uses, also where other packages brought further copies.
    if (void *torch = load("libtorch_cpu.so", RTLD_LAZY | RTLD_NOLOAD))
        if (take_from(torch, found)) return "pytorch";
    return take_from(RTLD_DEFAULT, found) ? "process" : nullptr;
}

const char *openmp_of_gcc(Load load, OpenMPLibrary &found) {
    void *gomp = load("libgomp.so.1", RTLD_LAZY | RTLD_LOCAL);
    return gomp && take_from(gomp, found) ? "libgomp.so.1" : nullptr;
}

}  // namespace base
