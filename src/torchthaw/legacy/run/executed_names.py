"""torchthaw/legacy/run/executed_names.py: names that exec makes in a function of a build script, as until Python 3.12.

There ``exec(text)`` in a function put names where ``locals()["__version__"]`` found them. Since Python 3.13 each call of
locals() makes a new dict, and exec fills one that nobody sees.
"""

import builtins
import sys
from functools import wraps

from ...base import config


def replace():
    """Replaces exec for functions of the code that runs as ``__main__``; for others it stays as it is."""
    if not getattr(builtins.exec, "of_torchthaw", False):
        builtins.exec = keeping(builtins.exec)


def keeping(execute):
    """``execute``, which is exec, as it was."""

    @wraps(execute)
    def exec(source, globals=None, locals=None, /, **keywords):
        frame = sys._getframe(1)
        if globals is not None or locals is not None:
            return execute(source, frame.f_globals if globals is None else globals, locals, **keywords)
        if frame.f_locals is frame.f_globals or not _is_function_of_main(frame):
            return execute(source, frame.f_globals, frame.f_locals, **keywords)
        found = dict(frame.f_locals)
        execute(source, frame.f_globals, found, **keywords)
        code = frame.f_code
        own = {*code.co_varnames, *code.co_cellvars, *code.co_freevars}  # those never changed
        for name in found.keys() - own:
            frame.f_locals[name] = found[name]

    exec.of_torchthaw = True
    return exec


def _is_function_of_main(frame):
    off = config.words("TORCHTHAW_NO_PATCH")
    is_main = frame.f_globals.get("__name__") == "__main__"
    return is_main and frame.f_code.co_flags & 1 and not {"all", "build_modules"} & set(off)  # 1: CO_OPTIMIZED
