// tests/thc/test_state.cpp: streams, devices, memory of a host program, handles, and errors of CUDA.
#include "api.h"

#include <dlfcn.h>
#include <thread>

int held = 0;
const thaw_cuda_host host = {
    sizeof(thaw_cuda_host), [](int device) { return stream_number(100 + device); },
    [](size_t bytes, int, cudaStream_t stream) -> void * {
        void *block = nullptr;
        if (bytes <= 1000000) held++, require(cudaMallocAsync(&block, bytes, stream));
        return block;
    },
    [](void *block) { held--, require(cudaFreeAsync(block, stream_number(100))); }};

void test_streams() {
    CHECK(THCState_getCurrentStream(state) == nullptr);
    thaw_set_cuda_host(&host);
    CHECK(THCState_getCurrentStream(state) == stream_number(100));
    const int last = device_count() - 1;
    CHECK(THCState_getCurrentStreamOnDevice(state, last) == stream_number(100 + last));
    thaw_set_cuda_stream(0, stream_number(7));
    CHECK(THCState_getCurrentStream(state) == stream_number(7));
    std::thread([] { CHECK(THCState_getCurrentStream(state) == stream_number(100)); }).join();
    if (several_devices("the stream of another device")) {
        use_device(1);  // not what was said of the first
        CHECK(THCState_getCurrentStream(state) == stream_number(101));
        use_device(0);
    }
    CHECK(THCState_getCurrentStream(nullptr) == nullptr);

#if defined(CUDA_RECORDER)
    recorder::machine.streams.clear();
#endif
    Pair<float> pair({300, 4});
    THCudaTensor_fill(state, pair.cuda, 1);
    CHECK(THCudaTensor_sumall(state, pair.cuda) == 1200);
#if defined(CUDA_RECORDER)
    CHECK(recorder::machine.streams == std::set<void *>{stream_number(7)});
#endif
    thaw_set_cuda_stream(-1, nullptr);
    CHECK(THCState_getCurrentStream(state) == stream_number(100));
}

void test_memory_of_the_host() {
    void *block = nullptr, *other = nullptr;
    CHECK(THCudaMalloc(state, &block, 100) == cudaSuccess && held == 1);
    CHECK(THCudaMalloc(state, &other, 10000000) == cudaErrorMemoryAllocation && !other);
    CHECK_FAILS(cuda_error(cudaErrorMemoryAllocation), THCudaTensor_newWithSize1d(state, 10000000));
    thaw_set_cuda_host(nullptr);
    CHECK(THCudaMalloc(state, &other, 100) == cudaSuccess && holds(200));
    CHECK(THCudaFree(state, block) == cudaSuccess && held == 0);  // to where it came from
    CHECK(THCudaFree(state, other) == cudaSuccess && holds(0));
    CHECK(THCudaFree(state, nullptr) == cudaSuccess);
    CHECK(THCudaMalloc(state, &block, 0) == cudaSuccess && !block);
    void *pinned = THCudaHostAlloc(state, 16);
    CHECK(pinned && !THCudaHostAlloc(state, 0));
    THCudaHostFree(state, pinned);
}

void test_where_tensors_are() {
    THCudaTensor *empty = THCudaTensor_new(state);
    CHECK(THCudaTensor_getDevice(state, empty) == -1);
    Pair<float> here({2});
    CHECK(THCudaTensor_checkGPU(state, 3, here.cuda, static_cast<THCudaTensor *>(nullptr), empty) == 1);
    THCudaTensor_free(state, empty);
    CHECK(THCState_getNumDevices(state) == device_count());
    cudaDeviceProp properties;
    require(cudaGetDeviceProperties(&properties, 0));
    CHECK(!strcmp(THCState_getCurrentDeviceProperties(state)->name, properties.name));

    if (!several_devices("tensors on different devices")) return;
    use_device(1);
    Pair<float> there({2});
    use_device(0);
    CHECK(THCudaTensor_checkGPU(state, 2, here.cuda, there.cuda) == 0);
    CHECK(THCudaTensor_getDevice(state, there.cuda) == 1);
    CHECK_FAILS("arguments are located on different GPUs",
                THCAssertSameGPU(THCudaTensor_checkGPU(state, 2, here.cuda, there.cuda)));
    // Work is done where the tensor is, and the current device is the caller's afterwards.
    THCudaTensor_fill(state, there.cuda, 5);
    CHECK(THCudaTensor_sumall(state, there.cuda) == 10 && device_in_use() == 0);
}

