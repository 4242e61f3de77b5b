// tests/thc/test_state.cpp: streams, devices, memory of a host program, handles, and errors of CUDA.
#include "api.h"

#include <dlfcn.h>
#include <thread>

using cuda_on_host::machine;
using thc_on_host::memory;

cudaStream_t stream_number(int n) { return reinterpret_cast<cudaStream_t>(intptr_t(n)); }

int held = 0;
const thaw_cuda_host host = {
    sizeof(thaw_cuda_host), [](int device) { return stream_number(100 + device); },
    [](size_t bytes, int, cudaStream_t) -> void * { return bytes > 1000000 ? nullptr : (held++, malloc(bytes)); },
    [](void *block) { held--, free(block); }};

void test_streams() {
    CHECK(THCState_getCurrentStream(state) == nullptr);
    thaw_set_cuda_host(&host);
    CHECK(THCState_getCurrentStream(state) == stream_number(100));
    CHECK(THCState_getCurrentStreamOnDevice(state, 2) == stream_number(102));
    thaw_set_cuda_stream(0, stream_number(7));
    CHECK(THCState_getCurrentStream(state) == stream_number(7));
    std::thread([] { CHECK(THCState_getCurrentStream(state) == stream_number(100)); }).join();
    machine.current = 1;  // another device: not what was said of the first
    CHECK(THCState_getCurrentStream(state) == stream_number(101));
    machine.current = 0;
    CHECK(THCState_getCurrentStream(nullptr) == nullptr);

    machine.streams.clear();
    Pair<float> pair({300, 4});
    THCudaTensor_fill(state, pair.cuda, 1);
    THCudaTensor_sumall(state, pair.cuda);
    CHECK(machine.streams == std::set<void *>{stream_number(7)});
    thaw_set_cuda_stream(-1, nullptr);
    CHECK(THCState_getCurrentStream(state) == stream_number(100));
}

void test_memory_of_the_host() {
    void *block = nullptr, *other = nullptr;
    CHECK(THCudaMalloc(state, &block, 100) == cudaSuccess && held == 1);
    CHECK(THCudaMalloc(state, &other, 10000000) == cudaErrorMemoryAllocation && !other);
    CHECK_FAILS("cuda runtime error (2) : another error", THCudaTensor_newWithSize1d(state, 10000000));
    thaw_set_cuda_host(nullptr);
    CHECK(THCudaMalloc(state, &other, 100) == cudaSuccess && memory.blocks == 1);
    CHECK(THCudaFree(state, block) == cudaSuccess && held == 0);  // to where it came from
    CHECK(THCudaFree(state, other) == cudaSuccess && memory.blocks == 0);
    CHECK(THCudaFree(state, nullptr) == cudaSuccess);
    CHECK(THCudaMalloc(state, &block, 0) == cudaSuccess && !block);
    void *pinned = THCudaHostAlloc(state, 16);
    CHECK(pinned && !THCudaHostAlloc(state, 0));
    THCudaHostFree(state, pinned);
}

void test_where_tensors_are() {
    Pair<float> here({2});
    machine.current = 1;
    Pair<float> there({2});
    machine.current = 0;
    THCudaTensor *empty = THCudaTensor_new(state);
    CHECK(THCudaTensor_checkGPU(state, 3, here.cuda, static_cast<THCudaTensor *>(nullptr), empty) == 1);
    CHECK(THCudaTensor_checkGPU(state, 2, here.cuda, there.cuda) == 0);
    CHECK(THCudaTensor_getDevice(state, empty) == -1 && THCudaTensor_getDevice(state, there.cuda) == 1);
    CHECK_FAILS("arguments are located on different GPUs",
                THCAssertSameGPU(THCudaTensor_checkGPU(state, 2, here.cuda, there.cuda)));
    // Work is done where the tensor is, and the current device is the caller's afterwards.
    THCudaTensor_fill(state, there.cuda, 5);
    CHECK(THCudaTensor_sumall(state, there.cuda) == 10 && machine.current == 0);
    THCudaTensor_free(state, empty);
    CHECK(THCState_getNumDevices(state) == 3);
    CHECK(!strcmp(THCState_getCurrentDeviceProperties(state)->name, "stand-in 0"));
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
    void *library = dlopen("libcublas.so.13", RTLD_NOW | RTLD_NOLOAD);
    auto *stream_of = reinterpret_cast<void *(*)(void *)>(dlsym(library, "stand_in_stream"));
    CHECK(stream_of(mine) == stream_number(9));
    thaw_set_cuda_stream(-1, nullptr);
    CHECK_FAILS("THCState_getCurrentBlasHandle: expected a state, got NULL", THCState_getCurrentBlasHandle(nullptr));
    const std::string missing = error_of([] { THCState_getCurrentSparseHandle(state); });
    CHECK(missing.find("cuSPARSE: expected libcusparse.so.12 where the loader looks, got: ") == 0);
}

void test_checks() {
    THCudaCheck(cudaSuccess);
    CHECK_FAILS("cuda runtime error (1) : another error", THCudaCheck(cudaErrorInvalidValue));
    CHECK_FAILS("cuda runtime error (700) : an illegal memory access was encountered; "
                "a kernel failed, and CUDA works again only after the process was started anew",
                THCudaCheck(cudaErrorIllegalAddress));
    CHECK_FAILS("cublas runtime error : the GPU program failed to execute", THCublasCheck(13));
    CHECK_FAILS("cusparse runtime error : resource allocation failed", THCusparseCheck(2));
    THCublasCheck(0);
    THCusparseCheck(0);
    Pair<float> pair({300});
    machine.next = cudaErrorIllegalAddress;  // an earlier kernel's fault, found by the next launch
    CHECK_FAILS("cuda runtime error (700) : an illegal memory access was encountered; "
                "a kernel failed, and CUDA works again only after the process was started anew",
                THCudaTensor_fill(state, pair.cuda, 1));
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
    CHECK(memory.blocks == 0 && held == 0);
    return failures() != 0;
}
