# Families of Functions in which several classes have an __init__, or one below the class that has forward.
from torch.autograd import Function

from .kinds import Optional


class Power(Function):
    def __init__(self, power, scale=1):
        super(Power, self).__init__()
        self.power, self.scale = power, scale
        self.slope = power * scale

    def forward(self, x, y=None):
        self.has_two = y is not None
        self.save_for_backward(x)
        return self.scale * x ** self.power + (y if self.has_two else 0)

    def backward(self, grad):
        x, = self.saved_tensors
        grad_x = grad * self.slope * x ** (self.power - 1)
        if self.has_two:
            return grad_x, grad
        return grad_x, None


class Square(Power):
    """It has forward and backward from its base."""

    def __init__(self, scale, shift, *rest, **options):
        assert not hasattr(self, "power")
        super(Square, self).__init__(2, scale=scale * options.get("times", 1))
        self.shift = shift + len(rest)


class Cube(Power):
    def __init__(self, scale=1):
        Power.__init__(self, 3, scale)
        if scale < 0:
            self.scale = -scale
        self.added = 4

    def forward(self, x):
        added = self.added
        return super(Cube, self).forward(x) + added

    def backward(self, grad):
        return super(Cube, self).backward(grad * self.added / 4)


class Fourth(Cube):
    """It has its __init__ from its base, and forward calls that of two above."""

    def forward(self, x):
        return super(Fourth, self).forward(x) + self.added


class Fifth(Fourth):
    def __init__(self, *args, **kwargs):
        super(Fifth, self).__init__(*args, **kwargs)
        self.added = 5


class Sum(Function):
    def forward(self, *inputs):
        self.count = len(inputs)
        return sum(inputs) * self.weight()

    def weight(self):
        return self.k

    def backward(self, grad):
        return (grad * self.k,) * self.count


class Weighted(Sum):
    def __init__(self, inputs):
        super(Weighted, self).__init__()
        self.k = inputs


class Twice(Optional):
    """Its base is in another file."""

    def __init__(self, k):
        Optional.__init__(self, k=2 * k)


class Mean(Power):
    """It calls its base by a variable, and computes with what the base's backward returns."""

    def __init__(self, scale=1, by=2):
        parent = super(Mean, self)
        parent.__init__(2, scale)
        self.by = by

    def forward(self, *args):
        parent = super(Mean, self)
        return parent.forward(*args) / self.by

    def backward(self, *args):
        parent = super(Mean, self)
        grad = parent.backward(*args)[0]
        return (grad / self.by,)
