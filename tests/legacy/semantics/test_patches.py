# tests/legacy/semantics/test_patches.py: the patches of PyTorch for old code, each made and undone alone, and switched
# off.
import inspect
import re
import subprocess
import sys
import warnings

import pytest
import torch
import torch.utils.cpp_extension
from torch.autograd import Function, Variable

from support import ROOT
from torchthaw.legacy import patches

OWNERS = (
    torch.Tensor, torch.autograd, type(Variable), Variable, Function, torch.autograd.function.BackwardCFunction,
    torch.autograd.function.FunctionMeta, torch.autograd.function.FunctionCtx, torch,
    torch.utils.cpp_extension, torch.utils.cpp_extension.BuildExtension,
)  # fmt: skip


@pytest.fixture(autouse=True, scope="module")
def none_made():
    """The import of torch.utils.cpp_extension, above, made its patch."""
    patches.uninstall("cpp_extension")


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


class Bound:
    """As a classmethod of C, which PyTorch 2.14 made of Function.apply: it can be bound, and has no __func__."""

    def __init__(self, method):
        self.method = method

    def __get__(self, instance, owner=None):
        return self.method.__get__(instance, owner)


class Twice(Function):
    @staticmethod
    def forward(ctx, x):
        return 2 * x

    @staticmethod
    def backward(ctx, gradient):
        return 2 * gradient


@pytest.mark.parametrize("of_c", [False, True], ids=["as-it-is", "of-c"])
def test_volatile_wraps_any_apply(monkeypatch, of_c):
    if of_c:
        monkeypatch.setattr(Function, "apply", Bound(inspect.getattr_static(Function, "apply")))
    patches.install("volatile")
    try:
        x = torch.ones(2, requires_grad=True)
        assert Twice.apply(x).grad_fn is not None and not Twice.apply(x).volatile
        result = Twice.apply(Variable(torch.ones(2), volatile=True))
        assert result.volatile and result.tolist() == [2, 2] and result.grad_fn is None
    finally:
        patches.uninstall()


def test_unknown_patch():
    with pytest.raises(ValueError, match="name: expected one of instance_functions, .*, got 'creators'"):
        patches.install("creators")


def test_a_failing_patch_leaves_nothing(monkeypatch):
    from torchthaw.legacy import variable

    def half():
        yield variable.Change(torch.Tensor, "creator", 1)
        raise RuntimeError("half way")

    monkeypatch.setattr(variable, "creator", half)
    refused = f"the patch 'creator' is not available with PyTorch {re.escape(torch.__version__)} .RuntimeError: half way.. "
    with pytest.warns(UserWarning, match=refused + "This will not work: x.creator, "):
        patches.install("creator")
    assert "creator" not in vars(torch.Tensor) and not patches.PATCHES.made("creator")
    assert patches.unavailable() == {"creator": "RuntimeError: half way"}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        patches.install("creator")  # nothing is said twice
    monkeypatch.undo()
    patches.install("creator")
    assert patches.PATCHES.made("creator") and patches.unavailable() == {}
    patches.uninstall()


def test_interrupting_a_patch_leaves_nothing(monkeypatch):
    from torchthaw.legacy import variable

    def half():
        yield variable.Change(torch.Tensor, "creator", 1)
        raise KeyboardInterrupt

    monkeypatch.setattr(variable, "creator", half)
    with pytest.raises(KeyboardInterrupt):
        patches.install("creator")
    assert "creator" not in vars(torch.Tensor) and not patches.PATCHES.made("creator")


def test_every_patch_is_available_here():
    before = [dict(vars(owner)) for owner in OWNERS]
    assert patches.unavailable() == {}
    assert before == [dict(vars(owner)) for owner in OWNERS]


@pytest.mark.parametrize("value, off", [("creator, data_owner", ["creator", "data_owner"]), ("all", None), ("", [])])
def test_environment_switches_patches_off(monkeypatch, value, off):
    monkeypatch.setenv("TORCHTHAW_NO_PATCH", value)
    names = [name for name, _, _ in patches.listing() if name != "cpp_extension"]  # which its module's import makes
    patches.install()
    made = [name for name, _, made in patches.listing() if made]
    patches.uninstall()
    assert made == ([] if off is None else [name for name in names if name not in off])


def test_environment_with_an_unknown_name(monkeypatch):
    monkeypatch.setenv("TORCHTHAW_NO_PATCH", "volatil")
    with pytest.raises(ValueError, match="TORCHTHAW_NO_PATCH: .*got 'volatil'"):
        patches.install()


EXIT = """
import torchthaw, torch.utils.ffi
from torchthaw.legacy import data_owner

x = torch.ones(3)
kept = x.data
# What the end of an interpreter does to modules that something still refers to.
for name in list(vars(data_owner)):
    setattr(data_owner, name, None)
del kept
"""


def test_data_outlives_the_globals_of_its_module():
    result = subprocess.run([sys.executable, "-c", EXIT], cwd=ROOT, capture_output=True, text=True)
    assert (result.returncode, result.stderr) == (0, "")


def test_listing_imports_no_torch():
    code = "import sys; from torchthaw.legacy import patches; patches.listing(); print('torch' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert (result.stdout, result.stderr) == ("False\n", "")
