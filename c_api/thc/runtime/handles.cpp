// c_api/thc/runtime/handles.cpp: cuBLAS and cuSPARSE: the copies that the process already uses, else the system's.
#include "thc/runtime/handles.h"

#include "th/runtime/export.h"
#include "thc/runtime/device.h"

#include <THC/THCGeneral.h>

#include <atomic>
#include <dlfcn.h>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace th {
namespace {

// One of NVIDIA's libraries, with its handles. A thread gives its handles back when it ends, for others to take.
struct Library {
    const char *name, *create, *set_stream;
    std::vector<const char *> files;

    std::atomic<int> indices{1};  // handles have indices from 1 to this
    std::mutex lock{};
    void *loaded = nullptr;
    std::map<int, std::vector<void *>> idle{};  // by device

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
    void reserve(int count) {
        for (int now = indices; now < count && !indices.compare_exchange_weak(now, count);) {
        }
    }
    void check_index(int index) {
        TH_CHECK(index > 0 && index <= indices, "%d is not a valid handle, valid range is: (1, %d)", index,
                 int(indices));
    }
};

#ifndef THC_CUBLAS  // it is in the runtime where CUDA is the CPU
#define THC_CUBLAS "libcublas.so.13", "libcublas.so.12", "libcublas.so"
#endif

// Never destroyed: threads may end after the library's own end.
Library &cublas = *new Library{"cuBLAS", "cublasCreate_v2", "cublasSetStream_v2", {THC_CUBLAS}};
Library &cusparse = *new Library{"cuSPARSE", "cusparseCreate", "cusparseSetStream",
                                 {"libcusparse.so.12", "libcusparse.so.13", "libcusparse.so"}};

struct HandlesOfThread {
    Library &library;
    int index = 1;  // the current one
    std::map<std::pair<int, int>, void *> handles{};  // by device and index

    ~HandlesOfThread() {
        std::lock_guard<std::mutex> guard(library.lock);
        for (const auto &[where, handle] : handles) library.idle[where.first].push_back(handle);
    }
    void *get(int device, int index) {
        void *&handle = handles[{device, index}];
        if (!handle) handle = library.take(device);
        if (!handle) {
            OnDevice guard(device);
            const int status = reinterpret_cast<int (*)(void **)>(library.function(library.create))(&handle);
            TH_CHECK(status == 0, "%s: %s failed with status %d", library.name, library.create, status);
        }
        static thread_local std::map<Library *, int (*)(void *, cudaStream_t)> set_stream;
        auto &set = set_stream[&library];
        if (!set) set = reinterpret_cast<int (*)(void *, cudaStream_t)>(library.function(library.set_stream));
        const int status = set(handle, current_stream(device));
        TH_CHECK(status == 0, "%s: %s failed with status %d", library.name, library.set_stream, status);
        return handle;
    }
    void *current() { return get(current_device(), index); }
};

HandlesOfThread &blas() {
    static thread_local HandlesOfThread handles{cublas};
    return handles;
}
HandlesOfThread &sparse() {
    static thread_local HandlesOfThread handles{cusparse};
    return handles;
}

}  // namespace

void *blas_handle() { return blas().current(); }

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
#define THC_HANDLES(Name, handle_t, library, handles)                                                                  \
    void THCState_reserve##Name##Handles(THCState *, int numHandles) { th::library.reserve(numHandles); }              \
    int THCState_getNum##Name##Handles(THCState *) { return th::library.indices; }                                     \
    handle_t THCState_getDevice##Name##Handle(THCState *, int device, int handle) {                                    \
        return th::guarded([&] {                                                                                       \
            th::library.check_index(handle);                                                                           \
            th::check_device(device);                                                                                  \
            return static_cast<handle_t>(th::handles().get(device, handle));                                           \
        });                                                                                                            \
    }                                                                                                                  \
    handle_t THCState_getCurrent##Name##Handle(THCState *state) {                                                      \
        return th::guarded([&] {                                                                                       \
            TH_CHECK(state, "THCState_getCurrent" #Name "Handle: expected a state, got NULL");                         \
            return static_cast<handle_t>(th::handles().current());                                                     \
        });                                                                                                            \
    }                                                                                                                  \
    int THCState_getCurrent##Name##HandleIndex(THCState *) { return th::handles().index; }                             \
    void THCState_setCurrent##Name##HandleIndex(THCState *, int handle) {                                              \
        th::guarded([&] {                                                                                              \
            th::library.check_index(handle);                                                                           \
            th::handles().index = handle;                                                                              \
        });                                                                                                            \
    }
THC_HANDLES(Blas, cublasHandle_t, cublas, blas)
THC_HANDLES(Sparse, cusparseHandle_t, cusparse, sparse)
}
