// benchmarks/peers/loops/pybind11.cpp: a loop over tensors as an extension of PyTorch's C++ interface, through pybind11.
#include <torch/extension.h>

namespace {

using at::Tensor;

// output = a + b: float32, contiguous, one size; a plain loop, as a C function would be bound by hand.
void add_loop(const Tensor &a, const Tensor &b, Tensor &output) {
  TORCH_CHECK(a.is_contiguous() && b.is_contiguous() && output.is_contiguous());
  TORCH_CHECK(a.sizes() == b.sizes() && a.sizes() == output.sizes());
  const float *x = a.const_data_ptr<float>(), *y = b.const_data_ptr<float>();
  float *z = output.mutable_data_ptr<float>();
  const int64_t n = a.numel();
  pybind11::gil_scoped_release unlocked;
  for (int64_t i = 0; i < n; ++i) z[i] = x[i] + y[i];
}

void add_out(const Tensor &a, const Tensor &b, Tensor &output) { at::add_out(output, a, b); }

}  // namespace

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("add_loop", &add_loop);
  m.def("add_out", &add_out);
}
