// thc.cu: what extensions of PyTorch 0.4 to 1.10 take from THC.
#include <torch/extension.h>

#include <ATen/cuda/CUDABlas.h>
#include <THC/THC.h>
#include <THC/THCAtomics.cuh>
#include <THC/THCDeviceUtils.cuh>

extern THCState *state;
THCState *state = at::globalContext().lazyInitCUDA();

__global__ void double_kernel(int n, const float *in, float *out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(out + i, ScalarConvert<float, float>::to(2 * doLdg(in + i)));
}

// 2 · in, by way of memory of THC
at::Tensor doubled(const at::Tensor &in) {
    const int n = in.numel();
    at::Tensor out = at::empty_like(in);
    float *memory = static_cast<float *>(THCudaMalloc(state, n * sizeof(float)));
    cudaStream_t stream = THCState_getCurrentStream(state);
    THCudaCheck(cudaMemsetAsync(memory, 0, n * sizeof(float), stream));
    double_kernel<<<THCCeilDiv(n, 64), THCRoundUp(33, 32), 0, stream>>>(n, in.data_ptr<float>(), memory);
    THCudaCheck(cudaGetLastError());
    THCudaCheck(cudaMemcpyAsync(out.data_ptr(), memory, n * sizeof(float), cudaMemcpyDeviceToDevice, stream));
    THCudaFree(state, memory);
    return out;
}

// c = alpha · op(a) · op(b) + beta · c, all column-major
void gemm(const std::string &ops, int64_t m, int64_t n, int64_t k, double alpha, const at::Tensor &a, int64_t lda, const at::Tensor &b,
          int64_t ldb, double beta, at::Tensor c, int64_t ldc) {
    if (c.scalar_type() == at::kDouble)
        THCudaBlas_Dgemm(state, ops[0], ops[1], m, n, k, alpha, a.data_ptr<double>(), lda, b.data_ptr<double>(), ldb, beta, c.data_ptr<double>(), ldc);
    else
        at::cuda::blas::gemm<float>(ops[0], ops[1], m, n, k, float(alpha), a.data_ptr<float>(), lda, b.data_ptr<float>(), ldb, float(beta), c.data_ptr<float>(), ldc);
}

// y = alpha · op(a) · x + beta · y
void gemv(const std::string &op, int64_t m, int64_t n, double alpha, const at::Tensor &a, int64_t lda, const at::Tensor &x, int64_t incx,
          double beta, at::Tensor y, int64_t incy) {
    THCudaBlas_Dgemv(state, op[0], m, n, alpha, a.data_ptr<double>(), lda, x.data_ptr<double>(), incx, beta, y.data_ptr<double>(), incy);
}

// whether cuBLAS, cuSPARSE and cuSOLVER have handles, as far as their headers are here; the last two where they are linked
bool handles() {
    bool right = true;
#if __has_include(<cublas_v2.h>)
    cudaStream_t stream = nullptr;
    TORCH_CUDABLAS_CHECK(cublasGetStream(at::cuda::getCurrentCUDABlasHandle(), &stream));
    right = stream == at::cuda::getCurrentCUDAStream().stream();
#endif
#if __has_include(<cusparse.h>) && defined(OTHER_LIBRARIES)
    right = right && at::cuda::getCurrentCUDASparseHandle() == at::cuda::getCurrentCUDASparseHandle();
#endif
#if __has_include(<cusolverDn.h>) && defined(OTHER_LIBRARIES)
    right = right && at::cuda::getCurrentCUDASolverDnHandle() == at::cuda::getCurrentCUDASolverDnHandle();
#endif
    return right;
}

void wrong() { THError("%d of %s", 7, "nine"); }

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    m.def("doubled", &doubled);
    m.def("gemm", &gemm);
    m.def("gemv", &gemv);
    m.def("handles", &handles);
    m.def("wrong", &wrong);
}
