// tests/cuda_on_cpu/samples/driver.cpp: calls of CUDA's driver, together with the runtime's; compiled by a C++ compiler.
#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#define REQUIRE(condition)                                                                                             \
    do                                                                                                                 \
        if (!(condition)) std::printf("%s:%d: %s\n", __FILE__, __LINE__, #condition), std::exit(1);                    \
    while (0)
static void good(CUresult result, const char *call) {
    if (result) std::printf("%s: %d\n", call, result), std::exit(1);
}
#define GOOD(call) good(call, #call)

static void devices() {
    CUdevice device = -1;
    int count = 0, number = 0;
    char name[256], part[4];
    size_t bytes = 0, free, total;
    GOOD(cuInit(0)), GOOD(cuDeviceGet(&device, 0)), GOOD(cuDeviceGetCount(&count)), GOOD(cuDriverGetVersion(&number));
    REQUIRE(device == 0 && count == 1 && number == CUDA_VERSION && cuInit(1) == CUDA_ERROR_INVALID_VALUE);
    GOOD(cuDeviceGetName(name, sizeof name, device)), GOOD(cuDeviceGetName(part, sizeof part, device));
    REQUIRE(std::strstr(name, "CPU") && !std::strcmp(part, "CPU") && cuDeviceGetName(name, 0, 0) == CUDA_ERROR_INVALID_VALUE);
    GOOD(cuDeviceTotalMem(&bytes, device)), GOOD(cuMemGetInfo(&free, &total));
    REQUIRE(bytes == total && free <= total);
    GOOD(cuDeviceGetAttribute(&number, CU_DEVICE_ATTRIBUTE_WARP_SIZE, device));
    REQUIRE(number == 32);
    GOOD(cuDeviceGetAttribute(&number, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
    REQUIRE(number == 7);
    REQUIRE(cuDeviceGet(&device, 1) == CUDA_ERROR_INVALID_DEVICE && cuDeviceTotalMem(&bytes, 1) == CUDA_ERROR_INVALID_DEVICE);
    REQUIRE(cuDeviceGetAttribute(&number, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 1) == CUDA_ERROR_INVALID_DEVICE);
    REQUIRE(cuDeviceGetCount(nullptr) == CUDA_ERROR_INVALID_VALUE);
}

static void contexts() {
    CUcontext first, other = nullptr;
    CUdevice device = -1;
    CUdeviceptr memory;
    GOOD(cuCtxGetCurrent(&first)), GOOD(cuDevicePrimaryCtxRetain(&other, 0));
    REQUIRE(first && first == other);
    GOOD(cuCtxSetCurrent(nullptr)), GOOD(cuCtxGetCurrent(&other));
    REQUIRE(!other && cuMemAlloc(&memory, 4) == CUDA_ERROR_INVALID_CONTEXT && cuCtxSynchronize() == CUDA_ERROR_INVALID_CONTEXT);
    REQUIRE(cuCtxGetDevice(&device) == CUDA_ERROR_INVALID_CONTEXT && cuCtxPopCurrent(&other) == CUDA_ERROR_INVALID_CONTEXT);
    GOOD(cuCtxPushCurrent(first)), GOOD(cuCtxGetDevice(&device)), GOOD(cuCtxSynchronize());
    REQUIRE(device == 0);
    GOOD(cuCtxPopCurrent(&other)), GOOD(cuCtxSetCurrent(first)), GOOD(cuDevicePrimaryCtxRelease(0));
    REQUIRE(other == first && cuCtxSetCurrent(reinterpret_cast<CUcontext>(&device)) == CUDA_ERROR_INVALID_CONTEXT);
    GOOD(cuCtxCreate(&other, nullptr, 0, 0)), GOOD(cuCtxDestroy(other)), GOOD(cuCtxGetCurrent(&other));
    REQUIRE(other == first);
}

static void memory() {
    CUdeviceptr a, b, base;
    size_t bytes;
    unsigned host[4] = {1, 2, 3, 4}, back[4] = {};
    GOOD(cuMemAlloc(&a, sizeof host)), GOOD(cuMemAlloc(&b, sizeof host));
    GOOD(cuMemcpyHtoD(a, host, sizeof host)), GOOD(cuMemcpyDtoD(b, a, sizeof host)), GOOD(cuMemcpyDtoH(back, b, sizeof host));
    REQUIRE(!std::memcmp(host, back, sizeof host));
    GOOD(cuMemsetD32(a + 4, 0x01020304, 2)), GOOD(cuMemsetD8(a, 0xff, 4)), GOOD(cuMemsetD16(a + 12, 7, 2));
    GOOD(cuMemcpy(reinterpret_cast<CUdeviceptr>(back), a, sizeof back));
    REQUIRE(back[0] == ~0u && back[1] == 0x01020304 && back[2] == 0x01020304 && back[3] == 0x00070007);
    REQUIRE(cudaMemcpy(back, reinterpret_cast<void *>(b), 4, cudaMemcpyDeviceToHost) == cudaSuccess && back[0] == 1);
    GOOD(cuMemGetAddressRange(&base, &bytes, a + 5));
    REQUIRE(base == a && bytes == sizeof host);
    // wrong uses: the runtime's last error stays
    REQUIRE(cuMemsetD32(a + 2, 0, 1) == CUDA_ERROR_INVALID_VALUE && cuMemsetD32(a, 0, 5) == CUDA_ERROR_INVALID_VALUE);
    REQUIRE(cuMemAlloc(&base, 0) == CUDA_ERROR_INVALID_VALUE && cuMemAlloc(nullptr, 4) == CUDA_ERROR_INVALID_VALUE);
    REQUIRE(cuMemAlloc(&base, size_t(1) << 62) == CUDA_ERROR_OUT_OF_MEMORY && cuMemcpyHtoD(a, host, 99) == CUDA_ERROR_INVALID_VALUE);
    REQUIRE(cudaGetLastError() == cudaSuccess);
    REQUIRE(cudaSetDevice(7) == cudaErrorInvalidDevice && cuMemFree(a + 1) == CUDA_ERROR_INVALID_VALUE);
    REQUIRE(cudaGetLastError() == cudaErrorInvalidDevice);
    // kinds of memory
    CUdeviceptr managed;
    void *pinned, *found;
    unsigned type;
    int ordinal = -1;
    bool is_managed;
    CUcontext context = nullptr;
    GOOD(cuMemAllocManaged(&managed, 4, CU_MEM_ATTACH_GLOBAL)), GOOD(cuMemAllocHost(&pinned, 4));
    GOOD(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, a));
    REQUIRE(type == CU_MEMORYTYPE_DEVICE);
    GOOD(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, reinterpret_cast<CUdeviceptr>(pinned)));
    REQUIRE(type == CU_MEMORYTYPE_HOST);
    GOOD(cuPointerGetAttribute(&is_managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, managed));
    GOOD(cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, managed));
    GOOD(cuPointerGetAttribute(&context, CU_POINTER_ATTRIBUTE_CONTEXT, a));
    GOOD(cuPointerGetAttribute(&base, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, a + 3));
    GOOD(cuPointerGetAttribute(&bytes, CU_POINTER_ATTRIBUTE_RANGE_SIZE, a + 3));
    REQUIRE(is_managed && ordinal == 0 && context && base == a && bytes == sizeof host);
    REQUIRE(cuPointerGetAttribute(&found, CU_POINTER_ATTRIBUTE_HOST_POINTER, a) == CUDA_ERROR_INVALID_VALUE);
    REQUIRE(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, reinterpret_cast<CUdeviceptr>(host)) == CUDA_ERROR_INVALID_VALUE);
    GOOD(cuMemFree(a)), GOOD(cuMemFree(b)), GOOD(cuMemFree(managed)), GOOD(cuMemFreeHost(pinned));
    REQUIRE(cuMemFree(a) == CUDA_ERROR_INVALID_VALUE);
}

