# tensors/logging_tensor.py: a torch.Tensor that logs every function called on it.
import logging

import torch
from torch.overrides import resolve_name

from .tensor_like import map_nested

logger = logging.getLogger(__name__)


class LoggingTensor(torch.Tensor):
    """A tensor whose every use is logged, and which is otherwise the tensor it was made from.

    ``tensor.as_subclass(LoggingTensor)`` shares memory and autograd history with ``tensor``. Results are
    ``LoggingTensor`` too. Records go to the logger ``tensors.logging_tensor``: operations at level INFO, attributes
    that are read (``x.shape``) at DEBUG. Values are not logged, so that a log stays readable and nothing waits for a
    device::

        torch.add(LoggingTensor(shape=(2, 3), dtype=torch.float32), 1, alpha=2)
    """

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if not all(issubclass(cls, type_) for type_ in types):
            return NotImplemented
        level = logging.DEBUG if func.__name__ == "__get__" else logging.INFO
        if logger.isEnabledFor(level):
            logger.log(level, "%s", _describe_call(func, args, kwargs))
        return super().__torch_function__(func, types, args, kwargs)

    def new_empty(self, *args, **kwargs):
        # copy.deepcopy() makes its copy with this method, and switches __torch_function__ off around it.
        return super().new_empty(*args, **kwargs).as_subclass(type(self))


def _describe_call(func, args, kwargs):
    name = resolve_name(func) or f"{func.__module__}.{func.__qualname__}"
    # Reading the shape of a LoggingTensor is itself a call that would be logged.
    with torch._C.DisableTorchFunctionSubclass():
        arguments = [repr(map_nested(_Description, arg)) for arg in args]
        arguments += [f"{key}={map_nested(_Description, value)!r}" for key, value in kwargs.items()]
    return f"{name}({', '.join(arguments)})"


class _Description:
    """Replaces an argument inside lists and tuples, whose repr then has the short form."""

    def __init__(self, value):
        self.text = (
            f"{type(value).__name__}(shape={tuple(value.shape)}, dtype={value.dtype})"
            if isinstance(value, torch.Tensor)
            else repr(value)
        )

    def __repr__(self):
        return self.text
