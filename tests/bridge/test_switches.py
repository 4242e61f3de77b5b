"""tests/bridge/test_switches.py: environment variables that are 0 or 1: not set and empty are 0, anything else is an
error that names the variable."""

import json
import os
import re
import subprocess
import sys

import pytest

from support import ROOT
from support.messages import names
from torchthaw.base import config

# Variable -> what shows whether it is on, as True or False.
SHOWS = {
    "TORCHTHAW_NO_DLPACK": "from torchthaw.bridge import pytorch; on = pytorch.access()[2] is None",
    "TORCHTHAW_NO_NUMPY_FIELDS": "import numpy; from torchthaw.bridge import arrays; on = not arrays.numpy_fields()",
    "TORCHTHAW_NO_NATIVE_KERNELS": """
from torchthaw.bridge import _bridge
library = torch.library.Library("of_switches", "FRAGMENT")
library.define("failing(Tensor input) -> ()")
on = not _bridge.register_failure("of_switches", "failing")
""",
    "TORCHTHAW_BUILD_CUDA": "from torchthaw.legacy.run import pretend_cuda; on = pretend_cuda.wanted()",
    "TORCHTHAW_DEBUG": "from torchthaw.legacy.ffi import debug; on = debug.enabled()",
}
NEW = {"TORCHTHAW_NO_DLPACK", "TORCHTHAW_NO_NATIVE_KERNELS"}  # without them it is off in PyTorch from 2.10 on alone


# Each case runs in a fork of one process that has imported PyTorch and nothing of torchthaw.
ANSWER = """
import json, os, sys
import torch

def answer(variable, value, code):
    read, write = os.pipe()
    if os.fork():
        os.close(write)
        with open(read) as answer:
            return answer.read()
    os.environ.pop(variable, None)
    if value is not None:
        os.environ[variable] = value
    try:
        found = {"torch": torch}
        exec(code, found)
        said = str(found["on"])
    except Exception as error:
        said = f"{type(error).__name__}: {error}"
    os.write(write, said.encode())
    os._exit(0)

cases = json.load(sys.stdin)
json.dump([[variable, value, answer(variable, value, code)] for variable, value, code in cases], sys.stdout)
"""


@pytest.fixture(scope="module")
def shown():
    """{(variable, its value or None): what shows whether it is on, or the error}"""
    cases = [(name, value, code) for name, code in SHOWS.items() for value in (None, "", "0", "1", "yes")]
    done = subprocess.run(
        [sys.executable, "-c", ANSWER], cwd=ROOT, input=json.dumps(cases), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return {(variable, value): said for variable, value, said in json.loads(done.stdout)}


@pytest.mark.slow
@pytest.mark.parametrize("variable", SHOWS)
def test_on_and_off(shown, variable):
    without = shown[variable, None]
    assert shown[variable, "1"] == "True"
    assert shown[variable, ""] == shown[variable, "0"] == without
    assert without == "False" or (variable in NEW and without == "True")


@pytest.mark.slow
@pytest.mark.parametrize("variable", SHOWS)
def test_what_is_not_understood(shown, variable):
    assert re.match(names("ValueError", variable, "0", "1", "'yes'"), shown[variable, "yes"])


@pytest.mark.slow
def test_what_is_not_understood_stops_no_other_import():
    """install() looks at the variable when torch.cuda is imported, not at each import."""
    script = "import torchthaw.legacy; torchthaw.legacy.install(); import wave; print(wave.__name__); import torch.cuda"
    environment = {**os.environ, "TORCHTHAW_BUILD_CUDA": "yes"}
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.stdout == "wave\n" and re.search(names("TORCHTHAW_BUILD_CUDA", "0", "1", "'yes'"), done.stderr)


def test_values(monkeypatch):
    for value, expected in (("", False), ("0", False), ("1", True)):
        monkeypatch.setenv("TORCHTHAW_DEBUG", value)
        assert config.switch("TORCHTHAW_DEBUG") is expected
    for value in ("2", "01", " 1", "true", "\xe9"):
        monkeypatch.setenv("TORCHTHAW_DEBUG", value)
        with pytest.raises(ValueError, match=names("TORCHTHAW_DEBUG", "0", "1")):
            config.switch("TORCHTHAW_DEBUG")


def test_lists(monkeypatch):
    for value, expected in (("", []), (" ", []), ("a", ["a"]), (" a, b,,c ", ["a", "b", "c"])):
        monkeypatch.setenv("TORCHTHAW_NO_PATCH", value)
        assert config.words("TORCHTHAW_NO_PATCH") == expected
    monkeypatch.delenv("TORCHTHAW_NO_PATCH")
    assert config.words("TORCHTHAW_NO_PATCH") == []
