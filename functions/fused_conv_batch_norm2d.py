"""functions/fused_conv_batch_norm2d.py: batch_norm2d(conv2d(input, conv_weight)) that keeps only the conv's input."""

from torch.autograd import Function
from torch.overrides import handle_torch_function, has_torch_function_variadic

from . import batch_norm2d, conv2d
from ._autograd import needs_autograd, once_differentiable, record
from ._library import check_tensor


def fused_conv_batch_norm2d(input, conv_weight, eps=1e-3):
    """``batch_norm2d(conv2d(input, conv_weight), eps)``, float32 or float64; shapes as in those two.

    Apart, the two operators save the input of each. Here the input of the batch norm, which is the output of the
    conv, is computed once more in backward: about half the memory for one more convolution.
    """
    if has_torch_function_variadic(input, conv_weight):
        return handle_torch_function(fused_conv_batch_norm2d, (input, conv_weight), input, conv_weight, eps)
    if needs_autograd(conv_weight, input):
        return record(FusedConvBatchNorm2DFunction, input, conv_weight, eps)
    return compute(input, conv_weight, eps)[0]


class FusedConvBatchNorm2DFunction(Function):
    """``FusedConvBatchNorm2DFunction.apply(input, conv_weight, eps=1e-3) -> output``."""

    @staticmethod
    def forward(ctx, input, conv_weight, eps=1e-3):
        output, mean, std = compute(input, conv_weight, eps)
        ctx.save_for_backward(input, conv_weight, mean, std)  # mean and std: two numbers per channel
        ctx.eps = eps
        return output

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_output):
        input, conv_weight, mean, std = ctx.saved_tensors
        conv_output = conv2d.compute(input, conv_weight)
        grad_conv_output = batch_norm2d.gradient(grad_output, conv_output, mean, std, ctx.eps)
        return *conv2d.gradients(grad_conv_output, input, conv_weight, ctx.needs_input_grad[:2]), None


def compute(input, conv_weight, eps):
    """(output, mean, std), the last two of shape (out_channels)."""
    check_tensor("input", input)
    batch_norm2d.KERNELS.of(input)  # refuses here what the batch norm would refuse after the convolution
    return batch_norm2d.compute(conv2d.compute(input, conv_weight, "conv_weight"), eps)
