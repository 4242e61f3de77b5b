"""torchthaw/legacy/ffi/semantics/defaults.py: arguments whose default changed."""

from functools import wraps

import torch
import torch.nn.functional

from .wrapping import changed

# Reductions of 0.1, with the position of ``dim`` after the tensor.
REDUCTIONS = {
    "max": 0, "mean": 0, "median": 0, "min": 0, "mode": 0, "prod": 0, "std": 0, "sum": 0, "var": 0,
    "norm": 1, "kthvalue": 1,
}  # fmt: skip
# Those that reduce the last dimension where none is given.
LAST = ("mode", "kthvalue")


def align_corners():
    for name, position in (("grid_sample", 4), ("affine_grid", 2)):
        yield changed(torch.nn.functional, name, _aligned, position)


def _aligned(function, position):
    @wraps(function)
    def call(*args, **kwargs):
        if len(args) <= position and kwargs.get("align_corners") is None:
            kwargs["align_corners"] = True
        return function(*args, **kwargs)

    return call


def keepdim():
    for name, position in REDUCTIONS.items():
        for owner in (torch.Tensor, torch):
            yield changed(owner, name, _keeping, position + 1, -1 if name in LAST else None)


def _keeping(function, position, default):
    """``function`` with keepdim=True where ``dim`` is given, as a keyword or as the last argument, ``position``.

    default: the dimension that it reduces where none is given; None: all of them.
    """

    @wraps(function)
    def call(*args, **kwargs):
        given = args[position] if len(args) == position + 1 else default if len(args) <= position else None
        dim = kwargs.get("dim", given)
        if isinstance(dim, int) and not isinstance(dim, bool) and "keepdim" not in kwargs:
            kwargs["keepdim"] = True
        return function(*args, **kwargs)

    return call
