"""functions/_autograd.py: whether an operator needs autograd, and the error of one without second derivative."""

from functools import wraps

import torch
from torch._C import _are_functorch_transforms_active as transforms_active
from torch.autograd import Function, forward_ad
from torch.compiler import is_compiling


def needs_autograd(*arguments):
    """Whether an operator on these arguments must go through ``record``; a plain call is cheaper.

    Inside ``forward_ad.dual_level()`` it always must: PyTorch then refuses a Function without forward-mode
    derivative, where a plain call would lose the tangent.
    """
    if torch.is_grad_enabled():
        for argument in arguments:
            if getattr(argument, "requires_grad", False):
                return True
    return forward_ad._current_level >= 0 or is_compiling()


def record(function_class, *arguments):
    """``function_class.apply(*arguments)``, on the shortest path.

    ``Function.apply`` is Python around the ``apply`` of its C++ base. Going there directly saves a third of an empty
    Function's cost. Transforms of torch.func call ``apply``, whose message says what they lack.

    Under torch.compile the whole operator is one graph break, because the compiler cannot see into C. Operators of
    torch.library would spare the break; they take 2 microseconds a call more at best, and as a second path for the
    compiler alone every operator would have to be declared twice.
    """
    if is_compiling():
        return torch.compiler.disable(function_class.apply)(*arguments)
    if transforms_active():
        return function_class.apply(*arguments)
    return super(Function, function_class).apply(*arguments)


def once_differentiable(backward):
    """Decorates a ``backward`` whose result has no derivative: differentiating through it raises RuntimeError.

    ``torch.autograd.function.once_differentiable`` raises only where a grad_output requires grad. Behind a plain
    ``.sum()`` none does, and a gradient penalty then loses its second-order term without an error. Here the result also
    depends, as far as autograd knows, on every saved tensor; hence ``backward`` must save the operator's inputs, or
    one of its outputs.
    """

    @wraps(backward)
    def once(ctx, *grad_outputs):
        if not torch.is_grad_enabled():  # without create_graph=True, the usual case, there is nothing to guard
            return backward(ctx, *grad_outputs)
        with torch.no_grad():
            gradients = backward(ctx, *grad_outputs)
        gradients = gradients if isinstance(gradients, tuple) else (gradients,)
        sources = [tensor for tensor in (*grad_outputs, *ctx.saved_tensors) if tensor is not None]
        return SecondBackward.apply(type(ctx).__name__.removesuffix("Backward"), len(gradients), *gradients, *sources)

    return once


class SecondBackward(Function):
    """(name, count, gradients..., sources...) -> the ``count`` gradients, whose backward is an error."""

    @staticmethod
    def forward(ctx, name, count, *tensors):
        ctx.name = name
        return tuple(None if gradient is None else gradient.view_as(gradient) for gradient in tensors[:count])

    @staticmethod
    def backward(ctx, *grad_outputs):
        raise RuntimeError(f"{ctx.name}: its gradient has no derivative; it can be differentiated once only")
