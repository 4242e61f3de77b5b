"""functions/mul_constant.py: output = input * constant."""

from numbers import Real

import torch
from torch import Tensor
from torch.overrides import handle_torch_function, has_torch_function_variadic

from ._autograd import Elementwise, dispatch, must_compose, needs_dispatch
from ._library import Kernels, raise_last_error

KERNELS = Kernels("my_lib_mul_constant_forward", "my_lib_mul_constant_backward")


def mul_constant(input, constant):
    """``input * constant`` of a floating-point dtype; ``constant`` is a real number, no tensor, and has no gradient."""
    if has_torch_function_variadic(input):
        return handle_torch_function(mul_constant, (input,), input, constant)
    if needs_dispatch(input):
        return dispatch(MulConstantFunction, input, constant)
    return compute(input, constant)


@KERNELS.serve
def compute(kernels, input: Tensor, constant):
    forward, _ = kernels
    check_constant(constant)
    input = input.contiguous()
    output = torch.empty_like(input)
    if not forward(input, input.shape, input.dim(), constant, output):
        raise_last_error()
    return output


@KERNELS.serve
def compute_gradient(kernels, grad_output: Tensor, constant):
    _, backward = kernels
    grad_output = grad_output.contiguous()
    grad_input = torch.empty_like(grad_output)
    if not backward(grad_output, grad_output.shape, grad_output.dim(), constant, grad_input):
        raise_last_error()
    return grad_input


def check_constant(constant):
    if not isinstance(constant, Real):
        raise TypeError(f"constant: expected a real number, got {type(constant).__name__}")


class MulConstantFunction(Elementwise):
    """``MulConstantFunction.apply(input, constant) -> output``."""

    @staticmethod
    def forward(ctx, input, constant):
        ctx.set_materialize_grads(False)
        ctx.constant = constant
        return compute(input, constant)

    @staticmethod
    def backward(ctx, grad_output):
        if grad_output is None:
            return None, None
        if must_compose(grad_output):
            return grad_output * ctx.constant, None
        return compute_gradient(grad_output, ctx.constant), None

    # -- the rules of the other paths

    plain = staticmethod(compute)

    @staticmethod
    def formula(input, constant):
        check_constant(constant)
        return input * constant

    @staticmethod
    def gradients(arguments, grad_outputs, needs):
        (grad_output,), (_, constant) = grad_outputs, arguments
        return grad_output * constant, None

    @staticmethod
    def tangents(arguments, tangents):
        (tangent, _), (_, constant) = tangents, arguments
        return tangent * constant
