"""torchthaw/library/gradients.py: an operator made of a C function has no derivative, and says so before one is lost.

A function that has a backward (THAW_BACKWARD_OF) is not differentiated under its own name either: pair.py makes a
differentiable operator of both.
"""

import torch
from torch.autograd.forward_ad import unpack_dual


def refuse(operator, parameters, arguments):
    """Raises RuntimeError where autograd would lose the gradient or the tangent of an argument."""
    records = torch.is_grad_enabled()
    for parameter, argument in zip(parameters, arguments):
        if not isinstance(argument, torch.Tensor):
            continue
        if records and argument.requires_grad:
            raise RuntimeError(_message(operator, parameter.name, "requires grad"))
        if unpack_dual(argument).tangent is not None:
            raise RuntimeError(_message(operator, parameter.name, "has a tangent"))


def _message(operator, name, what):
    space = f"torch.ops.{operator.namespace}"
    backward = f" with {space}.{operator.backward} in its backward" if operator.backward else ""
    return (
        f"{operator.name}: {name} {what}, but the operator has no derivative: call it in a "
        f"torch.autograd.Function{backward}, or under torch.no_grad()"
    )
