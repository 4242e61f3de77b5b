// cuda_on_cpu/runtime/libraries/gpu_code.cpp: code for GPUs in a library that CUDA's own nvcc compiled, such as a PyTorch built for
// CUDA. It registers itself here when it is loaded; a launch of it is an error that names the kernel.
#include "errors.h"

#include <cuda_runtime_api.h>
#include <cxxabi.h>
#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

using namespace cuda_on_cpu;

namespace {

// The host's function that launches a kernel, and the kernel's mangled name, which its library has.
using Entry = std::pair<const void *, const char *>;
struct Entries {
    std::mutex mutex;
    std::vector<Entry> all;
};
Entries &entries() {
    static Entries &made = *new Entries;  // used until the process ends
    return made;
}

// One is looked for after an error only, so there is no order.
const char *name_of(const void *kernel) {
    const std::lock_guard<std::mutex> lock(entries().mutex);
    for (const Entry &each : entries().all)
        if (each.first == kernel) return each.second;
    return "of unknown name";
}

cudaError_t refuse_kernel(const void *kernel) {
    const char *mangled = name_of(kernel);
    int status = 0;
    const std::unique_ptr<char, void (*)(void *)> name(abi::__cxa_demangle(mangled, nullptr, nullptr, &status), std::free);
    Dl_info info{};
    const bool known = dladdr(kernel, &info) && info.dli_fname;
    print("CUDA on the CPU cannot run the kernel %.1000s of %s: it is code for GPUs", name ? name.get() : mangled,
          known ? info.dli_fname : "a library");
    return record(cudaErrorNoKernelImageForDevice);
}

// Between <<< and >>>, of the launch that this thread is about to make.
struct Shape {
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
};
thread_local Shape pushed;

void *the_binary = nullptr;  // all have one handle

}  // namespace

extern "C" {
#define EXPORT CUDA_ON_CPU_EXPORT
#define API CUDA_ON_CPU_EXPORT cudaError_t

// ---- What CUDA's nvcc compiles into a library: it is called when the library is loaded --------------------------------

EXPORT void **__cudaRegisterFatBinary(void *) { return &the_binary; }
EXPORT void __cudaRegisterFatBinaryEnd(void **) {}
EXPORT void __cudaUnregisterFatBinary(void **) {}
EXPORT char __cudaInitModule(void **) { return 1; }
EXPORT void __cudaRegisterVar(void **, char *, char *, const char *, int, size_t, int, int) {}
EXPORT void __cudaRegisterManagedVar(void **, void **, char *, const char *, int, size_t, int, int) {}
EXPORT void __cudaRegisterFunction(void **, const char *kernel, char *, const char *name, int, uint3 *, uint3 *, dim3 *,
                                   dim3 *, int *) {
    const std::lock_guard<std::mutex> lock(entries().mutex);
    entries().all.push_back({kernel, name});
}

// ---- Launches: <<<>>> is a push, then a call of the host's function, which pops and launches --------------------------

EXPORT unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream) {
    pushed = {grid, block, shared, stream};
    return 0;
}
API __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream) {
    *grid = pushed.grid;
    *block = pushed.block;
    *shared = pushed.shared;
    std::memcpy(stream, &pushed.stream, sizeof pushed.stream);
    return cudaSuccess;
}
// A kernel's handle is the address of the host's function.
API __cudaGetKernel(const void **handle, const void *kernel) { return give(handle, kernel); }
API __cudaLaunchKernel(const void *kernel, dim3, dim3, void **, size_t, cudaStream_t) { return refuse_kernel(kernel); }
API cudaLaunchKernelExC(const cudaLaunchConfig_t *, const void *kernel, void **) { return refuse_kernel(kernel); }

// ---- Questions about kernels, in C; code that our nvcc compiled asks by templates --------------------------------------

API cudaFuncSetAttribute(const void *, cudaFuncAttribute, int) { return cudaSuccess; }
API cudaKernelSetAttributeForDevice(const void *, cudaFuncAttribute, int, int) { return cudaSuccess; }
API cudaFuncGetAttributes(cudaFuncAttributes *, const void *kernel) { return refuse_kernel(kernel); }
API cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *, const void *kernel, int, size_t) { return refuse_kernel(kernel); }
API cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *, const void *kernel, int, size_t, unsigned) {
    return refuse_kernel(kernel);
}

#define NOT_LOADED(name) \
    API name() { return refuse("code that is loaded for GPUs: " #name); }
NOT_LOADED(cudaLibraryLoadData)
NOT_LOADED(cudaLibraryLoadFromFile)
NOT_LOADED(cudaLibraryGetKernel)
NOT_LOADED(cudaLibraryGetKernelCount)
NOT_LOADED(cudaLibraryGetGlobal)
NOT_LOADED(cudaLibraryGetManaged)
NOT_LOADED(cudaLibraryGetUnifiedFunction)
NOT_LOADED(cudaLibraryUnload)

// ---- Graphs. No stream is ever captured, and the rest of the answer is for one that is ---------------------------------

API cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus *status, unsigned long long *, cudaGraph_t *,
                             const cudaGraphNode_t **, const cudaGraphEdgeData **, size_t *) {
    return cudaStreamIsCapturing(stream, status);
}
API cudaStreamGetCaptureInfo_v2(cudaStream_t stream, cudaStreamCaptureStatus *status, unsigned long long *, cudaGraph_t *,
                                const cudaGraphNode_t **, size_t *) {  // of CUDA 12
    return cudaStreamIsCapturing(stream, status);
}
API cudaUserObjectCreate(cudaUserObject_t *, void *, cudaHostFn_t, unsigned, unsigned) {
    return refuse("CUDA graphs: cudaUserObjectCreate");
}
API cudaUserObjectRelease(cudaUserObject_t, unsigned) { return refuse("CUDA graphs: cudaUserObjectRelease"); }
API cudaGraphRetainUserObject(cudaGraph_t, cudaUserObject_t, unsigned, unsigned) {
    return refuse("CUDA graphs: cudaGraphRetainUserObject");
}
#define REFUSED(name) \
    API name() { return refuse("CUDA graphs: " #name); }
REFUSED(cudaStreamBeginCaptureToGraph)
REFUSED(cudaStreamUpdateCaptureDependencies)
REFUSED(cudaDeviceGetGraphMemAttribute)
REFUSED(cudaDeviceSetGraphMemAttribute)
REFUSED(cudaGraphAddNode)
REFUSED(cudaGraphConditionalHandleCreate)
REFUSED(cudaGraphDebugDotPrint)
REFUSED(cudaGraphGetNodes)
REFUSED(cudaGraphInstantiateWithFlags)
REFUSED(cudaGraphNodeGetDependencies)
}
