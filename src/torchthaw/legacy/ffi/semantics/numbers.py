"""torchthaw/legacy/ffi/semantics/numbers.py: integers divided to integers, and arange made floats."""

from functools import wraps

import torch

from ...patching import Change
from .wrapping import changed


def _integral(value):
    if isinstance(value, torch.Tensor):
        return not value.is_floating_point() and not value.is_complex() and value.dtype is not torch.bool
    return isinstance(value, int) and not isinstance(value, bool)


def _quotient(function, truncate):
    """``function`` of two operands; ``truncate`` in its place where both are integers."""

    @wraps(function)
    def divide(self, other, *args, **kwargs):
        if not args and not kwargs.get("rounding_mode") and _integral(self) and _integral(other):
            return truncate(self, other, **{**kwargs, "rounding_mode": "trunc"})
        return function(self, other, *args, **kwargs)

    return divide


def _in_place(function, truncate):
    """As above; a tensor of integers stays one whatever number divides it, of which the fraction is cut."""

    @wraps(function)
    def divide(self, other, *args, **kwargs):
        if args or kwargs or not _integral(self):
            return function(self, other, *args, **kwargs)
        if isinstance(other, float):
            other = int(other)
        return truncate(self, other, rounding_mode="trunc")

    return divide


def integer_division():
    tensor, divide, divide_in_place = torch.Tensor, torch.div, torch.Tensor.div_
    for owner, name in ((tensor, "div"), (tensor, "__truediv__"), (torch, "div")):
        yield changed(owner, name, _quotient, divide)
    reverse = _quotient(tensor.__rtruediv__, lambda self, other, **options: divide(other, self, **options))
    yield Change(tensor, "__rtruediv__", reverse)
    for name in ("div_", "__itruediv__"):
        yield Change(tensor, name, _in_place(getattr(tensor, name), divide_in_place))


def arange():
    yield changed(torch, "arange", _floats)


def _floats(function):
    @wraps(function)
    def call(*args, **kwargs):
        if kwargs.get("dtype") is None and kwargs.get("out") is None:
            kwargs["dtype"] = torch.get_default_dtype()
        return function(*args, **kwargs)

    return call
