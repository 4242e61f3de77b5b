// cuda_on_cpu/runtime_templates.h: the calls of the runtime that C++ makes with typed arguments.
#pragma once

#include <cuda_on_cpu/runtime.h>
#include <cuda_runtime_api.h>

#include <type_traits>

template <typename T> cudaError_t cudaMalloc(T **memory, size_t bytes) {
    return cudaMalloc(reinterpret_cast<void **>(memory), bytes);
}
template <typename T> cudaError_t cudaMallocAsync(T **memory, size_t bytes, cudaStream_t stream) {
    return cudaMallocAsync(reinterpret_cast<void **>(memory), bytes, stream);
}
template <typename T>
cudaError_t cudaMallocManaged(T **memory, size_t bytes, unsigned flags = cudaMemAttachGlobal) {
    return cudaMallocManaged(reinterpret_cast<void **>(memory), bytes, flags);
}
template <typename T> cudaError_t cudaMallocHost(T **memory, size_t bytes, unsigned flags = 0) {
    return cudaHostAlloc(reinterpret_cast<void **>(memory), bytes, flags);
}
template <typename T> cudaError_t cudaHostAlloc(T **memory, size_t bytes, unsigned flags) {
    return cudaHostAlloc(reinterpret_cast<void **>(memory), bytes, flags);
}
template <typename T> cudaError_t cudaHostGetDevicePointer(T **device, void *host, unsigned flags) {
    return cudaHostGetDevicePointer(reinterpret_cast<void **>(device), host, flags);
}
template <typename T> cudaError_t cudaMallocPitch(T **memory, size_t *pitch, size_t width, size_t height) {
    return cudaMallocPitch(reinterpret_cast<void **>(memory), pitch, width, height);
}

// The last arguments of C's functions, where C++ leaves them out.
inline cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind) {
    return cudaMemcpyAsync(to, from, bytes, kind, nullptr);
}
inline cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                                     size_t height, cudaMemcpyKind kind) {
    return cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, nullptr);
}
inline cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes) {
    return cudaMemsetAsync(to, value, bytes, nullptr);
}
inline cudaError_t cudaEventRecord(cudaEvent_t event) { return cudaEventRecord(event, nullptr); }
inline cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned flags) { return cudaEventCreateWithFlags(event, flags); }
inline cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event) {
    return cudaStreamWaitEvent(stream, event, 0);
}
#if CUDART_VERSION >= 13000
inline cudaError_t cudaMemPrefetchAsync(const void *memory, size_t bytes, cudaMemLocation location, unsigned flags) {
    return cudaMemPrefetchAsync(memory, bytes, location, flags, nullptr);
}
#else
inline cudaError_t cudaMemPrefetchAsync(const void *memory, size_t bytes, int device) {
    return cudaMemPrefetchAsync(memory, bytes, device, nullptr);
}
#endif
inline cudaError_t cudaHostRegister(void *memory, size_t bytes) { return cudaHostRegister(memory, bytes, 0); }

// A symbol is a variable of the program.
namespace cuda_on_cpu {
template <typename T> const void *address_of_symbol(const T &symbol) {
    know_symbol(&symbol, sizeof symbol);
    return &symbol;
}
}  // namespace cuda_on_cpu
template <typename T>
cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *from, size_t bytes, size_t offset = 0,
                               cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
    return cudaMemcpyToSymbol(cuda_on_cpu::address_of_symbol(symbol), from, bytes, offset, kind);
}
template <typename T>
cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t bytes, size_t offset = 0,
                                 cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
    return cudaMemcpyFromSymbol(to, cuda_on_cpu::address_of_symbol(symbol), bytes, offset, kind);
}
template <typename T>
cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *from, size_t bytes, size_t offset, cudaMemcpyKind kind,
                                    cudaStream_t stream = nullptr) {
    return cudaMemcpyToSymbolAsync(cuda_on_cpu::address_of_symbol(symbol), from, bytes, offset, kind,
                                   stream);
}
template <typename T>
cudaError_t cudaMemcpyFromSymbolAsync(void *to, const T &symbol, size_t bytes, size_t offset, cudaMemcpyKind kind,
                                      cudaStream_t stream = nullptr) {
    return cudaMemcpyFromSymbolAsync(to, cuda_on_cpu::address_of_symbol(symbol), bytes, offset, kind,
                                     stream);
}
template <typename T> cudaError_t cudaGetSymbolAddress(void **address, const T &symbol) {
    return cudaGetSymbolAddress(address, cuda_on_cpu::address_of_symbol(symbol));
}
template <typename T> cudaError_t cudaGetSymbolSize(size_t *bytes, const T &symbol) {
    *bytes = sizeof symbol;
    return cudaSuccess;
}

