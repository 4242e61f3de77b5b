// c_api/th/runtime/threads.cpp: the OpenMP runtime that libth is linked with, and how many threads it uses.
#include "th/runtime/threads.h"

#include <TH/THGeneral.h>

#include <omp.h>

// What gcc calls for `#pragma omp parallel`.
extern "C" void GOMP_parallel(void (*member)(void *), void *data, unsigned threads, unsigned flags);

namespace {

constexpr base::OpenMP linked = {GOMP_parallel, omp_get_max_threads, omp_get_thread_num, omp_get_num_threads,
                                 omp_in_parallel};
const int threads_at_load = omp_get_max_threads();

}  // namespace

const base::OpenMP &base::openmp() { return linked; }

extern "C" {

void THSetNumThreads(int num_threads) {
    if (num_threads > 0) omp_set_num_threads(num_threads);
}

int THGetNumThreads(void) { return omp_get_max_threads(); }

int THGetNumCores(void) { return omp_get_num_procs(); }

void THInferNumThreads(void) { omp_set_num_threads(threads_at_load); }
}
