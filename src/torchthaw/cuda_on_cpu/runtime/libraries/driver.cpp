// cuda_on_cpu/runtime/libraries/driver.cpp: CUDA's driver, whose calls are the runtime's by other names.
#include <cuda_on_cpu/access.h>
#include <cuda.h>

#include "errors.h"
#include "memory/memory.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

using namespace cuda_on_cpu;

struct CUctx_st {};

namespace {

CUctx_st the_context;  // that of all calls of the runtime
// The contexts of a thread, the current one last. Each thread begins with that of the runtime.
std::vector<CUcontext> &contexts() {
    static thread_local std::vector<CUcontext> made{&the_context};
    return made;
}
CUcontext current() { return contexts().empty() ? nullptr : contexts().back(); }
bool is_context(CUcontext context) { return !context || context == &the_context; }

// What a call of the runtime returned: both have the same numbers, where the driver has an error at all. The runtime's last
// error stays what it was.
template <typename Call> CUresult driver(Call call) {
    const cudaError_t before = cudaPeekAtLastError(), error = call();
    if (error && !failure()) {
        cudaGetLastError();
        if (before) record(before);
    }
    switch (int(error)) {
#define CUDA_ON_CPU_SAME(name, number) case number: return name;
        CUDA_ON_CPU_DRIVER_ERRORS(CUDA_ON_CPU_SAME)
#undef CUDA_ON_CPU_SAME
    }
    return CUDA_ERROR_INVALID_VALUE;  // such as cudaErrorInvalidPitchValue
}
// The same of a call that needs a context.
template <typename Call> CUresult in_context(Call call) {
    return current() ? driver(call) : CUDA_ERROR_INVALID_CONTEXT;
}
CUresult unserved(const char *function) {
    print("CUDA on the CPU has no %s", function);
    return CUDA_ERROR_NOT_SUPPORTED;
}
template <typename T, typename V> CUresult give_to(T *to, V value) {
    if (!to) return CUDA_ERROR_INVALID_VALUE;
    *to = value;
    return CUDA_SUCCESS;
}
CUresult check(CUdevice device) { return device ? CUDA_ERROR_INVALID_DEVICE : CUDA_SUCCESS; }

void *pointer(CUdeviceptr address) { return reinterpret_cast<void *>(uintptr_t(address)); }
CUdeviceptr address_of(const void *memory) { return CUdeviceptr(reinterpret_cast<uintptr_t>(memory)); }
CUresult copy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind) {
    return in_context([=] { return cudaMemcpy(to, from, bytes, kind); });
}
template <typename T> CUresult set(CUdeviceptr to, T value, size_t count) {
    if (!current()) return CUDA_ERROR_INVALID_CONTEXT;
    return driver([=] {
        if (const cudaError_t error = initialize()) return error;
        if (to % sizeof(T) || count > SIZE_MAX / sizeof(T) || !fits("the target of cuMemset", pointer(to), count * sizeof(T), Side::device))
            return record(cudaErrorInvalidValue);
        const Access access;
        std::fill_n(static_cast<T *>(pointer(to)), count, value);
        return cudaSuccess;
    });
}

}  // namespace

extern "C" {
#define API CUDA_ON_CPU_EXPORT CUresult
API cuInit(unsigned flags) {
    return flags ? CUDA_ERROR_INVALID_VALUE : driver([] { return initialize(); });
}
API cuDriverGetVersion(int *version) { return give_to(version, CUDA_VERSION); }
API cuGetErrorName(CUresult error, const char **name) {
    if (!name) return CUDA_ERROR_INVALID_VALUE;
    switch (int(error)) {
#define CUDA_ON_CPU_NAME(name_, number) case number: return give_to(name, #name_);
        CUDA_ON_CPU_DRIVER_ERRORS(CUDA_ON_CPU_NAME)
#undef CUDA_ON_CPU_NAME
    }
    *name = nullptr;
    return CUDA_ERROR_INVALID_VALUE;
}
API cuGetErrorString(CUresult error, const char **text) {
    const char *name;
    if (!text) return CUDA_ERROR_INVALID_VALUE;
    *text = nullptr;
    if (const CUresult unknown = cuGetErrorName(error, &name)) return unknown;
    return give_to(text, cudaGetErrorString(cudaError_t(error)));
}

API cuDeviceGet(CUdevice *device, int number) { return number ? CUDA_ERROR_INVALID_DEVICE : give_to(device, 0); }
API cuDeviceGetCount(int *count) { return give_to(count, 1); }
API cuDeviceGetName(char *name, int length, CUdevice device) {
    if (const CUresult error = check(device)) return error;
    if (!name || length < 1) return CUDA_ERROR_INVALID_VALUE;
    cudaDeviceProp properties;
    cudaGetDeviceProperties(&properties, 0);
    name[0] = 0;
    std::strncat(name, properties.name, size_t(length) - 1);
    return CUDA_SUCCESS;
}
API cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device) {
    if (attribute == CU_DEVICE_ATTRIBUTE_MAX_PITCH && !device) return give_to(value, 2147483647);
    return driver([=] { return cudaDeviceGetAttribute(value, cudaDeviceAttr(attribute), device); });
}
API cuDeviceTotalMem(size_t *bytes, CUdevice device) {
    size_t free;
    if (const CUresult error = check(device)) return error;
    return driver([=, &free] { return cudaMemGetInfo(&free, bytes); });
}

API cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
    const CUresult error = check(device);
    return error ? error : give_to(context, &the_context);
}
API cuDevicePrimaryCtxRelease(CUdevice device) { return check(device); }
API cuDevicePrimaryCtxReset(CUdevice device) { return check(device); }
API cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned) { return check(device); }
API cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *active) {
    if (const CUresult error = check(device)) return error;
    if (!flags || !active) return CUDA_ERROR_INVALID_VALUE;
    *flags = 0;
    *active = 1;
    return CUDA_SUCCESS;
}
API cuCtxCreate(CUcontext *context, CUctxCreateParams *parameters, unsigned, CUdevice device) {
    if (const CUresult error = check(device)) return error;
    if (parameters) return unserved("parameters of cuCtxCreate");
    if (const CUresult error = give_to(context, &the_context)) return error;
    contexts().push_back(&the_context);
    return CUDA_SUCCESS;
}
API cuCtxDestroy(CUcontext context) {
    if (context != &the_context) return CUDA_ERROR_INVALID_VALUE;
    if (contexts().size() > 1) contexts().pop_back();
    return CUDA_SUCCESS;
}
API cuCtxGetCurrent(CUcontext *context) { return give_to(context, current()); }
API cuCtxSetCurrent(CUcontext context) {
    if (!is_context(context)) return CUDA_ERROR_INVALID_CONTEXT;
    if (!contexts().empty()) contexts().pop_back();
    if (context) contexts().push_back(context);
    return CUDA_SUCCESS;
}
API cuCtxPushCurrent(CUcontext context) {
    if (context != &the_context) return CUDA_ERROR_INVALID_VALUE;
    contexts().push_back(context);
    return CUDA_SUCCESS;
}
API cuCtxPopCurrent(CUcontext *context) {
    if (!current()) return CUDA_ERROR_INVALID_CONTEXT;
    if (context) *context = current();
    contexts().pop_back();
    return CUDA_SUCCESS;
}
API cuCtxGetDevice(CUdevice *device) { return current() ? give_to(device, 0) : CUDA_ERROR_INVALID_CONTEXT; }
API cuCtxSynchronize() {
    return in_context([] { return cudaDeviceSynchronize(); });
}

API cuMemGetInfo(size_t *free, size_t *total) {
    return in_context([=] { return cudaMemGetInfo(free, total); });
}
static CUresult allocate(CUdeviceptr *to, size_t bytes, cudaError_t (*call)(void **, size_t)) {
    void *memory;
    if (!to || !bytes) return CUDA_ERROR_INVALID_VALUE;
    const CUresult error = in_context([=, &memory] { return call(&memory, bytes); });
    if (!error) *to = address_of(memory);
    return error;
}
API cuMemAlloc(CUdeviceptr *to, size_t bytes) { return allocate(to, bytes, cudaMalloc); }
API cuMemAllocManaged(CUdeviceptr *to, size_t bytes, unsigned flags) {
    if (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST) return CUDA_ERROR_INVALID_VALUE;
    return allocate(to, bytes, [](void **memory, size_t n) { return cudaMallocManaged(memory, n, cudaMemAttachGlobal); });
}
API cuMemAllocHost(void **to, size_t bytes) {
    if (!bytes) return CUDA_ERROR_INVALID_VALUE;
    return in_context([=] { return cudaMallocHost(to, bytes); });
}
API cuMemFree(CUdeviceptr memory) {
    return in_context([=] { return cudaFree(pointer(memory)); });
}
API cuMemFreeHost(void *memory) {
    return in_context([=] { return cudaFreeHost(memory); });
}
API cuMemGetAddressRange(CUdeviceptr *base, size_t *bytes, CUdeviceptr address) {
    Array array;
    if (!find_array(pointer(address), &array)) return CUDA_ERROR_INVALID_VALUE;
    if (base) *base = address_of(array.address);
    if (bytes) *bytes = array.bytes;
    return CUDA_SUCCESS;
}
API cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
    return copy(pointer(to), pointer(from), bytes, cudaMemcpyDefault);
}
API cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t bytes) {
    return copy(pointer(to), from, bytes, cudaMemcpyHostToDevice);
}
API cuMemcpyDtoH(void *to, CUdeviceptr from, size_t bytes) { return copy(to, pointer(from), bytes, cudaMemcpyDeviceToHost); }
API cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
    return copy(pointer(to), pointer(from), bytes, cudaMemcpyDeviceToDevice);
}
API cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream) { return cuMemcpy(to, from, bytes); }
API cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes, CUstream) { return cuMemcpyHtoD(to, from, bytes); }
API cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes, CUstream) { return cuMemcpyDtoH(to, from, bytes); }
API cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream) { return cuMemcpyDtoD(to, from, bytes); }
API cuMemsetD8(CUdeviceptr to, unsigned char value, size_t count) { return set(to, value, count); }
API cuMemsetD16(CUdeviceptr to, unsigned short value, size_t count) { return set(to, value, count); }
API cuMemsetD32(CUdeviceptr to, unsigned value, size_t count) { return set(to, value, count); }

