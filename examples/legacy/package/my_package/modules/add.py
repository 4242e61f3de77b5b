"""my_package/modules/add.py: the sum as a module."""

from torch.nn.modules.module import Module

from ..functions.add import MyAddFunction


class MyAddModule(Module):
    def forward(self, input1, input2):
        return MyAddFunction()(input1, input2)
