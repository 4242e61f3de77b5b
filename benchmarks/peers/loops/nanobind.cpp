// benchmarks/peers/loops/nanobind.cpp: the loop with nanobind's arrays, which check dtype, layout and device.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <stdexcept>

namespace nb = nanobind;

using Input = nb::ndarray<const float, nb::c_contig, nb::device::cpu>;
using Output = nb::ndarray<float, nb::c_contig, nb::device::cpu>;

static void add_loop(const Input &a, const Input &b, const Output &output) {
  const size_t n = a.size();
  if (b.size() != n || output.size() != n) throw std::invalid_argument("expected tensors of one size");
  const float *x = a.data(), *y = b.data();
  float *z = output.data();
  for (size_t i = 0; i < n; ++i) z[i] = x[i] + y[i];
}

NB_MODULE(loop_nanobind, m) { m.def("add_loop", &add_loop, nb::call_guard<nb::gil_scoped_release>()); }
