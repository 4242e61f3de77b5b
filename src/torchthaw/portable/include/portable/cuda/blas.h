// portable/cuda/blas.h: products of matrices, and the handles of CUDA's libraries.
//
// Products are PyTorch's, so that no library of CUDA is linked. A source that calls cuBLAS itself links it, and then needs a
// PyTorch for the same major version of CUDA.
#pragma once
#include "streams.h"

#if __has_include(<cublas_v2.h>)
#include <cublas_v2.h>
#endif
#if __has_include(<cusparse.h>)
#include <cusparse.h>
#endif
#if __has_include(<cusolverDn.h>)
#include <cusolverDn.h>
#endif

namespace at::cuda {

#if __has_include(<cublas_v2.h>)
/// PyTorch's of this thread, set to the current stream.
inline cublasHandle_t getCurrentCUDABlasHandle(bool = true) { return static_cast<cublasHandle_t>(::torchthaw::cuda::blas_handle()); }
#endif
#if __has_include(<cusparse.h>)
/// One of this extension for each thread and device, set to the current stream.
inline cusparseHandle_t getCurrentCUDASparseHandle() {
    static thread_local std::map<int, cusparseHandle_t> made;
    cusparseHandle_t &handle = made[current_device()];
    TORCH_CHECK(handle || cusparseCreate(&handle) == CUSPARSE_STATUS_SUCCESS, "cusparseCreate failed");
    TORCH_CHECK(cusparseSetStream(handle, getCurrentCUDAStream()) == CUSPARSE_STATUS_SUCCESS, "cusparseSetStream failed");
    return handle;
}
#define TORCH_CUDASPARSE_CHECK(expression) TORCH_CHECK((expression) == CUSPARSE_STATUS_SUCCESS, "CUDA error: " #expression " failed")
#endif
#if __has_include(<cusolverDn.h>)
/// One of this extension for each thread and device, set to the current stream.
inline cusolverDnHandle_t getCurrentCUDASolverDnHandle() {
    static thread_local std::map<int, cusolverDnHandle_t> made;
    cusolverDnHandle_t &handle = made[current_device()];
    TORCH_CHECK(handle || cusolverDnCreate(&handle) == CUSOLVER_STATUS_SUCCESS, "cusolverDnCreate failed");
    TORCH_CHECK(cusolverDnSetStream(handle, getCurrentCUDAStream()) == CUSOLVER_STATUS_SUCCESS, "cusolverDnSetStream failed");
    return handle;
}
#define TORCH_CUSOLVER_CHECK(expression) TORCH_CHECK((expression) == CUSOLVER_STATUS_SUCCESS, "CUDA error: " #expression " failed")
#endif
#define TORCH_CUDABLAS_CHECK(expression) TORCH_CHECK(int(expression) == 0, "CUDA error: " #expression " failed")

namespace blas {
/// c = alpha · op(a) · op(b) + beta · c of column-major matrices, op by 'n', 't' or 'c'.
template <class T, class Factor>
void gemm(char op_a, char op_b, int64_t m, int64_t n, int64_t k, Factor alpha, const T *a, int64_t lda, const T *b, int64_t ldb,
          Factor beta, T *c, int64_t ldc) {
    ::torchthaw::cuda::gemm(current_device(), CppTypeToScalarType<T>::value, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}
}  // namespace blas

}  // namespace at::cuda
