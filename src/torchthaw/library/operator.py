"""torchthaw/library/operator.py: one operator of PyTorch: the C functions that compute it, by device and dtype."""

import torch

from . import schema
from .variants import Variants


class Ambiguous(ValueError):
    """Two modules have a function of one name and schema, perhaps the same one: PyTorch could not tell which to call."""


class Operator:
    """``torch.ops.<namespace>.<name>``, made of one or more C functions with the same parameters.

    base: the function whose parameters are the operator's. functions: {device: [Function]}.
    in_python: the pairs (overload, device) that have a kernel in Python, which serves all functions.
    packet: the OpOverloadPacket, once it is defined; torch.ops refuses it where another module has its name too.
    """

    def __init__(self, namespace, function):
        self.namespace, self.name = namespace, function.operator
        self.base = function
        self.functions = {}
        self.in_python = set()
        self.packet = None
        self.backward = None  # the name of the operator that computes its gradient
        self.pair = None  # the row of the description that joins it and its backward
        self.schemas = schemas(function)

    def add(self, function):
        """Adds one more C function. ValueError names both files: it is another operator by its schema, or Ambiguous."""
        found = schemas(function)
        name, advice = f"torch.ops.{self.namespace}.{self.name}", "; give one of them another namespace, by ops=..."
        for overload, text in self.schemas.items():
            if found[overload] != text:
                raise ValueError(
                    f"{name}: {function.origin} declares {function.name} as {found[overload]}, but {self.base.origin} "
                    f"declares {self.base.name} as {text}{advice}"
                )
        of_device = self.functions.setdefault(function.device, [])
        for other in of_device:
            if other.dtypes == function.dtypes and other.file != function.file:
                raise Ambiguous(f"{name}: {function.origin} and {other.origin} have it for the same dtypes{advice}")
        of_device.append(function)

    def form(self, overload):
        """``default`` for the overload that returns new tensors, ``out`` for one that writes to its arguments."""
        return overload if self.base.is_functional else "out"

    def parameters(self, overload):
        return self.base.given if self.form(overload) == "out" else self.base.inputs

    def overload(self, name):
        """The OpOverload."""
        return getattr(self.packet, name)

    def variants(self, values):
        """The functions for where the tensors among ``values`` are. Those that no function is for get the CPU's."""
        on_cuda = any(isinstance(value, torch.Tensor) and value.is_cuda for value in values.values())
        device = "cuda" if on_cuda else "cpu"
        return Variants(self.functions.get(device) or next(iter(self.functions.values())))


def schemas(function):
    """{overload: schema}, in the order in which calls try them."""
    return {"default": schema.default(function), "out": schema.out(function)}
