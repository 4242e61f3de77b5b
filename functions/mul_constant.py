"""functions/mul_constant.py: output = input * constant."""

import torch

from ._library import derived


@derived
def mul_constant(input, constant):
    """``input * constant`` of a floating-point dtype; ``constant`` is a real number, no tensor, and has no gradient."""
    # In forward mode ``input * constant`` takes five times as long: PyTorch gives the number a tangent of zeros.
    return torch.ops.aten.mul.Scalar(input, constant)


MulConstantFunction = mul_constant.Function
