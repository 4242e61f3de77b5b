// tests/cuda_on_cpu/samples/calls.cu: calls of the runtime and of cuBLAS that ask or set something, and those that are refused.
#include <cublas_v2.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#define REQUIRE(condition)                                                                                             \
    do                                                                                                                 \
        if (!(condition)) std::printf("%s:%d: %s\n", __FILE__, __LINE__, #condition), std::exit(1);                    \
    while (0)

__device__ int on_device[4];

static void device() {
    REQUIRE(cudaInitDevice(0, 0, 0) == cudaSuccess && cudaInitDevice(1, 0, 0) == cudaErrorInvalidDevice);
    unsigned flags = 99;
    REQUIRE(cudaSetDeviceFlags(cudaDeviceScheduleAuto) == cudaSuccess && cudaGetDeviceFlags(&flags) == cudaSuccess);
    REQUIRE(flags == cudaDeviceScheduleAuto && cudaGetDeviceFlags(nullptr) == cudaErrorInvalidValue);
    int device = 99;
    cudaDeviceProp properties;
    REQUIRE(cudaGetDeviceProperties(&properties, 0) == cudaSuccess && cudaChooseDevice(&device, &properties) == cudaSuccess);
    REQUIRE(device == 0);
    size_t limit = 99;
    REQUIRE(cudaDeviceSetLimit(cudaLimitStackSize, 1024) == cudaSuccess && cudaDeviceGetLimit(&limit, cudaLimitStackSize) == cudaSuccess);
    cudaFuncCache cache;
    REQUIRE(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1) == cudaSuccess && cudaDeviceGetCacheConfig(&cache) == cudaSuccess);
    cudaSharedMemConfig banks;
    REQUIRE(cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeFourByte) == cudaSuccess);
    REQUIRE(cudaDeviceGetSharedMemConfig(&banks) == cudaSuccess && banks == cudaSharedMemBankSizeFourByte);
    int least = 99, greatest = 99;
    REQUIRE(cudaDeviceGetStreamPriorityRange(&least, &greatest) == cudaSuccess && least == 0 && greatest < 0);
    REQUIRE(cudaDeviceGetStreamPriorityRange(nullptr, nullptr) == cudaSuccess);
    char id[16];
    REQUIRE(cudaDeviceGetPCIBusId(id, sizeof id, 0) == cudaSuccess && std::strlen(id) == 12);
    REQUIRE(cudaDeviceGetPCIBusId(id, 12, 0) == cudaErrorInvalidValue && cudaDeviceGetPCIBusId(id, sizeof id, 1) == cudaErrorInvalidDevice);
    int can = 99;
    REQUIRE(cudaDeviceCanAccessPeer(&can, 0, 0) == cudaSuccess && can == 0);
    REQUIRE(cudaDeviceCanAccessPeer(&can, 0, 1) == cudaErrorInvalidDevice);
    REQUIRE(cudaDeviceEnablePeerAccess(1, 0) == cudaErrorInvalidDevice);
    REQUIRE(cudaDeviceDisablePeerAccess(1) == cudaErrorPeerAccessNotEnabled);
    const struct {
        cudaDeviceAttr attribute;
        int expected;
    } asked[] = {
        {cudaDevAttrMaxBlockDimX, properties.maxThreadsDim[0]}, {cudaDevAttrMaxBlockDimY, properties.maxThreadsDim[1]},
        {cudaDevAttrMaxBlockDimZ, properties.maxThreadsDim[2]}, {cudaDevAttrMaxGridDimX, properties.maxGridSize[0]},
        {cudaDevAttrMaxGridDimY, properties.maxGridSize[1]}, {cudaDevAttrMaxGridDimZ, properties.maxGridSize[2]},
        {cudaDevAttrTotalConstantMemory, int(properties.totalConstMem)}, {cudaDevAttrMaxRegistersPerBlock, properties.regsPerBlock},
        {cudaDevAttrMaxBlocksPerMultiprocessor, properties.maxBlocksPerMultiProcessor},
        {cudaDevAttrTextureAlignment, int(properties.textureAlignment)}, {cudaDevAttrMaxTexture1DWidth, 131072},
        {cudaDevAttrMaxTexture1DLinearWidth, 1 << 28}, {cudaDevAttrMaxTexture2DWidth, 131072},
        {cudaDevAttrMaxTexture2DHeight, 65536}, {cudaDevAttrMaxTexture3DWidth, 16384}, {cudaDevAttrMaxTexture3DHeight, 16384},
        {cudaDevAttrMaxTexture3DDepth, 16384}, {cudaDevAttrSingleToDoublePrecisionPerfRatio, 2},
        {cudaDevAttrGpuOverlap, 0}, {cudaDevAttrKernelExecTimeout, 0},
    };
    for (const auto &each : asked) {
        int value = 99;
        REQUIRE(cudaDeviceGetAttribute(&value, each.attribute, 0) == cudaSuccess);
        if (value != each.expected) std::printf("attribute %d: expected %d, got %d\n", each.attribute, each.expected, value);
        REQUIRE(value == each.expected);
    }
    for (auto attribute : {cudaDevAttrMaxTexture2DLayeredWidth, cudaDevAttrMaxTexture2DLayeredHeight, cudaDevAttrMaxTexture2DLayeredLayers,
                           cudaDevAttrTexturePitchAlignment}) {
        int value = 0;
        REQUIRE(cudaDeviceGetAttribute(&value, attribute, 0) == cudaSuccess && value > 0);
    }
}