// A kernel is a function of the host: it has no registers to report and no caches to choose.
template <typename Kernel> cudaError_t cudaFuncSetAttribute(Kernel, cudaFuncAttribute attribute, int value) {
    return cuda_on_cpu::set_attribute(attribute, value);
}
template <typename Kernel> cudaError_t cudaFuncSetCacheConfig(Kernel, cudaFuncCache) { return cudaSuccess; }
template <typename Kernel> cudaError_t cudaFuncSetSharedMemConfig(Kernel, cudaSharedMemConfig) { return cudaSuccess; }
template <typename Kernel> cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, Kernel) {
    *attributes = {};
    attributes->maxThreadsPerBlock = 1024;
    attributes->numRegs = 32;
    int device = 0, major = 0, minor = 0;  // as if compiled for the device at hand
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device);
    attributes->ptxVersion = attributes->binaryVersion = 10 * major + minor;
    attributes->maxDynamicSharedSizeBytes = 48 << 10;
    return cudaSuccess;
}
template <typename Kernel>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, Kernel, int threads, size_t) {
    *blocks = threads > 0 && threads <= 1024 ? 1024 / threads : 0;
    return threads > 0 ? cudaSuccess : cudaErrorInvalidValue;
}
template <typename Kernel>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, Kernel kernel, int threads, size_t bytes,
                                                                   unsigned) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, kernel, threads, bytes);
}
template <typename Kernel>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int *blocks, int *threads, Kernel, size_t = 0, int limit = 0) {
    *threads = limit > 0 && limit < 256 ? limit : 256;
    return cudaDeviceGetAttribute(blocks, cudaDevAttrMultiProcessorCount, 0);
}
template <typename Kernel, typename Bytes>
cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *blocks, int *threads, Kernel kernel, Bytes,
                                                           int limit = 0) {
    return cudaOccupancyMaxPotentialBlockSize(blocks, threads, kernel, 0, limit);
}

// A kernel by its address.
template <typename T, typename = std::enable_if_t<!std::is_function_v<T>>>
cudaError_t cudaLaunchKernel(T *kernel, dim3 grid, dim3 block, void **arguments, size_t shared = 0, cudaStream_t stream = nullptr,
                             const char *file = __builtin_FILE(), int line = __builtin_LINE()) {
    return cuda_on_cpu::launch_address(kernel, {grid, block, shared, stream, file, line}, arguments);
}
template <typename T, typename = std::enable_if_t<!std::is_function_v<T>>>
cudaError_t cudaLaunchCooperativeKernel(T *kernel, dim3 grid, dim3 block, void **arguments, size_t shared = 0,
                                        cudaStream_t stream = nullptr, const char *file = __builtin_FILE(),
                                        int line = __builtin_LINE()) {
    cuda_on_cpu::Shape shape(grid, block, shared, stream, file, line);
    shape.together = true;
    return cuda_on_cpu::launch_address(kernel, shape, arguments);
}

// Arguments of arrays that C++ leaves out.
inline cudaError_t cudaMallocArray(cudaArray_t *array, const cudaChannelFormatDesc *desc, size_t width, size_t height = 0) {
    return cudaMallocArray(array, desc, width, height, cudaArrayDefault);
}
inline cudaError_t cudaMalloc3DArray(cudaArray_t *array, const cudaChannelFormatDesc *desc, cudaExtent extent) {
    return cudaMalloc3DArray(array, desc, extent, cudaArrayDefault);
}
inline cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms *how) { return cudaMemcpy3DAsync(how, nullptr); }
inline cudaError_t cudaMemset3DAsync(cudaPitchedPtr memory, int value, cudaExtent extent) {
    return cudaMemset3DAsync(memory, value, extent, nullptr);
}
inline cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from, size_t from_pitch,
                                            size_t width, size_t height, cudaMemcpyKind kind) {
    return cudaMemcpy2DToArrayAsync(to, x, y, from, from_pitch, width, height, kind, nullptr);
}
inline cudaError_t cudaMemcpy2DFromArrayAsync(void *to, size_t to_pitch, cudaArray_const_t from, size_t x, size_t y,
                                              size_t width, size_t height, cudaMemcpyKind kind) {
    return cudaMemcpy2DFromArrayAsync(to, to_pitch, from, x, y, width, height, kind, nullptr);
}
inline cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from, size_t from_x,
                                            size_t from_y, size_t width, size_t height) {
    return cudaMemcpy2DArrayToArray(to, to_x, to_y, from, from_x, from_y, width, height, cudaMemcpyDeviceToDevice);
}

inline cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind kind) {
    return {x, y, z, w, kind};
}
// The one that describes elements of the type T: a number of 8, 16 or 32 bits, or 1, 2 or 4 of one type in a struct.
namespace cuda_on_cpu {
template <typename T, typename = void> struct Parts {
    using Scalar = T;
};
template <typename T> struct Parts<T, std::void_t<decltype(T::x)>> {
    using Scalar = decltype(T::x);
};
template <typename Scalar> constexpr cudaChannelFormatKind kind_of =
    std::is_floating_point_v<Scalar> ? cudaChannelFormatKindFloat
    : std::is_signed_v<Scalar>       ? cudaChannelFormatKindSigned
                                     : cudaChannelFormatKindUnsigned;
}  // namespace cuda_on_cpu
template <typename T> cudaChannelFormatDesc cudaCreateChannelDesc() {
    using Scalar = typename cuda_on_cpu::Parts<T>::Scalar;
    static_assert(std::is_arithmetic_v<Scalar> && sizeof(Scalar) <= 4, "expected numbers of 8, 16 or 32 bits");
    const int bits = 8 * sizeof(Scalar), count = sizeof(T) / sizeof(Scalar);
    const auto channel = [=](int i) { return i < count ? bits : 0; };
    return {channel(0), channel(1), channel(2), channel(3), cuda_on_cpu::kind_of<Scalar>};
}
inline cudaChannelFormatDesc cudaCreateChannelDescHalf() { return {16, 0, 0, 0, cudaChannelFormatKindFloat}; }
inline cudaChannelFormatDesc cudaCreateChannelDescHalf1() { return {16, 0, 0, 0, cudaChannelFormatKindFloat}; }
inline cudaChannelFormatDesc cudaCreateChannelDescHalf2() { return {16, 16, 0, 0, cudaChannelFormatKindFloat}; }
inline cudaChannelFormatDesc cudaCreateChannelDescHalf4() { return {16, 16, 16, 16, cudaChannelFormatKindFloat}; }
