"""functions/scale_add.py: output = 2 * input1 + input2."""

from torch.overrides import handle_torch_function, has_torch_function_variadic

from ._autograd import Elementwise, autocast_active, dispatch, must_compose, needs_dispatch, promoted
from ._library import check_gradient, check_pair, empty_like, operators_out, serve


def scale_add(input1, input2):
    """``2 * input1 + input2``, both of one floating-point dtype and one shape: there is no broadcasting."""
    if has_torch_function_variadic(input1, input2):
        return handle_torch_function(scale_add, (input1, input2), input1, input2)
    if needs_dispatch(input1, input2) or autocast_active():
        return dispatch(ScaleAddFunction, input1, input2)
    return compute(input1, input2)


compute = serve("my_lib_scale_add_forward", check_pair)()


@serve("my_lib_scale_add_backward", check_gradient)
def compute_gradient(grad_output):
    """The first gradient. The second is grad_output itself, so C need not write a copy of it."""
    grad_input1 = empty_like(grad_output)
    operators_out.my_lib_scale_add_backward(grad_output, grad_input1, None)
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
