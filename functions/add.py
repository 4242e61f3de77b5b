"""functions/add.py: output = input1 + input2."""

import torch
from torch.autograd import Function
from torch.overrides import handle_torch_function, has_torch_function_variadic

from ._autograd import needs_autograd, record
from ._library import Kernels, check_tensor, raise_last_error

KERNELS = Kernels("input1", "my_lib_add_forward")


def add(input1, input2):
    """``input1 + input2``, float32 or float64, both of one shape: there is no broadcasting."""
    if has_torch_function_variadic(input1, input2):
        return handle_torch_function(add, (input1, input2), input1, input2)
    if needs_autograd(input1, input2):
        return record(MyAddFunction, input1, input2)
    return compute(input1, input2)


class MyAddFunction(Function):
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


def compute(input1, input2):
    check_tensor("input1", input1)
    check_tensor("input2", input2)
    (forward,) = KERNELS.of(input1)
    input1, input2 = input1.contiguous(), input2.contiguous()
    output = torch.empty_like(input1)
    if not forward(input1, input1.shape, input1.dim(), input2, input2.shape, input2.dim(), output):
        raise_last_error()
    return output
