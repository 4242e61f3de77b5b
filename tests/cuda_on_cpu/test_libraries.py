"""tests/cuda_on_cpu/test_libraries.py: libmy_lib_cuda, libthc and what uses them, with CUDA on the CPU: the tests for a GPU."""

import os
import re
import shutil
import subprocess
import sys

import pytest

from support import ROOT, TESTS, cuda_device

pytestmark = [
    pytest.mark.timeout(900),
    *cuda_device.NEEDED,
]


def run(*words, cwd=ROOT, **variables):
    """What `run` prints with these words."""
    paths = os.pathsep.join(map(str, (ROOT / "src", ROOT, TESTS)))
    done = subprocess.run(
        [sys.executable, "-m", "torchthaw", "run", *map(str, words)], cwd=cwd, text=True, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, env={**os.environ, "PYTHONPATH": paths, "TORCHTHAW_CUDA": "cpu", **variables},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("topic, least", [("operators", 35), ("legacy", 15), ("sample", 2)])
def test_the_tests_for_a_gpu(topic, least):
    out = run("-m", "pytest", "-q", "-p", "no:cacheprovider", TESTS / "cuda" / "gpu" / f"test_gpu_{topic}.py")
    assert int(re.search(r"(\d+) passed", out)[1]) >= least, out


@pytest.mark.slow
@pytest.mark.parametrize("name, scripts", [
    ("cuda", ["make.sh", "build.py"]), ("cuda", ["build.py"]),
    ("cuda_linear", ["make.sh"]), ("cuda_linear", ["build.py"]),
], ids=["script", "build file", "linear-script", "linear-build file"])  # fmt: skip
def test_the_example(tmp_path, name, scripts):
    made = shutil.ignore_patterns("__pycache__", "_ext", "build", "*.o")
    folder = shutil.copytree(ROOT / "examples" / "legacy" / name, tmp_path / name, ignore=made)
    for script in scripts:
        run(script, cwd=folder)
    assert run("test.py", cwd=folder).endswith("ok\n")
