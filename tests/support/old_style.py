# tests/support/old_style.py: two old-style Functions, one of today's, and tensors for them.
import torch
from torch.autograd import Function


def leaf(*sizes, dtype=torch.float32):
    return torch.randn(*sizes, dtype=dtype).requires_grad_()


class Scale(Function):
    """factor * x, with everything recorded that the two methods see."""

    def __init__(self, factor=3.0):
        self.factor = factor

    def forward(self, x):
        self.seen = x
        self.grad_mode = torch.is_grad_enabled()
        self.save_for_backward(x)
        return x * self.factor

    def backward(self, grad_output):
        self.grad_output = grad_output
        self.saved = self.saved_tensors
        return grad_output * self.factor


class AddMul(Function):
    """(a + b, a * b)"""

    def forward(self, a, b):
        self.save_for_backward(a, b)
        return a + b, a * b

    def backward(self, grad_sum, grad_product):
        self.grads = grad_sum, grad_product
        a, b = self.saved_tensors
        return grad_sum + grad_product * b, grad_sum + grad_product * a


class StaticTwice(Function):
    """2 * x; both methods are static, as PyTorch asks today."""

    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * 2
