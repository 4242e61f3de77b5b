"""tests/support/th_probe.py: the legacy extension of tests/bridge/probe_th/, built once for all tests of a run."""

import os
import shutil
import subprocess
import sys
from functools import lru_cache

from support import ROOT, TESTS, bridge_probe, built
from torchthaw.base import toolchain

HERE = TESTS / "bridge" / "probe_th"
OPTIONS = {"extra_compile_args": ["-fopenmp"]}


def build(path, **options):
    """Copies the sources to ``path`` and builds the package th_probe there; ``path`` again."""
    from torchthaw.legacy.ffi.create import create_extension

    shutil.copytree(HERE, path, dirs_exist_ok=True)
    create_extension(
        "th_probe", "probe.h", ["probe.c", "throwing.cpp"], False, relative_to=str(path / "build.py"),
        **{**OPTIONS, **options},
    ).build()  # fmt: skip
    return path


@lru_cache(maxsize=None)
def folder():
    """A folder with the built package in it, for the time of the run."""
    return built.copy("th", HERE, build)


@lru_cache(maxsize=None)
def probe():
    """The extension module."""
    return bridge_probe.load(folder() / "th_probe", "th_probe_extension")


def library(path, text):
    """A shared library with OpenMP, of C code that knows nothing of torchthaw; ``path`` again."""
    command = [*toolchain.c_compiler(), "-shared", "-fPIC", "-fopenmp", "-x", "c", "-", "-o", path]
    subprocess.run(command, input=text, text=True, check=True)
    return path


SCRIPT = """
import sys
sys.path[:0] = [{root!r}, {folder!r}]
import torch
import torchthaw
import th_probe as probe
from th_probe._th_probe import ffi
"""


def run(script, timeout=60, **environment):
    """Runs ``script`` in a process of its own, with ``torch``, ``probe`` and ``ffi`` at hand; what became of it."""
    text = SCRIPT.format(root=str(ROOT), folder=str(folder())) + script
    return subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, timeout=timeout, env={**os.environ, **environment}
    )
