"""benchmarks/peers/function.py: C functions in autograd Functions by hand, as PyTorch's guide writes them."""

from torch.autograd import Function

from . import raw


class MulConstant(Function):
    @staticmethod
    def forward(ctx, input, constant):
        ctx.constant = constant
        return raw.mul_constant(input, constant)

    @staticmethod
    def backward(ctx, grad_output):
        return raw.mul_constant_backward(grad_output, ctx.constant), None


class Add(Function):
    @staticmethod
    def forward(ctx, input1, input2):
        return raw.add(input1, input2)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output, grad_output


class Lltm(Function):
    @staticmethod
    def forward(ctx, input, weights, bias, old_h, old_cell):
        new_h, new_cell, gates = raw.lltm_forward(input, weights, bias, old_h, old_cell)
        ctx.save_for_backward(new_cell, gates, input, old_h, weights)
        return new_h, new_cell

    @staticmethod
    def backward(ctx, grad_h, grad_cell):
        return raw.lltm_backward(grad_h, grad_cell, *ctx.saved_tensors)


mul_constant, add, lltm = MulConstant.apply, Add.apply, Lltm.apply