static void streams() {
    cudaStream_t stream, gone = reinterpret_cast<cudaStream_t>(size_t(77));
    int priority = 99, called = 0;
    REQUIRE(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, -1) == cudaSuccess);
    REQUIRE(cudaStreamGetPriority(stream, &priority) == cudaSuccess && priority == -1);
    REQUIRE(cudaStreamGetPriority(nullptr, &priority) == cudaSuccess && priority == 0);
    REQUIRE(cudaStreamGetPriority(gone, &priority) != cudaSuccess);
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    REQUIRE(cudaThreadExchangeStreamCaptureMode(&mode) == cudaSuccess && mode == cudaStreamCaptureModeGlobal);
    const auto count = [](void *number) { ++*static_cast<int *>(number); };
    const auto notes = [](cudaStream_t, cudaError_t error, void *number) { *static_cast<int *>(number) += error == cudaSuccess ? 10 : 100; };
    REQUIRE(cudaLaunchHostFunc(stream, count, &called) == cudaSuccess && cudaLaunchHostFunc(stream, nullptr, &called) == cudaErrorInvalidValue);
    REQUIRE(cudaStreamAddCallback(stream, notes, &called, 0) == cudaSuccess);
    REQUIRE(cudaStreamAddCallback(stream, nullptr, &called, 0) == cudaErrorInvalidValue);
    REQUIRE(cudaLaunchHostFunc(gone, count, &called) != cudaSuccess && cudaStreamAddCallback(gone, notes, &called, 0) != cudaSuccess);
    REQUIRE(cudaStreamSynchronize(stream) == cudaSuccess && called == 11 && cudaStreamDestroy(stream) == cudaSuccess);
}

static void memory() {
    int numbers[4] = {1, 2, 3, 4}, back[4] = {}, *made, *mapped, *pinned;
    REQUIRE(cudaMemcpyToSymbolAsync(on_device, numbers, sizeof numbers, 0, cudaMemcpyHostToDevice, nullptr) == cudaSuccess);
    REQUIRE(cudaMemcpyFromSymbolAsync(back, on_device, sizeof back, 0, cudaMemcpyDeviceToHost, nullptr) == cudaSuccess);
    REQUIRE(!std::memcmp(numbers, back, sizeof back));
    REQUIRE(cudaMalloc(&made, sizeof numbers) == cudaSuccess && cudaMallocHost(&pinned, sizeof numbers) == cudaSuccess);
    std::memcpy(pinned, numbers, sizeof numbers);
    REQUIRE(cudaMemcpyPeer(made, 0, pinned, 0, sizeof numbers) == cudaSuccess);
    REQUIRE(cudaMemcpyPeerAsync(made, 0, pinned, 1, sizeof numbers, nullptr) == cudaErrorInvalidDevice);
    REQUIRE(cudaMemcpy2DAsync(back, 8, made, 8, 8, 2, cudaMemcpyDeviceToHost, nullptr) == cudaSuccess && back[3] == 4);
    REQUIRE(cudaMemset2DAsync(made, 8, 0, 4, 2, nullptr) == cudaSuccess);
    REQUIRE(cudaMemcpy(back, made, sizeof back, cudaMemcpyDeviceToHost) == cudaSuccess && back[0] == 0 && back[1] == 2 && back[2] == 0);
    REQUIRE(cudaHostGetDevicePointer(reinterpret_cast<void **>(&mapped), pinned, 0) == cudaSuccess && mapped == pinned);
    REQUIRE(cudaHostGetDevicePointer(reinterpret_cast<void **>(&mapped), made, 0) == cudaErrorInvalidValue);
    REQUIRE(cudaMemAdvise(made, sizeof numbers, cudaMemAdviseSetReadMostly, {cudaMemLocationTypeDevice, 0}) == cudaSuccess);
    REQUIRE(cudaMemPrefetchAsync(made, sizeof numbers, {cudaMemLocationTypeDevice, 0}, 0, nullptr) == cudaSuccess);
    cudaMemPool_t pool, other;
    REQUIRE(cudaDeviceGetDefaultMemPool(&pool, 0) == cudaSuccess && cudaDeviceGetMemPool(&other, 0) == cudaSuccess && pool == other);
    REQUIRE(cudaDeviceGetMemPool(&other, 1) == cudaErrorInvalidDevice);
    uint64_t used = 0;
    REQUIRE(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used) == cudaSuccess && used >= sizeof numbers);
    REQUIRE(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, nullptr) == cudaErrorInvalidValue);
    int reuse = 99;
    REQUIRE(cudaMemPoolGetAttribute(pool, cudaMemPoolReuseFollowEventDependencies, &reuse) == cudaSuccess && reuse == 0);
    REQUIRE(cudaMemPoolSetAttribute(pool, cudaMemPoolReuseFollowEventDependencies, &reuse) == cudaSuccess);
    REQUIRE(cudaMemPoolTrimTo(pool, 0) == cudaSuccess && cudaMemPoolSetAccess(pool, nullptr, 0) == cudaSuccess);
    REQUIRE(cudaFree(made) == cudaSuccess && cudaFreeHost(pinned) == cudaSuccess);
}