static void streams() {
    CUstream stream;
    CUevent start, end;
    float time = -1;
    GOOD(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING)), GOOD(cuEventCreate(&start, 0)), GOOD(cuEventCreate(&end, 0));
    GOOD(cuEventRecord(start, stream)), GOOD(cuEventRecord(end, stream)), GOOD(cuEventSynchronize(end));
    GOOD(cuEventElapsedTime(&time, start, end)), GOOD(cuStreamSynchronize(stream)), GOOD(cuStreamQuery(stream));
    REQUIRE(time >= 0 && cuEventQuery(end) == CUDA_SUCCESS);
    GOOD(cuStreamWaitEvent(stream, end, 0)), GOOD(cuEventDestroy(start)), GOOD(cuEventDestroy(end)), GOOD(cuStreamDestroy(stream));
    REQUIRE(cuStreamSynchronize(stream) == CUDA_ERROR_INVALID_HANDLE && cuStreamSynchronize(nullptr) == CUDA_SUCCESS);
}

static void primary_context() {
    unsigned flags = 99;
    int active = 99;
    GOOD(cuDevicePrimaryCtxSetFlags(0, 0)), GOOD(cuDevicePrimaryCtxReset(0)), GOOD(cuDevicePrimaryCtxGetState(0, &flags, &active));
    REQUIRE(flags == 0 && active == 1 && cuDevicePrimaryCtxGetState(0, nullptr, &active) == CUDA_ERROR_INVALID_VALUE);
    REQUIRE(cuDevicePrimaryCtxGetState(1, &flags, &active) == CUDA_ERROR_INVALID_DEVICE);
    REQUIRE(cuDevicePrimaryCtxReset(1) == CUDA_ERROR_INVALID_DEVICE && cuDevicePrimaryCtxSetFlags(1, 0) == CUDA_ERROR_INVALID_DEVICE);
}

