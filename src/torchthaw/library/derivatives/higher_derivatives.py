"""torchthaw/library/derivatives/higher_derivatives.py: gradients that C cannot compute: composed of PyTorch's operators, by a formula.

With create_graph=True it is the gradient's own derivative, in forward mode the gradient's tangent, and with
is_grads_batched=True a batch of gradients in one call.
"""

from types import SimpleNamespace

import torch
from torch import Tensor, is_grad_enabled
from torch.autograd import Function, forward_ad

from ...bridge import private_names

# Where PyTorch lacks one of these, calls take a path that is right everywhere, and slower.
transforms_active = private_names.get("transforms_active")
is_batched_gradient = private_names.get("is_batched_gradient")
# The level of forward mode is an attribute of this module, -1 outside of it.
LEVEL = private_names.attribute("dual_level")
PLAIN = Tensor, torch.nn.Parameter
levels = forward_ad if private_names.has("dual_level") else SimpleNamespace(**{LEVEL: 0})


def in_forward_mode():
    return getattr(levels, LEVEL) >= 0


def hides_tangent(x):
    """Whether it is a tensor of a graph that is being made, or of another class of Python's, whose tangent is elsewhere."""
    return isinstance(x, Tensor) and type(x) not in PLAIN


class Every(tuple):
    """``needs`` of a backward whose operator makes all gradients, as it must inside transforms: an array that it is given
    to write to may lack the transform's dimension."""


def must_compose(*grad_outputs):
    """Whether C would lose something of a backward with these gradients; None stands for one that is zero."""
    if is_grad_enabled() or in_forward_mode() or transforms_active():
        return True
    return any(map(is_batched, grad_outputs))


def is_batched(gradient):
    """Whether it is one of is_grads_batched=True, a batch that PyTorch does not show."""
    return gradient is not None and is_batched_gradient(gradient)


def stand_in(gradient):
    """A leaf of a gradient's shape and dtype, for an argument on which the derivative does not depend."""
    return torch.zeros(gradient.shape, dtype=gradient.dtype, device=gradient.device, requires_grad=True)


def derivative(formula, arguments, grad_outputs, needs):
    """The gradients of ``formula`` for the arguments that need one, None for the others."""
    places = [place for place, need in enumerate(needs) if need]

    def of_wanted(*wanted):
        given = list(arguments)
        for place, x in zip(places, wanted):
            given[place] = x
        return as_tuple(formula(*given))

    with torch.enable_grad():
        # Views, because one tensor may be several arguments, each with a gradient of its own.
        wanted = [arguments[place].view_as(arguments[place]) for place in places]
        ended = not all(view.requires_grad for view in wanted)  # the transform that recorded them
        results = () if ended else of_wanted(*wanted)
    if ended:
        results, pull = torch.func.vjp(of_wanted, *wanted)
        found = pull(tuple(torch.zeros_like(y) if g is None else g for y, g in zip(results, grad_outputs)))
    else:
        used = [(y, g) for y, g in zip(results, grad_outputs) if g is not None and y.requires_grad]
        found = torch.autograd.grad(
            [y for y, _ in used], wanted, [g for _, g in used], create_graph=is_grad_enabled(), allow_unused=True,
        ) if used else ()  # fmt: skip
    found = dict(zip(places, found))
    return tuple(found.get(place) for place, _ in enumerate(arguments))


class Once(Function):
    """``Once.apply(message, count, *tensors)``: the first ``count`` tensors, gradients whose derivative is unknown.

    The others are what the gradients were computed from: without them as inputs, autograd would take the derivative
    for zero.
    """

    @staticmethod
    def forward(message, count, *tensors):
        return tuple(each.view_as(each) for each in tensors[:count])

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.message = inputs[0]

    @staticmethod
    def backward(ctx, *_):
        raise RuntimeError(ctx.message)

    @staticmethod
    def vmap(info, dims, message, count, *tensors):
        return Once.apply(message, count, *tensors), dims[2 : 2 + count]


def once(message, gradients, sources, around=False):
    """``gradients``, some of which may be None, such that their own derivative is an error with this message.

    around: whether a transform may differentiate that is not the innermost one, in which ``requires_grad`` is false.
    """
    kept = [each for each in gradients if each is not None]
    sources = [each for each in sources if isinstance(each, Tensor)]
    if not kept or not (around or any(each.requires_grad for each in sources)):
        return gradients
    marked = iter(as_tuple(Once.apply(message, len(kept), *kept, *sources)))
    return tuple(None if each is None else next(marked) for each in gradients)


def as_tuple(results):
    return results if isinstance(results, tuple) else tuple(results) if isinstance(results, list) else (results,)
