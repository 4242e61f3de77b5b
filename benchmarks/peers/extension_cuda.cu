// benchmarks/peers/extension_cuda.cu: the LLTM as a PyTorch C++/CUDA extension, after the recipe of its tutorial:
// matrix products by ATen, everything between them in one kernel of our own for each direction.
#include <torch/extension.h>

#include <c10/cuda/CUDAStream.h>

namespace {

using at::Tensor;

__device__ float sigmoid(float x) { return 1 / (1 + expf(-x)); }

__global__ void forward_kernel(const float *pre, const float *old_cell, float *gates, float *h, float *cell,
                               int64_t states, int64_t state_size) {
    const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i >= states) return;
    const int64_t at = i / state_size * 3 * state_size + i % state_size;
    const float input = sigmoid(pre[at]), output = sigmoid(pre[at + state_size]);
    const float x = pre[at + 2 * state_size], candidate = x > 0 ? x : expm1f(x);
    gates[at] = input;
    gates[at + state_size] = output;
    gates[at + 2 * state_size] = candidate;
    cell[i] = old_cell[i] + candidate * input;
    h[i] = tanhf(cell[i]) * output;
}

__global__ void backward_kernel(const float *grad_h, const float *grad_cell, const float *cell, const float *gates,
                                float *d_gates, float *d_cell, int64_t states, int64_t state_size) {
    const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i >= states) return;
    const int64_t at = i / state_size * 3 * state_size + i % state_size;
    const float input = gates[at], output = gates[at + state_size], candidate = gates[at + 2 * state_size];
    const float t = tanhf(cell[i]), d = grad_cell[i] + grad_h[i] * output * (1 - t * t);
    d_gates[at] = d * candidate * input * (1 - input);
    d_gates[at + state_size] = grad_h[i] * t * output * (1 - output);
    d_gates[at + 2 * state_size] = d * input * (candidate > 0 ? 1 : candidate + 1);
    d_cell[i] = d;
}

constexpr int threads = 256;
unsigned blocks(int64_t states) { return static_cast<unsigned>((states + threads - 1) / threads); }

std::vector<Tensor> lltm_forward(const Tensor &input, const Tensor &weights, const Tensor &bias, const Tensor &old_h,
                                 const Tensor &old_cell) {
    const Tensor joined = at::cat({old_h, input}, 1), pre = at::addmm(bias, joined, weights.t());
    const Tensor gates = at::empty_like(pre), h = at::empty_like(old_cell), cell = at::empty_like(old_cell);
    const int64_t states = old_cell.numel();
    forward_kernel<<<blocks(states), threads, 0, c10::cuda::getCurrentCUDAStream()>>>(
        pre.data_ptr<float>(), old_cell.data_ptr<float>(), gates.data_ptr<float>(), h.data_ptr<float>(),
        cell.data_ptr<float>(), states, old_cell.size(1));
    return {h, cell, gates, joined};
}

std::vector<Tensor> lltm_backward(const Tensor &grad_h, const Tensor &grad_cell, const Tensor &cell,
                                  const Tensor &gates, const Tensor &joined, const Tensor &weights) {
    const Tensor d_gates = at::empty_like(gates), d_cell = at::empty_like(cell);
    const int64_t states = cell.numel(), state_size = cell.size(1);
    backward_kernel<<<blocks(states), threads, 0, c10::cuda::getCurrentCUDAStream()>>>(
        grad_h.contiguous().data_ptr<float>(), grad_cell.contiguous().data_ptr<float>(), cell.data_ptr<float>(),
        gates.data_ptr<float>(), d_gates.data_ptr<float>(), d_cell.data_ptr<float>(), states, state_size);
    const Tensor d_joined = d_gates.mm(weights);
    return {d_joined.slice(1, state_size), d_gates.t().mm(joined), d_gates.sum(0), d_joined.slice(1, 0, state_size),
            d_cell};
}

}  // namespace

PYBIND11_MODULE(TORCH_EXTENSION_NAME, extension) {
    extension.def("lltm_forward", &lltm_forward);
    extension.def("lltm_backward", &lltm_backward);
}
