"""modules/cube.py: the third power as a module."""

from torch import nn

from functions.cube import cube


class Cube(nn.Module):
    """``Cube()(input)``: input^3, elementwise."""

    def forward(self, input):
        return cube(input)
