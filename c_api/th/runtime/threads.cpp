// c_api/th/runtime/threads.cpp: finds the OpenMP runtime of this process, and sets how many threads it uses.
#include "th/runtime/threads.h"

#include "base/openmp.h"

#include <TH/THGeneral.h>

#include <dlfcn.h>
#include <pthread.h>
#include <thread>

namespace th {
namespace {

base::OpenMPLibrary runtime;  // nothing in it: loops run on the caller
int threads_at_first = 1;
pthread_once_t once = PTHREAD_ONCE_INIT;

void find_runtime() {
    if (base::openmp_of_process(dlopen, runtime) || base::openmp_of_gcc(dlopen, runtime))
        threads_at_first = runtime.max_threads();
}

}  // namespace

static const base::OpenMPLibrary &openmp() {
    pthread_once(&once, find_runtime);
    return runtime;
}

}  // namespace th

const base::OpenMP &base::openmp() { return th::openmp(); }

extern "C" {

void THSetNumThreads(int num_threads) {
    if (num_threads > 0 && th::openmp().parallel) th::openmp().set_max_threads(num_threads);
}

int THGetNumThreads(void) { return th::openmp().parallel ? th::openmp().max_threads() : 1; }

int THGetNumCores(void) {
    const int cores = th::openmp().parallel ? th::openmp().processors() : int(std::thread::hardware_concurrency());
    return cores > 0 ? cores : 1;
}

void THInferNumThreads(void) {
    th::openmp();  // which sets threads_at_first
    THSetNumThreads(th::threads_at_first);
}
}
