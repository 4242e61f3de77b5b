"""functions/_autograd.py: the paths of an operator, shared by all of them.

path                            what runs
eager                           the operator's Function: its forward and backward call C
forward mode, torch.func        Transformed, with the operator's rules: ``tangents``, ``batch``, ``gradients``
torch.compile                   the same Function: C is an operator of torch.ops in the graph
torch.compile of a transform    the operator's ``formula``
torch.jit.trace                 the operator of torch.ops, without a gradient

Autocast comes before all of them: it changes the arguments.
"""

from inspect import signature
from types import SimpleNamespace

import torch
from torch import Tensor, is_grad_enabled
from torch.autograd import Function, forward_ad
from torch.compiler import is_compiling, is_dynamo_compiling
from torch.jit import is_tracing

from torchthaw.bridge import private_names

# Where PyTorch lacks one of these, calls take a path that is right everywhere, and slower.
transforms_active = private_names.get("transforms_active")
autocast_active = private_names.get("autocast_active")
is_batched_gradient = private_names.get("is_batched_gradient")
set_forward_mode = private_names.get("set_forward_mode")  # None: Transformed.jvp cannot be used
levels = forward_ad if private_names.has("dual_level") else SimpleNamespace(_current_level=0)


def needs_dispatch(*arguments):
    """Whether an operator on these arguments must go through ``dispatch``; a plain call of C is cheaper.

    An operator with a rule for autocast asks ``autocast_active()``, too. What has no gradient is a plain call in graphs
    as well.
    """
    if is_grad_enabled():
        try:
            for argument in arguments:
                if argument is not None and argument.requires_grad:
                    return True
        except AttributeError:  # no tensor, which the call will refuse
            return False
    return levels._current_level >= 0 or transforms_active()


def dispatch(operator, *arguments):
    """The results of ``operator`` on the path for which PyTorch's state asks."""
    if is_compiling():
        arguments = operator.autocast(arguments)
        if transforms_active():
            return operator.formula(*arguments)
        if is_dynamo_compiling():  # it follows forward and backward of the Function by itself
            return operator.apply(*distinct(arguments))
    elif autocast_active():
        arguments = operator.autocast(arguments)
    if transforms_active() or levels._current_level >= 0:
        is_formula = operator.plain is None or set_forward_mode is None
        return operator.formula(*arguments) if is_formula else Transformed.apply(operator, *arguments)
    if is_tracing():
        # A Function would be recorded as a call of Python, which cannot be saved, and the trace is compared with one made
        # under no_grad, which has C's operators.
        with torch.no_grad():
            return operator.plain(*arguments) if operator.plain else operator.formula(*arguments)
    # Function.apply is Python around the apply of its C++ base, which alone takes two thirds of the time.
    return super(Function, operator).apply(*arguments)


if not hasattr(torch.compiler, "substitute_in_graph"):  # PyTorch 2.4: a graph ends before a call and goes on behind
    needs_dispatch, dispatch = map(torch.compiler.disable, (needs_dispatch, dispatch))


def distinct(arguments):
    """``arguments``, a tensor that stands there twice replaced by a view: Dynamo refuses such a call of a Function."""
    found = []
    for x in arguments:
        again = isinstance(x, Tensor) and any(x is other for other in found)
        found.append(x.view_as(x) if again else x)
    return found


def must_compose(*grad_outputs):
    """Whether a backward has to be composed of PyTorch's operators, by ``gradients``, because C would lose something.

    With create_graph=True it is the gradient's own derivative, in forward mode the gradient's tangent. C cannot take the
    batch of gradients that is_grads_batched=True or torch.vmap makes.
    """
    if is_compiling():  # a compiled graph has one derivative
        return False
    if is_grad_enabled() or levels._current_level >= 0 or transforms_active():
        return True
    for grad_output in grad_outputs:
        if grad_output is not None and is_batched_gradient(grad_output):
            return True
    return False


class Operator(Function):
    """A Function in the classic form, ``forward(ctx, ...)`` and ``backward(ctx, ...)``, for eager mode, and its rules.

    ``arguments`` are those of ``apply``, ``tangents`` and ``grad_outputs`` as many as there are tensors in arguments
    and results. The rules are static methods in PyTorch's operators, so that each can be transformed in turn:

    formula(*arguments)                          the results
    gradients(arguments, grad_outputs, needs)    for each argument, None where ``needs`` is false; by default the
                                                 derivative of ``formula``
    tangents(arguments, tangents)                of the results; None in ``tangents`` stands before no tensor
    batch(size, dims, arguments)                 (results of vmap, their dimensions); by default one call for each entry
    plain(*arguments)                            the results from C, without autograd; None: only ``formula`` is used
    autocast(arguments)                          the arguments, cast inside torch.autocast; by default as they are
    """

    plain = None

    @staticmethod
    def autocast(arguments):
        return arguments

    @classmethod
    def apply(cls, *arguments):
        for place, x in enumerate(arguments):
            if hasattr(type(x), "__torch_function__") and not isinstance(x, Tensor):  # for the plain function
                name = list(signature(cls.formula).parameters)[place]
                raise TypeError(f"{name}: expected a torch.Tensor, got {type(x).__name__}")
        return dispatch(cls, *arguments)

    @classmethod
    def gradients(cls, arguments, grad_outputs, needs):
        return derivative(cls.formula, arguments, grad_outputs, needs)

    @classmethod
    def batch(cls, size, dims, arguments):
        calls = []
        for index in range(size):
            calls.append(
                as_tuple(
                    dispatch(cls, *(x if dim is None else x.select(dim, index) for x, dim in zip(arguments, dims)))
                )
            )
        return stacked(tuple(map(torch.stack, zip(*calls))))


