"""torchthaw/legacy/ffi/semantics/indexing.py: single numbers were tensors of one element, and index was a method."""

from functools import wraps

import torch

from ...patching import Change


def scalar_index():
    getitem = torch.Tensor.__getitem__

    @wraps(getitem)
    def __getitem__(self, index):
        if type(index) is int and index == 0 and self.dim() == 0:
            return self.view(1) if self.requires_grad else self.item()
        return getitem(self, index)

    yield Change(torch.Tensor, "__getitem__", __getitem__)


def tensor_index():
    first_class = getattr(torch.Tensor, "index", None)  # of first-class dimensions; PyTorch 2.4 has none

    def index(self, positions, *dims):
        if not dims:
            return self[positions]
        if first_class is None:
            raise TypeError(f"index: expected positions, got {len(dims)} more arguments")
        return first_class(self, positions, *dims)

    yield Change(torch.Tensor, "index", index)
