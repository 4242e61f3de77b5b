/* THC/THCGeneral.h: state, errors, streams and memory of THC, over c10 and ATen. */
#ifndef TORCHTHAW_ATEN_THC_GENERAL_H
#define TORCHTHAW_ATEN_THC_GENERAL_H

#include "../TH/THGeneral.h"

#include <ATen/Context.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/Exceptions.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <cuda_runtime.h>

#include <type_traits>

#ifndef THC_API
#define THC_API extern "C"
#define THC_CLASS
#endif

/* Never defined: the macros below drop it, so `extern THCState *state;` in a source refers to nothing. */
struct THCState;

/* ---- Errors: c10::Error, as C10_CUDA_CHECK raises it ---- */

#define THCudaCheck(error) C10_CUDA_CHECK(error)
#define THCudaCheckWarn(error) C10_CUDA_CHECK_WARN(error)
#define THCublasCheck(status) TORCH_CUDABLAS_CHECK(status)
#define THCusparseCheck(status) TORCH_CUDASPARSE_CHECK(status)
#define THCAssertSameGPU(expression) TORCH_CHECK((expression), "Some of weight/gradient/input tensors are located on different GPUs. Please move them to a single one.")

/* ---- Devices, streams, handles. `state` is not evaluated. ---- */

#define THCState_getCurrentStream(state) (at::cuda::getCurrentCUDAStream().stream())
#define THCState_getCurrentStreamOnDevice(state, device) (at::cuda::getCurrentCUDAStream(device).stream())
#define THCState_getCurrentDeviceProperties(state) (at::cuda::getCurrentDeviceProperties())
#define THCState_getDeviceProperties(state, device) (at::cuda::getDeviceProperties(device))
#define THCState_getCurrentBlasHandle(state) (at::cuda::getCurrentCUDABlasHandle())
#define THCState_getCurrentSparseHandle(state) (at::cuda::getCurrentCUDASparseHandle())
#define THCState_getNumDevices(state) (static_cast<int>(c10::cuda::device_count()))

/* ---- Memory of PyTorch's caching allocator, for work on the current stream ---- */

namespace torchthaw_aten {

/* From 0.4.1 on: the memory; c10::OutOfMemoryError where there is none. */
inline void *cuda_malloc(size_t bytes) { return c10::cuda::CUDACachingAllocator::raw_alloc(bytes); }

/* Up to 0.4.0: the address goes to *pointer. */
inline cudaError_t cuda_malloc(void **pointer, size_t bytes) {
    *pointer = cuda_malloc(bytes);
    return cudaSuccess;
}

/* A statement from 0.4.1 on, an argument of THCudaCheck before. */
inline cudaError_t cuda_free(void *pointer) {
    c10::cuda::CUDACachingAllocator::raw_delete(pointer);
    return cudaSuccess;
}

/* Makes CUDA ready, as at::Context::lazyInitCUDA() did, by whichever of its names this PyTorch has. */
template <typename Context>
auto init_cuda(Context &context, int) -> decltype(context.lazyInitDevice(at::kCUDA)) {
    context.lazyInitDevice(at::kCUDA);
}
template <typename Context> void init_cuda(Context &context, long) { context.lazyInitCUDA(); }

/* What follows `at::globalContext().` where a source asks for the state of THC. */
inline THCState *state() {
    init_cuda(at::globalContext(), 0);
    return nullptr;
}

}  // namespace torchthaw_aten

#define THCudaMalloc(state, ...) (torchthaw_aten::cuda_malloc(__VA_ARGS__))
#define THCudaFree(state, pointer) (torchthaw_aten::cuda_free(pointer))
#define THCudaMemGetInfo(state, ...) (cudaMemGetInfo(__VA_ARGS__))

/* THCState *state = at::globalContext().lazyInitCUDA(); today it returns nothing. */
#define lazyInitCUDA() hasCUDA() ? torchthaw_aten::state() : nullptr
#define getTHCState() hasCUDA() ? torchthaw_aten::state() : nullptr

/* ---- Sizes of grids; the arguments may be of two types ---- */

template <typename A, typename B>
__host__ __device__ inline typename std::common_type<A, B>::type THCCeilDiv(A a, B b) {
    return (a + b - 1) / b;
}
template <typename A, typename B>
__host__ __device__ inline typename std::common_type<A, B>::type THCRoundUp(A a, B b) {
    return THCCeilDiv(a, b) * b;
}

#endif
