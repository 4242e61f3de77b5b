"""functions/scale_add.py: output = 2 * input1 + input2."""

import torch
from torch.autograd import Function
from torch.overrides import handle_torch_function, has_torch_function_variadic

from ._autograd import needs_autograd, record
from ._library import Kernels, check_tensor, raise_last_error

KERNELS = Kernels("input1", "my_lib_scale_add_forward", "my_lib_scale_add_backward")


def scale_add(input1, input2):
    """``2 * input1 + input2``, float32 or float64, both of one shape: there is no broadcasting."""
    if has_torch_function_variadic(input1, input2):
        return handle_torch_function(scale_add, (input1, input2), input1, input2)
    if needs_autograd(input1, input2):
        return record(ScaleAddFunction, input1, input2)
    return compute(input1, input2)


class ScaleAddFunction(Function):
    """``ScaleAddFunction.apply(input1, input2) -> output``."""

    @staticmethod
    def forward(ctx, input1, input2):
        ctx.set_materialize_grads(False)
        return compute(input1, input2)

    @staticmethod
    def backward(ctx, grad_output):
        if grad_output is None or not ctx.needs_input_grad[0]:
            return None, grad_output
        if torch.is_grad_enabled():  # create_graph=True: the gradient must be differentiable itself
            return 2 * grad_output, grad_output
        _, backward = KERNELS.of(grad_output)
        grad_output = grad_output.contiguous()
        grad_input1 = torch.empty_like(grad_output)
        # The second gradient is grad_output itself, so C need not write a copy of it.
        if not backward(grad_output, grad_output.shape, grad_output.dim(), grad_input1, None):
            raise_last_error()
        return grad_input1, grad_output


def compute(input1, input2):
    check_tensor("input1", input1)
    check_tensor("input2", input2)
    forward, _ = KERNELS.of(input1)
    input1, input2 = input1.contiguous(), input2.contiguous()
    output = torch.empty_like(input1)
    if not forward(input1, input1.shape, input1.dim(), input2, input2.shape, input2.dim(), output):
        raise_last_error()
    return output
