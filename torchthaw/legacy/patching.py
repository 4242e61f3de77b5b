"""torchthaw/legacy/patching.py: named changes to PyTorch's Python classes, each made and undone exactly."""

import importlib
import sys
import warnings
from typing import NamedTuple

from ..private_names import Missing

_ABSENT = object()


class Change(NamedTuple):
    """``setattr(owner, attribute, value)``; ``owner`` is a class or a module."""

    owner: object
    attribute: str
    value: object


class Patch(NamedTuple):
    """A name, what it restores in one line, and ``module:function``, which returns the changes or their undoing.

    The function is found when the patch is made, so that listing patches does not import PyTorch.
    """

    name: str
    restores: str
    where: str

    def changes(self):
        module, _, function = self.where.partition(":")
        return getattr(importlib.import_module("." + module, __package__), function)()


class PatchTable:
    """The patches of one purpose; any of them is made or undone alone, in any order.

    Two patches may change the same attribute: the later one wraps what the earlier one made. A patch that this PyTorch
    does not take is left out, with one warning.
    """

    def __init__(self, kind, *patches):
        self.kind = kind  # what a patch is called in messages
        self.patches = {patch.name: patch for patch in patches}
        self._undo = {}
        self._refused = {}  # name -> why

    def check(self, names):
        """``names`` as a list, all names where none is given; ValueError names the one that does not exist."""
        for name in names:
            if name not in self.patches:
                raise ValueError(f"name: expected one of {', '.join(self.patches)}, got {name!r}")
        return list(names or self.patches)

    def made(self, name):
        return name in self._undo

    def make(self, *names):
        """Makes those that are not made yet; a UserWarning for each that cannot be, the first time."""
        for name in self.check(names):
            known = name in self._refused
            if name not in self._undo and not self._try(name) and not known:
                warnings.warn(self._warning(name), stacklevel=2)

    def _try(self, name):
        """Makes one patch, or nothing of it; whether it is made."""
        undo = self._undo[name] = []
        try:
            for change in self.patches[name].changes():
                before = change._replace(value=vars(change.owner).get(change.attribute, _ABSENT))
                setattr(*change)
                undo.append(before)
        except BaseException as error:
            self._restore(name)
            if not isinstance(error, Exception):
                raise
            self._refused[name] = str(error) if isinstance(error, Missing) else f"{type(error).__name__}: {error}"
            return False
        self._refused.pop(name, None)
        return True

    def _warning(self, name):
        torch = sys.modules.get("torch")
        version = getattr(torch, "__version__", "of an unknown version")
        return (
            f"torchthaw: the {self.kind} {name!r} is not available with PyTorch {version} ({self._refused[name]}). "
            f"This will not work: {self.patches[name].restores}"
        )

    def undo(self, *names):
        """Restores what was there; patches made after those named are made anew."""
        names = self.check(names)
        later = []
        while any(name in self._undo for name in names):
            last = next(reversed(self._undo))
            self._restore(last)
            later.append(last)
        remade = [name for name in reversed(later) if name not in names]
        if remade:
            self.make(*remade)

    def _restore(self, name):
        """Undoes one patch, the latest; an inherited attribute is restored by removing ours."""
        for owner, attribute, value in reversed(self._undo.pop(name)):
            if value is _ABSENT:
                delattr(owner, attribute)
            else:
                setattr(owner, attribute, value)

    def unavailable(self):
        """{name: why} of those that this PyTorch does not take. Each that is not made is made for a moment."""
        for name in self.patches:
            if name not in self._undo and self._try(name):
                self._restore(name)
        return {name: self._refused[name] for name in self.patches if name in self._refused}

    def listing(self):
        """[(name, what it restores, whether it is made now)]"""
        return [(patch.name, patch.restores, patch.name in self._undo) for patch in self.patches.values()]
