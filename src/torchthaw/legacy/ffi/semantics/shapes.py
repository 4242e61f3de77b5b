"""torchthaw/legacy/ffi/semantics/shapes.py: tensors of as many elements could be copied to each other."""

from functools import wraps

import torch

from ...patching import Change


def copy_shapes():
    copy, setitem = torch.Tensor.copy_, torch.Tensor.__setitem__

    def of_shape(source, shape):
        """``source`` in this shape, in which it has as many elements; None where that is not another one."""
        if not isinstance(source, torch.Tensor) or source.shape == shape or source.numel() != shape.numel():
            return None
        return source.reshape(shape)

    @wraps(copy)
    def copy_(self, src, *args, **kwargs):
        fitting = of_shape(src, self.shape)
        return copy(self, src if fitting is None else fitting, *args, **kwargs)

    @wraps(setitem)
    def __setitem__(self, index, value):
        try:
            setitem(self, index, value)
        except RuntimeError:
            fitting = of_shape(value, self[index].shape)
            if fitting is None:
                raise
            setitem(self, index, fitting)

    yield Change(torch.Tensor, "copy_", copy_)
    yield Change(torch.Tensor, "__setitem__", __setitem__)
