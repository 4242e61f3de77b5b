"""torchthaw/legacy/ffi/debug.py: TORCHTHAW_DEBUG=1 names each tensor that reaches a C function without being contiguous.

PyTorch makes such tensors in more places than it did, and C code that reads their memory as an array computes garbage.
"""

import inspect
import sys
import warnings
from functools import wraps

from ...base import config

_warned = set()


def enabled():
    return config.switch("TORCHTHAW_DEBUG")


def watch(function):
    """``function``, which calls C; a UserWarning for each tensor argument that is not contiguous, once a call site."""
    import torch

    names = _parameter_names(function)

    @wraps(function)
    def call(*arguments, **keywords):
        for index, argument in enumerate(arguments):
            if isinstance(argument, torch.Tensor) and not argument.is_contiguous():
                name = names[index] if index < len(names) else f"argument {index + 1}"
                _warn(sys._getframe(1), function.__name__, name, argument)
        return function(*arguments, **keywords)

    return call


def _parameter_names(function):
    try:
        return list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return []


def _warn(caller, function, name, tensor):
    site = caller.f_code, caller.f_lineno, function, name
    if site in _warned:
        return
    _warned.add(site)
    warnings.warn(
        f"{function}: {name} is not contiguous (shape {tuple(tensor.shape)}, strides {tensor.stride()}); "
        f"C code that reads its memory as an array sees other values: pass {name}.contiguous() "
        "or set TORCHTHAW_LEGACY_SEMANTICS=contiguous",
        stacklevel=3,
    )
