"""tests/support/misuse_probe.py: the extensions of tests/bridge/probe_misuse/, of today and of an old project."""

import atexit
import shutil
import tempfile
from functools import lru_cache
from pathlib import Path

import torchthaw
from support import TESTS, bridge_probe
from torchthaw.legacy.ffi_create import create_extension as create_legacy_extension

HERE = TESTS / "bridge" / "probe_misuse"


@lru_cache(maxsize=None)
def folder():
    path = Path(tempfile.mkdtemp(prefix="torchthaw-test-"))
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    return shutil.copytree(HERE, path, dirs_exist_ok=True)


@lru_cache(maxsize=None)
def probe():
    """The extension module of today, in C types."""
    torchthaw.create_extension(
        "misuse", headers="misuse.h", sources=["misuse.c", "throwing.cpp"], relative_to=folder() / "build.py"
    ).build()
    return bridge_probe.load(folder() / "misuse", "misuse")


@lru_cache(maxsize=None)
def legacy():
    """That of an old project, in structs of TH."""
    create_legacy_extension("misuse_th", "misuse_th.h", ["misuse_th.c"], False, relative_to=str(folder() / "b")).build()
    return bridge_probe.load(folder() / "misuse_th", "misuse_th")
