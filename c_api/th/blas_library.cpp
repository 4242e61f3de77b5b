// c_api/th/blas_library.cpp: finds the BLAS and LAPACK library.
//
// In this order: the file named by the environment variable THAW_BLAS or by thaw_set_blas; the scipy-openblas32 package
// beside the package that holds this library; what the build found; the system's OpenBLAS, LAPACK or BLAS.
#include "blas_library.h"

#include "export.h"
#include "threads.h"

#include <TH/THBlas.h>

#include <atomic>
#include <cstdlib>
#include <dlfcn.h>
#include <mutex>
#include <string>

namespace th {
namespace {

std::mutex loading;
void *library = nullptr;
bool searched = false;
std::string wanted;
void (*set_threads)(int) = nullptr;

// Symbols carry this prefix in scipy-openblas32.
const char *const prefixes[] = {"scipy_", ""};

void *symbol(void *handle, const std::string &name) {
    for (const char *prefix : prefixes)
        if (void *found = dlsym(handle, (prefix + name).c_str())) return found;
    return nullptr;
}

bool take(const char *path) {
    if (!path || !*path) return false;
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle) return false;
    if (!symbol(handle, "sgemm_")) {
        dlclose(handle);
        return false;
    }
    library = handle;
    set_threads = reinterpret_cast<void (*)(int)>(symbol(handle, "openblas_set_num_threads"));
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

void share_threads_with_blas() {
    static std::atomic<int> current{0};
    const int wanted = num_threads();
    if (set_threads && current.exchange(wanted) != wanted) set_threads(wanted);
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
