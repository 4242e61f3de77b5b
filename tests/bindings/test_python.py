"""tests/bindings/test_python.py: bindings/python, in a process of its own, which never imports PyTorch."""

import os
import subprocess
import sys

import pytest

from support import ROOT, SRC
from torchthaw.base import config

FOLDER = ROOT / "bindings" / "python"


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The folder with the package, of a prefix that has the header and the library."""
    folder = tmp_path_factory.mktemp("python")
    (folder / "include").symlink_to(config.my_lib_includes())
    (folder / "lib").symlink_to(config.library("my_lib").parent)
    run(FOLDER / "build.py", folder / "built", folder=folder)
    return folder


def run(*arguments, folder):
    paths = os.pathsep.join([str(folder / "built"), str(SRC)])
    done = subprocess.run(
        [sys.executable, *map(str, arguments)], capture_output=True, text=True,
        env={**os.environ, "PREFIX": str(folder), "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [["version"], ["vectors", ROOT / "bindings" / "vectors"], ["threads"]],
                         ids=lambda each: each[0])  # fmt: skip
def test_the_test_program(arguments, built):
    assert run(FOLDER / "check" / "check.py", *arguments, folder=built).startswith(arguments[0])


@pytest.mark.slow
def test_pytorch_is_not_imported(built):
    run("-c", "import sys, my_lib; assert 'torch' not in sys.modules", folder=built)
