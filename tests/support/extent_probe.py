"""tests/support/extent_probe.py: the legacy extension of tests/bridge/probe_extent/, which sees all of a storage or a
tensor's part."""

import os
from functools import lru_cache

from support import TESTS, bridge_probe, built

HERE = TESTS / "bridge" / "probe_extent"


def build(name, headers, sources, **options):
    from torchthaw.legacy.ffi.create import create_extension

    def make(folder):
        create_extension(name, headers, sources, False, relative_to=os.fspath(folder / "build.py"), **options).build()

    return bridge_probe.load(built.copy(name, HERE, make) / name, name)


@lru_cache(maxsize=None)
def exact():
    """Built as one that can tell how a tensor lies in its storage, with the functions of identity.h as well."""
    return build("extent_exact", ["extent.h", "identity.h"], ["extent.c", "identity.c"])


@lru_cache(maxsize=None)
def partial():
    """Built as one that cannot."""
    return build("extent_partial", "extent.h", ["extent.c"])
