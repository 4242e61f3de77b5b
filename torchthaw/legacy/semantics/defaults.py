"""torchthaw/legacy/semantics/defaults.py: arguments whose default changed."""

from functools import wraps

import torch
import torch.nn.functional

from ..patching import Change

# Reductions of 0.1, with the position of ``dim`` after the tensor.
REDUCTIONS = {
    "max": 0, "mean": 0, "median": 0, "min": 0, "mode": 0, "prod": 0, "std": 0, "sum": 0, "var": 0,
    "norm": 1, "kthvalue": 1,
}  # fmt: skip


def align_corners():
    for name in ("grid_sample", "affine_grid"):
        function = getattr(torch.nn.functional, name)
        yield Change(torch.nn.functional, name, _aligned(function, {"grid_sample": 4, "affine_grid": 2}[name]))


def _aligned(function, position):
    @wraps(function)
    def call(*args, **kwargs):
        if len(args) <= position and kwargs.get("align_corners") is None:
            kwargs["align_corners"] = True
        return function(*args, **kwargs)

    return call


def keepdim():
    for name, position in REDUCTIONS.items():
        yield Change(torch.Tensor, name, _keeping(getattr(torch.Tensor, name), position + 1))
        yield Change(torch, name, _keeping(getattr(torch, name), position + 1))


def _keeping(function, position):
    """``function`` with keepdim=True where ``dim`` is given, as a keyword or as the last argument, ``position``."""

    @wraps(function)
    def call(*args, **kwargs):
        dim = kwargs.get("dim", args[position] if len(args) == position + 1 else None)
        if isinstance(dim, int) and not isinstance(dim, bool) and "keepdim" not in kwargs:
            kwargs["keepdim"] = True
        return function(*args, **kwargs)

    return call
