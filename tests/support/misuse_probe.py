"""tests/support/misuse_probe.py: the extensions of tests/bridge/probe_misuse/, of today and of an old project."""

from functools import lru_cache

import torchthaw
from support import TESTS, bridge_probe, built
from torchthaw.legacy.ffi.create import create_extension as create_legacy_extension

HERE = TESTS / "bridge" / "probe_misuse"


def build(folder):
    torchthaw.create_extension(
        "misuse", headers="misuse.h", sources=["misuse.c", "throwing.cpp"], relative_to=folder / "build.py"
    ).build()
    create_legacy_extension("misuse_th", "misuse_th.h", ["misuse_th.c"], False, relative_to=str(folder / "b")).build()


@lru_cache(maxsize=None)
def folder():
    return built.copy("misuse", HERE, build)


@lru_cache(maxsize=None)
def probe():
    """The extension module of today, in C types."""
    return bridge_probe.load(folder() / "misuse", "misuse")


@lru_cache(maxsize=None)
def legacy():
    """That of an old project, in structs of TH."""
    return bridge_probe.load(folder() / "misuse_th", "misuse_th")
