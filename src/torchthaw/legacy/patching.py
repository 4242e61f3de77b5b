"""torchthaw/legacy/patching.py: named changes to PyTorch's Python classes, each made and undone exactly."""

import importlib
import sys
import warnings
from typing import NamedTuple

from ..bridge.private_names import Missing

_ABSENT = object()
_tables = []  # every PatchTable


class Change(NamedTuple):
    """``setattr(owner, attribute, value)``; ``owner`` is a class or a module."""

    owner: object
    attribute: str
    value: object


class Made(NamedTuple):
    """A Change that was made, and what the owner itself had before: a value or _ABSENT."""

    change: Change
    before: object

    @property
    def is_there(self):
        """Whether the owner still has what was put there; another library may have put something on top of it."""
        return vars(self.change.owner).get(self.change.attribute, _ABSENT) is self.change.value

    def undo(self):
        """An inherited attribute is restored by removing ours."""
        owner, attribute, _ = self.change
        if self.before is _ABSENT:
            delattr(owner, attribute)
        else:
            setattr(owner, attribute, self.before)


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
    does not take is left out, with one warning. One of which another library changed something since is not undone, with
    a warning: what is on top of it may need it.
    """

    def __init__(self, kind, *patches):
        self.kind = kind  # what a patch is called in messages
        self.patches = {patch.name: patch for patch in patches}
        self._made = {}  # name -> [Made], in the order in which they were made
        _tables.append(self)
        self._refused = {}  # name -> why

    def check(self, names):
        """``names`` as a list, all names where none is given; ValueError names the one that does not exist."""
        for name in names:
            if name not in self.patches:
                raise ValueError(f"name: expected one of {', '.join(self.patches)}, got {name!r}")
        return list(names or self.patches)

    def made(self, name):
        return name in self._made

    def make(self, *names):
        """Makes those that are not made yet; a UserWarning for each that cannot be, the first time."""
        for name in self.check(names):
            known = name in self._refused
            if name not in self._made and not self._try(name) and not known:
                warnings.warn(self._warning(name), stacklevel=2)

    def _try(self, name):
        """Makes one patch, or nothing of it; whether it is made."""
        made = self._made[name] = []
        try:
            for change in self.patches[name].changes():
                before = vars(change.owner).get(change.attribute, _ABSENT)
                setattr(*change)
                made.append(Made(change, before))
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
        waiting, undone = {name for name in names if name in self._made}, []
        for last in reversed(list(self._made)):
            if not waiting:
                break
            waiting.discard(last)
            covered = next((made.change for made in self._made[last] if not made.is_there), None)
            if covered is None:
                self._restore(last)
                undone.append(last)
            elif last in names:
                warnings.warn(self._stays(last, covered), stacklevel=3)
        remade = [name for name in reversed(undone) if name not in names]
        if remade:
            self.make(*remade)

    def _stays(self, name, covered):
        owner = getattr(covered.owner, "__name__", covered.owner)
        return (
            f"torchthaw: the {self.kind} {name!r} stays: {owner}.{covered.attribute} is not what the {self.kind} put "
            "there; undo first what another library changed"
        )

    def _restore(self, name):
        """Undoes what is left of one patch, the latest of those that changed the same."""
        for made in reversed(self._made.pop(name)):
            if made.is_there:
                made.undo()

    def make_again(self, name):
        """Makes a patch whose module was executed once more, which gave it other classes and functions."""
        if name in self._made:
            self._restore(name)
        self.make(name)

    def unavailable(self):
        """{name: why} of those that this PyTorch does not take. Each that is not made is made for a moment."""
        for name in self.patches:
            if name not in self._made and self._try(name):
                self._restore(name)
        return {name: self._refused[name] for name in self.patches if name in self._refused}

    def listing(self):
        """[(name, what it restores, whether it is made now)]"""
        return [(patch.name, patch.restores, patch.name in self._made) for patch in self.patches.values()]


def replace(owner, attribute, value):
    """Puts another value where a patch of any table put one that is still there; that patch undoes it."""
    for of_patch in (each for table in _tables for each in table._made.values()):
        for index, made in enumerate(of_patch):
            if made.change[:2] == (owner, attribute) and made.is_there:
                setattr(owner, attribute, value)
                of_patch[index] = made._replace(change=made.change._replace(value=value))
