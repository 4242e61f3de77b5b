"""tests/support/thc_probe.py: processes with pretended GPUs, where CUDA is the CPU behind tests/support/cuda_recorder,
and what their tests come to."""

import atexit
import os
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree
from functools import lru_cache
from pathlib import Path

from support import ROOT, SRC, TESTS
from torchthaw.base import toolchain
from torchthaw.cuda_on_cpu import toolkit_folder

BUILD = ROOT / "build"
STRUCTS = TESTS / "cuda" / "host" / "pretended" / "test_pretended_structs.py"


def recorder(build=BUILD):
    """The path of the recorder, built in a folder of CMake's."""
    command = [toolchain.tool("cmake"), "--build", str(build), "--target", "cuda_recorder_for_python"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return str(build / "cuda_recorder" / "libcuda_recorder.so")


@lru_cache(maxsize=None)
def environment():
    """The environment of such a process."""
    path = recorder()
    folder = Path(tempfile.mkdtemp(prefix="torchthaw-test-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return {
        **os.environ,
        "CUDA_HOME": str(toolkit_folder.home()),
        "TORCHTHAW_CUDA": "cpu",
        "LD_PRELOAD": path,
        "THAW_RECORDER": path,
        "THAW_PRETENDED": str(prefix(folder / "prefix")),
        "TORCHTHAW_CACHE": str(folder / "cache"),
        "PYTHONPATH": os.pathsep.join(map(str, (SRC, ROOT, TESTS))),
    }


def prefix(folder):
    """A folder with the built libraries, for torchthaw.base.config.prefix()."""
    (folder / "lib").mkdir(parents=True)
    for name in ("_bridge.abi3.so", "libth.so.1", "libmy_lib.so.1", "libcuda_on_cpu.so.1", "cuda_on_cpu"):
        (folder / "lib" / name).symlink_to(BUILD / "lib" / name)
    return folder


def run(*command, cwd=ROOT, **more):
    """What a command prints, which must end well."""
    command = [str(part) for part in command]
    done = subprocess.run(command, cwd=cwd, env={**environment(), **more}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@lru_cache(maxsize=None)
def passed(exact, dlpack):
    """The names of the tests of STRUCTS that pass; all do, else it fails.

    exact: C sees all of a torch storage. dlpack: tensors are read by DLPack's exchange table, else by attributes.
    """
    report = Path(environment()["THAW_PRETENDED"]).with_name(f"report-{exact}-{dlpack}.xml")
    run(
        sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "support.cuda_recorder.legacy",
        f"--junitxml={report}", STRUCTS, THAW_EXACT=str(int(exact)), TORCHTHAW_NO_DLPACK=str(int(not dlpack)),
    )  # fmt: skip
    cases = xml.etree.ElementTree.parse(report).iter("testcase")
    return {case.get("name").partition("[")[0] for case in cases if len(case) == 0}
