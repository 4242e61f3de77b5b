"""tests/bridge/test_bridge_sanitized.py: the tests of the bridge again, under AddressSanitizer and UBSan.

The runtime is sanitized as well where `make sanitize` has built it.
"""

import os
import subprocess
import sys

import pytest

from support import ROOT, TESTS, thc_probe
from torchthaw import config
from torchthaw.build import ninja, toolchain

pytestmark = pytest.mark.timeout(1200)  # each runs many tests, at a fraction of the speed

BRIDGE = ROOT / "torchthaw" / "bridge"
SANITIZE = ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]

PRELUDE = f"""
import sys
from pathlib import Path
from torchthaw import config

config.prefix = lambda: Path(sys.argv[1])
sys.path.insert(0, {str(TESTS)!r})
"""

RUN = PRELUDE + """
import pytest
raise SystemExit(pytest.main(["-q", "-x", "-s", "-p", "no:cacheprovider", *sys.argv[2:]]))
"""

# Each in a process of its own, which ends there.
FAULTS = PRELUDE + """
import os
import torch
from support import th_probe
probe = th_probe.probe()
print(probe.shift(3))
for fault in (
    lambda: probe.shift(40), lambda: probe.read_behind(torch.ones(4)), lambda: probe.read_freed(torch.ones(4)),
):
    if os.fork() == 0:
        fault()
        print("not found")
        os._exit(0)
    os.wait()
"""


def run_time(name):
    """The path of a sanitizer's shared library, which must be loaded before Python."""
    path = subprocess.run(
        [*toolchain.cxx_compiler(), f"-print-file-name={name}"], capture_output=True, text=True, check=True
    ).stdout.strip()
    if not os.path.isabs(path):
        pytest.skip(f"{toolchain.cxx_compiler()[0]} has no {name}")
    return path


def runtime():
    """libth, with the sanitizers in it if there is such a one."""
    sanitized = ROOT / "build" / "sanitize" / "lib" / "libth.so.1"
    return sanitized if sanitized.exists() else config.library("th")


def build_bridge(folder):
    """Builds _bridge with the sanitizers in ``folder``/lib."""
    flags = [
        "-std=c++17", "-O1", "-g", "-fPIC", "-fno-omit-frame-pointer", "-DPy_LIMITED_API=0x030A0000",
        f"-I{toolchain.python_include()}", *SANITIZE,
    ]  # fmt: skip
    sources = {path: [] for path in sorted(BRIDGE.rglob("*.cpp"))}
    (folder / "lib").mkdir()
    (folder / "build.ninja").write_text(ninja.shared_object("lib/_bridge.abi3.so", sources, flags, SANITIZE))
    ninja.run(folder)
    (folder / "lib" / "libth.so.1").symlink_to(runtime())


@pytest.fixture(scope="module")
def sanitized(tmp_path_factory):
    """(script, *arguments) -> what became of the script in a process where all that is built has the sanitizers."""
    folder = tmp_path_factory.mktemp("sanitized")
    preload = " ".join(map(run_time, ("libasan.so", "libubsan.so", "libstdc++.so")))
    build_bridge(folder)
    environment = {
        **os.environ,
        "LD_PRELOAD": preload,
        "ASAN_OPTIONS": "detect_leaks=0",
        "PYTHONMALLOC": "malloc",  # Python's own allocator would hide what becomes of its objects
        "PYTHONPATH": str(ROOT),
        "TORCHTHAW_CACHE": str(folder / "cache"),
        "CC": " ".join([*toolchain.c_compiler(), *SANITIZE]),
        "CXX": " ".join([*toolchain.cxx_compiler(), *SANITIZE]),
    }

    def run(script, *arguments, **more):
        command = [sys.executable, "-c", script, folder, *arguments]
        return subprocess.run(command, capture_output=True, text=True, env={**environment, **more}, cwd=ROOT)

    run.folder = folder
    return run


# Those that start processes, which would be another bridge's, and those that count what the sanitizers keep.
LEFT_OUT = (
    "all_of_this_through_attributes", "another_device", "printed", "until_the_end", "c_may_wait", "forked",
    "first_tensor_brings", "leave_nothing_behind", "recursion_budget", "nothing_is_leaked", "example_of_the_readme",
    "memory_does_not_grow", "nothing_is_registered", "without_the_c_functions",
)  # fmt: skip
OTHER_TESTS = " and ".join(f"not {name}" for name in LEFT_OUT)


@pytest.mark.parametrize("files", [
    pytest.param(["bridge/test_bridge.py"], id="pointers"),
    pytest.param(["bridge/test_bridge_misuse.py"], id="misuse"),
    pytest.param(["bridge/test_bridge_checks.py"], id="checks"),
    pytest.param([
        "legacy/create_extension/test_arguments_and_results.py", "bridge/test_bridge_faults_errors.py",
        "bridge/test_bridge_faults_refusals.py",
    ], id="structs"),
    pytest.param([
        "bridge/test_bridge_faults_memory.py", "bridge/test_bridge_faults_threads.py",
    ], id="memory-and-threads"),
    pytest.param(["bridge/test_bridge_extent.py", "bridge/test_bridge_identity.py"], id="extent"),
    pytest.param(["bridge/test_bridge_kernels.py"], id="kernels"),
])  # fmt: skip
def test_no_sanitizer_speaks_up(sanitized, files):
    done = sanitized(RUN, *[TESTS / file for file in files], "-k", OTHER_TESTS)
    assert done.returncode == 0 and " passed" in done.stdout, done.stdout + done.stderr


def test_no_sanitizer_speaks_up_about_cuda_tensors(sanitized, tmp_path):
    """libthc is the stand-in for CUDA, libth the one that it is linked with; the bridge and the extension have them."""
    stand_in = {name: thc_probe.environment()[name] for name in ("CUDA_HOME", "LD_LIBRARY_PATH", "PYTHONPATH")}
    prefix = thc_probe.toolkit.prefix(tmp_path / "prefix", thc_probe.BUILD)
    bridge = prefix / "lib" / "_bridge.abi3.so"
    bridge.unlink()
    bridge.symlink_to(sanitized.folder / "lib" / bridge.name)
    done = sanitized(
        RUN, "-p", "support.stand_in.legacy", thc_probe.STRUCTS, "-k", OTHER_TESTS,
        THAW_STAND_IN=str(prefix), THAW_EXACT="0", **stand_in,
    )  # fmt: skip
    assert done.returncode == 0 and " passed" in done.stdout, done.stdout + done.stderr


def test_planted_faults_are_reported(sanitized):
    done = sanitized(FAULTS)
    assert done.stdout == "8\n", done.stderr
    for report in ("shift exponent 40", "heap-buffer-overflow", "heap-use-after-free"):
        assert report in done.stderr, report
