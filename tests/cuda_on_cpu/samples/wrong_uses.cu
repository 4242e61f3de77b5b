// tests/cuda_on_cpu/samples/wrong_uses.cu: one wrong use of CUDA's runtime for each name; prints the errors of its calls.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

__device__ float variable[4];
__device__ const float constant[4] = {1, 2, 3, 4};
__managed__ float managed_variable[4];
float global_of_host[4] = {1, 2, 3, 4};

__global__ void doubles(float *x) { x[threadIdx.x] *= 2; }
__global__ void doubles_last(int, const float *, float *x) { x[threadIdx.x] *= 2; }
__global__ void fills_shared(float *x) {
    extern __shared__ float part[];
    part[threadIdx.x] = x[threadIdx.x];
    x[threadIdx.x] = part[threadIdx.x] * 2;
}
template <int threads> __global__ void __launch_bounds__(threads / 2, 1) bounded(float *x) { x[threadIdx.x] *= 2; }
__launch_bounds__(3)
__global__ void bounded_before(float *x);
template <typename T>
__launch_bounds__(3)
__global__ void bounded_of(T *x) {
    x[threadIdx.x] *= 2;
}
__global__ void __launch_bounds__(3) bounded_before(float *x) { x[threadIdx.x] *= 2; }

static void say(cudaError_t error) { std::printf("%s ", cudaGetErrorName(error)); }
static void values(const float *x) { std::printf("%g %g %g %g ", x[0], x[1], x[2], x[3]); }
static cudaError_t launched() {
    const cudaError_t error = cudaGetLastError();
    return error ? error : cudaDeviceSynchronize();
}

int main(int, char **arguments) {
    const char *which = arguments[1];
    const auto is = [which](const char *name) { return !std::strcmp(which, name); };
    constexpr size_t bytes = 4 * sizeof(float), huge = size_t(1) << 63;
    float host[4] = {1, 2, 3, 4}, other[4] = {5, 6, 7, 8}, *device, *pinned, *managed, *freed, *null = nullptr;
    float *heap = new float[4]{1, 2, 3, 4};
    std::vector<float> list{1, 2, 3, 4};
    size_t pitch;
    say(cudaMalloc(&device, bytes));
    cudaMallocHost(&pinned, bytes);
    cudaMallocManaged(&managed, bytes);
    cudaMalloc(&freed, bytes);
    cudaFree(freed);
    for (float *each : {pinned, managed}) std::memcpy(each, host, bytes);
    cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice);
    cudaStream_t stream, gone;
    cudaStreamCreate(&stream);
    cudaStreamCreate(&gone);
    cudaStreamDestroy(gone);
    cudaEvent_t timed, plain, never, ended;
    cudaEventCreate(&timed);
    cudaEventCreateWithFlags(&plain, cudaEventDisableTiming);
    cudaEventCreate(&never);
    cudaEventCreate(&ended);
    cudaEventDestroy(ended);
    cudaEventRecord(timed);
    cudaEventRecord(plain);
    float time = -1;
    cudaPointerAttributes attributes;

