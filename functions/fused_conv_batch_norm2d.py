"""functions/fused_conv_batch_norm2d.py: batch_norm2d(conv2d(input, conv_weight)) that keeps only the conv's input."""

from torch.nn import functional as F
from torch.overrides import handle_torch_function, has_torch_function_variadic

from . import batch_norm2d, conv2d
from ._autograd import Operator, autocast_active, dispatch, low_precision, must_compose, needs_dispatch
from ._library import check_dense, check_dtype


def fused_conv_batch_norm2d(input, conv_weight, eps=1e-3):
    """``batch_norm2d(conv2d(input, conv_weight), eps)``, floating point; shapes as in those two.

    Apart, the two operators save the input of each. Here the input of the batch norm, which is the output of the
    conv, is computed once more in backward: about half the memory for one more convolution.
    """
    if has_torch_function_variadic(input, conv_weight):
        return handle_torch_function(fused_conv_batch_norm2d, (input, conv_weight), input, conv_weight, eps)
    if needs_dispatch(conv_weight, input) or autocast_active():
        return dispatch(FusedConvBatchNorm2DFunction, input, conv_weight, eps)
    return compute(input, conv_weight, eps)[0]


def compute(input, conv_weight, eps):
    """(output, mean, std), the last two of shape (out_channels)."""
    check_dense("input", input)
    check_dtype("input", input)  # refuses here what the batch norm would refuse after the convolution
    return batch_norm2d.compute(conv2d.compute(input, conv_weight, "conv_weight"), eps)


class FusedConvBatchNorm2DFunction(Operator):
    """``FusedConvBatchNorm2DFunction.apply(input, conv_weight, eps=1e-3) -> output``."""

    @staticmethod
    def forward(ctx, input, conv_weight, eps=1e-3):
        output, mean, std = compute(input, conv_weight, eps)
        ctx.save_for_backward(input, conv_weight, mean, std)  # mean and std: two numbers per channel
        ctx.eps = eps
        return output

    @staticmethod
    def backward(ctx, grad_output):
        input, conv_weight, mean, std = ctx.saved_tensors
        if must_compose(grad_output):
            arguments = input, conv_weight, ctx.eps
            return FusedConvBatchNorm2DFunction.gradients(arguments, (grad_output,), ctx.needs_input_grad)
        conv_output = F.conv2d(input, conv_weight)
        grad_conv_output = batch_norm2d.compute_gradient(conv_output, grad_output, mean, std, ctx.eps)
        return *conv2d.gradients(grad_conv_output, input, conv_weight, ctx.needs_input_grad[:2]), None

    # -- the rules of the other paths: those of the two operators

    autocast = staticmethod(low_precision)

    @staticmethod
    def formula(input, conv_weight, eps=1e-3):
        return batch_norm2d.batch_norm2d(conv2d.conv2d(input, conv_weight), eps)
