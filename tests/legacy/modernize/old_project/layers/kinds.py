# One Function for each way in which its state came about.
import torch
from torch.autograd import Function


class Plain(Function):
    def forward(self, a, b):
        self.save_for_backward(a, b)
        return a * b

    def backward(self, grad):
        a, b = self.saved_tensors
        return grad * b, grad * a


class Scale(Function):
    def __init__(self, factor, bias=0.0, squared=False):
        """What the input is multiplied by."""
        super(Scale, self).__init__()
        # It is squared
        self.factor = factor
        if squared:
            self.factor = factor ** 2  # where asked for
        self.bias = bias

    def forward(self, input):
        self.input_size = input.size()
        return self.scaled(input) + self.bias

    def backward(self, grad_output):
        assert grad_output.size() == self.input_size
        return self.scaled(grad_output)

    def scaled(self, x):
        return x * self.factor


class Half(Scale):
    def forward(self, input):
        return super(Half, self).forward(input) / 2

    def backward(self, grad_output):
        return Scale.backward(self, grad_output / 2)


class Third(Scale):
    def backward(self, grad_output):
        return super(Third, self).backward(grad_output)


class Many(Function):
    """Any number of inputs."""

    exponent = 2

    def __init__(self, weight, shift=1):
        self.weight, self.shift = weight, shift

    def forward(self, *inputs):
        self.count = len(inputs)
        self.save_for_backward(*inputs)
        return sum(input ** self.exponent for input in inputs) * self.weight + self.shift

    def backward(self, grad):
        return tuple(grad * 2 * input * self.weight for input in self.saved_tensors)


class Optional(Function):
    def __init__(self, k=1):
        self.k = k

    def forward(self, x, bias=None):
        self.has_bias = bias is not None
        return x * self.k + bias if self.has_bias else x * self.k

    def backward(self, grad):
        if self.has_bias:
            return grad * self.k, grad
        return grad * self.k


class Largest(Function):
    """Two outputs, one of them without a gradient; the name of a constant is that of an input."""

    def __init__(self, input):
        self.dim = input

    def forward(self, input):
        values, self.metadata = input.max(self.dim)
        self.size = input.size()
        self.mark_non_differentiable(self.metadata)
        return values, self.metadata

    def backward(self, grad_values, grad_indices):
        grad = grad_values.new(self.size).zero_()
        grad.scatter_(self.dim, self.metadata.unsqueeze(self.dim), grad_values.unsqueeze(self.dim))
        return grad


class Needed(Function):
    def __init__(self, k): self.k = k

    def forward(self, a, b):
        self.a, self.b = a, b
        return a * b * self.k

    def backward(self, grad):
        grad_a = grad_b = None
        if self.needs_input_grad[0]:
            grad_a = grad * self.b * self.k
        if self.needs_input_grad[1]:
            grad_b = grad * self.a * self.k
        grads = grad_a, grad_b
        return grads


class InPlace(Function):
    def __init__(self, k):
        self.k = k

    def forward(self, x):
        self.mark_dirty(x)
        return x.mul_(self.k)

    def backward(self, grad):
        assert type(self).__name__ == self.__class__.__name__ == "InPlace"
        return grad * self.k


class HandsOn(Function):
    def __init__(self, k=3, *args, **kwargs):
        super(HandsOn, self).__init__(*args, **kwargs)
        self.k = k

    def forward(self, x):
        return x * self.k

    def backward(self, grad):
        return grad * self.k
