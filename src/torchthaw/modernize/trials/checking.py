"""torchthaw/modernize/trials/checking.py: tries which gradcheck and which opcheck a Function passes."""

import importlib
import itertools

import torch

from . import calling
from .isolated import isolated

# One after the other, until one passes. The C library of an old project often knows float only.
SETTINGS = [
    {"dtype": "float64", "eps": 1e-6, "atol": 1e-5, "rtol": 1e-3},
    {"dtype": "float32", "eps": 1e-2, "atol": 1e-2, "rtol": 1e-2},
    {"dtype": "float32", "eps": 1e-2, "atol": 5e-2, "rtol": 5e-2},
]
SECONDS = 60
SECONDS_OF_OPCHECK = 180
# Elements of all inputs with a gradient: above, every element would be a long test.
LARGEST = 2000


def gradcheck(target, found, cases, gradients):
    """({"settings", "arguments"} of the first gradcheck that passes, or None; why the likeliest one failed).

    cases, gradients: argument lists that work, and for each the gradients of its arguments, or None.
    """
    usable = [pair for pair in zip(cases, gradients) if pair[1] and any(each is not None for each in pair[1])]
    if not usable:
        return None, "backward gives no gradient"
    arguments, given = min(usable, key=_elements)
    if _elements((arguments, given)) > LARGEST:
        return None, f"its inputs have more than {LARGEST} elements"
    varied = [each is not None for each in given]
    reasons = []
    for setting, inputs in itertools.product(SETTINGS, (_as_they_are, _spread)):
        tried = [_prepared(value, vary, setting["dtype"], inputs) for value, vary in zip(arguments, varied)]
        answer = isolated(lambda: _check(target, found, tried, setting), SECONDS)
        if not answer.error:
            return {"settings": setting, "arguments": tried}, ""
        reasons.append(answer.error)
        if setting["dtype"] == "float64" and not answer.error.startswith("GradcheckError"):
            continue
    return None, reasons[-1]


def _check(target, found, arguments, setting):
    numbers = {name: setting[name] for name in ("eps", "atol", "rtol")}
    torch.manual_seed(0)
    torch.autograd.gradcheck(found.apply, tuple(arguments), **numbers)


def _prepared(value, vary, dtype, inputs):
    if not calling.is_floating(value):
        return value
    value = value.detach().to(getattr(torch, dtype))
    return inputs(value).requires_grad_() if vary else value


def _as_they_are(tensor):
    return tensor.clone()


def _spread(tensor):
    """Numbers a tenth apart: small steps do not change which is the largest, and few are at a corner."""
    count = tensor.numel()
    order = torch.randperm(count, generator=torch.Generator().manual_seed(0))
    return ((order - count / 2 + 0.25) * 0.1).to(tensor.dtype).view(tensor.shape)


def _elements(pair):
    return sum(value.numel() for value, given in zip(*pair) if given is not None)


def opcheck(module, name, arguments):
    """(the operator of a C function as ``namespace.name.overload``, or None; why torch.library.opcheck refuses it)."""
    space = module.replace(".", "_")
    try:
        packet = getattr(getattr(torch.ops, space), name)
    except (AttributeError, ValueError):  # not every C function can be an operator
        return None, ""
    importlib.import_module("torch._dynamo")  # opcheck needs it, and each fork would import it anew
    # The overload that writes to its arguments, as the C function does.
    overload = "out" if "out" in packet.overloads() else packet.overloads()[0]
    answer = isolated(lambda: _opcheck(getattr(packet, overload), arguments), SECONDS_OF_OPCHECK)
    return f"{space}.{name}.{overload}", answer.error.partition("failed with ")[2] or answer.error


def _opcheck(operator, arguments):
    torch.library.opcheck(operator, tuple(calling.copies(arguments)))