// Those that no header of ours declares, by their names; PyTorch's libraries for CUDA call them.
static void refused() {
    REQUIRE(cudaGraphCreate(nullptr, 0) == cudaErrorNotSupported && cudaGraphInstantiate(nullptr, nullptr, 0) == cudaErrorNotSupported);
    REQUIRE(cudaStreamEndCapture(nullptr, nullptr) == cudaErrorNotSupported && cudaGraphLaunch(nullptr, nullptr) == cudaErrorNotSupported);
    REQUIRE(cudaGraphExecDestroy(nullptr) == cudaErrorNotSupported && cudaGraphDestroy(nullptr) == cudaErrorNotSupported);
    REQUIRE(cudaIpcGetMemHandle(nullptr, nullptr) == cudaErrorNotSupported && cudaIpcCloseMemHandle(nullptr) == cudaErrorNotSupported);
    REQUIRE(cudaIpcOpenMemHandle(nullptr, {}, 0) == cudaErrorNotSupported && cudaIpcOpenEventHandle(nullptr, {}) == cudaErrorNotSupported);
    REQUIRE(cudaIpcGetEventHandle(nullptr, nullptr) == cudaErrorNotSupported);
    REQUIRE(cudaUserObjectCreate(nullptr, nullptr, nullptr, 0, 0) == cudaErrorNotSupported);
    REQUIRE(cudaGraphRetainUserObject(nullptr, nullptr, 0, 0) == cudaErrorNotSupported);
    for (const char *name : {"cudaUserObjectRelease", "cudaLibraryLoadData", "cudaLibraryLoadFromFile", "cudaLibraryGetKernel",
                             "cudaLibraryGetKernelCount", "cudaLibraryGetGlobal", "cudaLibraryGetManaged", "cudaLibraryGetUnifiedFunction",
                             "cudaLibraryUnload", "cudaStreamBeginCaptureToGraph", "cudaStreamUpdateCaptureDependencies",
                             "cudaDeviceGetGraphMemAttribute", "cudaDeviceSetGraphMemAttribute", "cudaGraphAddNode",
                             "cudaGraphConditionalHandleCreate", "cudaGraphDebugDotPrint", "cudaGraphGetNodes",
                             "cudaGraphInstantiateWithFlags", "cudaGraphNodeGetDependencies"}) {
        const auto function = reinterpret_cast<cudaError_t (*)()>(dlsym(RTLD_DEFAULT, name));
        if (!function || function() != cudaErrorNotSupported) std::printf("%s is not refused\n", name), std::exit(1);
    }
    cudaGetLastError();
}

static void blas() {
    cublasHandle_t handle;
    int version = 0;
    REQUIRE(cublasCreate(&handle) == CUBLAS_STATUS_SUCCESS && cublasGetVersion(handle, &version) == CUBLAS_STATUS_SUCCESS);
    REQUIRE(version == CUBLAS_VERSION && cublasSetAtomicsMode(handle, CUBLAS_ATOMICS_ALLOWED) == CUBLAS_STATUS_SUCCESS);
#define NAMED(status) REQUIRE(!std::strcmp(cublasGetStatusName(status), #status) && *cublasGetStatusString(status))
    NAMED(CUBLAS_STATUS_SUCCESS);
    NAMED(CUBLAS_STATUS_NOT_INITIALIZED);
    NAMED(CUBLAS_STATUS_ALLOC_FAILED);
    NAMED(CUBLAS_STATUS_INVALID_VALUE);
    NAMED(CUBLAS_STATUS_ARCH_MISMATCH);
    NAMED(CUBLAS_STATUS_MAPPING_ERROR);
    NAMED(CUBLAS_STATUS_EXECUTION_FAILED);
    NAMED(CUBLAS_STATUS_INTERNAL_ERROR);
    NAMED(CUBLAS_STATUS_NOT_SUPPORTED);
    NAMED(CUBLAS_STATUS_LICENSE_ERROR);
    REQUIRE(*cublasGetStatusName(cublasStatus_t(12345)) && cublasDestroy(handle) == CUBLAS_STATUS_SUCCESS);
}

int main() {
    device();
    streams();
    memory();
    refused();
    blas();
    REQUIRE(cudaDeviceReset() == cudaSuccess);
    std::printf("right\n");
}
