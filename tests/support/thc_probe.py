"""tests/support/thc_probe.py: processes in which CUDA is the stand-in of tests/support/stand_in, and what its tests
come to."""

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
from support.stand_in import toolkit
from torchthaw.base import toolchain

BUILD = ROOT / "build"
STRUCTS = TESTS / "cuda" / "host" / "pretended" / "test_pretended_structs.py"


@lru_cache(maxsize=None)
def environment():
    """The environment of such a process."""
    command = [toolchain.tool("cmake"), "--build", str(BUILD), "--target", "thc_stand_in"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    folder = Path(tempfile.mkdtemp(prefix="torchthaw-test-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return {
        **os.environ,
        "CUDA_HOME": str(toolkit.make(folder / "toolkit")),
        "THAW_STAND_IN": str(toolkit.prefix(folder / "prefix", BUILD)),
        "TORCHTHAW_CACHE": str(folder / "cache"),
        "LD_LIBRARY_PATH": str(BUILD / "thc_on_host"),  # for cuBLAS's stand-in
        "PYTHONPATH": os.pathsep.join(map(str, (SRC, ROOT, TESTS))),
    }


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
    report = Path(environment()["THAW_STAND_IN"]).with_name(f"report-{exact}-{dlpack}.xml")
    run(
        sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "support.stand_in.legacy",
        f"--junitxml={report}", STRUCTS, THAW_EXACT=str(int(exact)), TORCHTHAW_NO_DLPACK=str(int(not dlpack)),
    )  # fmt: skip
    cases = xml.etree.ElementTree.parse(report).iter("testcase")
    return {case.get("name").partition("[")[0] for case in cases if len(case) == 0}
