"""torchthaw/legacy/ffi/variable.py: what Variables could do: volatile, creator, retain_variables, losses."""

import functools
import inspect
import os

import torch

from ...bridge.private_names import get
from ..patching import Change
from . import data_owner

_VOLATILE_AND_REQUIRES_GRAD = "Variable can't be volatile and require_grad at the same time!"


class Volatile(torch.Tensor):
    """A tensor that makes the result of every operation volatile too, with no graph behind it."""

    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        with get("without_subclasses")(), torch.no_grad():
            result = function(*args, **(kwargs or {}))
        return cls.infect(result, args)

    @property
    def data(self):
        with get("without_subclasses")():
            return torch.Tensor.data.__get__(self)

    @data.setter
    def data(self, value):
        with get("without_subclasses")():
            torch.Tensor.data.__set__(self, value)

    @classmethod
    def infect(cls, result, arguments=()):
        """``result``, its tensors volatile; a tensor that is one of ``arguments`` stays the object it is."""
        if type(result) is torch.Tensor:
            return result if any(result is argument for argument in arguments) else result.as_subclass(cls)
        if isinstance(result, (tuple, list)):
            items = [cls.infect(item, arguments) for item in result]
            return result._make(items) if hasattr(result, "_make") else type(result)(items)
        return result

    def __reduce_ex__(self, protocol):
        return self.data.__reduce_ex__(protocol)  # files name no class of ours

    def __deepcopy__(self, memo):
        return self.data.__deepcopy__(memo).as_subclass(Volatile)


def volatile():
    get("without_subclasses")  # raises where PyTorch has none
    variable_class, new = get("variable_class"), type.__call__

    def __call__(cls, data=None, requires_grad=False, volatile=False):
        if volatile and requires_grad:
            raise RuntimeError(_VOLATILE_AND_REQUIRES_GRAD)
        made = new(cls) if data is None else new(cls, data, requires_grad)
        if volatile:
            made = made.as_subclass(Volatile)
        if isinstance(data, torch.Tensor):
            data_owner.remember(made, data)
        return made

    def is_volatile(self):
        return isinstance(self, Volatile)

    def set_volatile(self, value):
        if value and self.requires_grad:
            raise RuntimeError(_VOLATILE_AND_REQUIRES_GRAD)
        if bool(value) != isinstance(self, Volatile):
            self.__class__ = Volatile if value else torch.Tensor

    # A classmethod of Python or, from PyTorch 2.14 on, of C: either binds to a class in this way alone.
    bind_apply = inspect.getattr_static(torch.autograd.Function, "apply").__get__

    def apply(cls, *args, **kwargs):
        if not any(isinstance(argument, Volatile) for argument in args):
            return bind_apply(None, cls)(*args, **kwargs)
        with torch.no_grad():
            return Volatile.infect(bind_apply(None, cls)(*args, **kwargs), args)

    # Dynamo leaves out frames of PyTorch's own folders. It knows what apply does, but would follow this frame where the
    # forward of a Function breaks the graph, and fail there in some versions of PyTorch.
    file = os.path.join(os.path.dirname(torch.autograd.__file__), "<torchthaw.legacy>")
    apply.__code__ = apply.__code__.replace(co_filename=file)
    yield Change(variable_class, "__call__", __call__)
    yield Change(torch.Tensor, "volatile", property(is_volatile, set_volatile))
    yield Change(torch.autograd.Function, "apply", classmethod(apply))


def creator():
    def maker(self):
        function = self.grad_fn
        return getattr(function, "instance", function)

    yield Change(torch.Tensor, "creator", property(maker))


def retain_variables():
    def retained(retain_graph, retain_variables):
        if retain_variables is None:
            return retain_graph
        if retain_graph is not None:
            raise ValueError("retain_variables: expected it without retain_graph, which is its new name")
        return retain_variables

    tensor_backward, autograd_backward = torch.Tensor.backward, torch.autograd.backward

    def backward(self, gradient=None, retain_graph=None, create_graph=False, inputs=None, *, retain_variables=None):
        return tensor_backward(self, gradient, retained(retain_graph, retain_variables), create_graph, inputs)

    def backward_of_all(
        tensors, grad_tensors=None, retain_graph=None, create_graph=False, grad_variables=None, inputs=None, *,
        retain_variables=None,
    ):  # fmt: skip
        retain_graph = retained(retain_graph, retain_variables)
        return autograd_backward(tensors, grad_tensors, retain_graph, create_graph, grad_variables, inputs)

    backward_of_all.__name__ = "backward"
    for function, original in ((backward, tensor_backward), (backward_of_all, autograd_backward)):
        function.__doc__ = original.__doc__
    yield Change(torch.Tensor, "backward", backward)
    yield Change(torch.autograd, "backward", backward_of_all)


def loss_gradient():
    backward = torch.autograd.backward  # Tensor.backward calls it too

    def fitting(tensor, gradient):
        is_one = isinstance(gradient, torch.Tensor) and tensor.dim() == 0 and gradient.numel() == 1
        return gradient.reshape(()) if is_one else gradient

    @functools.wraps(backward)
    def backward_of_losses(tensors, grad_tensors=None, *args, **kwargs):
        if grad_tensors is not None:
            tensors = (tensors,) if isinstance(tensors, torch.Tensor) else tuple(tensors)
            given = (grad_tensors,) if isinstance(grad_tensors, torch.Tensor) else tuple(grad_tensors)
            grad_tensors = (*map(fitting, tensors, given), *given[len(tensors) :])
        return backward(tensors, grad_tensors, *args, **kwargs)

    yield Change(torch.autograd, "backward", backward_of_losses)
