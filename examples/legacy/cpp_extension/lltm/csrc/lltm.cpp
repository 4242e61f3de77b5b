#include "lltm.h"

#include <cmath>

#define CHECK_CONTIGUOUS(x) AT_CHECK(x.is_contiguous(), #x " must be contiguous")
#define CHECK_SAME_TYPE(x, y) AT_CHECK(x.type() == y.type(), #x " and " #y " must have the same type")

namespace {

template <typename scalar_t>
scalar_t sigmoid(scalar_t z) {
  return 1 / (1 + std::exp(-z));
}

template <typename scalar_t>
scalar_t elu(scalar_t z) {
  return z > 0 ? z : std::expm1(z);
}

template <typename scalar_t>
void cell_forward(const at::Tensor& gates, const at::Tensor& old_cell, std::vector<at::Tensor>& out) {
  const auto batch = old_cell.size(0), state = old_cell.size(1);
  auto g = gates.data<scalar_t>();
  auto old = old_cell.data<scalar_t>();
  scalar_t* o[5];
  for (int i = 0; i < 5; ++i) o[i] = out[i].data<scalar_t>();
  for (int64_t b = 0; b < batch; ++b) {
    for (int64_t s = 0; s < state; ++s) {
      const auto at = b * state + s;
      const auto row = g + b * 3 * state + s;
      o[2][at] = sigmoid(row[0]);
      o[3][at] = sigmoid(row[state]);
      o[4][at] = elu(row[2 * state]);
      o[1][at] = old[at] + o[4][at] * o[2][at];
      o[0][at] = std::tanh(o[1][at]) * o[3][at];
    }
  }
}

std::vector<at::Tensor> cell_cpu(const at::Tensor& gates, const at::Tensor& old_cell) {
  std::vector<at::Tensor> out;
  for (int i = 0; i < 5; ++i) out.push_back(at::empty_like(old_cell));
  AT_DISPATCH_FLOATING_TYPES(gates.type(), "lltm_forward", ([&] { cell_forward<scalar_t>(gates, old_cell, out); }));
  return out;
}

std::vector<at::Tensor> cell_backward_cpu(
    const at::Tensor& grad_h, const at::Tensor& grad_cell, const at::Tensor& new_cell, const Gates& gate,
    const at::Tensor& gates) {
  auto tanh_cell = at::tanh(new_cell);
  auto d_cell = grad_h * gate.output * (1 - tanh_cell * tanh_cell) + grad_cell;
  auto raw = gates.chunk(3, /*dim=*/1);
  auto d_output = tanh_cell * grad_h * gate.output * (1 - gate.output);
  auto d_input = gate.candidate * d_cell * gate.input * (1 - gate.input);
  auto slope = at::where(raw[2] > 0, at::ones_like(raw[2]), at::exp(raw[2]));
  return {at::cat({d_input, d_output, d_cell * gate.input * slope}, /*dim=*/1), d_cell};
}

}  // namespace

std::vector<at::Tensor> lltm_forward(
    at::Tensor input, at::Tensor weights, at::Tensor bias, at::Tensor old_h, at::Tensor old_cell) {
  CHECK_CONTIGUOUS(old_cell);
  CHECK_SAME_TYPE(input, weights);
  AT_CHECK(weights.size(0) == 3 * old_cell.size(1), "weights: expected ", 3 * old_cell.size(1), " rows, got ",
           weights.size(0));
  auto x = at::cat({old_h, input}, /*dim=*/1);
  auto gates = at::addmm(bias, x, weights.t());
  std::vector<at::Tensor> out;
  if (gates.type().is_cuda()) {
#ifdef WITH_CUDA
    out = lltm_cell_cuda(gates, old_cell);
#else
    AT_ERROR("lltm was built without CUDA");
#endif
  } else {
    out = cell_cpu(gates, old_cell);
  }
  out.push_back(x);
  out.push_back(gates);
  return out;
}

std::vector<at::Tensor> lltm_backward(
    at::Tensor grad_h, at::Tensor grad_cell, at::Tensor new_cell, at::Tensor weights, at::Tensor input_gate,
    at::Tensor output_gate, at::Tensor candidate, at::Tensor x, at::Tensor gates) {
  CHECK_CONTIGUOUS(grad_h);
  CHECK_CONTIGUOUS(grad_cell);
  const Gates gate{input_gate, output_gate, candidate};
  std::vector<at::Tensor> d;
  if (gates.type().is_cuda()) {
#ifdef WITH_CUDA
    d = lltm_cell_backward_cuda(grad_h, grad_cell, new_cell, gate, gates);
#else
    AT_ERROR("lltm was built without CUDA");
#endif
  } else {
    d = cell_backward_cpu(grad_h, grad_cell, new_cell, gate, gates);
  }
  auto d_weights = d[0].t().mm(x);
  auto d_bias = d[0].sum(/*dim=*/0);
  auto d_x = d[0].mm(weights);
  const auto state = grad_h.size(1);
  return {d_x.slice(1, 0, state), d_x.slice(1, state), d_weights, d_bias, d[1]};
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &lltm_forward, "LLTM forward");
  m.def("backward", &lltm_backward, "LLTM backward");
}
