"""torchthaw/legacy/ffi/function.py: autograd Functions of the old style, whose forward and backward are methods.

``F(3)(x)`` becomes one ``apply`` of a static Function, the carrier, which bears F's name and takes the instance along
in ctx, so that forward and backward see the same object. Saved tensors belong to the call, all else to the instance.
"""

import inspect
import weakref
from collections import OrderedDict

import torch
from torch.autograd import Function
from torch.utils.hooks import RemovableHandle

from ...base.import_hook import after_import
from ...bridge.private_names import get, native, private_attributes
from ...library.compiler import disable
from ..patching import Change, replace

raw = native(torch.Tensor, "data").__get__  # the same memory without history


def _attributes(*names):
    """{name: descriptor} of those that PyTorch has; others can be assigned anyhow."""
    return {name: native(Function, name) for name in names if hasattr(Function, name)}


# Attributes of a ctx without a setter, or with one that takes no other type.
PRIVATE = _attributes(*private_attributes("torch.autograd.Function"))
READ_ONLY = PRIVATE | _attributes(
    "materialize_grads", "metadata", "next_functions", "requires_grad", "saved_tensors", "saved_variables"
)


def _refuse_call(self, *inputs):
    name = type(self).__name__
    raise RuntimeError(f"{name}: expected {name}.apply(...), as its forward is static")


_new_style_call = vars(Function).get("__call__", _refuse_call)


class TensorType(type(torch.Tensor)):  # type: ignore[misc]
    """Old code compares the types of tensors: that of an Input is equal to torch.Tensor."""

    def __eq__(cls, other):
        return other is torch.Tensor or super().__eq__(other)

    def __hash__(cls):
        return hash(torch.Tensor)


class Input(torch.Tensor, metaclass=TensorType):
    """What ``forward`` gets for an input that requires grad: memory without history, which says so nevertheless.

    PyTorch 0.4 gave forward the caller's own tensor, and code for it saves tensors only if one requires grad; 0.3 gave
    it plain tensors, which NumPy takes and which can be resized. What is made of it is a plain tensor.
    """

    __torch_function__ = torch.nn.Parameter.__torch_function__

    @property
    def requires_grad(self):
        return True

    @requires_grad.setter
    def requires_grad(self, value):
        if value is not True:  # True changes nothing
            self.__class__ = torch.Tensor
            self.requires_grad = value

    def requires_grad_(self, requires_grad=True):
        self.requires_grad = requires_grad
        return self

    def __deepcopy__(self, memo):
        return raw(self).__deepcopy__(memo)

    def __reduce_ex__(self, protocol):
        return raw(self).__reduce_ex__(protocol)


def _for_forward(input):
    tensor = input.data
    if input.requires_grad and type(tensor) is torch.Tensor:
        tensor.__class__ = Input
    return tensor


class Carrier(Function):
    """(instance, *inputs) -> the outputs of ``instance.forward``."""

    @staticmethod
    def forward(ctx, instance, *inputs):
        ctx.instance = instance
        ctx.num_inputs = len(inputs)
        _enter(instance, ctx)
        tensors = [*map(_for_forward, inputs)]
        try:
            results = instance.forward(*tensors)
            saved, dirty, constant = instance.to_save, instance.dirty_tensors, instance.non_differentiable
        finally:
            instance.to_save = instance.dirty_tensors = instance.non_differentiable = None

        # What forward knows as `tensor` is outside the input that it came from, or an alias of the output: an output
        # kept on the instance must not hold the graph that holds the instance.
        outside = dict(zip(map(id, tensors), inputs))
        single = not isinstance(results, tuple)
        outputs = []
        for result in (results,) if single else results:
            if not isinstance(result, torch.Tensor):
                raise RuntimeError(
                    f"{type(instance).__name__}.forward: expected a tensor or a tuple of tensors, "
                    f"got {'' if single else 'a tuple with '}{type(result).__name__}"
                )
            outputs.append(outside.setdefault(id(result), raw(result)))
        ctx.num_outputs = len(outputs)

        def to_outside(tensors):
            return [outside.get(id(tensor), tensor) for tensor in _as_tuple(tensors)]

        if saved is not None:
            ctx.save_for_backward(*to_outside(saved))
        if dirty is not None:
            ctx.mark_dirty(*to_outside(dirty))
        if constant is not None:
            ctx.mark_non_differentiable(*to_outside(constant))
        return outputs[0] if single else tuple(outputs)

    @staticmethod
    def backward(ctx, *grad_outputs):
        instance = ctx.instance
        _enter(instance, ctx)
        with torch.no_grad():
            # Behind .sum() a gradient is one element expanded; C code reads it as an array.
            tensors = tuple(raw(gradient).contiguous() for gradient in grad_outputs)
            gradients = _as_tuple(instance._do_backward(tensors, True))
            for hook in list(vars(instance).get("_thaw_hooks", {}).values()):
                replaced = hook(gradients, tensors)
                if replaced is not None:
                    gradients = _as_tuple(replaced)
        if torch.is_grad_enabled() and any(gradient.requires_grad for gradient in grad_outputs):
            gradients = NotTwice.apply(type(instance).__name__, len(gradients), *gradients, *grad_outputs)
        return None, *gradients


