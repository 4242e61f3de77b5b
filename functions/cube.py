"""functions/cube.py: output = input^3."""

import torch
from torch import Tensor
from torch.overrides import handle_torch_function, has_torch_function_variadic

from ._autograd import Elementwise, dispatch, must_compose, needs_dispatch
from ._library import Kernels, array, raise_last_error

KERNELS = Kernels("my_lib_cube_forward", "my_lib_cube_backward")


def cube(input):
    """``input ** 3`` of a floating-point dtype, differentiable any number of times."""
    if has_torch_function_variadic(input):
        return handle_torch_function(cube, (input,), input)
    if needs_dispatch(input):
        return dispatch(CubeFunction, input)[0]
    return compute(input, False)[0]


@KERNELS.serve
def compute(kernels, input: Tensor, with_derivative):
    forward, _ = kernels
    input = input.contiguous()
    output = torch.empty_like(input)
    derivative = torch.empty_like(input) if with_derivative else None
    if not forward(input, input.shape, input.dim(), output, derivative):
        raise_last_error()
    return output, derivative


@KERNELS.serve
def compute_gradient(kernels, input: Tensor, grad_output, grad_derivative):
    _, backward = kernels
    input = input.contiguous()
    grad_output = torch.zeros_like(input) if grad_output is None else array("grad_output", grad_output, input.shape)
    if grad_derivative is not None:
        grad_derivative = array("grad_derivative", grad_derivative, input.shape)
    grad_input = torch.empty_like(input)
    if not backward(grad_output, grad_derivative, input, input.shape, input.dim(), grad_input):
        raise_last_error()
    return grad_input


class CubeFunction(Elementwise):
    """``CubeFunction.apply(input) -> (output, derivative)``, derivative = 3 * input^2.

    The derivative is an output because backward reuses it: only what autograd knows as a function of ``input`` can
    be differentiated again.
    """

    @staticmethod
    def forward(ctx, input):
        ctx.set_materialize_grads(False)
        output, derivative = compute(input, True)
        ctx.save_for_backward(input, derivative)
        return output, derivative

    @staticmethod
    def backward(ctx, grad_output, grad_derivative):
        if grad_output is None and grad_derivative is None:
            return None
        input, derivative = ctx.saved_tensors
        if must_compose(grad_output, grad_derivative):
            terms = [] if grad_output is None else [grad_output * derivative]
            if grad_derivative is not None:
                terms.append(6 * grad_derivative * input)
            return sum(terms)
        return compute_gradient(input, grad_output, grad_derivative)

    # -- the rules of the other paths

    @staticmethod
    def plain(input):
        return compute(input, True)

    @staticmethod
    def formula(input):
        return input * input * input, 3 * input * input

    @staticmethod
    def gradients(arguments, grad_outputs, needs):
        (input,), (grad_output, grad_derivative) = arguments, grad_outputs
        return (3 * input * grad_output + 6 * grad_derivative) * input

    @staticmethod
    def tangents(arguments, tangents):
        (input,), (tangent,) = arguments, tangents
        return 3 * input * input * tangent, 6 * input * tangent
