"""functions/cube.py: output = input^3."""

import torch
from torch.autograd import Function
from torch.overrides import handle_torch_function, has_torch_function_variadic

from ._autograd import needs_autograd, record
from ._library import Kernels, check_tensor, raise_last_error

KERNELS = Kernels("input", "my_lib_cube_forward", "my_lib_cube_backward")


def cube(input):
    """``input ** 3``, float32 or float64, differentiable any number of times."""
    if has_torch_function_variadic(input):
        return handle_torch_function(cube, (input,), input)
    if needs_autograd(input):
        return record(CubeFunction, input)[0]
    return compute(input, with_derivative=False)[0]


class CubeFunction(Function):
    """``CubeFunction.apply(input) -> (output, derivative)``, derivative = 3 * input^2.

    The derivative is an output because backward reuses it: only what autograd knows as a function of ``input`` can
    be differentiated again.
    """

    @staticmethod
    def forward(ctx, input):
        ctx.set_materialize_grads(False)
        output, derivative = compute(input, with_derivative=True)
        ctx.save_for_backward(input, derivative)
        return output, derivative

    @staticmethod
    def backward(ctx, grad_output, grad_derivative):
        if grad_output is None and grad_derivative is None:
            return None
        input, derivative = ctx.saved_tensors
        if torch.is_grad_enabled():  # create_graph=True: the gradient must be differentiable itself
            terms = [] if grad_output is None else [grad_output * derivative]
            if grad_derivative is not None:
                terms.append(6 * grad_derivative * input)
            return sum(terms)
        _, backward = KERNELS.of(input)
        input = input.contiguous()
        grad_output = torch.zeros_like(input) if grad_output is None else grad_output.contiguous()
        if grad_derivative is not None:
            grad_derivative = grad_derivative.contiguous()
        grad_input = torch.empty_like(input)
        if not backward(grad_output, grad_derivative, input, input.shape, input.dim(), grad_input):
            raise_last_error()
        return grad_input


def compute(input, with_derivative):
    check_tensor("input", input)
    forward, _ = KERNELS.of(input)
    input = input.contiguous()
    output = torch.empty_like(input)
    derivative = torch.empty_like(input) if with_derivative else None
    if not forward(input, input.shape, input.dim(), output, derivative):
        raise_last_error()
    return output, derivative
