"""functions/scale_add.py: output = 2 * input1 + input2."""

import torch
from torch import Tensor
from torch.overrides import handle_torch_function, has_torch_function_variadic

from ._autograd import Elementwise, dispatch, must_compose, needs_dispatch, promoted
from ._library import Kernels, check_pair, raise_last_error

KERNELS = Kernels("my_lib_scale_add_forward", "my_lib_scale_add_backward")


def scale_add(input1, input2):
    """``2 * input1 + input2``, both of one floating-point dtype and one shape: there is no broadcasting."""
    if has_torch_function_variadic(input1, input2):
        return handle_torch_function(scale_add, (input1, input2), input1, input2)
    if needs_dispatch(input1, input2):
        return dispatch(ScaleAddFunction, input1, input2)
    return compute(input1, input2)


@KERNELS.serve
def compute(kernels, input1: Tensor, input2: Tensor):
    forward, _ = kernels
    input1, input2 = input1.contiguous(), input2.contiguous()
    output = torch.empty_like(input1)
    if not forward(input1, input1.shape, input1.dim(), input2, input2.shape, input2.dim(), output):
        raise_last_error()
    return output


@KERNELS.serve
def compute_gradient(kernels, grad_output: Tensor):
    """The first gradient. The second is grad_output itself, so C need not write a copy of it."""
    _, backward = kernels
    grad_output = grad_output.contiguous()
    grad_input1 = torch.empty_like(grad_output)
    if not backward(grad_output, grad_output.shape, grad_output.dim(), grad_input1, None):
        raise_last_error()
    return grad_input1


class ScaleAddFunction(Elementwise):
    """``ScaleAddFunction.apply(input1, input2) -> output``."""

    @staticmethod
    def forward(ctx, input1, input2):
        ctx.set_materialize_grads(False)
        return compute(input1, input2)

    @staticmethod
    def backward(ctx, grad_output):
        if grad_output is None or not ctx.needs_input_grad[0]:
            return None, grad_output
        if must_compose(grad_output):
            return 2 * grad_output, grad_output
        return compute_gradient(grad_output), grad_output

    # -- the rules of the other paths

    plain = staticmethod(compute)
    autocast = staticmethod(promoted)

    @staticmethod
    def formula(input1, input2):
        check_pair(input1, input2)
        return 2 * input1 + input2

    @staticmethod
    def gradients(arguments, grad_outputs, needs):
        (grad_output,) = grad_outputs
        return 2 * grad_output, grad_output

    @staticmethod
    def tangents(arguments, tangents):
        tangent1, tangent2 = tangents
        return 2 * tangent1 + tangent2
