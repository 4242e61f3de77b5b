"""functions/scale_add.py: output = 2 * input1 + input2."""

import torch

from ._library import derived


@derived
def scale_add(input1, input2):
    """``2 * input1 + input2``, both of one floating-point dtype and one shape: there is no broadcasting."""
    return torch.add(input2, input1, alpha=2)


ScaleAddFunction = scale_add.Function
