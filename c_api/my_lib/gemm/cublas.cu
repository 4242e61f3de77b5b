// c_api/my_lib/gemm/cublas.cu: finds cuBLAS: the copy that the process already uses, else the system's.
#include "gemm/cublas.h"

#include "runtime/errors.h"

#include <dlfcn.h>

#include <initializer_list>

namespace my_lib {
namespace {

#ifndef MY_LIB_CUBLAS  // it is in the runtime where CUDA is the CPU
#define MY_LIB_CUBLAS "libcublas.so.13", "libcublas.so.12"
#endif
constexpr const char *names[] = {MY_LIB_CUBLAS};

void *open_library() {
    for (const int flags : {RTLD_NOW | RTLD_NOLOAD, RTLD_NOW})
        for (const char *name : names)
            if (void *library = dlopen(name, flags)) return library;
    return nullptr;
}

template <typename Function> bool find(void *library, const char *name, Function *function) {
    *function = reinterpret_cast<Function>(dlsym(library, name));
    return *function || set_error(MY_LIB_ERROR_CUDA, "cuBLAS: expected a function %s, found none in libcublas", name);
}

}  // namespace

const Cublas *cublas() {
    static Cublas found;
    static bool complete = false;
    if (complete) return &found;
    void *library = open_library();
    if (!library)
        return set_error(MY_LIB_ERROR_CUDA, "cuBLAS: expected %s or %s where the loader looks, got: %s", names[0],
                         names[1], dlerror()),
               nullptr;
    complete = find(library, "cublasCreate_v2", &found.create) &&
               find(library, "cublasSetStream_v2", &found.set_stream) &&
               find(library, "cublasSetWorkspace_v2", &found.set_workspace) &&
               find(library, "cublasSetMathMode", &found.set_math_mode) &&
               find(library, "cublasSgemm_v2_64", &found.sgemm) && find(library, "cublasDgemm_v2_64", &found.dgemm);
    return complete ? &found : nullptr;
}

}  // namespace my_lib
