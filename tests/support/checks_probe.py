"""tests/support/checks_probe.py: the extension of tests/bridge/probe_checks/, whose header is annotated."""

from functools import lru_cache

import torchthaw
from support import TESTS, bridge_probe, built

HERE = TESTS / "bridge" / "probe_checks"


def build(folder):
    torchthaw.create_extension(
        "_ext.checks", headers="checks.h", sources=["checks.c"], relative_to=folder / "build.py",
        extra_compile_args=["-Wall", "-Wextra", "-Werror"],
    ).build()  # fmt: skip


@lru_cache(maxsize=None)
def folder():
    """The built extension, for the time of the run."""
    return built.copy("checks", HERE, build)


@lru_cache(maxsize=None)
def probe():
    """The extension module."""
    return bridge_probe.load(folder() / "_ext" / "checks", "checks")
