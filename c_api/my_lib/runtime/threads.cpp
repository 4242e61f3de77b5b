// c_api/my_lib/runtime/threads.cpp: finds the OpenMP runtime of this process.
#include "runtime/threads.h"

#include <atomic>
#include <dlfcn.h>
#include <pthread.h>

namespace my_lib {
namespace {

base::OpenMP runtime;
const char *runtime_name = "none";
int (*runtime_max_threads)();
pthread_once_t runtime_once = PTHREAD_ONCE_INIT;
std::atomic<int> fixed_threads{0};

int max_threads() {
    const int fixed = fixed_threads.load(std::memory_order_relaxed);
    return fixed > 0 ? fixed : runtime_max_threads();
}

template <typename Function> bool find(void *library, const char *name, Function *&function) {
    function = reinterpret_cast<Function *>(dlsym(library, name));
    return function != nullptr;
}

bool take_from(void *library, const char *name) {
    base::OpenMP found;
    if (!find(library, "GOMP_parallel", found.parallel) ||
        !find(library, "omp_get_max_threads", runtime_max_threads) ||
        !find(library, "omp_get_thread_num", found.thread_num) ||
        !find(library, "omp_get_num_threads", found.team_size) ||
        !find(library, "omp_in_parallel", found.in_parallel))
        return false;
    found.max_threads = max_threads;
    runtime = found;
    runtime_name = name;
    return true;
}

void find_runtime() {
    // Looking a symbol up through PyTorch's library searches that library's own dependencies, so it finds the very
    // runtime PyTorch uses, also where other packages brought further copies.
    if (void *torch = dlopen("libtorch_cpu.so", RTLD_LAZY | RTLD_NOLOAD))
        if (take_from(torch, "pytorch")) return;
    if (take_from(RTLD_DEFAULT, "process")) return;
    if (void *gomp = dlopen("libgomp.so.1", RTLD_LAZY | RTLD_LOCAL)) take_from(gomp, "libgomp.so.1");
}

}  // namespace

void set_num_threads(int count) { fixed_threads.store(count > 0 ? count : 0, std::memory_order_relaxed); }

const char *threads_name() {
    base::openmp();
    return runtime_name;
}

}  // namespace my_lib

const base::OpenMP &base::openmp() {
    pthread_once(&my_lib::runtime_once, my_lib::find_runtime);
    return my_lib::runtime;
}
