"""functions/mul_constant.py: output = input * constant."""

from ._library import derived


@derived
def mul_constant(input, constant):
    """``input * constant`` of a floating-point dtype; ``constant`` is a real number, no tensor, and has no gradient."""
    return input * constant


MulConstantFunction = mul_constant.Function
