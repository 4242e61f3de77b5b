from torch import nn

from .functions import RepeatFunction, ShiftFunction, WeightedFunction


class Shift(nn.Module):
    def __init__(self, by=1, **options):
        super(Shift, self).__init__()
        self.by = by
        self.options = options

    def forward(self, input):
        return ShiftFunction(self.by, **self.options)(input)


class Weighted(nn.Module):
    def __init__(self, *weights):
        super(Weighted, self).__init__()
        self.sum = WeightedFunction(*weights)

    def forward(self, x, y):
        return self.sum(x, y)


class Pyramid(nn.Module):
    """The input, repeated by each of the factors."""

    def __init__(self, *factors):
        super(Pyramid, self).__init__()
        self.levels = [RepeatFunction(factor, scale=1.0 / factor) for factor in factors]
        self.both = RepeatFunction(*factors)

    def forward(self, input):
        return [level(input) for level in self.levels] + [self.both(input)]