API cuPointerGetAttribute(void *value, CUpointer_attribute attribute, CUdeviceptr address) {
    Array array;
    if (!value || !find_array(pointer(address), &array)) return CUDA_ERROR_INVALID_VALUE;
    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT: return give_to(static_cast<CUcontext *>(value), &the_context);
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        return give_to(static_cast<unsigned *>(value),
                       unsigned(array.type == cudaMemoryTypeHost ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE));
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER: return give_to(static_cast<CUdeviceptr *>(value), address);
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        if (array.type == cudaMemoryTypeDevice) return CUDA_ERROR_INVALID_VALUE;
        return give_to(static_cast<void **>(value), pointer(address));
    case CU_POINTER_ATTRIBUTE_BUFFER_ID: return give_to(static_cast<unsigned long long *>(value), array.number);
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
        return give_to(static_cast<bool *>(value), array.type == cudaMemoryTypeManaged);
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: return give_to(static_cast<int *>(value), 0);
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        return give_to(static_cast<CUdeviceptr *>(value), address_of(array.address));
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE: return give_to(static_cast<size_t *>(value), array.bytes);
    }
    return CUDA_ERROR_INVALID_VALUE;
}

// Of streams and events.
#define CUDA_ON_CPU_CALL(name, parameters, call)                                                                       \
    API name parameters {                                                                                              \
        return in_context([=] { return call; });                                                                       \
    }
CUDA_ON_CPU_CALL(cuStreamCreate, (CUstream * stream, unsigned flags), cudaStreamCreateWithFlags(stream, flags))
CUDA_ON_CPU_CALL(cuStreamDestroy, (CUstream stream), cudaStreamDestroy(stream))
CUDA_ON_CPU_CALL(cuStreamSynchronize, (CUstream stream), cudaStreamSynchronize(stream))
CUDA_ON_CPU_CALL(cuStreamQuery, (CUstream stream), cudaStreamQuery(stream))
CUDA_ON_CPU_CALL(cuStreamWaitEvent, (CUstream stream, CUevent event, unsigned flags), cudaStreamWaitEvent(stream, event, flags))
CUDA_ON_CPU_CALL(cuEventCreate, (CUevent * event, unsigned flags), cudaEventCreateWithFlags(event, flags))
CUDA_ON_CPU_CALL(cuEventDestroy, (CUevent event), cudaEventDestroy(event))
CUDA_ON_CPU_CALL(cuEventRecord, (CUevent event, CUstream stream), cudaEventRecord(event, stream))
CUDA_ON_CPU_CALL(cuEventSynchronize, (CUevent event), cudaEventSynchronize(event))
CUDA_ON_CPU_CALL(cuEventQuery, (CUevent event), cudaEventQuery(event))
CUDA_ON_CPU_CALL(cuEventElapsedTime, (float *time, CUevent start, CUevent end), cudaEventElapsedTime(time, start, end))

API cuModuleLoad(CUmodule *, const char *) { return unserved("cuModuleLoad: modules are code of a card"); }
API cuModuleLoadData(CUmodule *, const void *) { return unserved("cuModuleLoadData: modules are code of a card"); }
API cuModuleLoadDataEx(CUmodule *, const void *, unsigned, int *, void **) {
    return unserved("cuModuleLoadDataEx: modules are code of a card");
}
API cuModuleLoadFatBinary(CUmodule *, const void *) { return unserved("cuModuleLoadFatBinary: modules are code of a card"); }
API cuModuleUnload(CUmodule) { return unserved("cuModuleUnload: modules are code of a card"); }
API cuModuleGetFunction(CUfunction *, CUmodule, const char *) {
    return unserved("cuModuleGetFunction: modules are code of a card");
}
API cuModuleGetGlobal(CUdeviceptr *, size_t *, CUmodule, const char *) {
    return unserved("cuModuleGetGlobal: modules are code of a card");
}
API cuLaunchKernel(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream, void **,
                   void **) {
    return unserved("cuLaunchKernel: only cudaLaunchKernel and <<<>>> run kernels of the CPU");
}
}
