"""tests/thc_probe.py: processes in which CUDA is the stand-in of tests/cuda_on_host, and what its tests come to."""

import atexit
import os
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree
from functools import lru_cache
from pathlib import Path

from torchthaw.build import toolchain

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build"
ON_HOST = ROOT / "tests" / "cuda_on_host"
sys.path.insert(0, str(ON_HOST))
import toolkit  # noqa: E402


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
        "PYTHONPATH": os.pathsep.join(map(str, (ROOT, ROOT / "tests", ON_HOST))),
    }


def run(*command, cwd=ROOT, **more):
    """What a command prints, which must end well."""
    command = [str(part) for part in command]
    done = subprocess.run(command, cwd=cwd, env={**environment(), **more}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@lru_cache(maxsize=None)
def passed(exact, dlpack):
    """The names of the tests of cuda_on_host/structs.py that pass; all do, else it fails.

    exact: C sees all of a torch storage. dlpack: tensors are read by DLPack's exchange table, else by attributes.
    """
    report = Path(environment()["THAW_STAND_IN"]).with_name(f"report-{exact}-{dlpack}.xml")
    run(
        sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "legacy", f"--junitxml={report}",
        ON_HOST / "structs.py", THAW_EXACT=str(int(exact)), TORCHTHAW_NO_DLPACK=str(int(not dlpack)),
    )  # fmt: skip
    cases = xml.etree.ElementTree.parse(report).iter("testcase")
    return {case.get("name").partition("[")[0] for case in cases if len(case) == 0}
