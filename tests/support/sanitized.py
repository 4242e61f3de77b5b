"""tests/support/sanitized.py: Python with a sanitizer, in which the bridge and the extensions have it too."""

import os
import subprocess
import sys

import pytest

from support import ROOT, SRC, TESTS
from torchthaw.base import config, toolchain
from torchthaw.extension import ninja

PACKAGE = SRC / "torchthaw"

# Shells crash with ThreadSanitizer in them, and the compiler is slow: what Python starts is as it always is.
PRELUDE = f"""
import os
import sys
from pathlib import Path
from torchthaw.base import config

del os.environ["LD_PRELOAD"]
config.prefix = lambda: Path(sys.argv[1])
sys.path.insert(0, {str(TESTS)!r})
"""

RUN = (
    PRELUDE
    + """
import pytest
raise SystemExit(pytest.main(["-q", "-x", "-s", "-p", "no:cacheprovider", *sys.argv[2:]]))
"""
)

# Those that start processes, which would be another bridge's, and those that count what the sanitizers keep.
LEFT_OUT = (
    "all_of_this_through_attributes", "another_device", "printed", "until_the_end", "c_may_wait", "forked",
    "first_tensor_brings", "leave_nothing_behind", "recursion_budget", "nothing_is_leaked", "example_of_the_readme",
    "memory_does_not_grow", "nothing_is_registered", "without_the_c_functions", "without_pytorch", "buffers_alone",
    "cffi_s_table", "without_numpy", "asked_for_once",
)  # fmt: skip
OTHER_TESTS = " and ".join(f"not {name}" for name in LEFT_OUT)


def run_time(name):
    """The path of a sanitizer's shared library, which must be loaded before Python."""
    path = subprocess.run(
        [*toolchain.cxx_compiler(), f"-print-file-name={name}"], capture_output=True, text=True, check=True
    ).stdout.strip()
    if not os.path.isabs(path):
        pytest.skip(f"{toolchain.cxx_compiler()[0]} has no {name}")
    return path


def libth(preset):
    """libth of a preset with sanitizers, if it is built, else the usual one."""
    sanitized = ROOT / "build" / preset / "lib" / "libth.so.1"
    return sanitized if sanitized.exists() else config.library("th")


def build_bridge(folder, sanitize, th):
    """Builds _bridge with the flags ``sanitize`` in ``folder``/lib."""
    flags = [
        "-std=c++17", "-O1", "-g1", "-fPIC", "-fno-omit-frame-pointer", "-DPy_LIMITED_API=0x030A0000",
        f"-I{toolchain.python_include()}", f"-I{PACKAGE}", *sanitize,
    ]  # fmt: skip
    sources = {path: [] for part in ("bridge", "legacy") for path in sorted((PACKAGE / part).rglob("*.cpp"))}
    (folder / "lib").mkdir()
    (folder / "build.ninja").write_text(ninja.shared_object("lib/_bridge.abi3.so", sources, flags, sanitize))
    ninja.run(folder)
    (folder / "lib" / "libth.so.1").symlink_to(th)


def python(folder, sanitize, preload, th, **variables):
    """(script, *arguments) -> what became of the script in a process where all that is built has ``sanitize``.

    ``preload``: the libraries that are loaded before Python, in this order.
    """
    build_bridge(folder, sanitize, th)
    environment = {
        **os.environ,
        "LD_PRELOAD": " ".join(preload),
        "PYTHONMALLOC": "malloc",  # Python's own allocator would hide what becomes of its objects
        "PYTHONPATH": str(SRC),
        "TORCHTHAW_CACHE": str(folder / "cache"),
        "CC": " ".join([*toolchain.c_compiler(), *sanitize]),
        "CXX": " ".join([*toolchain.cxx_compiler(), *sanitize]),
        **variables,
    }

    def run(script, *arguments, **more):
        command = [sys.executable, "-c", script, folder, *arguments]
        return subprocess.run(command, capture_output=True, text=True, env={**environment, **more}, cwd=ROOT)

    run.folder, run.preload = folder, environment["LD_PRELOAD"]
    return run
