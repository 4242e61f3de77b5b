// c_api/thc/handles.cpp: cuBLAS and cuSPARSE: the copies that the process already uses, else the system's.
#include "thc/handles.h"

#include "th/export.h"
#include "thc/device.h"

#include <THC/THCGeneral.h>

#include <dlfcn.h>
#include <map>
#include <mutex>
#include <vector>

namespace th {
namespace {

// One of NVIDIA's libraries, with its handles. A thread gives its handles back when it ends, for others to take.
struct Library {
    const char *name, *create, *set_stream;
    std::vector<const char *> files;

    std::mutex lock;
    void *loaded = nullptr;
    std::map<int, std::vector<void *>> idle;  // by device

    void *open() {
        if (loaded) return loaded;
        for (const int flags : {RTLD_NOW | RTLD_NOLOAD, RTLD_NOW})
            for (const char *file : files)
                if ((loaded = dlopen(file, flags))) return loaded;
        raise(__FILE__, __LINE__, not_an_argument, "%s: expected %s where the loader looks, got: %s", name,
              files.front(), dlerror());
    }
    void *function(const char *symbol) {
        std::lock_guard<std::mutex> guard(lock);
        void *found = dlsym(open(), symbol);
        TH_CHECK(found, "%s: expected a function %s, found none", name, symbol);
        return found;
    }
    void *take(int device) {
        std::lock_guard<std::mutex> guard(lock);
        auto &free = idle[device];
        if (free.empty()) return nullptr;
        void *handle = free.back();
        free.pop_back();
        return handle;
    }
};

// Never destroyed: threads may end after the library's own end.
Library &cublas = *new Library{"cuBLAS", "cublasCreate_v2", "cublasSetStream_v2",
                               {"libcublas.so.13", "libcublas.so.12", "libcublas.so"}, {}, {}, {}};
Library &cusparse = *new Library{"cuSPARSE", "cusparseCreate", "cusparseSetStream",
                                 {"libcusparse.so.12", "libcusparse.so.13", "libcusparse.so"}, {}, {}, {}};

struct HandlesOfThread {
    Library &library;
    std::map<int, void *> by_device;

    ~HandlesOfThread() {
        std::lock_guard<std::mutex> guard(library.lock);
        for (const auto &[device, handle] : by_device) library.idle[device].push_back(handle);
    }
    void *current() {
        const int device = current_device();
        void *&handle = by_device[device];
        if (!handle) handle = library.take(device);
        if (!handle) {
            const int status = reinterpret_cast<int (*)(void **)>(library.function(library.create))(&handle);
            TH_CHECK(status == 0, "%s: %s failed with status %d", library.name, library.create, status);
        }
        static thread_local std::map<Library *, int (*)(void *, cudaStream_t)> set_stream;
        auto &set = set_stream[&library];
        if (!set) set = reinterpret_cast<int (*)(void *, cudaStream_t)>(library.function(library.set_stream));
        const int status = set(handle, current_stream());
        TH_CHECK(status == 0, "%s: %s failed with status %d", library.name, library.set_stream, status);
        return handle;
    }
};

}  // namespace

void *blas_handle() {
    static thread_local HandlesOfThread handles{cublas, {}};
    return handles.current();
}

void *sparse_handle() {
    static thread_local HandlesOfThread handles{cusparse, {}};
    return handles.current();
}

void *cublas_function(const char *name) { return cublas.function(name); }

void check_cublas(int status, const char *file, int line) {
    if (status) raise(file, line, not_an_argument, "cublas runtime error : %s", cublas_text(status));
}

const char *cublas_text(int status) {
    switch (status) {
    case 0: return "no error";
    case 1: return "library not initialized";
    case 3: return "resource allocation failed";
    case 7: return "an invalid numeric value was used as an argument";
    case 8: return "an absent device architectural feature is required";
    case 11: return "an access to GPU memory space failed";
    case 13: return "the GPU program failed to execute";
    case 14: return "an internal operation failed";
    case 15: return "the operation is not supported";
    default: return "unknown error";
    }
}

const char *cusparse_text(int status) {
    switch (status) {
    case 0: return "no error";
    case 1: return "library not initialized";
    case 2: return "resource allocation failed";
    case 3: return "an invalid numeric value was used as an argument";
    case 4: return "an absent device architectural feature is required";
    case 5: return "an access to GPU memory space failed";
    case 6: return "the GPU program failed to execute";
    case 7: return "an internal operation failed";
    case 8: return "the matrix type is not supported by this function";
    case 10: return "the operation is not supported";
    default: return "unknown error";
    }
}

}  // namespace th

extern "C" {

cublasHandle_t THCState_getCurrentBlasHandle(THCState *state) {
    return th::guarded([&] {
        TH_CHECK(state, "THCState_getCurrentBlasHandle: expected a state, got NULL");
        return static_cast<cublasHandle_t>(th::blas_handle());
    });
}

cusparseHandle_t THCState_getCurrentSparseHandle(THCState *state) {
    return th::guarded([&] {
        TH_CHECK(state, "THCState_getCurrentSparseHandle: expected a state, got NULL");
        return static_cast<cusparseHandle_t>(th::sparse_handle());
    });
}
}
