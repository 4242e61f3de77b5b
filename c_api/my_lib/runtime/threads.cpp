// c_api/my_lib/runtime/threads.cpp: finds the OpenMP runtime and runs slices on its team.
#include "runtime/threads.h"

#include <atomic>
#include <dlfcn.h>
#include <pthread.h>

namespace my_lib {
namespace {

// The entry that GCC emits for `#pragma omp parallel`; LLVM's and Intel's runtimes have it too.
using ParallelFunction = void (*)(void (*)(void *), void *, unsigned threads, unsigned flags);
using QueryFunction = int (*)();

struct Runtime {
    const char *name = "none";
    ParallelFunction parallel = nullptr;
    QueryFunction max_threads = nullptr, thread_num = nullptr, team_size = nullptr, in_parallel = nullptr;

    bool take_from(void *library, const char *library_name) {
        parallel = reinterpret_cast<ParallelFunction>(dlsym(library, "GOMP_parallel"));
        max_threads = reinterpret_cast<QueryFunction>(dlsym(library, "omp_get_max_threads"));
        thread_num = reinterpret_cast<QueryFunction>(dlsym(library, "omp_get_thread_num"));
        team_size = reinterpret_cast<QueryFunction>(dlsym(library, "omp_get_num_threads"));
        in_parallel = reinterpret_cast<QueryFunction>(dlsym(library, "omp_in_parallel"));
        if (!parallel || !max_threads || !thread_num || !team_size || !in_parallel) return false;
        name = library_name;
        return true;
    }
};

Runtime runtime;
pthread_once_t runtime_once = PTHREAD_ONCE_INIT;
std::atomic<int> fixed_threads{0};
std::atomic<bool> forked{false};

// When the library is loaded, not on first use: PyTorch may have started its team before our first call.
__attribute__((constructor)) void watch_fork() {
    pthread_atfork(nullptr, nullptr, [] { forked.store(true, std::memory_order_relaxed); });
}

void find_runtime() {
    // Looking a symbol up through PyTorch's library searches that library's own dependencies, so it finds the very
    // runtime PyTorch uses, also where other packages brought further copies.
    if (void *torch = dlopen("libtorch_cpu.so", RTLD_LAZY | RTLD_NOLOAD))
        if (runtime.take_from(torch, "pytorch")) return;
    if (runtime.take_from(RTLD_DEFAULT, "process")) return;
    if (void *gomp = dlopen("libgomp.so.1", RTLD_LAZY | RTLD_LOCAL))
        if (runtime.take_from(gomp, "libgomp.so.1")) return;
    runtime = Runtime{};
}

const Runtime &openmp() {
    pthread_once(&runtime_once, find_runtime);
    return runtime;
}

struct Loop {
    int64_t size, grain;
    Slice slice;
    void *body;
};

void run_member(void *data) {
    const Loop &loop = *static_cast<const Loop *>(data);
    const int64_t units = (loop.size + loop.grain - 1) / loop.grain;
    const int64_t team = runtime.team_size(), member = runtime.thread_num();
    const int64_t begin = units * member / team * loop.grain;
    const int64_t end = units * (member + 1) / team * loop.grain;
    if (begin < end) loop.slice(loop.body, begin, end < loop.size ? end : loop.size);
}

}  // namespace

int num_threads() {
    if (forked.load(std::memory_order_relaxed)) return 1;
    const Runtime &found = openmp();
    if (!found.parallel || found.in_parallel()) return 1;
    const int fixed = fixed_threads.load(std::memory_order_relaxed);
    return fixed > 0 ? fixed : found.max_threads();
}

void set_num_threads(int count) { fixed_threads.store(count > 0 ? count : 0, std::memory_order_relaxed); }

const char *threads_name() { return openmp().name; }

void parallel_slices(int64_t size, int64_t grain, Slice slice, void *body) {
    const int64_t units = (size + grain - 1) / grain;
    const int64_t threads = units < 2 ? 1 : num_threads();
    if (threads < 2) {
        if (size > 0) slice(body, 0, size);
        return;
    }
    Loop loop{size, grain, slice, body};
    runtime.parallel(run_member, &loop, static_cast<unsigned>(threads < units ? threads : units), 0);
}

}  // namespace my_lib