class NotTwice(Function):
    """(name, count, gradients..., sources...) -> the gradients, which cannot be differentiated."""

    @staticmethod
    def forward(ctx, name, count, *tensors):
        ctx.name = name
        return tuple(gradient if gradient is None else raw(gradient) for gradient in tensors[:count])

    @staticmethod
    def backward(ctx, *_):
        raise RuntimeError(f"{ctx.name} is not differentiable twice")


def _as_tuple(value):
    return value if isinstance(value, tuple) else (value,)


def _enter(instance, ctx):
    """The instance is now in the call of ``ctx``, to which it refers weakly: ctx owns the instance."""
    vars(instance)["_thaw_node"] = weakref.ref(ctx)
    instance.needs_input_grad = ctx.needs_input_grad[1:]


def _node(instance):
    """The ctx of the instance's current or latest call; None before the first one, and when its graph is gone."""
    node = vars(instance).get("_thaw_node")
    return node and node()


def is_old_style(function_class):
    """Whether ``forward`` is a method of instances."""
    return not isinstance(inspect.getattr_static(function_class, "forward"), (staticmethod, classmethod))


def _carrier(function_class):
    """The static Function that calls instances of this class, made once; None if the class is static itself."""
    carrier = vars(function_class).get("_thaw_carrier")
    if carrier is None and is_old_style(function_class):
        carrier = type(function_class.__name__, (Carrier,), {"__module__": function_class.__module__})
        function_class._thaw_carrier = carrier
    return carrier


def do_forward(self, *inputs):
    """Calls ``self.forward`` with the raw tensors and records it; all inputs must be Variables."""
    carrier = _carrier(type(self))
    if carrier is None:
        return _new_style_call(self, *inputs)
    for input in inputs:
        if not isinstance(input, torch.Tensor):
            raise RuntimeError(f"expected a Variable argument, but got {type(input).__name__}")
    return carrier.apply(self, *inputs)


def do_backward(self, gradients, retain_variables):
    """``self.backward`` on one gradient per output; a tuple with one gradient per input, surplus Nones cut."""
    results = _as_tuple(self.backward(*gradients))
    node = _node(self)
    expected = len(results) if node is None else node.num_inputs
    if len(results) > expected and all(result is None for result in results[expected:]):
        results = results[:expected]
    if len(results) != expected:
        raise RuntimeError(
            f"{type(self).__name__} returned an invalid number of gradient tensors "
            f"(expected {expected}, but got {len(results)})"
        )
    return results


def register_hook(self, hook):
    """``hook(grad_input, grad_output)`` runs after each backward of this instance; what it returns replaces grad_input.

    Returns a handle whose ``remove()`` ends that.
    """
    hooks = vars(self).setdefault("_thaw_hooks", OrderedDict())
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    return handle


def mark_shared_storage(self, *pairs):
    self.shared_pairs = pairs


