// examples/cuda/bindings.cpp: the kernels as functions of tensors.
#include "softmax.h"

#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/extension.h>

static void expect_matrix(const char *name, const at::Tensor &x) {
    TORCH_CHECK(x.is_cuda() && x.dim() == 2 && x.is_contiguous(), name, ": expected a contiguous matrix on a GPU, got shape ",
                x.sizes(), " on ", x.device());
}

at::Tensor forward(const at::Tensor &x) {
    expect_matrix("x", x);
    const c10::cuda::CUDAGuard guard(x.device());
    at::Tensor y = at::empty_like(x);
    if (x.numel() == 0) return y;
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "softmax_forward", [&] {
        softmax_forward(x.const_data_ptr<scalar_t>(), y.mutable_data_ptr<scalar_t>(), x.size(0), x.size(1),
                        c10::cuda::getCurrentCUDAStream());
    });
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return y;
}

at::Tensor backward(const at::Tensor &grad_y, const at::Tensor &y) {
    expect_matrix("grad_y", grad_y);
    expect_matrix("y", y);
    TORCH_CHECK(grad_y.sizes() == y.sizes(), "grad_y: expected shape ", y.sizes(), ", got ", grad_y.sizes());
    const c10::cuda::CUDAGuard guard(y.device());
    at::Tensor grad_x = at::empty_like(y);
    if (y.numel() == 0) return grad_x;
    AT_DISPATCH_FLOATING_TYPES(y.scalar_type(), "softmax_backward", [&] {
        softmax_backward(grad_y.const_data_ptr<scalar_t>(), y.const_data_ptr<scalar_t>(),
                         grad_x.mutable_data_ptr<scalar_t>(), y.size(0), y.size(1), c10::cuda::getCurrentCUDAStream());
    });
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return grad_x;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, module) {
    module.def("forward", &forward);
    module.def("backward", &backward);
}