#define RUN(name, ...)                                                                                                 \
    if (is(#name)) { __VA_ARGS__; }
    // kernels
    RUN(kernel_stack, doubles<<<1, 4>>>(host), say(launched()), values(host))
    RUN(kernel_heap, doubles<<<1, 4>>>(heap), say(launched()), values(heap))
    RUN(kernel_inside, doubles<<<1, 2>>>(heap + 1), say(launched()), values(heap))
    RUN(kernel_vector, doubles<<<1, 4>>>(list.data()), say(launched()), values(list.data()))
    RUN(kernel_global, doubles<<<1, 4>>>(global_of_host), say(launched()), values(global_of_host))
    RUN(kernel_third, doubles_last<<<1, 4>>>(1, device, heap), say(launched()), values(heap))
    void *packed[] = {&heap};
    RUN(kernel_packed, say(cudaLaunchKernel(doubles, 1, 4, packed)), say(launched()), values(heap))
    RUN(kernel_unregistered, cudaHostRegister(heap, bytes, 0), cudaHostUnregister(heap), doubles<<<1, 4>>>(heap),
        say(launched()), values(heap))
    RUN(kernel_device, doubles<<<1, 4>>>(device), say(launched()),
        cudaMemcpy(other, device, bytes, cudaMemcpyDeviceToHost), values(other))
    RUN(kernel_pinned, doubles<<<1, 4>>>(pinned), say(launched()), values(pinned))
    RUN(kernel_managed, doubles<<<1, 4>>>(managed), say(launched()), values(managed))
    RUN(kernel_registered, cudaHostRegister(heap, bytes, 0), doubles<<<1, 4>>>(heap), say(launched()), values(heap))
    void *symbol;
    RUN(kernel_symbol, say(cudaGetSymbolAddress(&symbol, variable)),
        doubles_last<<<1, 4>>>(1, static_cast<float *>(symbol) + 4, static_cast<float *>(symbol)), say(launched()))
    RUN(kernel_constant, say(cudaGetSymbolAddress(&symbol, constant)),
        doubles_last<<<1, 4>>>(1, static_cast<float *>(symbol), device), say(launched()))
    RUN(kernel_null, doubles_last<<<1, 4>>>(1, null, device), say(launched()))
    RUN(kernel_stream, doubles<<<1, 4, 0, gone>>>(device), say(launched()))
    RUN(kernel_shared, fills_shared<<<1, 4, (48 << 10) + 4>>>(device), say(launched()))
    RUN(kernel_shared_allowed,
        say(cudaFuncSetAttribute(fills_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 << 10)),
        fills_shared<<<1, 4, 64 << 10>>>(device), say(launched()))
    RUN(kernel_shared_beyond,
        say(cudaFuncSetAttribute(fills_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 << 10)),
        fills_shared<<<1, 4, 65 << 10>>>(device), say(launched()))
    RUN(attribute_beyond,
        say(cudaFuncSetAttribute(fills_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 228 << 10)))
    RUN(kernel_in_bounds, bounded<16><<<1, dim3(2, 2)>>>(device), say(launched()))
    RUN(kernel_out_of_bounds, bounded<6><<<1, dim3(2, 2)>>>(device), say(launched()))
    RUN(kernel_out_of_bounds_before, (bounded_before<<<1, 4>>>(device)), say(launched()))
    RUN(kernel_out_of_bounds_of, bounded_of<<<1, 4>>>(device), say(launched()))
    // copies
    RUN(copy_to_device_from_device, say(cudaMemcpy(device, device, bytes, cudaMemcpyHostToDevice)))
    RUN(copy_to_device_into_host, say(cudaMemcpy(host, other, bytes, cudaMemcpyHostToDevice)), values(host))
    RUN(copy_to_host_from_host, say(cudaMemcpy(host, other, bytes, cudaMemcpyDeviceToHost)), values(host))
    RUN(copy_to_host_into_device, say(cudaMemcpy(device, device, bytes, cudaMemcpyDeviceToHost)))
    RUN(copy_on_device_from_host, say(cudaMemcpy(device, host, bytes, cudaMemcpyDeviceToDevice)))
    RUN(copy_on_host_from_device, say(cudaMemcpy(host, device, bytes, cudaMemcpyHostToHost)), values(host))
    RUN(copy_async_wrong, say(cudaMemcpyAsync(host, other, bytes, cudaMemcpyHostToDevice, stream)), values(host))
    RUN(copy_rows_wrong, say(cudaMemcpy2D(host, 8, other, 8, 8, 2, cudaMemcpyDeviceToHost)), values(host))
    RUN(copy_any, say(cudaMemcpy(host, other, bytes, cudaMemcpyDefault)), values(host))
    RUN(copy_managed, say(cudaMemcpy(managed, other, bytes, cudaMemcpyHostToDevice)),
        say(cudaMemcpy(host, managed, bytes, cudaMemcpyHostToHost)), values(host))
    RUN(copy_managed_variable, say(cudaMemcpy(host, managed_variable, bytes, cudaMemcpyHostToHost)),
        say(cudaMemcpy(host, managed_variable, bytes, cudaMemcpyDeviceToHost)))
    RUN(copy_pinned, say(cudaMemcpy(pinned, device, bytes, cudaMemcpyDeviceToHost)), values(pinned))
    RUN(copy_past_source, say(cudaMemcpy(host, device + 2, bytes, cudaMemcpyDeviceToHost)), values(host))
    RUN(copy_past_target, say(cudaMemcpy(device + 1, host, bytes, cudaMemcpyHostToDevice)))
    RUN(copy_past_any, say(cudaMemcpy(device, host, size_t(1) << 40, cudaMemcpyDefault)))
    RUN(copy_past_pinned, say(cudaMemcpy(pinned, device, bytes, cudaMemcpyDeviceToHost)),
        say(cudaMemcpy(pinned + 1, device, bytes, cudaMemcpyDeviceToHost)))
    RUN(copy_past_rows, say(cudaMemcpy2D(device, 8, host, 8, 8, 3, cudaMemcpyHostToDevice)))
    RUN(copy_huge_pitch, say(cudaMemcpy2D(device, huge, host, 8, 8, 2, cudaMemcpyHostToDevice)))
    RUN(copy_freed, say(cudaMemcpy(host, freed, bytes, cudaMemcpyDeviceToHost)))
    RUN(copy_null, say(cudaMemcpy(device, nullptr, bytes, cudaMemcpyHostToDevice)))
    RUN(copy_nothing, say(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice)))
    RUN(copy_kind, say(cudaMemcpy(device, host, bytes, cudaMemcpyKind(7))))
    RUN(set_host, say(cudaMemset(host, 0, bytes)), values(host))
    RUN(set_past, say(cudaMemset(device, 0, bytes + 1)))
    RUN(set_rows_past, say(cudaMemset2D(device, 8, 0, 8, 3)))
    RUN(set_freed, say(cudaMemset(freed, 0, bytes)))
    RUN(set_pinned, say(cudaMemset(pinned, 0, bytes)), values(pinned))
    RUN(symbol_past, say(cudaMemcpyToSymbol(variable, host, bytes, 4)))
    RUN(symbol_kind, say(cudaMemcpyToSymbol(variable, host, bytes, 0, cudaMemcpyDeviceToHost)))
    RUN(symbol_from_constant, say(cudaMemcpyFromSymbol(other, constant, bytes)), values(other))
    // allocations
    RUN(free_twice, say(cudaFree(freed)))
    RUN(free_inside, say(cudaFree(device + 1)))
    RUN(free_host_memory, say(cudaFree(heap)), say(cudaFreeHost(heap)))
    RUN(free_registered, cudaHostRegister(heap, bytes, 0), say(cudaFree(heap)), say(cudaFreeHost(heap)),
        say(cudaHostUnregister(heap)), delete[] heap)
    RUN(free_variable, say(cudaGetSymbolAddress(&symbol, variable)), say(cudaFree(symbol)), say(cudaFreeHost(symbol)))
    RUN(free_pinned_as_device, say(cudaFree(pinned)), say(cudaFreeAsync(pinned, stream)), say(cudaFreeHost(pinned)))
    RUN(free_device_as_host, say(cudaFreeHost(device)), say(cudaFreeHost(managed)), say(cudaFree(managed)))
    RUN(free_null, say(cudaFree(nullptr)), say(cudaFreeHost(nullptr)))
    RUN(register_twice, say(cudaHostRegister(heap, bytes, 0)), say(cudaHostRegister(heap + 1, 4, 0)))
    RUN(register_around, say(cudaHostRegister(heap + 1, 4, 0)), say(cudaHostRegister(heap, bytes, 0)))
    RUN(register_device, say(cudaHostRegister(device, bytes, 0)))
    RUN(unregister_pinned, say(cudaHostUnregister(pinned)), say(cudaHostUnregister(heap)))
    RUN(pitch_overflow, say(cudaMallocPitch(&freed, &pitch, huge, 2)), std::printf("%d ", freed == nullptr))
    RUN(pitch_rounding, say(cudaMallocPitch(&freed, &pitch, SIZE_MAX, 1)))
    RUN(too_much, say(cudaMalloc(&freed, huge)), std::printf("%d ", freed == nullptr))
    RUN(no_place, say(cudaMalloc(static_cast<void **>(nullptr), 4)), say(cudaMallocPitch(&freed, nullptr, 4, 4)))
    RUN(attributes_of_host, say(cudaPointerGetAttributes(&attributes, heap)), std::printf("%d ", attributes.type))
    // streams, events, devices
    RUN(stream_twice, say(cudaStreamDestroy(stream)), say(cudaStreamDestroy(stream)))
    RUN(stream_gone, say(cudaStreamSynchronize(gone)), say(cudaStreamQuery(gone)), say(cudaEventRecord(timed, gone)))
    RUN(stream_default, say(cudaStreamDestroy(nullptr)), say(cudaStreamSynchronize(nullptr)))
    RUN(event_twice, say(cudaEventDestroy(timed)), say(cudaEventDestroy(timed)))
    RUN(event_gone, say(cudaEventRecord(ended)), say(cudaEventSynchronize(ended)), say(cudaStreamWaitEvent(stream, ended)))
    RUN(event_null, say(cudaEventDestroy(nullptr)), say(cudaEventQuery(nullptr)), say(cudaEventCreate(nullptr)))
    RUN(time_untimed, say(cudaEventElapsedTime(&time, plain, timed)), say(cudaEventElapsedTime(&time, timed, plain)))
    RUN(time_unrecorded, say(cudaEventElapsedTime(&time, timed, never)))
    RUN(time_nowhere, say(cudaEventElapsedTime(nullptr, timed, timed)))
    RUN(nulls, say(cudaGetDeviceProperties(nullptr, 0)), say(cudaDeviceGetAttribute(nullptr, cudaDevAttrWarpSize, 0)),
        say(cudaGetDeviceCount(nullptr)), say(cudaGetDevice(nullptr)), say(cudaMemGetInfo(nullptr, nullptr)),
        say(cudaStreamCreate(nullptr)), say(cudaStreamGetFlags(stream, nullptr)), say(cudaDriverGetVersion(nullptr)))
    RUN(device_two, say(cudaSetDevice(1)), say(cudaSetDevice(-1)))
    std::printf("\n");
}
