"""functions/mul_constant.py: output = input * constant."""

from numbers import Real

import torch
from torch.autograd import Function
from torch.overrides import handle_torch_function, has_torch_function_variadic

from ._autograd import needs_autograd, record
from ._library import Kernels, check_tensor, raise_last_error

KERNELS = Kernels("input", "my_lib_mul_constant_forward", "my_lib_mul_constant_backward")


def mul_constant(input, constant):
    """``input * constant``, float32 or float64; ``constant`` is a real number, not a tensor, and has no gradient."""
    if has_torch_function_variadic(input):
        return handle_torch_function(mul_constant, (input,), input, constant)
    if needs_autograd(input):
        return record(MulConstantFunction, input, constant)
    return compute(input, constant)


class MulConstantFunction(Function):
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
        if torch.is_grad_enabled():  # create_graph=True: the gradient must be differentiable itself
            return mul_constant(grad_output, ctx.constant), None
        _, backward = KERNELS.of(grad_output)
        grad_output = grad_output.contiguous()
        grad_input = torch.empty_like(grad_output)
        if not backward(grad_output, grad_output.shape, grad_output.dim(), ctx.constant, grad_input):
            raise_last_error()
        return grad_input, None


def compute(input, constant):
    check_tensor("input", input)
    if not isinstance(constant, Real):
        raise TypeError(f"constant: expected a real number, got {type(constant).__name__}")
    forward, _ = KERNELS.of(input)
    input = input.contiguous()
    output = torch.empty_like(input)
    if not forward(input, input.shape, input.dim(), constant, output):
        raise_last_error()
    return output
