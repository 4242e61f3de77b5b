"""torchthaw/modernize/trials/listening.py: notes the arguments of calls while the new project's scripts run."""

import contextlib
import functools
import importlib
import inspect
import os
import runpy
import sys

import torch

from .calling import copies

# Cases for one Function, and the number of elements that their tensors may have together.
MOST = 3
LARGEST = 1 << 16


class Calls:
    """The first calls, with arguments of different kinds, of each Function and C function.

    wanted: the (module, class name) of each Function of interest. functions: {(module, name): [arguments]}.
    c: {(module, name): [[arguments before the call, after it]]}.
    """

    def __init__(self, wanted):
        self.wanted = wanted
        self.functions, self.c = {}, {}
        self.seen = set()

    def note(self, calls, key, arguments, *after):
        """after: what the arguments are after a call of C, which may give tensors their shape."""
        if len(calls.get(key, ())) >= MOST or not all(map(storable, (arguments, *after))):
            return
        signature = key, tuple(map(_signature, arguments))
        if signature not in self.seen:
            self.seen.add(signature)
            case = copies(arguments)
            calls.setdefault(key, []).append([case, *map(copies, after)] if after else case)

    def listen_to_functions(self):
        """From now on every ``apply`` of a wanted Function is noted; before the project is imported."""
        apply = inspect.getattr_static(torch.autograd.Function, "apply")  # a class method of Python, or of C
        calls = self

        @functools.wraps(torch.autograd.Function.apply)
        def noted(cls, *arguments, **keywords):
            key = cls.__module__, cls.__name__
            if key in calls.wanted and not keywords:
                calls.note(calls.functions, key, arguments)
            return apply.__get__(None, cls)(*arguments, **keywords)

        torch.autograd.Function.apply = classmethod(noted)

    def listen_to_c(self, extensions):
        """The same for the functions of the extensions' modules, which are imported."""
        for name in extensions:
            module = importlib.import_module(name)
            for function, value in list(vars(module).items()):
                if callable(value) and not function.startswith("_"):
                    setattr(module, function, self._noted((name, function), value))

    def _noted(self, key, function):
        @functools.wraps(function)
        def noted(*arguments):
            before = copies(arguments)
            result = function(*arguments)
            self.note(self.c, key, before, arguments)
            return result

        return noted


def storable(arguments):
    """Whether a file can hold them, and a small one."""
    if not all(_is_storable(each) for each in arguments):
        return False
    return sum(each.numel() for each in arguments if torch.is_tensor(each)) <= LARGEST


def _is_storable(value):
    if isinstance(value, (tuple, list)):
        return all(map(_is_storable, value))
    if isinstance(value, dict):
        return all(map(_is_storable, [*value, *value.values()]))
    if torch.is_tensor(value):
        return type(value) in (torch.Tensor, torch.nn.Parameter)
    return value is None or isinstance(value, (bool, int, float, str))


def _signature(value):
    if torch.is_tensor(value):
        return str(value.dtype), value.dim(), value.is_contiguous(), min(value.numel(), 2)
    return repr(value) if isinstance(value, (bool, str, type(None))) else type(value).__name__


def run_script(path):
    """Runs a script as a user does, and functions without parameters that pytest would call; returns nothing.

    An error of one of them ends that one alone.
    """
    sys.argv = [path]
    sys.path.insert(0, os.path.dirname(path))
    found = {}
    with contextlib.suppress(Exception, SystemExit):
        found = runpy.run_path(path, run_name="__main__")
    for name, value in found.items():
        if name.startswith("test") and inspect.isfunction(value) and not inspect.signature(value).parameters:
            with contextlib.suppress(Exception, SystemExit):
                value()
