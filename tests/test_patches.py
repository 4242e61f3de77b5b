# tests/test_patches.py: the patches of PyTorch for old code, each made and undone alone, and switched off.
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from torch.autograd import Function, Variable

from torchthaw.legacy import patches

ROOT = Path(__file__).resolve().parents[1]
OWNERS = (
    torch.Tensor, torch.autograd, type(Variable), Variable, Function, torch.autograd.function.BackwardCFunction,
    torch.autograd.function.FunctionMeta, torch.autograd.function.FunctionCtx, torch,
)  # fmt: skip


@pytest.mark.parametrize("name", [name for name, _, _ in patches.listing()])
def test_each_patch_alone(name):
    before = [dict(vars(owner)) for owner in OWNERS]
    patches.install(name)
    assert [entry[0] for entry in patches.listing() if entry[2]] == [name]
    during = [dict(vars(owner)) for owner in OWNERS]
    assert before != during
    patches.install(name)  # again: nothing happens
    patches.uninstall(name)
    assert before == [dict(vars(owner)) for owner in OWNERS]


def test_unknown_patch():
    with pytest.raises(ValueError, match="name: expected one of instance_functions, .*, got 'creators'"):
        patches.install("creators")


def test_a_failing_patch_leaves_nothing(monkeypatch):
    from torchthaw.legacy import variable

    def half():
        yield variable.Change(torch.Tensor, "creator", 1)
        raise RuntimeError("half way")

    monkeypatch.setattr(variable, "creator", half)
    with pytest.raises(RuntimeError, match="half way"):
        patches.install("creator")
    assert "creator" not in vars(torch.Tensor) and not patches.PATCHES.made("creator")


@pytest.mark.parametrize("value, off", [("creator, data_owner", ["creator", "data_owner"]), ("all", None), ("", [])])
def test_environment_switches_patches_off(monkeypatch, value, off):
    monkeypatch.setenv("TORCHTHAW_NO_PATCH", value)
    names = [name for name, _, _ in patches.listing()]
    patches.install()
    made = [name for name, _, made in patches.listing() if made]
    patches.uninstall()
    assert made == ([] if off is None else [name for name in names if name not in off])


def test_environment_with_an_unknown_name(monkeypatch):
    monkeypatch.setenv("TORCHTHAW_NO_PATCH", "volatil")
    with pytest.raises(ValueError, match="TORCHTHAW_NO_PATCH: .*got 'volatil'"):
        patches.install()


def test_listing_imports_no_torch():
    code = "import sys; from torchthaw.legacy import patches; patches.listing(); print('torch' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert (result.stdout, result.stderr) == ("False\n", "")
