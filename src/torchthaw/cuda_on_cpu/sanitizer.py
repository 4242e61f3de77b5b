"""torchthaw/cuda_on_cpu/sanitizer.py: AddressSanitizer for TORCHTHAW_CUDA_CHECK=1 in processes of Python.

It must be in a process from its start, so Python begins again with LD_PRELOAD. Compilers and other programs go without.
"""

import ctypes
import os
import sys

from ..base import child, toolchain

OPTIONS, PRELOAD = "ASAN_OPTIONS", "LD_PRELOAD"
# C++ exceptions go through AddressSanitizer, which must find them when it is loaded.
NAMES = ("libasan.so", "libstdc++.so")


def options():
    """The value of ASAN_OPTIONS: Python frees much of its memory never. What the user gave has precedence."""
    given = os.environ.get(OPTIONS, "")
    ours = "detect_leaks=0"
    return given if given.startswith(ours) else ":".join(filter(None, (ours, given)))


def libraries():
    """The paths of what is preloaded. Raises FileNotFoundError where the compiler has no AddressSanitizer."""
    compiler = toolchain.cxx_compiler()
    found = []
    for name in NAMES:
        path = child.answer([*compiler, f"-print-file-name={name}"]).out.strip()
        if not os.path.isabs(path):
            raise FileNotFoundError(
                f"TORCHTHAW_CUDA_CHECK=1: expected {name} of {compiler[0]}, got a compiler without it"
            )
        found.append(path)
    return found


def start():
    """Returns in a process with AddressSanitizer; replaces one without it by the same with it."""
    given = [path for path in os.environ.get(PRELOAD, "").split(":") if path]
    others = [path for path in given if os.path.basename(path) not in NAMES]
    if hasattr(ctypes.CDLL(None), "__asan_init"):
        os.environ[PRELOAD] = ":".join(others)
        if not others:
            del os.environ[PRELOAD]
        return
    wanted = [*libraries(), *others]
    if given == wanted:
        raise RuntimeError(
            f"TORCHTHAW_CUDA_CHECK=1: expected a process with {wanted[0]}, got one where it cannot be loaded"
        )
    os.environ[PRELOAD] = ":".join(wanted)
    os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])
