"""functions/conv2d.py: 2-d convolution without bias, stride 1, no padding, on PyTorch's own kernels."""

from torch.nn import functional as F
from torch.nn.grad import conv2d_input, conv2d_weight
from torch.overrides import handle_torch_function, has_torch_function_variadic

from ._autograd import Operator, autocast_active, dispatch, low_precision, needs_dispatch
from ._library import check_dense, sizes, wrong_dtype


def conv2d(input, weight):
    """input (batch, in_channels, height, width) * weight (out_channels, in_channels, kernel_height, kernel_width).

    The result is (batch, out_channels, height - kernel_height + 1, width - kernel_width + 1). Differentiable any
    number of times.
    """
    if has_torch_function_variadic(input, weight):
        return handle_torch_function(conv2d, (input, weight), input, weight)
    if needs_dispatch(weight, input) or autocast_active():
        return dispatch(Conv2DFunction, input, weight)
    return compute(input, weight)


def compute(input, weight, weight_argument="weight"):
    check_dense("input", input)
    check_dense(weight_argument, weight)
    _, in_channels, height, width = sizes("input", input, "batch", "in_channels", "height", "width")
    words = "out_channels", "in_channels", "kernel_height", "kernel_width"
    out_channels, weight_channels, kernel_height, kernel_width = sizes(weight_argument, weight, *words)
    if weight_channels != in_channels or kernel_height > height or kernel_width > width:
        expected = f"(out_channels, {in_channels}, at most {height}, at most {width})"
        raise ValueError(f"{weight_argument}: expected shape {expected}, got {tuple(weight.shape)}")
    if weight.dtype is not input.dtype:
        raise wrong_dtype(weight_argument, weight, input.dtype)
    return F.conv2d(input, weight)


def gradients(grad_output, input, weight, needs):
    """(grad_input, grad_weight), None where not needed."""
    needs_input, needs_weight = needs
    grad_input = conv2d_input(input.shape, weight, grad_output) if needs_input else None
    grad_weight = conv2d_weight(input, weight.shape, grad_output) if needs_weight else None
    return grad_input, grad_weight


class Conv2DFunction(Operator):
    """``Conv2DFunction.apply(input, weight) -> output``."""

    @staticmethod
    def forward(ctx, input, weight):
        output = compute(input, weight)
        ctx.save_for_backward(input, weight)
        return output

    @staticmethod
    def backward(ctx, grad_output):
        return gradients(grad_output, *ctx.saved_tensors, ctx.needs_input_grad)

    # -- the rules of the other paths: PyTorch's own operator has them all

    formula = staticmethod(compute)
    autocast = staticmethod(low_precision)
