"""my_package/functions/add.py: the sum as an autograd Function, in the two styles of PyTorch 0.3."""

from torch.autograd import Function

from .._ext import my_lib


def forward(input1, input2):
    output = input1.new()
    if not my_lib.my_lib_add_forward(input1, input2, output):
        raise ValueError("expected two tensors of one shape")
    return output


def backward(grad_output):
    grad_input = grad_output.new()
    my_lib.my_lib_add_backward(grad_output.contiguous(), grad_input)
    return grad_input, grad_input


class MyAddFunction(Function):
    """Called through an instance: MyAddFunction()(input1, input2)."""

    def forward(self, input1, input2):
        return forward(input1, input2)

    def backward(self, grad_output):
        return backward(grad_output)


class MyStaticAddFunction(Function):
    """Called through the class: MyStaticAddFunction.apply(input1, input2)."""

    @staticmethod
    def forward(ctx, input1, input2):
        return forward(input1, input2)

    @staticmethod
    def backward(ctx, grad_output):
        return backward(grad_output.data)
