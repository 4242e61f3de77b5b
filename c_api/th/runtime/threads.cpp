// c_api/th/runtime/threads.cpp: slices on OpenMP's team, and how many threads there are.
#include "th/runtime/threads.h"

#include <TH/THGeneral.h>

#include <atomic>
#include <omp.h>
#include <pthread.h>
#include <unistd.h>

namespace th {
namespace {

std::atomic<bool> forked{false};
const int threads_at_load = omp_get_max_threads();

__attribute__((constructor)) void watch_fork() {
    pthread_atfork(nullptr, nullptr, [] { forked.store(true, std::memory_order_relaxed); });
}

}  // namespace

int num_threads() {
    if (forked.load(std::memory_order_relaxed) || omp_in_parallel()) return 1;
    return omp_get_max_threads();
}

void parallel_slices(int64_t size, int64_t smallest, Slice slice, void *body) {
    const int64_t most = size / smallest, threads = num_threads() < most ? num_threads() : most;
    if (threads < 2) {
        slice(body, 0, size);
        return;
    }
#pragma omp parallel num_threads(int(threads))
    {
        const int64_t team = omp_get_num_threads(), member = omp_get_thread_num();
        const int64_t share = (size + team - 1) / team;
        const int64_t begin = member * share, end = begin + share < size ? begin + share : size;
        if (begin < end) slice(body, begin, end);
    }
}

}  // namespace th

extern "C" {

void THSetNumThreads(int num_threads) {
    if (num_threads > 0) omp_set_num_threads(num_threads);
}

int THGetNumThreads(void) { return omp_get_max_threads(); }

int THGetNumCores(void) { return omp_get_num_procs(); }

void THInferNumThreads(void) { omp_set_num_threads(th::threads_at_load); }
}