def derivative(formula, arguments, grad_outputs, needs):
    """The gradients of ``formula`` for the arguments that need one, None for the others."""
    places = [place for place, _ in enumerate(arguments) if needs[place]]

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
        _, pull = torch.func.vjp(of_wanted, *wanted)
        found = pull(tuple(grad_outputs))
    else:
        used = [(y, g) for y, g in zip(results, grad_outputs) if g is not None and y.requires_grad]
        found = (
            torch.autograd.grad(
                [y for y, _ in used],
                wanted,
                [g for _, g in used],
                create_graph=is_grad_enabled(),
                allow_unused=True,
            )
            if used
            else ()
        )
    found = dict(zip(places, found))
    return tuple(found.get(place) for place, _ in enumerate(arguments))


class Elementwise(Operator):
    """An Operator whose tensors all have one shape: vmap is one call with one dimension more."""

    @classmethod
    def batch(cls, size, dims, arguments):
        return stacked(dispatch(cls, *in_front(size, dims, arguments)))


class Transformed(Function):
    """``Transformed.apply(operator, *arguments)``: any operator, inside transforms and in forward mode."""

    @staticmethod
    def forward(operator, *arguments):
        return operator.plain(*arguments)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.operator, *arguments = inputs
        ctx.constants = [None if isinstance(x, Tensor) else x for x in arguments]
        tensors = [x if isinstance(x, Tensor) else None for x in arguments]
        ctx.save_for_backward(*tensors)
        ctx.save_for_forward(*tensors)

    @staticmethod
    def backward(ctx, *grad_outputs):
        needs = ctx.needs_input_grad[1:]
        gradients = ctx.operator.gradients(saved_arguments(ctx), grad_outputs, needs)
        return None, *as_tuple(gradients)[: len(needs)]

    @staticmethod
    def jvp(ctx, _, *tangents):
        # PyTorch turns forward mode off here, also for the levels around this one, whose tangents would be lost. With it
        # on, what has a tangent at this level must go in without.
        with set_forward_mode(True):
            arguments = [forward_ad.unpack_dual(x).primal if isinstance(x, Tensor) else x for x in saved_arguments(ctx)]
            known = [
                torch.zeros_like(x) if tangent is None and isinstance(x, Tensor) else tangent
                for x, tangent in zip(arguments, tangents)
            ]
            return ctx.operator.tangents(arguments, known)

    @staticmethod
    def vmap(info, in_dims, operator, *arguments):
        return operator.batch(info.batch_size, in_dims[1:], arguments)


def saved_arguments(ctx):
    return [constant if x is None else x for x, constant in zip(ctx.saved_tensors, ctx.constants)]


# -- rules that several operators share


def in_front(size, dims, arguments):
    """The tensors among ``arguments`` with the batch as first dimension; those that do not vary are expanded."""
    return [
        x if not isinstance(x, Tensor) else x.expand(size, *x.shape) if dim is None else x.movedim(dim, 0)
        for x, dim in zip(arguments, dims)
    ]


def stacked(results):
    """``results``, and their dimensions for vmap: the batch is the first of each."""
    return results, (0,) * len(results) if isinstance(results, tuple) else 0


def low_precision(arguments):
    """The rule of torch.nn.functional.linear and conv2d: all floating-point numbers but float64 in autocast's dtype."""
    device = autocast_device(arguments)
    if device is None:
        return arguments
    dtype = torch.get_autocast_dtype(device)
    return tuple(
        x.to(dtype) if isinstance(x, Tensor) and x.is_floating_point() and x.dtype is not torch.float64 else x
        for x in arguments
    )


def promoted(arguments):
    """The rule of torch.addcmul and others: of two dtypes the one that holds both."""
    if autocast_device(arguments) is None or not all(isinstance(x, Tensor) for x in arguments):
        return arguments
    dtype = torch.promote_types(*(x.dtype for x in arguments))
    return tuple(x.to(dtype) for x in arguments)


def autocast_device(arguments):
    """The type of the first argument's device where autocast is enabled for it, else None."""
    device = arguments[0].device.type if isinstance(arguments[0], Tensor) else "meta"
    return device if device in ("cpu", "cuda") and torch.is_autocast_enabled(device) else None


def as_tuple(results):
    return results if isinstance(results, tuple) else (results,)
