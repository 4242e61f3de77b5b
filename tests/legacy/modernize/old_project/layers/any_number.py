# Functions whose __init__ takes any number of arguments, and keeps them.
from torch.autograd import Function


class View(Function):
    """One that is used as view() is."""

    def __init__(self, *sizes):
        super(View, self).__init__()
        self.sizes = sizes

    def forward(self, input):
        self.input_size = input.size()
        return input.view(*self.sizes) * len(self.sizes)

    def backward(self, grad_output):
        return grad_output.contiguous().view(self.input_size) * len(self.sizes)


class Polynomial(Function):
    """scale * (c0 + c1 x + c2 x^2 ...), and options that it takes out of its keywords."""

    def __init__(self, scale=1, *args, **kwargs):
        super(Polynomial, self).__init__()
        self.scale = scale * kwargs.pop("times", 1)
        self.args = args
        self.shift = kwargs.get("shift", 0)
        assert "times" not in kwargs

    def forward(self, x):
        self.save_for_backward(x)
        return self.scale * sum(c * x ** i for i, c in enumerate(self.args)) + self.shift + x * 0

    def backward(self, grad):
        x, = self.saved_tensors
        return grad * self.scale * sum(i * c * x ** max(i - 1, 0) for i, c in enumerate(self.args))


class Joined(Function):
    """Any number of inputs, and of arguments with the same name."""

    def __init__(self, *args, **options):
        self.weights, self.options = args, options

    def forward(self, *args):
        return sum(a * w for a, w in zip(args, self.weights)) * self.options.get("by", 1)

    def backward(self, grad):
        return tuple(grad * w * self.options.get("by", 1) for w in self.weights)


class Ignores(Function):
    """What it takes it uses for nothing but its base."""

    def __init__(self, k, *args, **kwargs):
        super(Ignores, self).__init__(*args, **kwargs)
        self.k = k

    def forward(self, x):
        return x * self.k

    def backward(self, grad):
        return grad * self.k
