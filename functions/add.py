"""functions/add.py: output = input1 + input2."""

from ._library import derived


@derived
def add(input1, input2):
    """``input1 + input2``, both of one floating-point dtype and one shape: there is no broadcasting."""
    return input1 + input2


MyAddFunction = add.Function
