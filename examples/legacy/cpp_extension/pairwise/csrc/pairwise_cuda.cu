#include <ATen/ATen.h>
#include <ATen/cuda/CUDAContext.h>

#include <THC/THC.h>
#include <THC/THCAtomics.cuh>
#include <THC/THCDeviceUtils.cuh>
#include <THC/THCNumerics.cuh>

extern THCState* state;

template <typename scalar_t>
__global__ void squared_norms(const scalar_t* rows, scalar_t* norms, int64_t count, int64_t d) {
  const int64_t row = blockIdx.x;
  scalar_t sum = 0;
  for (int64_t k = threadIdx.x; k < d; k += blockDim.x) {
    sum = THCNumerics<scalar_t>::add(sum, THCNumerics<scalar_t>::mul(rows[row * d + k], rows[row * d + k]));
  }
  atomicAdd(norms + row, sum);
}

template <typename scalar_t>
__global__ void add_norms(scalar_t* output, const scalar_t* x_norms, const scalar_t* y_norms, int64_t n, int64_t m) {
  const int64_t at = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (at >= n * m) return;
  const scalar_t value = x_norms[at / m] + y_norms[at % m] - 2 * output[at];
  output[at] = value > 0 ? value : 0;
}

static void gemm(int64_t m, int64_t n, int64_t k, float* a, float* b, float* c) {
  THCudaBlas_Sgemm(state, 't', 'n', m, n, k, 1, a, k, b, k, 0, c, m);
}
static void gemm(int64_t m, int64_t n, int64_t k, double* a, double* b, double* c) {
  THCudaBlas_Dgemm(state, 't', 'n', m, n, k, 1, a, k, b, k, 0, c, m);
}

at::Tensor pairwise_forward_cuda(const at::Tensor& x, const at::Tensor& y) {
  const int64_t n = x.size(0), m = y.size(0), d = x.size(1);
  auto output = at::empty({n, m}, x.options());
  cudaStream_t stream = THCState_getCurrentStream(state);
  AT_DISPATCH_FLOATING_TYPES(x.type(), "pairwise_forward_cuda", ([&] {
    auto norms = static_cast<scalar_t*>(THCudaMalloc(state, (n + m) * sizeof(scalar_t)));
    THCudaCheck(cudaMemsetAsync(norms, 0, (n + m) * sizeof(scalar_t), stream));
    squared_norms<scalar_t><<<n, 128, 0, stream>>>(x.data<scalar_t>(), norms, n, d);
    squared_norms<scalar_t><<<m, 128, 0, stream>>>(y.data<scalar_t>(), norms + n, m, d);
    THCudaCheck(cudaGetLastError());
    // Row-major x y^T is column-major y x^T.
    gemm(m, n, d, y.data<scalar_t>(), x.data<scalar_t>(), output.data<scalar_t>());
    add_norms<scalar_t><<<THCCeilDiv(n * m, (int64_t)256), 256, 0, stream>>>(
        output.data<scalar_t>(), norms, norms + n, n, m);
    THCudaCheck(cudaGetLastError());
    THCudaFree(state, norms);
  }));
  return output;
}
