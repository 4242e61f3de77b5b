"""functions/add.py: output = input1 + input2."""

from torch.overrides import handle_torch_function, has_torch_function_variadic

from ._autograd import Elementwise, autocast_active, dispatch, needs_dispatch, promoted
from ._library import check_pair, serve


def add(input1, input2):
    """``input1 + input2``, both of one floating-point dtype and one shape: there is no broadcasting."""
    if has_torch_function_variadic(input1, input2):
        return handle_torch_function(add, (input1, input2), input1, input2)
    if needs_dispatch(input1, input2) or autocast_active():
        return dispatch(MyAddFunction, input1, input2)
    return compute(input1, input2)


compute = serve("my_lib_add_forward", check_pair)()


class MyAddFunction(Elementwise):
    """``MyAddFunction.apply(input1, input2) -> output``."""

    @staticmethod
    def forward(ctx, input1, input2):
        ctx.set_materialize_grads(False)
        return compute(input1, input2)

    @staticmethod
    def backward(ctx, grad_output):
        # The chain rule passes grad_output through. Tensors can be shared, so nothing is copied; callers of the C
        # ABI, who own their arrays, have my_lib_add_backward.
        return grad_output, grad_output

    # -- the rules of the other paths

    plain = staticmethod(compute)
    autocast = staticmethod(promoted)

    @staticmethod
    def formula(input1, input2):
        check_pair(input1, input2)
        return input1 + input2

    @staticmethod
    def gradients(arguments, grad_outputs, needs):
        (grad_output,) = grad_outputs
        return grad_output, grad_output

    @staticmethod
    def tangents(arguments, tangents):
        tangent1, tangent2 = tangents
        return tangent1 + tangent2
