"""torchthaw/legacy/ffi/semantics/removed.py: small things that are gone."""

import sys
from functools import wraps
from importlib.util import module_from_spec

import torch
import torch.testing

from ....bridge.private_names import native
from ... import served_modules
from ...patching import Change

OUT_METHODS = "abs add addmm bmm ceil clamp cos div exp floor log mm mul neg pow sigmoid sin sqrt sub tanh".split()


def method_out():
    def with_out(method, function):
        @wraps(method)
        def call(self, *args, out=None, **kwargs):
            return method(self, *args, **kwargs) if out is None else function(self, *args, out=out, **kwargs)

        return call

    for name in OUT_METHODS:
        yield Change(torch.Tensor, name, with_out(getattr(torch.Tensor, name), getattr(torch, name)))


def integer_requires_grad():
    def differentiable(tensor):
        return tensor.is_floating_point() or tensor.is_complex()

    requires_grad_, new = torch.Tensor.requires_grad_, torch.nn.Parameter.__new__
    attribute, variable_new = native(torch.Tensor, "requires_grad"), torch.autograd.Variable.__new__

    @wraps(requires_grad_)
    def method(self, requires_grad=True):
        return requires_grad_(self, requires_grad and differentiable(self))

    @wraps(new)
    def __new__(cls, data=None, requires_grad=True):
        return new(cls, data, requires_grad and (data is None or differentiable(data)))

    def new_variable(cls, data=None, requires_grad=False):
        return variable_new(cls, data, requires_grad and (data is None or differentiable(data)))

    def set(self, value):
        attribute.__set__(self, value and differentiable(self))

    yield Change(torch.Tensor, "requires_grad_", method)
    yield Change(torch.Tensor, "requires_grad", property(attribute.__get__, set, doc=attribute.__doc__))
    yield Change(torch.nn.Parameter, "__new__", staticmethod(__new__))
    yield Change(torch.autograd.Variable, "__new__", staticmethod(new_variable))


class Modules:
    """An object whose attributes are the modules of Python."""


def torch_six():
    six = sys.modules.get(served_modules.SIX)
    if six is None:
        spec = served_modules.spec(served_modules.SIX)
        six = module_from_spec(spec)
        spec.loader.exec_module(six)
    modules = Modules()
    modules.__dict__ = sys.modules
    yield Change(modules, served_modules.SIX, six)
    yield Change(torch, "_six", six)


def all_dtypes():
    def get_all_dtypes():
        """The eight of PyTorch 0.4.1, in its order."""
        return [
            torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.float16, torch.float32, torch.float64,
        ]  # fmt: skip

    yield Change(torch.testing, "get_all_dtypes", get_all_dtypes)
