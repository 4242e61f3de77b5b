from torch.autograd import Function

from ._ext import columns


class RepeatFunction(Function):
    """Repeats each column: RepeatFunction(2, 3, scale=0.5) two times, and then three times."""

    def __init__(self, *times, **options):
        super(RepeatFunction, self).__init__()
        self.times = times
        self.scale = options.pop("scale", 1.0)
        if options:
            raise TypeError("unknown options: %s" % ", ".join(sorted(options)))

    def forward(self, input):
        output = input
        for times in self.times:
            input, output = output, input.new()
            columns.columns_repeat(input, times, self.scale, output)
        return output

    def backward(self, grad_output):
        for times in reversed(self.times):
            grad_input = grad_output.new()
            columns.columns_repeat_grad(grad_output, times, self.scale, grad_input)
            grad_output = grad_input
        return grad_output


class WeightedFunction(Function):
    """A weighted sum of any number of inputs."""

    def __init__(self, *weights):
        self.weights = weights

    def forward(self, *inputs):
        total = inputs[0].new(inputs[0].size()).zero_()
        for weight, input in zip(self.weights, inputs):
            columns.columns_add(total, weight, input)
        return total

    def backward(self, grad_output):
        return tuple(grad_output * weight for weight in self.weights)


class ShiftFunction(Function):
    """Moves the columns to the right; what its base would take is handed on to it."""

    def __init__(self, by=1, *args, **kwargs):
        self.fill = kwargs.pop("fill", 0)
        super(ShiftFunction, self).__init__(*args, **kwargs)
        self.by = by

    def forward(self, input):
        output = input.new()
        columns.columns_shift(input, self.by, self.fill, output)
        return output

    def backward(self, grad_output):
        grad_input = grad_output.new()
        columns.columns_shift(grad_output, -self.by, 0, grad_input)
        return grad_input
