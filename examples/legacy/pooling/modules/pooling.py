"""modules/pooling.py: the functions as modules."""

from functions.pooling import MaxPoolFunction, MaxUnpoolFunction, RobustFunction
from torch.nn.modules.module import Module


class MaxPool(Module):
    def __init__(self, kernel_size, stride=None):
        super(MaxPool, self).__init__()
        self.kernel_size = kernel_size
        self.stride = stride or kernel_size

    def forward(self, input):
        return MaxPoolFunction(self.kernel_size, self.stride)(input)


class MaxUnpool(Module):
    def forward(self, values, indices, size):
        return MaxUnpoolFunction.apply(values, indices, size[2], size[3])


class RobustLoss(Module):
    def __init__(self, width=1e-3):
        super(RobustLoss, self).__init__()
        self.width = width

    def forward(self, input, target):
        return RobustFunction.apply(input - target, self.width)
