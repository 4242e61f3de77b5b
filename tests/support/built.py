"""tests/support/built.py: extensions that several tests use, built once for all processes of a run and for later runs."""

import atexit
import fcntl
import hashlib
import os
import shutil
import tempfile
from pathlib import Path

from support import ROOT
from torchthaw.base import config, toolchain

FOLDER = ROOT / "build" / "probes"


def copy(name, sources, make):
    """A folder for the time of this process: a copy of ``sources`` in which ``make(folder)`` has built something.

    It was built in a folder below build/probes/, which stays, so that only what changed is compiled: one for each compiler
    and place of the libraries. Processes wait for each other.
    """
    ways = [*toolchain.c_compiler(), *toolchain.cxx_compiler(), str(config.prefix()), os.environ.get("PATH", "")]
    kept = FOLDER / f"{name}-{hashlib.sha256(repr(ways).encode()).hexdigest()[:12]}"
    kept.mkdir(parents=True, exist_ok=True)
    path = Path(tempfile.mkdtemp(prefix="torchthaw-test-"))
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    with open(kept.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        shutil.copytree(sources, kept, dirs_exist_ok=True)
        make(kept)
        return shutil.copytree(kept, path, symlinks=True, dirs_exist_ok=True)
