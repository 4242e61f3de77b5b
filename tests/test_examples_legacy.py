# tests/test_examples_legacy.py: the legacy projects of examples/legacy, copied and run as a user would, unmodified.
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def project(tmp_path):
    def copy(name):
        made = shutil.ignore_patterns("__pycache__", "_ext", "build")
        shutil.copytree(ROOT / "examples" / "legacy" / name, tmp_path / name, ignore=made)
        return tmp_path / name

    return copy


def run(folder, *arguments, **environment):
    """What ``python -m torchthaw run ARGUMENTS…`` prints in ``folder``."""
    result = subprocess.run(
        [sys.executable, "-m", "torchthaw", "run", *arguments],
        cwd=folder, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
    )  # fmt: skip
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def test_script_project(project):
    folder = project("script")
    run(folder, "build.py")
    made = sorted(path.name for path in (folder / "_ext" / "my_lib").iterdir())
    assert made == ["__init__.py", "_my_lib.so"]
    assert run(folder, "test.py").splitlines()[-1] == "ok"


@pytest.mark.parametrize("command", [["setup.py", "-q", "build_ext", "--inplace"], ["build.py"]], ids=lambda c: c[0])
def test_package_project(project, command):
    folder = project("package")
    run(folder, *command)
    assert run(folder, "test.py").splitlines()[-1] == "ok"


PROBE = """
import warnings
import torch
from _ext import my_lib

a, output = torch.ones(2, 3).t(), torch.zeros(3, 2)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    my_lib.my_lib_add_forward(a, a.contiguous(), output)
print(*(str(warning.message) for warning in caught), sep="\\n")
"""


@pytest.mark.parametrize("debug, expected", [("1", "my_lib_add_forward: argument 1 is not contiguous"), ("0", "")])
def test_debug_mode_names_the_tensor_that_is_not_contiguous(project, debug, expected):
    folder = project("script")
    run(folder, "build.py")
    (folder / "probe.py").write_text(PROBE)
    printed = run(folder, "probe.py", TORCHTHAW_DEBUG=debug).strip()
    assert printed.startswith(expected) and bool(printed) == bool(expected)
