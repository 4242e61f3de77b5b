"""tests/derivatives/test_package_of_the_guide.py: the package of docs/write-an-operator.md, built as a reader builds it."""

import importlib
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from support import ROOT, SRC, derivatives
from support.graphs import captured

GUIDE = ROOT / "docs" / "write-an-operator.md"


@pytest.fixture(scope="module")
def smooth(tmp_path_factory):
    folder = tmp_path_factory.mktemp("guide")
    block = re.search(r"## In a package\n.*?```sh\n(.*?)```", GUIDE.read_text() if GUIDE.exists() else "", re.DOTALL)[1]
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    paths = {"PYTHONPATH": str(SRC)} if SRC.exists() else {}  # of another PyTorch's environment: the wheel
    done = subprocess.run(
        ["sh", "-euc", block], cwd=folder, env={**os.environ, "PATH": path, **paths}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    sys.path.insert(0, str(folder / "build" / "smoothing"))
    try:
        module = importlib.import_module("smoothing")
    finally:
        del sys.path[0]
    module.smooth.expect, module.smooth.rule = module.formula, "lower"
    return module.smooth


def given():
    x = torch.randn(3, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(6))
    return [x.requires_grad_(), 0.5]


@pytest.mark.slow
@pytest.mark.parametrize("check", derivatives.EAGER, ids=lambda check: check.__name__)
def test_in_eager_mode(smooth, check):
    check(smooth, given())


@pytest.mark.slow
@captured
@pytest.mark.parametrize("check", derivatives.COMPILED, ids=lambda check: check.__name__)
def test_in_graphs(smooth, check):
    check(smooth, given())
