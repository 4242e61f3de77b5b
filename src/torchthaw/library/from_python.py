"""torchthaw/library/from_python.py: the operators of ``torchthaw.differentiable``."""

import inspect
import re

import torch

from .derivatives import differentiable_text
from .derivatives.differentiable import Differentiable
from .derivatives.differentiable_text import Argument
from .derivatives.higher_derivatives import as_tuple

# Also as texts, which they are with "from __future__ import annotations".
NUMBERS = {int: "SymInt", float: "float", bool: "bool", "int": "SymInt", "float": "float", "bool": "bool"}
_libraries = {}  # operator -> its Library


class FromPython(Differentiable):
    """``forward`` and ``backward``: those of ``differentiable``; saved: how many of the outputs are no results."""

    def __init__(self, name, forward, backward, parameters, results, saved, fold, autocast, reads_results, library):
        namespace, _, operator = name.partition("::")
        what = forward.__name__
        super().__init__(namespace, operator, library, parameters, results, autocast, fold == "elementwise", what)
        self.forward, self.backward, self.saved, self.reads_results = forward, backward, saved, reads_results
        self.read_count = saved + results * reads_results
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
        outputs = [f"_thaw_output_{i}" for i in range(self.results + self.saved)]
        results = outputs[: self.results]
        arguments = ", ".join(each.name for each in self.parameters)
        call = [f"{', '.join(outputs)} = _thaw_compute({arguments})", f"return {', '.join(results)}"]
        read = self.reads(outputs)
        grads = [f"_thaw_grad_{i}" for i, _ in enumerate(results)]
        gradients = [f"return _thaw_gradients(_thaw_needs, {', '.join([*grads, arguments, *read])})"]
        text = differentiable_text.text(
            self.what, inspect.getdoc(self.forward) or "", self.parameters, outputs, results, read, call,
            f"_thaw_compute({arguments})", gradients, self.autocast, materialize=False,
        )  # fmt: skip
        self.make(text, {})


def define(name, forward, backward, formula, results, saved, vmap, autocast, reads_results):
    """What ``torchthaw.differentiable`` gives for arguments that it has checked."""
    name = name or _free("torchthaw::" + re.sub(r"\W+", "_", f"{forward.__module__}.{forward.__qualname__}"))
    if name in _libraries:
        raise ValueError(f"name: expected one that no other operator has, got {name!r}")
    parameters = _parameters(forward)
    library = _libraries[name] = torch.library.Library(name.partition("::")[0], "FRAGMENT")
    operator = FromPython(
        name, forward, backward, parameters, results, saved, vmap, autocast, reads_results, library
    )  # fmt: skip
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
