"""tests/cuda/host/test_bridge_thc.py: THC structs without a GPU: pretended CUDA tensors, libthc and kernels on the
CPU."""

import shutil
import sys

import pytest

from support import thc_probe

pytestmark = pytest.mark.timeout(900)  # the first test waits for the stand-in for CUDA


@pytest.mark.parametrize("exact, dlpack", [(True, False), (False, True)], ids=["exact-attributes", "partial-dlpack"])
def test_structs(exact, dlpack):
    assert len(thc_probe.passed(exact, dlpack)) > 40


# `run` executes a process of its own, which would not have the stand-in: this has what it makes of the environment.
RUN = """
import os, runpy, subprocess, sys
import support.stand_in.legacy
from torchthaw.legacy import install, running

del sys.argv[0]
running.set_environment()
install()
if not sys.argv[0].endswith(".py"):
    sys.exit(subprocess.call(running.command(sys.argv)))
sys.path[0] = os.getcwd()
runpy.run_path(sys.argv[0], run_name="__main__")
"""


@pytest.mark.parametrize("scripts", [["make.sh", "build.py"], ["build.py"]], ids=["script", "build file"])
def test_the_example(tmp_path, scripts):
    made = shutil.ignore_patterns("__pycache__", "_ext", "build", "*.o")
    folder = shutil.copytree(thc_probe.ROOT / "examples" / "legacy" / "cuda", tmp_path / "cuda", ignore=made)
    for script in scripts:
        thc_probe.run(sys.executable, "-c", RUN, script, cwd=folder)
    assert thc_probe.run(sys.executable, "-c", RUN, "test.py", cwd=folder) == "ok\n"
