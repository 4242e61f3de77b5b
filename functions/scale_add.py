"""functions/scale_add.py: output = 2 * input1 + input2."""

from ._library import derived


@derived
def scale_add(input1, input2):
    """``2 * input1 + input2``, both of one floating-point dtype and one shape: there is no broadcasting."""
    return 2 * input1 + input2


ScaleAddFunction = scale_add.Function
