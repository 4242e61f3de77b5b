// c_api/my_lib/runtime/threads.cpp: finds the OpenMP runtime of this process.
#include "runtime/threads.h"

#include "base/openmp.h"

#include <atomic>
#include <cassert>
#include <dlfcn.h>
#include <pthread.h>

#if defined(MY_LIB_ARCHIVE)
// NULL in a program that does not bring OpenMP: libmy_lib.a does not make the linker take it.
extern "C" {
[[gnu::weak]] void GOMP_parallel(void (*)(void *), void *, unsigned, unsigned);
[[gnu::weak]] int omp_get_max_threads(void);
[[gnu::weak]] int omp_get_thread_num(void);
[[gnu::weak]] int omp_get_num_threads(void);
[[gnu::weak]] int omp_in_parallel(void);
}
#endif

namespace my_lib {
namespace {

base::OpenMP runtime;
const char *runtime_name = "none";
int (*runtime_max_threads)();
pthread_once_t runtime_once = PTHREAD_ONCE_INIT;
std::atomic<int> fixed_threads{0};
thread_local int thread_limit = 0;

int max_threads() {
    const int fixed = fixed_threads.load(std::memory_order_relaxed);
    const int most = fixed > 0 ? fixed : runtime_max_threads();
    return thread_limit > 0 && thread_limit < most ? thread_limit : most;
}

#if defined(MY_LIB_ARCHIVE)
// The threads of a team that nothing limits. A program that never asks how many it may have, and so does not change it,
// may lack the function that tells.
int count_team() {
    static std::atomic<int> threads{0};
    auto count = [](void *) {
        if (omp_get_thread_num() == 0) threads.store(omp_get_num_threads(), std::memory_order_relaxed);
    };
    if (threads.load(std::memory_order_relaxed) == 0) GOMP_parallel(count, nullptr, 0, 0);
    return threads.load(std::memory_order_relaxed);
}

bool take_linked(base::OpenMP &found) {
    if (!GOMP_parallel || !omp_get_thread_num || !omp_get_num_threads || !omp_in_parallel) return false;
    int (*const most)() = omp_get_max_threads ? omp_get_max_threads : count_team;
    found = {GOMP_parallel, most, omp_get_thread_num, omp_get_num_threads, omp_in_parallel};
    return true;
}
#endif

void *load(const char *library, int flags) {
#if defined(MY_LIB_ARCHIVE)
    // A static program has no symbol table to look in, so it loads nothing. What it would load has a C library of its
    // own, to which the program's threads are unknown: libgomp crashes there in pthread_create.
    auto dlopen = reinterpret_cast<void *(*)(const char *, int)>(dlsym(RTLD_DEFAULT, "dlopen"));
    if (!dlopen) return nullptr;
#endif
    return dlopen(library, flags);
}

void find_runtime() {
    base::OpenMPLibrary found;
    const char *name = base::openmp_of_process(load, found);
#if defined(MY_LIB_ARCHIVE)
    if (!name && take_linked(found)) name = "process";  // a static libgomp in a dynamic program exports nothing
#endif
    if (!name) name = base::openmp_of_gcc(load, found);
    if (!name) return;
    assert(found.parallel && found.max_threads && found.thread_num && found.team_size && found.in_parallel);
    runtime_name = name;
    runtime = found;
    runtime_max_threads = found.max_threads;
    runtime.max_threads = max_threads;
}

}  // namespace

void set_num_threads(int count) { fixed_threads.store(count > 0 ? count : 0, std::memory_order_relaxed); }

int limit_threads(int count) {
    const int before = thread_limit;
    thread_limit = count > 0 ? count : 0;
    return before;
}

const char *threads_name() {
    base::openmp();
    return runtime_name;
}

}  // namespace my_lib

const base::OpenMP &base::openmp() {
    pthread_once(&my_lib::runtime_once, my_lib::find_runtime);
    return my_lib::runtime;
}
