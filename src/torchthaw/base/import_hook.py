"""torchthaw/base/import_hook.py: calls functions as soon as a module is imported.

The hook, an entry of sys.meta_path, is put there when it is first needed, and finds nothing by itself.
"""

import sys
from collections import deque

_before = {}  # module -> functions that get its spec, called before it is loaded
_once = {}  # module -> deque of functions without arguments, called when it was imported
_always = {}  # module -> functions that get the module, called whenever it was executed, also by a reload
_executing = set()  # those of these modules whose code runs now


class Finder:
    """The entry of sys.meta_path."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name not in _before and not _once.get(name) and name not in _always:
            return None
        others = [each for each in sys.meta_path if each is not Finder and hasattr(each, "find_spec")]
        spec = next(filter(None, (each.find_spec(name, path, target) for each in others)), None)
        for function in _before.pop(name, ()) if spec is not None else ():
            function(spec)
        if spec is not None and hasattr(spec.loader, "exec_module"):
            execute = spec.loader.exec_module

            def exec_module(module):
                _executing.add(name)
                try:
                    execute(module)
                finally:
                    _executing.discard(name)
                for function in _always.get(name, ()):
                    function(module)
                _call(name)

            spec.loader.exec_module = exec_module
        return spec


def before_import(name, function):
    """Calls ``function(spec)`` once, before the module ``name`` is loaded."""
    put_first(Finder)
    _before.setdefault(name, []).append(function)


def after_import(name, function):
    """Calls ``function()`` as soon as the module ``name`` is imported: now, if it is."""
    if _is_imported(name):
        function()
        return
    _once.setdefault(name, deque()).append(function)
    put_first(Finder)
    if _is_imported(name):  # meanwhile, by another thread, which may have looked for functions too early
        _call(name)


def _is_imported(name):
    return name in sys.modules and name not in _executing


def _call(name):
    """Calls the functions that wait for a module, each in one thread alone."""
    waiting = _once.get(name, ())
    while waiting:
        try:
            function = waiting.popleft()
        except IndexError:  # another thread took the last one
            return
        function()


def at_each_import(name, function):
    """Calls ``function(module)`` now, if the module ``name`` is imported, and whenever it is executed.

    A second call with the same function changes nothing.
    """
    functions = _always.setdefault(name, [])
    if function not in functions:
        put_first(Finder)
        functions.append(function)
        if name in sys.modules:
            function(sys.modules[name])


def put_first(finder):
    """Puts a class into sys.meta_path, before all others, unless it is there; a reloaded class is the same one."""
    known = [(getattr(each, "__module__", None), getattr(each, "__name__", None)) for each in sys.meta_path]
    if (finder.__module__, finder.__name__) not in known:
        sys.meta_path.insert(0, finder)
