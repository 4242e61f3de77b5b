// benchmarks/peers/legacy_port.cpp: examples/legacy/script/src/my_lib.c as a C++ extension of today.
#include <torch/extension.h>

bool my_lib_add_forward(const at::Tensor &input1, const at::Tensor &input2, at::Tensor output) {
    if (!input1.sizes().equals(input2.sizes())) return false;
    output.resize_as_(input1);
    at::add_out(output, input1, input2);
    return true;
}

bool my_lib_add_backward(const at::Tensor &grad_output, at::Tensor grad_input) {
    grad_input.resize_as_(grad_output);
    grad_input.copy_(grad_output);
    return true;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, module) {
    module.def("my_lib_add_forward", &my_lib_add_forward);
    module.def("my_lib_add_backward", &my_lib_add_backward);
}
