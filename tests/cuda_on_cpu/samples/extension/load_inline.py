# A kernel in a string, and what it does with tensors on cuda:0.
import sys

import torch
from torch.utils.cpp_extension import load_inline

CUDA = """
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>

__global__ void triple_kernel(const float *x, float *out, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) out[i] = 3 * x[i];
}

at::Tensor triple(const at::Tensor &x) {
    TORCH_CHECK(x.is_cuda(), "x: expected a CUDA tensor, got one on ", x.device());
    at::Tensor out = at::empty_like(x);
    const int count = static_cast<int>(x.numel());
    triple_kernel<<<(count + 63) / 64, 64, 0, at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), out.data_ptr<float>(),
                                                                                 count);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return out;
}
"""
extension = load_inline(
    "triple", "at::Tensor triple(const at::Tensor &x);", cuda_sources=CUDA, functions=["triple"],
    build_directory=sys.argv[1], extra_cflags=["-O0"], extra_cuda_cflags=["-O0"],
)  # fmt: skip
x = torch.arange(100.0, device="cuda")
out = extension.triple(x)
assert out.is_cuda and torch.equal(out, 3 * x)
try:
    extension.triple(x.cpu())
except RuntimeError as error:
    assert "cpu" in str(error), error
else:
    raise AssertionError("a tensor of the CPU was taken")
print("right")