// The stream that a handle of cuBLAS works on, as cuBLAS says.
cudaStream_t stream_of(cublasHandle_t handle) {
    for (const char *name : {"libcuda_on_cpu.so.1", "libcublas.so.13", "libcublas.so.12"})
        if (void *library = dlopen(name, RTLD_NOW | RTLD_NOLOAD)) {
            cudaStream_t stream = nullptr;
            auto *ask = reinterpret_cast<int (*)(void *, cudaStream_t *)>(dlsym(library, "cublasGetStream_v2"));
            CHECK(ask && ask(handle, &stream) == 0);
            return stream;
        }
    CHECK(!"libcublas is loaded");
    return nullptr;
}

void test_handles() {
    cublasHandle_t mine = THCState_getCurrentBlasHandle(state), other = nullptr;
    CHECK(mine == THCState_getCurrentBlasHandle(state));
    std::thread([&] { other = THCState_getCurrentBlasHandle(state); }).join();
    CHECK(other && other != mine);
    cublasHandle_t later = nullptr;
    std::thread([&] { later = THCState_getCurrentBlasHandle(state); }).join();
    CHECK(later == other);  // handed on when its thread ended
    thaw_set_cuda_stream(0, stream_number(9));
    THCState_getCurrentBlasHandle(state);
    CHECK(stream_of(mine) == stream_number(9));
    thaw_set_cuda_stream(-1, nullptr);
    CHECK_FAILS("THCState_getCurrentBlasHandle: expected a state, got NULL", THCState_getCurrentBlasHandle(nullptr));
#if defined(CUDA_RECORDER)
    const std::string missing = error_of([] { THCState_getCurrentSparseHandle(state); });
    CHECK(missing.find("cuSPARSE: expected libcusparse.so.12 where the loader looks, got: ") == 0);
#endif
}

void test_checks() {
    THCudaCheck(cudaSuccess);
    const std::string broken = "; a kernel failed, and CUDA works again only after the process was started anew";
    CHECK_FAILS(cuda_error(cudaErrorInvalidValue), THCudaCheck(cudaErrorInvalidValue));
    CHECK_FAILS("cuda runtime error (700) : an illegal memory access was encountered" + broken,
                THCudaCheck(cudaErrorIllegalAddress));
    CHECK_FAILS("cublas runtime error : the GPU program failed to execute", THCublasCheck(cublasStatus_t(13)));
    CHECK_FAILS("cusparse runtime error : resource allocation failed", THCusparseCheck(cusparseStatus_t(2)));
    THCublasCheck(cublasStatus_t(0));
    THCusparseCheck(cusparseStatus_t(0));
#if defined(CUDA_RECORDER)
    Pair<float> pair({300});
    recorder::machine.next = cudaErrorIllegalAddress;  // an earlier kernel's fault, found by the next launch
    CHECK_FAILS("cuda runtime error (700) : an illegal memory access was encountered" + broken,
                THCudaTensor_fill(state, pair.cuda, 1));
#endif
    CHECK(THC_half2float(THC_float2half(1.5f)) == 1.5f && THC_nativeHalfInstructions(state) == 1);
    THCState *own = THCState_alloc();
    CHECK(own && own != state);
    THCState_free(own);
}

int main() {
    test_streams();
    test_memory_of_the_host();
    test_where_tensors_are();
    test_handles();
    test_checks();
    CHECK(holds(0) && held == 0);
    return failures() != 0;
}
