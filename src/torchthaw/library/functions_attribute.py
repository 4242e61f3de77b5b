"""torchthaw/library/functions_attribute.py: ``functions`` of an extension's package: what its header makes differentiable."""

import json

from ..base import installed_torch
from ..base.import_hook import after_import


class Functions:
    """``functions.lltm(...)``: one function for each pair of a forward and its backward in the C headers.

    They are made when one is first asked for, with the operators of the namespace. Where PyTorch is not installed, they
    take arrays only.
    """

    def __init__(self, package, module, trampolines, register):
        rows = json.loads(module.description)["pairs"]
        operators = {each["name"]: each["operator"] for each in rows if not each["is_second"]}
        self._package, self._operators, self._register = package, operators, register
        self._module, self._trampolines = module, trampolines
        after_import("torch._dynamo", self._fill)  # which finds attributes, and does not call __getattr__

    def __getattr__(self, name):
        if name not in self._operators:
            raise AttributeError(f"{self._package}.functions: expected one of {', '.join(self._operators)}, got {name}")
        self._fill()
        if name not in vars(self):
            raise AttributeError(f"{self._package}.functions.{name}: expected PyTorch, which is not installed")
        return vars(self)[name]

    def __dir__(self):
        return sorted(self._operators)

    def __repr__(self):
        return f"<functions of {self._package}: {', '.join(self._operators)}>"

    def _fill(self):
        if installed_torch.folder() is None:
            from . import on_arrays

            return vars(self).update(on_arrays.entries(self._package, self._module, self._trampolines))
        namespace = self._register()
        if namespace.is_taking and not namespace.pairs.keys() >= {*self._operators.values()}:
            return namespace.when_taken.append(self._fill)
        for name, operator in self._operators.items():
            if name not in vars(self):
                vars(self)[name] = entry = namespace.pairs[operator].entry
                entry.__module__, entry.__qualname__ = self._package, f"functions.{name}"
