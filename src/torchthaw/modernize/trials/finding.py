"""torchthaw/modernize/trials/finding.py: arguments that a Function works with, from scripts or tried."""

import torch

from . import calling, choosing, equality
from .isolated import each, isolated

SECONDS = 10
SECONDS_IN_ALL = 40
VARIANTS = 2
# What must be the same in two calls: not the gradient of the sum, which a wrong backward reads too much of.
FIRST = "outputs", "gradients"


class Found:
    """Arguments that work: cases, and for each the gradients that its arguments got.

    c_calls: [module, name, arguments] of the C functions that are called then. reason: why there is no case.
    """

    def __init__(self):
        self.cases, self.gradients, self.c_calls = [], [], []
        self.reason = ""

    def add(self, arguments, answer):
        self.cases.append(arguments)
        self.gradients.append(answer["gradients"])
        self.c_calls += answer["c_calls"]


def find(target, function, calls, recorded):
    """Found for a Target. recorded: arguments that scripts of the project called it with."""
    found = Found()
    for arguments in recorded:
        answer = attempt(target, function, calls, arguments)
        if answer.error:
            found.reason = f"with {calling.text(arguments)}: {answer.error}"
        else:
            found.add(arguments, answer.value)
    if not found.cases and not target.is_c:
        _try(target, function, calls, found)
    found.reason = "" if found.cases else found.reason or "no arguments to try"
    for number in range(len(found.cases) and VARIANTS):
        arguments = _variant(found.cases[0], found.gradients[0], number)
        answer = attempt(target, function, calls, arguments) if arguments else None
        if answer and not answer.error:
            found.add(arguments, answer.value)
    return found


def _try(target, function, calls, found):
    """Adds the first choice of arguments with gradients other than zero; without one, the first that works at all."""
    fallback = None
    choices = choosing.candidates(target, function)

    def promising(arguments):
        return _has_effect(_checked(target, function, arguments)["gradients"]) or fallback is None

    for arguments, answer in each(promising, choices, SECONDS, SECONDS_IN_ALL):
        if answer.value:
            answer = attempt(target, function, calls, arguments)
            if answer.value and _has_effect(answer.value["gradients"]):
                found.add(arguments, answer.value)
                return
            if answer.value and fallback is None:
                fallback = arguments, answer.value
        if answer.error:
            found.reason = found.reason or f"with {calling.text(arguments)}: {answer.error}"  # the likeliest choice
    if fallback:
        found.add(*fallback)


def _has_effect(gradients):
    return bool(gradients) and any(each is not None and bool(each.any()) for each in gradients)


def attempt(target, function, calls, arguments):
    """The Answer of a call with gradients; an error also where two calls differ, or nothing comes out."""

    def call():
        calls.c.clear()
        calls.seen.clear()
        result = _checked(target, function, arguments)
        noted = [[*name, after] for name, cases in calls.c.items() for _, after in cases]
        return {"gradients": result["gradients"], "c_calls": noted}

    return isolated(call, SECONDS)


def _checked(target, function, arguments):
    """The result of a call. Raises ValueError where another call gives another one, or nothing comes out."""
    result = calling.result_of(target, function, arguments)
    _check(result, target.is_c)
    different, _ = equality.compare(result, calling.result_of(target, function, arguments), FIRST)
    if different:
        raise ValueError(f"two calls give different results: {different}")
    return result


def _check(result, is_c):
    tensors = list(filter(torch.is_tensor, result["outputs"]))
    if not is_c and not any(tensor.numel() for tensor in tensors):
        raise ValueError("no output has an element")
    for tensor in [*tensors, *filter(torch.is_tensor, result["gradients"] or ())]:
        if tensor.is_floating_point() and not bool(tensor.isfinite().all()):
            raise ValueError("an output or gradient is not finite")


def _variant(arguments, gradients, number):
    """The same with other random numbers in the tensors that got a gradient; None where none did."""
    if not gradients or all(each is None for each in gradients):
        return None
    generator = torch.Generator().manual_seed(1000 + number)
    return [
        torch.randn(value.shape, generator=generator, dtype=torch.float64).to(value) if given is not None else value
        for value, given in zip(arguments, gradients)
    ]
