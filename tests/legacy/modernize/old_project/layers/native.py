# Functions that call an extension, as most old projects have them.
import torch
from torch.autograd import Function

from _ext import fake


class NativeScale(Function):
    """NativeScale(factor)(input)"""

    def __init__(self, factor):
        super(NativeScale, self).__init__()
        self.factor = factor

    def forward(self, input):
        output = input.new()
        fake.scale_forward(input, output, self.factor)
        return output

    def backward(self, grad_output):
        grad_input = torch.FloatTensor()
        fake.scale_backward(grad_output, grad_input, self.factor)
        return grad_input


class StaticScale(Function):
    @staticmethod
    def forward(ctx, input, factor):
        ctx.factor = factor
        ctx.metadata = {"rows": input.size(0)}
        ctx.save_for_backward(input)
        output = input.new()
        fake.scale_forward(input, output, factor)
        return output

    @staticmethod
    def backward(ctx, grad_output):
        input, = ctx.saved_variables
        assert ctx.metadata["rows"] == input.size(0)
        grad_input = grad_output.new()
        fake.scale_backward(grad_output.data.contiguous(), grad_input, ctx.factor)
        return grad_input, None
