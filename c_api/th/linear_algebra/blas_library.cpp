// c_api/th/linear_algebra/blas_library.cpp: finds the BLAS and LAPACK library.
//
// In this order: the file named by the environment variable THAW_BLAS or by thaw_set_blas; the scipy-openblas32 package
// beside the package that holds this library; what the build found; the system's OpenBLAS, LAPACK or BLAS.
//
// OpenBLAS gets one thread, and libth cuts products over several (blas.cpp). OpenBLAS's threads wait for each other by
// spinning inside a product, and for the next one for about 30 ms: where another process has one of the processors,
// each product takes several of the scheduler's time slices.
#include "th/linear_algebra/blas_library.h"

#include "th/runtime/export.h"
#include "th/runtime/threads.h"

#include <TH/THBlas.h>

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <mutex>
#include <sched.h>
#include <string>

namespace th {
namespace {

std::mutex loading;
void *library = nullptr;
bool searched = false;
std::string wanted;
bool single_threaded = false;  // the library uses no threads of its own

// Symbols carry this prefix in scipy-openblas32.
const char *const prefixes[] = {"scipy_", ""};

void *symbol(void *handle, const std::string &name) {
    for (const char *prefix : prefixes)
        if (void *found = dlsym(handle, (prefix + name).c_str())) return found;
    return nullptr;
}

// OpenBLAS starts a thread for each processor but one that the thread which loads it may run on.
class OneProcessor {
public:
    OneProcessor() {
        cpu_set_t here;
        CPU_ZERO(&here);
        const int cpu = sched_getcpu();
        narrowed_ = cpu >= 0 && cpu < CPU_SETSIZE && !sched_getaffinity(0, sizeof allowed_, &allowed_) &&
                    (CPU_SET(cpu, &here), !sched_setaffinity(0, sizeof here, &here));
    }
    ~OneProcessor() {
        if (narrowed_) sched_setaffinity(0, sizeof allowed_, &allowed_);
    }

private:
    cpu_set_t allowed_;
    bool narrowed_;
};

bool take(const char *path) {
    if (!path || !*path) return false;
    const OneProcessor while_loading;
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle) return false;
    if (!symbol(handle, "sgemm_")) {
        dlclose(handle);
        return false;
    }
    library = handle;
    if (auto set_threads = reinterpret_cast<void (*)(int)>(symbol(handle, "openblas_set_num_threads"))) {
        set_threads(1);
        single_threaded = true;
    }
    return true;
}

bool take_beside_this_library() {
    Dl_info own;
    if (!dladdr(reinterpret_cast<void *>(&blas_routine), &own) || !own.dli_fname) return false;
    std::string folder = own.dli_fname;
    folder.erase(folder.find_last_of('/') + 1);
    return take((folder + "../../scipy_openblas32/lib/libscipy_openblas.so").c_str());
}

void search() {
    if (searched) return;
    searched = true;
    if (take(getenv("THAW_BLAS")) || take(wanted.c_str()) || take_beside_this_library()) return;
#ifdef TH_BLAS_FOUND_BY_BUILD
    if (take(TH_BLAS_FOUND_BY_BUILD)) return;
#endif
    for (const char *name : {"libopenblas.so.0", "liblapack.so.3", "libblas.so.3"})
        if (take(name)) return;
}

}  // namespace

void *blas_routine(const char *name) {
    std::lock_guard<std::mutex> lock(loading);
    search();
    return library ? symbol(library, std::string(name) + "_") : nullptr;
}

int product_threads() {
    static const int most = [] {
        const char *value = getenv("OPENBLAS_NUM_THREADS");
        const int number = value ? atoi(value) : 0;  // as OpenBLAS reads it: anything but a positive number is no limit
        return number > 0 ? number : INT_MAX;
    }();
    return single_threaded ? std::min(num_threads(), most) : 1;
}

}  // namespace th

extern "C" {

int thaw_set_blas(const char *path) {
    return th::guarded([&] {
        std::lock_guard<std::mutex> lock(th::loading);
        th::wanted = path;
        return int(!th::searched);
    });
}
}
