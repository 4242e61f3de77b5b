// benchmarks/peers/loops/pybind11_numpy.cpp: a loop over NumPy's arrays, through pybind11.
#include <pybind11/numpy.h>

#include <stdexcept>

namespace py = pybind11;

using Array = py::array_t<float, py::array::c_style>;

// output = a + b, of one size; another dtype than float32 is refused.
static void add_loop(const Array &a, const Array &b, Array &output) {
  const py::ssize_t n = a.size();
  if (b.size() != n || output.size() != n) throw std::invalid_argument("expected arrays of one size");
  const float *x = a.data(), *y = b.data();
  float *z = output.mutable_data();
  py::gil_scoped_release unlocked;
  for (py::ssize_t i = 0; i < n; ++i) z[i] = x[i] + y[i];
}

PYBIND11_MODULE(loop_pybind11_numpy, m) {
  m.def("add_loop", &add_loop, py::arg("a").noconvert(), py::arg("b").noconvert(), py::arg("output").noconvert());
}
