// benchmarks/peers/extension.cpp: the LLTM as a PyTorch C++ extension.
//
// The LLTM follows the recipe of PyTorch's extension tutorial: the forward pass
// in ATen operators, keeping the activated gates and [old_h, input]; the
// backward pass by hand, in ATen operators too.
#include <torch/extension.h>

namespace {

using at::Tensor;

std::vector<Tensor> lltm_forward(const Tensor &input, const Tensor &weights, const Tensor &bias,
                                 const Tensor &old_h, const Tensor &old_cell) {
  auto X = at::cat({old_h, input}, 1);
  auto pre = at::addmm(bias, X, weights.t());
  auto parts = pre.chunk(3, 1);

  auto input_gate = at::sigmoid(parts[0]);
  auto output_gate = at::sigmoid(parts[1]);
  auto candidate = at::elu(parts[2]);

  auto new_cell = old_cell + candidate * input_gate;
  auto new_h = at::tanh(new_cell) * output_gate;
  return {new_h, new_cell, input_gate, output_gate, candidate, X, pre};
}

Tensor sigmoid_slope(const Tensor &x) {
  auto s = at::sigmoid(x);
  return (1 - s) * s;
}

Tensor tanh_slope(const Tensor &x) { return 1 - x.tanh().pow(2); }

Tensor elu_slope(const Tensor &x) {
  auto negative = (x < 0).type_as(x);
  return (x > 0).type_as(x) + negative * at::exp(x);
}

std::vector<Tensor> lltm_backward(const Tensor &grad_h, const Tensor &grad_cell, const Tensor &new_cell,
                                  const Tensor &input_gate, const Tensor &output_gate,
                                  const Tensor &candidate, const Tensor &X, const Tensor &pre,
                                  const Tensor &weights) {
  auto d_output_gate = at::tanh(new_cell) * grad_h;
  auto d_cell = tanh_slope(new_cell) * (output_gate * grad_h) + grad_cell;
  auto d_candidate = input_gate * d_cell;
  auto d_input_gate = candidate * d_cell;

  auto parts = pre.chunk(3, 1);
  d_input_gate = d_input_gate * sigmoid_slope(parts[0]);
  d_output_gate = d_output_gate * sigmoid_slope(parts[1]);
  d_candidate = d_candidate * elu_slope(parts[2]);
  auto d_pre = at::cat({d_input_gate, d_output_gate, d_candidate}, 1);

  auto d_weights = d_pre.t().mm(X);
  auto d_bias = d_pre.sum(0);
  auto d_X = d_pre.mm(weights);
  const auto state_size = grad_h.size(1);
  auto d_old_h = d_X.slice(1, 0, state_size);
  auto d_input = d_X.slice(1, state_size);
  return {d_input, d_weights, d_bias, d_old_h, d_cell};
}

}  // namespace

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("lltm_forward", &lltm_forward);
  m.def("lltm_backward", &lltm_backward);
}
