"""tests/test_bridge_sanitized.py: the tests of the bridge again, under AddressSanitizer and UBSan."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from torchthaw.build import ninja, toolchain

ROOT = Path(__file__).resolve().parents[1]
BRIDGE = ROOT / "torchthaw" / "bridge"
SANITIZE = ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]

RUN = """
import sys
from pathlib import Path
import pytest
from torchthaw import config

config.prefix = lambda: Path(sys.argv[1])
raise SystemExit(pytest.main(["-q", "-x", "-p", "no:cacheprovider", *sys.argv[2:]]))
"""


def run_time(name):
    """The path of a sanitizer's shared library, which must be loaded before Python."""
    path = subprocess.run(
        [*toolchain.cxx_compiler(), f"-print-file-name={name}"], capture_output=True, text=True, check=True
    ).stdout.strip()
    if not os.path.isabs(path):
        pytest.skip(f"{toolchain.cxx_compiler()[0]} has no {name}")
    return path


def sanitized_bridge(folder):
    """Builds _bridge with the sanitizers in ``folder``/lib."""
    flags = [
        "-std=c++17", "-O1", "-g", "-fPIC", "-fno-omit-frame-pointer", "-DPy_LIMITED_API=0x030A0000",
        f"-I{toolchain.python_include()}", *SANITIZE,
    ]  # fmt: skip
    sources = {path: [] for path in sorted(BRIDGE.glob("*.cpp"))}
    (folder / "lib").mkdir()
    (folder / "build.ninja").write_text(ninja.shared_object("lib/_bridge.abi3.so", sources, flags, SANITIZE))
    ninja.run(folder)


def test_no_sanitizer_speaks_up(tmp_path):
    preload = " ".join(map(run_time, ("libasan.so", "libubsan.so", "libstdc++.so")))
    sanitized_bridge(tmp_path)
    environment = {
        **os.environ,
        "LD_PRELOAD": preload,
        "ASAN_OPTIONS": "detect_leaks=0",
        "PYTHONMALLOC": "malloc",  # Python's own allocator would hide what becomes of its objects
        "PYTHONPATH": str(ROOT),
        "CC": " ".join([*toolchain.c_compiler(), *SANITIZE]),
        "CXX": " ".join([*toolchain.cxx_compiler(), *SANITIZE]),
    }
    result = subprocess.run(
        [
            sys.executable, "-c", RUN, tmp_path, ROOT / "tests" / "test_bridge.py",
            "-k", "not all_of_this_through_attributes and not another_device",
        ],
        capture_output=True, text=True, env=environment, cwd=ROOT,
    )  # fmt: skip
    assert result.returncode == 0 and " passed" in result.stdout, result.stdout + result.stderr
