#include <ATen/ATen.h>

#include <THC/THC.h>
#include <THC/THCDeviceUtils.cuh>

#include "lltm.h"

namespace {

template <typename scalar_t>
__device__ __forceinline__ scalar_t sigmoid(scalar_t z) {
  return 1 / (1 + exp(-z));
}

template <typename scalar_t>
__global__ void cell_forward(
    const scalar_t* gates, const scalar_t* old_cell, scalar_t* new_h, scalar_t* new_cell, scalar_t* input_gate,
    scalar_t* output_gate, scalar_t* candidate, size_t state) {
  const size_t column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column >= state) return;
  const size_t at = blockIdx.y * state + column;
  const scalar_t* row = gates + blockIdx.y * 3 * state + column;
  input_gate[at] = sigmoid(row[0]);
  output_gate[at] = sigmoid(row[state]);
  const scalar_t z = row[2 * state];
  candidate[at] = z > 0 ? z : expm1(z);
  new_cell[at] = old_cell[at] + candidate[at] * input_gate[at];
  new_h[at] = tanh(new_cell[at]) * output_gate[at];
}

template <typename scalar_t>
__global__ void cell_backward(
    const scalar_t* grad_h, const scalar_t* grad_cell, const scalar_t* new_cell, const scalar_t* input_gate,
    const scalar_t* output_gate, const scalar_t* candidate, const scalar_t* gates, scalar_t* d_gates,
    scalar_t* d_old_cell, size_t state) {
  const size_t column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column >= state) return;
  const size_t at = blockIdx.y * state + column, row = blockIdx.y * 3 * state + column;
  const scalar_t tanh_cell = tanh(new_cell[at]);
  const scalar_t d_cell = grad_h[at] * output_gate[at] * (1 - tanh_cell * tanh_cell) + grad_cell[at];
  const scalar_t z = gates[row + 2 * state];
  d_gates[row] = candidate[at] * d_cell * input_gate[at] * (1 - input_gate[at]);
  d_gates[row + state] = tanh_cell * grad_h[at] * output_gate[at] * (1 - output_gate[at]);
  d_gates[row + 2 * state] = d_cell * input_gate[at] * (z > 0 ? 1 : exp(z));
  d_old_cell[at] = d_cell;
}

const int THREADS = 256;

}  // namespace

std::vector<at::Tensor> lltm_cell_cuda(const at::Tensor& gates, const at::Tensor& old_cell) {
  std::vector<at::Tensor> out;
  for (int i = 0; i < 5; ++i) out.push_back(at::empty_like(old_cell));
  const int64_t batch = old_cell.size(0), state = old_cell.size(1);
  const dim3 blocks(THCCeilDiv(state, (int64_t)THREADS), batch);
  AT_DISPATCH_FLOATING_TYPES(gates.type(), "lltm_forward_cuda", ([&] {
    cell_forward<scalar_t><<<blocks, THREADS, 0, at::cuda::getCurrentCUDAStream()>>>(
        gates.data<scalar_t>(), old_cell.data<scalar_t>(), out[0].data<scalar_t>(), out[1].data<scalar_t>(),
        out[2].data<scalar_t>(), out[3].data<scalar_t>(), out[4].data<scalar_t>(), state);
  }));
  THCudaCheck(cudaGetLastError());
  return out;
}

std::vector<at::Tensor> lltm_cell_backward_cuda(
    const at::Tensor& grad_h, const at::Tensor& grad_cell, const at::Tensor& new_cell, const Gates& gate,
    const at::Tensor& gates) {
  auto d_gates = at::empty_like(gates);
  auto d_old_cell = at::empty_like(new_cell);
  const int64_t batch = new_cell.size(0), state = new_cell.size(1);
  const dim3 blocks(THCCeilDiv(state, (int64_t)THREADS), batch);
  AT_DISPATCH_FLOATING_TYPES(gates.type(), "lltm_backward_cuda", ([&] {
    cell_backward<scalar_t><<<blocks, THREADS, 0, at::cuda::getCurrentCUDAStream()>>>(
        grad_h.data<scalar_t>(), grad_cell.data<scalar_t>(), new_cell.data<scalar_t>(), gate.input.data<scalar_t>(),
        gate.output.data<scalar_t>(), gate.candidate.data<scalar_t>(), gates.data<scalar_t>(),
        d_gates.data<scalar_t>(), d_old_cell.data<scalar_t>(), state);
  }));
  THCudaCheck(cudaGetLastError());
  return {d_gates, d_old_cell};
}
