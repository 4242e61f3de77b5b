"""torchthaw/library/derivatives/gradients.py: an operator made of a C function has no derivative, and says so before one is lost.

A function that has a backward (THAW_BACKWARD_OF) is not differentiated under its own name either: pair.py makes a
differentiable operator of both.
"""

import torch
from torch.autograd.forward_ad import unpack_dual

from .higher_derivatives import hides_tangent


def refuse(operator, parameters, arguments):
    """Raises RuntimeError where autograd would lose the gradient or the tangent of an argument."""
    records = torch.is_grad_enabled()
    for parameter, argument in zip(parameters, arguments):
        if not isinstance(argument, torch.Tensor):
            continue
        if records and argument.requires_grad:
            raise RuntimeError(_message(operator, parameter.name, "requires grad"))
        tangent = "" if hides_tangent(argument) else _tangent(argument)
        if tangent:
            raise RuntimeError(_message(operator, parameter.name, tangent))


def _tangent(argument):
    """What is said of the tangent of a tensor; "" where it has none."""
    try:
        return "has a tangent" if unpack_dual(argument).tangent is not None else ""
    except RuntimeError:  # PyTorch's own assertion
        return "may have a tangent, which PyTorch does not tell inside of a compiled graph"


def _message(operator, name, what):
    return f"{operator.name}: {name} {what}, but the operator has no derivative: {remedy(operator)}"


def remedy(operator):
    """What to call where a derivative is wanted."""
    space, pair = f"torch.ops.{operator.namespace}", operator.pair
    if pair:
        function = "" if pair["is_second"] else f"functions.{pair['name']} or "
        return f"call {function}{space}.{pair['operator']}; in a graph, forward mode needs its formula"
    backward = f" with {space}.{operator.backward} in its backward" if operator.backward else ""
    return f"call it in a torch.autograd.Function{backward}, or under torch.no_grad()"
