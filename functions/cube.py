"""functions/cube.py: output = input^3."""

import torch
from torch.compiler import is_compiling
from torch.jit import is_tracing
from torch.overrides import handle_torch_function, has_torch_function_variadic

from ._autograd import Elementwise, dispatch, must_compose, needs_dispatch
from ._library import check_shape, check_tensors, empty_like, operators, operators_out, serve


def cube(input):
    """``input ** 3`` of a floating-point dtype, differentiable any number of times."""
    if has_torch_function_variadic(input):
        return handle_torch_function(cube, (input,), input)
    if needs_dispatch(input):
        return dispatch(CubeFunction, input)[0]
    if is_tracing():  # the trace is compared with one of the call that has a gradient
        return compute(input)[0]
    return compute_output(input)


def check_arguments(*tensors):
    names = "input", "grad_output", "grad_derivative"
    given = {name: tensor for name, tensor in zip(names, tensors) if name == "input" or tensor is not None}
    check_tensors(**given)
    for name, tensor in given.items():
        check_shape(name, tensor, tensors[0].shape)


compute = serve("my_lib_cube_forward", check_arguments)()


@serve("my_lib_cube_forward", check_arguments)
def compute_output(input):
    """The output alone: only gradients need the derivative. A small one takes less time than the way around it."""
    if is_compiling() or input.numel() < 10_000:
        return operators.my_lib_cube_forward(input)[0]
    output = empty_like(input)
    operators_out.my_lib_cube_forward(input, output, None)
    return output


@serve("my_lib_cube_backward", check_arguments)
def compute_gradient(input, grad_output, grad_derivative):
    if grad_output is None:
        grad_output = torch.zeros_like(grad_derivative)
    return operators.my_lib_cube_backward(grad_output, grad_derivative, input)


class CubeFunction(Elementwise):
    """``CubeFunction.apply(input) -> (output, derivative)``, derivative = 3 * input^2.

    The derivative is an output because backward reuses it: only what autograd knows as a function of ``input`` can
    be differentiated again.
    """

    @staticmethod
    def forward(ctx, input):
        ctx.set_materialize_grads(False)
        output, derivative = compute(input)
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
        return compute(input)

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
