"""modules/mul_constant.py: multiplication by a fixed number as a module."""

from torch import nn

from functions.mul_constant import mul_constant


class MulConstant(nn.Module):
    """``MulConstant(constant)(input)``: input * constant. ``constant`` is a number, neither trained nor saved."""

    def __init__(self, constant):
        super().__init__()
        self.constant = constant

    def forward(self, input):
        return mul_constant(input, self.constant)

    def extra_repr(self):
        return f"constant={self.constant}"