class Slot:
    """An attribute that PyTorch computes until the user assigns another value.

    of_instance: whether it belongs to old-style instances, where ``compute`` gets the node of the latest call.
    """

    def __init__(self, name, compute, missing=None, of_instance=True):
        self.name, self.compute, self.missing, self.of_instance = name, compute, missing, of_instance

    def __get__(self, object, type=None):
        if object is None:
            return self
        own = vars(object)
        if self.name in own:
            return own[self.name]
        if not self.of_instance:
            return self.compute(object)
        node = _node(object)
        return self.missing if node is None else self.compute(node)

    def __set__(self, object, value):
        if self.name == "materialize_grads" and isinstance(value, bool) and not self.of_instance:
            READ_ONLY[self.name].__set__(object, value)
        vars(object)[self.name] = value

    def __delete__(self, object):
        try:
            del vars(object)[self.name]
        except KeyError:
            raise AttributeError(self.name) from None


def _native(name, missing=()):
    """Reads an attribute of a ctx from PyTorch."""
    return READ_ONLY[name].__get__ if name in READ_ONLY else lambda node: missing


def _next_functions(node):
    """((function, number of its output), ...) with instances in place of carriers."""
    functions = _native("next_functions")(node)
    return tuple((getattr(function, "instance", function), number) for function, number in functions)


def _previous_functions(node):
    """As next_functions, with the leaf Variable itself where today its AccumulateGrad node stands."""
    return tuple((getattr(function, "variable", function), number) for function, number in _next_functions(node))


def _saved(node):
    return tuple(tensor if tensor is None else raw(tensor) for tensor in _native("saved_tensors")(node))


# Attribute of an instance: (from its node, before it has one).
INSTANCE_SLOTS = {
    **{name: (_native(name), ()) for name in PRIVATE},
    "materialize_grads": (lambda node: True, True),
    "metadata": (_native("metadata", {}), {}),
    "next_functions": (_next_functions, ()),
    "previous_functions": (_previous_functions, ()),
    "requires_grad": (lambda node: any(node.needs_input_grad), False),
    "saved_tensors": (_saved, ()),
    "saved_variables": (_saved, ()),
    "num_inputs": (lambda node: node.num_inputs, 0),
    "num_outputs": (lambda node: node.num_outputs, 0),
}


class OldStyle(type(Function)):  # type: ignore[misc]
    """The class of old-style Functions, which tells Dynamo that ``F(3)`` is an instance.

    Functions whose class is PyTorch's own are all static ones to Dynamo, and ``F(3)`` is ``F``.
    """


def __init_subclass__(cls, **keywords):
    super(Function, cls).__init_subclass__(**keywords)
    if type(cls) is type(Function) and is_old_style(cls):
        cls.__class__ = OldStyle
        if cls.__new__ is Function.__new__:
            cls.__new__ = _new


def _new(cls, *arguments, **keywords):
    return _make(cls)


_make = Function.__new__
called = do_forward  # what Function.__call__ is


def _leave_graphs():
    """Dynamo cannot follow an instance that knows the ctx of its call; it leaves out what makes and calls one."""
    global _make, called
    why = "an autograd Function whose forward is a method of instances cannot be in a graph; static ones can"
    _make, called = disable(_make, why), disable(do_forward, why)
    replace(Function, "__call__", called)


def instance_functions():
    if called is do_forward:
        after_import("torch._dynamo", _leave_graphs)
    for name, (compute, missing) in INSTANCE_SLOTS.items():
        yield Change(Function, name, Slot(name, compute, missing))
    yield Change(Function, "__init_subclass__", classmethod(__init_subclass__))
    yield Change(Function, "__call__", called)
    yield Change(Function, "_do_forward", called)
    yield Change(Function, "_do_backward", do_backward)
    yield Change(Function, "register_hook", register_hook)
    yield Change(Function, "mark_shared_storage", mark_shared_storage)
    yield Change(type(Function), "_is_legacy", property(is_old_style))


def function_warning():
    def __init__(self, *args, **kwargs):
        pass

    yield Change(Function, "__init__", __init__)


def function_attributes():
    for name in READ_ONLY:
        yield Change(get("context"), name, Slot(name, _native(name), of_instance=False))


def previous_functions():
    yield Change(get("context"), "previous_functions", property(_previous_functions))
