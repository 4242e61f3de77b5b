"""tests/bindings/test_python.py: bindings/python, in a process of its own, which never imports PyTorch."""

import os
import subprocess
import sys

import pytest

from support import ROOT
from torchthaw.base import config

FOLDER = ROOT / "bindings" / "python"
VECTORS = ROOT / "bindings" / "vectors"


def run(*arguments, **variables):
    environment = {**os.environ, "MY_LIB": str(config.library("my_lib")), "PYTHONPATH": str(FOLDER), **variables}
    environment["PYTHONDONTWRITEBYTECODE"] = "1"
    return subprocess.run([sys.executable, *map(str, arguments)], env=environment, capture_output=True, text=True)


@pytest.mark.parametrize("arguments", [["version"], ["vectors", VECTORS], ["threads"]], ids=lambda each: each[0])
def test_the_test_program(arguments):
    done = run(FOLDER / "check" / "check.py", *arguments)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(arguments[0])


def test_pytorch_is_not_imported():
    done = run("-c", "import sys, my_lib; assert 'torch' not in sys.modules; print(my_lib.version())")
    assert (done.returncode, done.stdout.strip()) == (0, config.__version__)


@pytest.mark.parametrize(
    "path, text", [("/nowhere/libmy_lib.so.1", "cannot open shared object file"), ("libm.so.6", "undefined symbol")]
)
def test_a_missing_or_wrong_library_is_an_import_error(path, text):
    done = run("-c", "import my_lib", MY_LIB=path)
    error = done.stderr.strip().splitlines()[-1]
    assert done.returncode == 1 and error.startswith("ImportError: ") and text in error and "MY_LIB" in error


def test_an_output_may_be_an_input_and_an_error_can_be_pickled():
    code = """
import pickle, numpy, my_lib
x = numpy.arange(6, dtype="f4").reshape(2, 3)
y = my_lib.add_forward(x, x, x)
assert y is x and y.tolist() == [[0, 2, 4], [6, 8, 10]]
first, second = my_lib.add_backward(x, x, False)
assert first is x and second is None
try:
    my_lib.add_forward(x, numpy.zeros((2, 4), "f4"))
except my_lib.MyLibError as error:
    again = pickle.loads(pickle.dumps(error))
    assert (again.code, again.name, again.message) == (error.code, error.name, error.message) == (
        5, "MY_LIB_ERROR_SHAPE_MISMATCH", "input2: expected shape (2, 3), got (2, 4)")
else:
    raise AssertionError
"""
    done = run("-c", code)
    assert done.returncode == 0, done.stderr


def test_workspaces_grow_and_stay():
    code = """
import numpy, my_lib
workspace = my_lib.Workspace()
x = numpy.ones((64, 64), "f4")
my_lib.linear_forward(x, x, workspace=workspace)
size = workspace.nbytes
my_lib.linear_forward(x[:8], x, workspace=workspace)
assert workspace.nbytes == size > 0
"""
    done = run("-c", code)
    assert done.returncode == 0, done.stderr
