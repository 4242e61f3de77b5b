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

/// One of this extension for each thread and device, set to the current stream; create and set_stream are the library's.
template <class Handle, class Create, class SetStream>
Handle own_handle(const char *library, Create create, SetStream set_stream) {
    static thread_local std::map<int, Handle> made;
    Handle &handle = made[current_device()];
    TORCH_CHECK(handle || int(create(&handle)) == 0, library, ": no handle could be made");
    TORCH_CHECK(int(set_stream(handle, getCurrentCUDAStream())) == 0, library, ": its handle does not take the current stream");
    return handle;
}

#if __has_include(<cublas_v2.h>)
/// PyTorch's of this thread, set to the current stream; an own one where PyTorch has none.
inline cublasHandle_t getCurrentCUDABlasHandle(bool = true) {
    if (void *handle = ::torchthaw::cuda::blas_handle()) return static_cast<cublasHandle_t>(handle);
    return own_handle<cublasHandle_t>("cuBLAS", cublasCreate_v2, cublasSetStream_v2);
}
#endif
#if __has_include(<cusparse.h>)
inline cusparseHandle_t getCurrentCUDASparseHandle() {
    return own_handle<cusparseHandle_t>("cuSPARSE", cusparseCreate, cusparseSetStream);
}
#endif
#if __has_include(<cusolverDn.h>)
inline cusolverDnHandle_t getCurrentCUDASolverDnHandle() {
    return own_handle<cusolverDnHandle_t>("cuSOLVER", cusolverDnCreate, cusolverDnSetStream);
}
#endif
// A status of 0 is success in all of them.
#define TORCH_CUDASPARSE_CHECK(expression) TORCH_CUDABLAS_CHECK(expression)
#define TORCH_CUSOLVER_CHECK(expression) TORCH_CUDABLAS_CHECK(expression)
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
