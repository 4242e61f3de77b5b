"""functions/cube.py: output = input^3."""

from ._library import derived


@derived
def cube(input):
    """``input ** 3`` of a floating-point dtype, differentiable any number of times."""
    return input * input * input


CubeFunction = cube.Function
