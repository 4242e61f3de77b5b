"""tests/support/shim.py: the bridge's table of PyTorch's C functions, in which a test replaces some for a while."""

import ctypes
import re
from contextlib import contextmanager
from pathlib import Path

from support import SRC
from support.elf import readelf
from torchthaw.bridge import _bridge

HEADER = SRC / "torchthaw" / "bridge" / "operators" / "shim.h"
WORDS = ctypes.c_uint64


def failing(*_):
    """What a function of PyTorch's says that failed."""
    return 1


class Table:
    """`bridge::shim` of the library that this process has loaded; LookupError where that is stripped."""

    def __init__(self):
        symbols = (line.split() for line in readelf("--syms", _bridge.__file__).splitlines())
        found = [int(row[1], 16) for row in symbols if len(row) > 7 and row[7].startswith("_ZN6bridge4shimE")]
        if not found:
            raise LookupError(f"{_bridge.__file__}: expected a symbol bridge::shim, got none")
        base = next(
            line for line in Path("/proc/self/maps").read_text().splitlines() if line.endswith(_bridge.__file__)
        )
        self.address = int(base.partition("-")[0], 16) + found[0]
        self.names = re.findall(r"^    X\((\w+), ", HEADER.read_text(), re.MULTILINE)
        self.cpu, self.cuda = (ctypes.c_int32 * 2).from_address(self.address + 8 * len(self.names))

    def slot(self, name):
        """Where the address of a function is."""
        return ctypes.c_void_p.from_address(self.address + 8 * self.names.index(name))

    @contextmanager
    def replaced(self, **functions):
        """In the block, these are the functions: Python ones, whose arguments are words of 64 bits, or None for none."""
        made = {
            name: function and ctypes.CFUNCTYPE(WORDS, *[WORDS] * function.__code__.co_argcount)(function)
            for name, function in functions.items()
        }
        before = {name: self.slot(name).value for name in made}
        try:
            for name, function in made.items():
                self.slot(name).value = function and ctypes.cast(function, ctypes.c_void_p).value
            yield
        finally:
            for name, value in before.items():
                self.slot(name).value = value
