/* blas.cpp: at::cuda::getCurrentCUDABlasHandle() in place of PyTorch's own, which asks the driver for a context. This
 * library comes before PyTorch's where the loader looks for the function.
 *
 * Versions of PyTorch declare one of these two. */
#include <c10/cuda/CUDAStream.h>
#include <c10/util/Exception.h>
#include <cublas_v2.h>

namespace at::cuda {

cublasHandle_t getCurrentCUDABlasHandle(bool setup);
cublasHandle_t getCurrentCUDABlasHandle(bool) {
    thread_local const cublasHandle_t handle = [] {
        cublasHandle_t made = nullptr;
        TORCH_CHECK(cublasCreate(&made) == CUBLAS_STATUS_SUCCESS, "cublasCreate failed");
        return made;
    }();
    TORCH_CHECK(cublasSetStream(handle, c10::cuda::getCurrentCUDAStream()) == CUBLAS_STATUS_SUCCESS,
                "cublasSetStream failed");
    return handle;
}

cublasHandle_t getCurrentCUDABlasHandle();
cublasHandle_t getCurrentCUDABlasHandle() { return getCurrentCUDABlasHandle(true); }

}  // namespace at::cuda
