from torch.autograd import Function

from . import _native


class PairwiseDistance(Function):
    """(n, d) and (m, d) to the squared distances (n, m)."""

    @staticmethod
    def forward(ctx, x, y):
        x, y = x.contiguous(), y.contiguous()
        ctx.save_for_backward(x, y)
        return _native.forward(x, y)

    @staticmethod
    def backward(ctx, grad_output):
        x, y = ctx.saved_tensors
        return tuple(_native.backward(grad_output.contiguous(), x, y))


pairwise_distance = PairwiseDistance.apply
