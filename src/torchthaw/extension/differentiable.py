"""torchthaw/extension/differentiable.py: ``torchthaw.differentiable``: an operator with every derivative from Python functions.

For code on TH tensors, for headers that one may not edit, and for operators composed of PyTorch's.
"""

import re
from collections.abc import Callable
from typing import Any

FOLDS = (None, "elementwise")
RULES = (None, "lower", "widest", "float32")


def differentiable(
    forward: Callable[..., Any], backward: Callable[..., Any], formula: Callable[..., Any] | None = None, *,
    results: int = 1, saved: int = 0, vmap: str | None = None, autocast: str | None = None, name: str | None = None,
    reads_results: bool = True,
) -> Any:  # fmt: skip
    """A function like ``forward`` that has every derivative, also in graphs; attributes as of an extension's functions.

    forward: ``forward(*arguments)``; tensors, and numbers whose annotation is int, float or bool. ``x=None`` may be left
        out. It returns ``results`` tensors, and ``saved`` more that only backward needs.
    backward: ``backward(grad_outputs, arguments, outputs, needs)`` with three tuples and whether each argument needs a
        gradient: a gradient for each argument, or None. A grad_output is None where nobody used the result. outputs: what
        forward returned; with ``reads_results=False`` None for each result, which is then not kept for backward.
    formula: the same results in PyTorch's operators; it gives second derivatives, forward mode and transforms. Without
        it these raise RuntimeError.
    vmap: "elementwise" if all tensors have one shape and their elements are independent; else each entry gets a call.
    autocast: the rule inside torch.autocast: "lower", "widest", "float32".
    name: of the operator, ``"namespace::operator"``; by default made of forward's module and name.

    Raises TypeError or ValueError that name what is wrong. The arguments of forward have shapes and dtypes of its choice.
    """
    if not callable(forward) or not callable(backward):
        wrong = forward if not callable(forward) else backward
        raise TypeError(
            f"{'backward' if callable(forward) else 'forward'}: expected a function, got {type(wrong).__name__}"
        )
    for what, value, known in (("vmap", vmap, FOLDS), ("autocast", autocast, RULES)):
        if value not in known:
            raise ValueError(f"{what}: expected one of {', '.join(map(repr, known))}, got {value!r}")
    if results < 1 or saved < 0:
        raise ValueError(f"results, saved: expected at least 1 and 0, got {results} and {saved}")
    if name is not None and not re.fullmatch(r"[A-Za-z_]\w*::[A-Za-z_]\w*", name):
        raise ValueError(f"name: expected namespace::operator, got {name!r}")
    from ..library import from_python  # which imports PyTorch

    return from_python.define(name, forward, backward, formula, results, saved, vmap, autocast, reads_results)
