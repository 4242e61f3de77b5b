"""functions/mul_constant.py: output = input * constant."""

from numbers import Real

from torch.overrides import handle_torch_function, has_torch_function_variadic

from ._autograd import Elementwise, dispatch, must_compose, needs_dispatch
from ._library import check_tensors, operators, serve


def mul_constant(input, constant):
    """``input * constant`` of a floating-point dtype; ``constant`` is a real number, no tensor, and has no gradient."""
    if has_torch_function_variadic(input):
        return handle_torch_function(mul_constant, (input,), input, constant)
    if needs_dispatch(input):
        return dispatch(MulConstantFunction, input, constant)
    return compute(input, constant)


def check_arguments(input, constant):
    check_tensors(input=input)
    check_constant(constant)


def check_constant(constant):
    if not isinstance(constant, Real):
        raise TypeError(f"constant: expected a real number, got {type(constant).__name__}")


@serve("my_lib_mul_constant_forward", check_arguments)
def compute(input, constant):
    if type(constant) is not float:  # which the check takes longer to find out
        check_constant(constant)  # the operator would take a tensor of one element
    return operators.my_lib_mul_constant_forward(input, constant)


compute_gradient = serve("my_lib_mul_constant_backward", check_arguments)()


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
        check_arguments(input, constant)
        return input * constant

    @staticmethod
    def gradients(arguments, grad_outputs, needs):
        (grad_output,), (_, constant) = grad_outputs, arguments
        return grad_output * constant, None

    @staticmethod
    def tangents(arguments, tangents):
        (tangent, _), (_, constant) = tangents, arguments
        return tangent * constant
