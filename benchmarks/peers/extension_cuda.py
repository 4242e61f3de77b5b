"""benchmarks/peers/extension_cuda.py: builds (once) and wraps the C++/CUDA extension; needs a PyTorch with CUDA."""

import functools
from pathlib import Path

import torch

HERE = Path(__file__).resolve().parent
BUILD = HERE.parents[1] / "build" / "benchmarks" / "extension_cuda"


@functools.cache
def load():
    """The compiled module; the build takes about a minute."""
    from torch.utils import cpp_extension

    BUILD.mkdir(parents=True, exist_ok=True)
    return cpp_extension.load(
        "benchmarks_extension_cuda", [str(HERE / "extension_cuda.cu")],
        build_directory=str(BUILD), extra_cuda_cflags=["-O3"],
    )  # fmt: skip


class _Function(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, weights, bias, old_h, old_cell):
        new_h, new_cell, gates, joined = load().lltm_forward(input, weights, bias, old_h, old_cell)
        ctx.save_for_backward(new_cell, gates, joined, weights)
        return new_h, new_cell

    @staticmethod
    def backward(ctx, grad_h, grad_cell):
        return tuple(load().lltm_backward(grad_h, grad_cell, *ctx.saved_tensors))


lltm_cell = _Function.apply
