// c_api/th/linear_algebra/blas_library.cpp: finds the BLAS and LAPACK library.
//
// In this order: the file named by the environment variable THAW_BLAS or by thaw_set_blas; the scipy-openblas32 package
// beside the package that holds this library; what the build found; the system's OpenBLAS, LAPACK or BLAS.
//
// OpenBLAS gets one thread, and libth cuts products over several (blas.cpp). OpenBLAS's threads wait for each other by
// spinning inside a product, and for the next one for about 30 ms: where another process has one of the processors,
// each product takes several of the scheduler's time slices.
#include "th/linear_algebra/blas_library.h"

#include "base/once.h"
#include "base/setting.h"
#include "th/runtime/export.h"
#include "th/runtime/threads.h"

#include <TH/THBlas.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <dlfcn.h>
#include <new>
#include <sched.h>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>

namespace th {
namespace {

struct Library {
    void *handle;          // NULL: there is none
    bool single_threaded;  // it uses no threads of its own
};

base::Setting<std::string> wanted;
std::atomic<bool> has_begun{false};  // to search

// NULL where the library has no function of this name. Symbols carry a prefix in scipy-openblas32. Names are short.
void *symbol(void *handle, const char *name, const char *suffix = "") {
    char full[64];
    for (const char *prefix : {"scipy_", ""}) {
        snprintf(full, sizeof full, "%s%s%s", prefix, name, suffix);
        if (void *found = dlsym(handle, full)) return found;
    }
    return nullptr;
}

// Whether memory is lacking to load this file, which with more of it may be a library.
bool lacks_memory_for(const char *path) {
    struct stat file;
    if (stat(path, &file) || !file.st_size) return false;
    void *memory = mmap(nullptr, size_t(file.st_size), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return true;
    munmap(memory, size_t(file.st_size));
    return false;
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

// Whether this file is the library. Throws std::bad_alloc.
bool take(const char *path, Library &library) {
    if (!path || !*path) return false;
    const OneProcessor while_loading;
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        if (lacks_memory_for(path)) throw std::bad_alloc();
        return false;
    }
    if (!symbol(handle, "sgemm_")) {
        dlclose(handle);
        return false;
    }
    library = {handle, false};
    if (auto set_threads = reinterpret_cast<void (*)(int)>(symbol(handle, "openblas_set_num_threads"))) {
        set_threads(1);
        library.single_threaded = true;
    }
    return true;
}

bool take_beside_this_library(Library &library) {
    Dl_info own;
    if (!dladdr(reinterpret_cast<void *>(&blas_routine), &own) || !own.dli_fname) return false;
    std::string folder = own.dli_fname;
    folder.erase(folder.find_last_of('/') + 1);
    return take((folder + "../../scipy_openblas32/lib/libscipy_openblas.so").c_str(), library);
}

Library search() {
    has_begun = true;
    const std::string *path = wanted.get();
    Library library = {nullptr, false};
    // A program with more rights than its caller loads nothing that the caller names.
    if (take(secure_getenv("THAW_BLAS"), library) || (path && take(path->c_str(), library)) ||
        take_beside_this_library(library))
        return library;
#ifdef TH_BLAS_FOUND_BY_BUILD
    if (take(TH_BLAS_FOUND_BY_BUILD, library)) return library;
#endif
    for (const char *name : {"libopenblas.so.0", "liblapack.so.3", "libblas.so.3"})
        if (take(name, library)) return library;
    return library;
}

// A search that found no memory is made again. A child that is forked during it makes its own: nobody waits in a handler
// of the fork, since OpenBLAS itself registers some while it is loaded, which may wait for the fork.
const Library &library() {
    static base::Once<Library> found;
    return found.get(search);
}

int most_of_environment() {
    const char *value = getenv("OPENBLAS_NUM_THREADS");
    const int number = value ? atoi(value) : 0;  // as OpenBLAS reads it: anything but a positive number is no limit
    return number > 0 ? number : INT_MAX;
}

}  // namespace

void *blas_routine(const char *name) {
    void *const handle = library().handle;
    return handle ? symbol(handle, name, "_") : nullptr;
}

int product_threads() {
    static base::Once<int> most;
    return library().single_threaded ? std::min(num_threads(), most.get(most_of_environment)) : 1;
}

}  // namespace th

extern "C" {

int thaw_set_blas(const char *path) {
    return th::guarded([&] {
        TH_CHECK(path, "thaw_set_blas: expected a path, got NULL");
        th::wanted.set(path);
        return int(!th::has_begun);
    });
}
}