static void later_copies() {
    const int from[2] = {3, 4};
    int to[2] = {};
    CUdeviceptr a, b, address = 0;
    GOOD(cuMemAlloc(&a, sizeof from)), GOOD(cuMemAlloc(&b, sizeof from));
    GOOD(cuMemcpyHtoDAsync(a, from, sizeof from, nullptr)), GOOD(cuMemcpyDtoDAsync(b, a, sizeof from, nullptr));
    GOOD(cuMemcpyAsync(a, b, sizeof from, nullptr)), GOOD(cuMemcpyDtoHAsync(to, a, sizeof to, nullptr));
    REQUIRE(to[0] == 3 && to[1] == 4);
    GOOD(cuPointerGetAttribute(&address, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, a));
    REQUIRE(address == a);
    GOOD(cuMemFree(a)), GOOD(cuMemFree(b));
}

static void names() {
    const char *text;
    GOOD(cuGetErrorName(CUDA_ERROR_INVALID_VALUE, &text));
    REQUIRE(!std::strcmp(text, "CUDA_ERROR_INVALID_VALUE"));
    GOOD(cuGetErrorString(CUDA_ERROR_OUT_OF_MEMORY, &text));
    REQUIRE(!std::strcmp(text, "out of memory"));
    REQUIRE(cuGetErrorName(CUresult(12345), &text) == CUDA_ERROR_INVALID_VALUE && !text);
    CUmodule module;
    CUfunction function;
    REQUIRE(cuModuleLoad(&module, "kernel.cubin") == CUDA_ERROR_NOT_SUPPORTED);
    REQUIRE(cuModuleLoadData(&module, "") == CUDA_ERROR_NOT_SUPPORTED);
    REQUIRE(cuModuleLoadDataEx(&module, "", 0, nullptr, nullptr) == CUDA_ERROR_NOT_SUPPORTED);
    REQUIRE(cuModuleLoadFatBinary(&module, "") == CUDA_ERROR_NOT_SUPPORTED && cuModuleUnload(nullptr) == CUDA_ERROR_NOT_SUPPORTED);
    REQUIRE(cuModuleGetGlobal(nullptr, nullptr, nullptr, "x") == CUDA_ERROR_NOT_SUPPORTED);
    REQUIRE(cuModuleGetFunction(&function, nullptr, "kernel") == CUDA_ERROR_NOT_SUPPORTED);
    REQUIRE(cuLaunchKernel(nullptr, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr) == CUDA_ERROR_NOT_SUPPORTED);
}

int main() {
    devices(), contexts(), memory(), streams(), primary_context(), later_copies(), names();
    std::puts("right");
}
