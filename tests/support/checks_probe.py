"""tests/support/checks_probe.py: the extension of tests/bridge/probe_checks/, whose header is annotated."""

import atexit
import shutil
import tempfile
from functools import lru_cache
from pathlib import Path

import torchthaw
from support import TESTS, bridge_probe

HERE = TESTS / "bridge" / "probe_checks"


@lru_cache(maxsize=None)
def folder():
    """The built extension, for the time of the run."""
    folder = Path(tempfile.mkdtemp(prefix="torchthaw-test-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    shutil.copytree(HERE, folder, dirs_exist_ok=True)
    torchthaw.create_extension(
        "_ext.checks", headers="checks.h", sources=["checks.c"], relative_to=folder / "build.py",
        extra_compile_args=["-Wall", "-Wextra", "-Werror"],
    ).build()  # fmt: skip
    return folder


@lru_cache(maxsize=None)
def probe():
    """The extension module."""
    return bridge_probe.load(folder() / "_ext" / "checks", "checks")
