"""functions/linear.py: the layer as an autograd Function, for tensors on a GPU."""

from _ext import linear_cuda
from torch.autograd import Function


class LeakyLinearFunction(Function):
    """LeakyLinearFunction.apply(input, weight, bias, slope) -> output."""

    @staticmethod
    def forward(ctx, input, weight, bias, slope):
        output = input.new()
        linear_cuda.linear_cuda_forward(input, weight, bias, output, slope)
        ctx.slope = slope
        ctx.save_for_backward(input, weight, output)
        return output

    @staticmethod
    def backward(ctx, grad_output):
        input, weight, output = ctx.saved_tensors
        grad_input, grad_weight, grad_bias = input.new(), weight.new(), weight.new()
        linear_cuda.linear_cuda_backward(
            input, weight, output, grad_output, grad_input, grad_weight, grad_bias, ctx.slope
        )
        return grad_input, grad_weight, grad_bias, None
