"""tests/sanitize/test_sanitized_bridge.py: the tests of the bridge again, under AddressSanitizer and UBSan."""

import os

import pytest

from support import ROOT, SRC, TESTS, sanitized, thc_probe
from support.sanitized import OTHER_TESTS, PRELUDE, RUN

pytestmark = pytest.mark.timeout(1200)  # each runs many tests, at a fraction of the speed

# Each in a process of its own, which ends there.
FAULTS = (
    PRELUDE
    + """
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
)


@pytest.mark.parametrize("files", [
    pytest.param(["bridge/test_bridge.py"], id="pointers"),
    pytest.param([
        "bridge/test_bridge_misuse.py", "bridge/test_bridge_variadic.py", "bridge/test_bridge_held.py",
    ], id="misuse"),
    pytest.param(["bridge/test_bridge_checks.py"], id="checks"),
    pytest.param([
        "bridge/test_bridge_arrays.py", "bridge/test_bridge_dlpack.py", "bridge/test_bridge_cffi_pointers.py",
        "bridge/test_bridge_outputs.py",
    ], id="arrays"),
    pytest.param([
        "legacy/create_extension/test_arguments_and_results.py", "bridge/test_bridge_faults_errors.py",
        "bridge/test_bridge_faults_refusals.py",
    ], id="structs"),
    pytest.param([
        "bridge/test_bridge_faults_memory.py", "bridge/test_bridge_faults_threads.py",
        "bridge/test_bridge_not_owned.py",
    ], id="memory-and-threads"),
    pytest.param(["bridge/test_bridge_extent.py", "bridge/test_bridge_identity.py"], id="extent"),
    pytest.param(["bridge/test_bridge_kernels.py"], id="kernels"),
    pytest.param(["derivatives/test_foreign_header.py::test_in_eager_mode"], id="pairs"),
])  # fmt: skip
def test_no_sanitizer_speaks_up(run, files):
    done = run(RUN, *[TESTS / file for file in files], "-k", OTHER_TESTS)
    assert done.returncode == 0 and " passed" in done.stdout, done.stdout + done.stderr


def test_no_sanitizer_speaks_up_in_programs_with_libth(run):
    done = run(RUN, TESTS / "legacy" / "headers" / "test_topics.py")
    assert done.returncode == 0 and " passed" in done.stdout, done.stdout + done.stderr


def test_no_sanitizer_speaks_up_about_cuda_tensors(run):
    """CUDA is the CPU; libthc, the bridge and the extension have the sanitizers."""
    build = sanitized.BUILD
    recorder = thc_probe.recorder(build)
    done = run(
        RUN, "-p", "support.cuda_recorder.legacy", thc_probe.STRUCTS, "-k", OTHER_TESTS,
        CUDA_HOME=str(build / "cuda_on_cpu"), PYTHONPATH=os.pathsep.join(map(str, (SRC, ROOT, TESTS))), TORCHTHAW_CUDA="cpu", THAW_RECORDER=recorder,
        THAW_PRETENDED=str(run.folder), THAW_EXACT="0", LD_PRELOAD=f"{run.preload} {recorder}",
    )  # fmt: skip
    assert done.returncode == 0 and " passed" in done.stdout, done.stdout + done.stderr


def test_the_bridge_asserts(run):
    """Else the runs above would not try what its code relies on."""
    assert b"__assert_fail" in (run.folder / "lib" / "_bridge.abi3.so").read_bytes()


def test_planted_faults_are_reported(run):
    done = run(FAULTS)
    assert done.stdout == "8\n", done.stderr
    for report in ("shift exponent 40", "heap-buffer-overflow", "heap-use-after-free"):
        assert report in done.stderr, report
