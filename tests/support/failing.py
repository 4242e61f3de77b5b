"""tests/support/failing.py: a Python whose n-th allocation fails, of those that chosen libraries make."""

import ctypes
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

from torchthaw.base import toolchain

HERE = Path(__file__).resolve().parent
VARIABLE = "TORCHTHAW_FAILING"  # where the preloaded library is

# Who makes an allocation -> what failing_begin() calls it.
MAKERS = {"malloc": 0, "Python": 1}


def library(folder):
    """Builds what is to be preloaded; its path."""
    path = folder / "failing.so"
    sources = [HERE / "failing_malloc.cpp", HERE / "failing_python.cpp"]
    command = [
        *toolchain.cxx_compiler(), "-std=c++17", "-O1", "-g", "-Wall", "-shared", "-fPIC",
        f"-I{sysconfig.get_path('include')}", *sources, "-o", path, "-ldl",
    ]  # fmt: skip
    subprocess.run(command, check=True)
    return path


def run(path, script, arguments, **options):
    """Runs a Python script where the library is preloaded."""
    environment = {**os.environ, "LD_PRELOAD": str(path), VARIABLE: str(path), "PYTHONMALLOC": "pymalloc"}
    return subprocess.run([sys.executable, "-X", "faulthandler", script, *arguments], env=environment, **options)


class Failing:
    """The switch, in a process that run() started."""

    def __init__(self):
        os.environ.pop("LD_PRELOAD")  # compilers do without
        self._library = ctypes.PyDLL(os.environ.pop(VARIABLE))
        self._library.failing_begin.argtypes = ctypes.c_int, ctypes.c_long
        self._library.failing_live_blocks.restype = ctypes.c_long
        self._library.failing_prepare()

    def find(self, name):
        """From then on libraries with this in their path are among the chosen."""
        if not self._library.failing_find(os.fsencode(name)):
            raise LookupError(f"expected a library whose path has {name}, got none in this process")

    def live_blocks(self):
        """Blocks that malloc gave anybody and that nobody freed."""
        return self._library.failing_live_blocks()

    def call(self, maker, n, function):
        """(the result, the exception, whether an allocation failed) of a call whose n-th allocation fails."""
        begin, end, python = self._library.failing_begin, self._library.failing_end, MAKERS[maker]
        result = error = None
        begin(python, n)
        try:
            result = function()
        except BaseException as raised:
            end_first = end(python)
            error = raised.with_traceback(None)
            return None, error, bool(end_first)
        return result, error, bool(end(python))
