"""tests/bridge/test_switches.py: environment variables that are 0 or 1: not set and empty are 0, anything else is an
error that names the variable."""

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
    "TORCHTHAW_BUILD_CUDA": "from torchthaw.legacy import availability; on = availability.wanted()",
    "TORCHTHAW_DEBUG": "from torchthaw.legacy import debug; on = debug.enabled()",
}
NEW = {"TORCHTHAW_NO_DLPACK", "TORCHTHAW_NO_NATIVE_KERNELS"}  # without them it is off in PyTorch from 2.10 on alone


def shown(variable, value):
    """What became of a process that shows whether the variable is on."""
    given = {name: each for name, each in os.environ.items() if name != variable}
    script = f"import torch\n{SHOWS[variable]}\nprint(on)"
    environment = given if value is None else {**given, variable: value}
    return subprocess.run([sys.executable, "-c", script], cwd=ROOT, env=environment, capture_output=True, text=True)


@pytest.mark.parametrize("variable", SHOWS)
def test_on_and_off(variable):
    without = shown(variable, None)
    assert without.returncode == 0, without.stderr
    assert shown(variable, "1").stdout == "True\n"
    for value in ("", "0"):
        assert shown(variable, value).stdout == without.stdout, value
    if variable not in NEW:
        assert without.stdout == "False\n"


@pytest.mark.parametrize("variable", SHOWS)
def test_what_is_not_understood(variable):
    done = shown(variable, "yes")
    assert done.returncode == 1 and re.search(names("ValueError", variable, "0", "1", "'yes'"), done.stderr)


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
