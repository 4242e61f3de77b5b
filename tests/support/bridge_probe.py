"""tests/support/bridge_probe.py: the extension of tests/bridge/, built once for all tests of a run."""

import importlib.util
import os
import sys
from functools import lru_cache

import torchthaw
from support import TESTS, built

HERE = TESTS / "bridge" / "probe"


def load(package, name):
    """The module ``name`` in the folder ``package``, imported by its path."""
    spec = importlib.util.spec_from_file_location(
        name, package / "__init__.py", submodule_search_locations=[str(package)]
    )
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def build(folder):
    given = os.environ.get("TORCHTHAW_CACHE")
    os.environ["TORCHTHAW_CACHE"] = str(folder / "cache")
    try:
        torchthaw.create_extension(
            "_ext.probe", headers="probe.h", sources=["probe.c", "throwing.cpp"], relative_to=folder / "build.py",
            extra_compile_args=["-Wall", "-Wextra", "-Werror"],
        ).build()  # fmt: skip
    finally:
        os.environ.pop("TORCHTHAW_CACHE")
        if given is not None:
            os.environ["TORCHTHAW_CACHE"] = given


@lru_cache(maxsize=None)
def folder():
    """A copy of tests/bridge/probe/ with the built extension in it, for the time of the run."""
    return built.copy("bridge", HERE, build)


@lru_cache(maxsize=None)
def probe():
    """The extension module."""
    return load(folder() / "_ext" / "probe", "probe")
