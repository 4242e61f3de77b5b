"""modules/add.py: addition as a module."""

from torch import nn

from functions.add import add


class MyAddModule(nn.Module):
    """``MyAddModule()(input1, input2)``: their sum. Shapes, dtypes and errors: ``functions.add.add``."""

    def forward(self, input1, input2):
        return add(input1, input2)
