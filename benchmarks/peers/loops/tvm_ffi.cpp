// benchmarks/peers/loops/tvm_ffi.cpp: the loop with tvm-ffi's tensors. tvm-ffi adds the includes and the exports.
#include <stdexcept>

void add_loop(tvm::ffi::TensorView a, tvm::ffi::TensorView b, tvm::ffi::TensorView output) {
  const int64_t n = a.numel();
  if (b.numel() != n || output.numel() != n) throw std::invalid_argument("expected tensors of one size");
  const float *x = static_cast<const float *>(a.data_ptr());
  const float *y = static_cast<const float *>(b.data_ptr());
  float *z = static_cast<float *>(output.data_ptr());
  for (int64_t i = 0; i < n; ++i) z[i] = x[i] + y[i];
}
