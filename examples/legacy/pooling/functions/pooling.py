"""functions/pooling.py: pooling called through an instance, unpooling and the penalty through their classes."""

from _ext import pooling
from torch.autograd import Function


def library(tensor, name):
    """The C function for this type of tensor: torch.FloatTensor and "take" give pooling_Float_take."""
    kind = tensor.type().split(".")[-1].replace("Tensor", "")
    return getattr(pooling, "pooling_%s_%s" % ("cuda" if tensor.is_cuda else kind, name))


class MaxPoolFunction(Function):
    """MaxPoolFunction(kernel_size, stride)(input) -> output, indices."""

    def __init__(self, kernel_size, stride):
        self.kernel_size = kernel_size
        self.stride = stride

    def forward(self, input):
        self.input_size = input.size()
        output = input.new()
        indices = input.new().long()
        library(input, "forward")(input, output, indices, self.kernel_size, self.stride)
        self.save_for_backward(indices)
        self.mark_non_differentiable(indices)
        return output, indices

    def backward(self, grad_output, grad_indices):
        indices, = self.saved_tensors
        grad_input = grad_output.new()
        library(grad_output, "unpool")(grad_output, indices, grad_input, self.input_size[2], self.input_size[3])
        return grad_input


class MaxUnpoolFunction(Function):
    """MaxUnpoolFunction.apply(values, indices, height, width) -> output."""

    @staticmethod
    def forward(ctx, values, indices, height, width):
        ctx.save_for_backward(indices)
        output = values.new()
        library(values, "unpool")(values, indices, output, height, width)
        return output

    @staticmethod
    def backward(ctx, grad_output):
        indices, = ctx.saved_variables
        grad_values = grad_output.data.new()
        library(grad_output.data, "take")(grad_output.data, indices.data, grad_values)
        return grad_values, None, None, None


class RobustFunction(Function):
    """RobustFunction.apply(input, width) -> the sum of the penalties, one number."""

    @staticmethod
    def forward(ctx, input, width):
        ctx.slope = input.new()
        return input.new([library(input, "robust")(input, ctx.slope, width)])

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.slope, None
