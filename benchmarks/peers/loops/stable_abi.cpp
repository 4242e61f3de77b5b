// benchmarks/peers/loops/stable_abi.cpp: the loop as an operator, through PyTorch's stable ABI for extensions.
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/tensor.h>

using torch::stable::Tensor;

static void add_loop(Tensor a, Tensor b, Tensor output) {
  STD_TORCH_CHECK(a.is_contiguous() && b.is_contiguous() && output.is_contiguous(), "expected contiguous tensors");
  const int64_t n = a.numel();
  STD_TORCH_CHECK(b.numel() == n && output.numel() == n, "expected tensors of one size");
  const float *x = static_cast<const float *>(a.const_data_ptr()), *y = static_cast<const float *>(b.const_data_ptr());
  float *z = static_cast<float *>(output.mutable_data_ptr());
  for (int64_t i = 0; i < n; ++i) z[i] = x[i] + y[i];
}

STABLE_TORCH_LIBRARY(benchmarks_loop, m) { m.def("add_loop(Tensor a, Tensor b, Tensor(a!) output) -> ()"); }

STABLE_TORCH_LIBRARY_IMPL(benchmarks_loop, CPU, m) { m.impl("add_loop", TORCH_BOX(&add_loop)); }
