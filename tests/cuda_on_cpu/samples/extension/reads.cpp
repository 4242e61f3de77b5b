// tests/cuda_on_cpu/samples/extension/reads.cpp: code of the host that reads memory of the device.
#include <pybind11/pybind11.h>

PYBIND11_MODULE(reads, module) {
    module.def("first", [](uintptr_t x) { return *reinterpret_cast<const float *>(x); });
}
