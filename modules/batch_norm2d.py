"""modules/batch_norm2d.py: batch normalisation of images by their own statistics."""

from torch import nn

from functions.batch_norm2d import batch_norm2d


class BatchNorm2D(nn.Module):
    """``BatchNorm2D(eps=1e-3)(input)``: functions.batch_norm2d.batch_norm2d of input (batch, channels, height, width).

    No affine part and no running statistics: ``train()`` and ``eval()`` give the same result.
    """

    def __init__(self, eps=1e-3):
        super().__init__()
        self.eps = eps

    def forward(self, input):
        return batch_norm2d(input, self.eps)

    def extra_repr(self):
        return f"eps={self.eps}"
