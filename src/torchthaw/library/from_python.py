"""torchthaw/library/from_python.py: ``torchthaw.differentiable``: an operator with every derivative from Python functions.

For code on TH tensors, for headers that one may not edit, and for operators composed of PyTorch's.
"""

import inspect
import re
from collections.abc import Callable
from typing import Any

import torch

from . import differentiable_text
from .composed import as_tuple
from .differentiable import Differentiable
from .differentiable_text import Argument

# Also as texts, which they are with "from __future__ import annotations".
NUMBERS = {int: "SymInt", float: "float", bool: "bool", "int": "SymInt", "float": "float", "bool": "bool"}
FOLDS = (None, "elementwise")
RULES = (None, "lower", "widest", "float32")
_libraries = {}  # operator -> its Library


class FromPython(Differentiable):
    """``forward`` and ``backward``: those of ``differentiable``; saved: how many of the outputs are no results."""

    def __init__(self, name, forward, backward, parameters, results, saved, fold, autocast, reads_results, library):
        namespace, _, operator = name.partition("::")
        what = forward.__name__
        super().__init__(namespace, operator, library, parameters, results, autocast, fold == "elementwise", what)
        self.forward, self.backward, self.saved, self.reads_results = forward, backward, saved, reads_results
        self.dtypes = frozenset({torch.float64, torch.float32})

    @property
    def formula_of(self):
        return "formula= of torchthaw.differentiable"

    def compute(self, *arguments):
        found = as_tuple(self.forward(*arguments))
        if len(found) != self.results + self.saved:
            raise TypeError(
                f"{self.what}: expected {self.results + self.saved} tensors from forward, got {len(found)}; results=... "
                "and saved=... say how many it returns"
            )
        return found[0] if len(found) == 1 else found

    def gradients(self, needs, *given):
        count = len(self.parameters)
        grads, arguments, outputs = given[: self.results], given[self.results :][:count], given[self.results + count :]
        if not self.reads_results:
            outputs = (None,) * self.results + outputs
        found = as_tuple(self.backward(grads, arguments, outputs, needs))
        if len(found) != count:
            raise TypeError(
                f"{self.what}: expected {count} gradients from backward, one for each argument, got {len(found)}"
            )
        return found

    def reads(self, outputs):
        return outputs if self.reads_results else outputs[self.results :]

    def build(self):
        outputs = [f"_output_{i}" for i in range(self.results + self.saved)]
        results = outputs[: self.results]
        arguments = ", ".join(each.name for each in self.parameters)
        call = [f"{', '.join(outputs)} = _compute({arguments})", f"return {', '.join(results)}"]
        text = differentiable_text.text(
            self.what, inspect.getdoc(self.forward) or "", self.parameters, outputs, results, self.reads(outputs), call,
            self.autocast, materialize=False,
        )  # fmt: skip
        self.make(text, {})


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
    name = name or _free("torchthaw::" + re.sub(r"\W+", "_", f"{forward.__module__}.{forward.__qualname__}"))
    if not re.fullmatch(r"[A-Za-z_]\w*::[A-Za-z_]\w*", name):
        raise ValueError(f"name: expected namespace::operator, got {name!r}")
    if name in _libraries:
        raise ValueError(f"name: expected one that no other operator has, got {name!r}")
    library = _libraries[name] = torch.library.Library(name.partition("::")[0], "FRAGMENT")
    operator = FromPython(
        name, forward, backward, _parameters(forward), results, saved, vmap, autocast, reads_results, library
    )
    operator.formula = formula
    operator.register()
    operator.build()
    operator.entry.__module__, operator.entry.__qualname__ = forward.__module__, forward.__qualname__
    return operator.entry


def _free(name):
    """``name``, or with a number behind it: a function may be defined once more, while who has the first still uses it."""
    every = (name, *(f"{name}_{i}" for i in range(2, len(_libraries) + 3)))
    return next(each for each in every if each not in _libraries)


def _parameters(forward):
    found = []
    for each in inspect.signature(forward).parameters.values():
        if each.kind not in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD):
            raise TypeError(f"forward: expected parameters with names, got {each}")
        if each.default not in (each.empty, None):
            raise TypeError(f"forward: {each.name}: expected no default, or None, got {each.default!r}")
        has_default = each.default is None
        type = NUMBERS.get(each.annotation, "Tensor?" if has_default else "Tensor")
        found.append(Argument(each.name, type, has_default and type == "Tensor?"))
    return found
