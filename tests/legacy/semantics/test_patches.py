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
from support.messages import names
from torchthaw.legacy import served_modules
from torchthaw.legacy.patching import Change, Patch, PatchTable
from torchthaw.legacy.run import patches, torch_first

OWNERS = (
    torch.Tensor, torch.autograd, type(Variable), Variable, Function, torch.autograd.function.BackwardCFunction,
    torch.autograd.function.FunctionMeta, torch.autograd.function.FunctionCtx, torch,
    torch.utils.cpp_extension, torch.utils.cpp_extension.BuildExtension, served_modules.Served,
    sys.modules["distutils.command.build_ext"].build_ext, torch_first.TorchFirst,
)  # fmt: skip


@pytest.fixture(autouse=True, scope="module")
def none_made():
    """Imports, those of other files of tests too, made some."""
    made = [name for name, _, is_made in patches.listing() if is_made]
    patches.uninstall()
    yield
    patches.install(*made) if made else None


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
    with pytest.raises(ValueError, match=names("name", "instance_functions", "'creators'")):
        patches.install("creators")


def test_a_failing_patch_leaves_nothing(monkeypatch):
    from torchthaw.legacy.ffi import variable

    def half():
        yield variable.Change(torch.Tensor, "creator", 1)
        raise RuntimeError("half way")

    monkeypatch.setattr(variable, "creator", half)
    refused = (
        f"the patch 'creator' is not available with PyTorch {re.escape(torch.__version__)} .RuntimeError: half way.. "
    )
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
    from torchthaw.legacy.ffi import variable

    def half():
        yield variable.Change(torch.Tensor, "creator", 1)
        raise KeyboardInterrupt

    monkeypatch.setattr(variable, "creator", half)
    with pytest.raises(KeyboardInterrupt):
        patches.install("creator")
    assert "creator" not in vars(torch.Tensor) and not patches.PATCHES.made("creator")


def test_what_another_library_put_on_top_stays():
    """Removing ours from below it would remove it too."""
    before = dict(vars(torch.Tensor))
    patches.install("retain_variables", "volatile", "creator")
    ours = torch.Tensor.backward

    def theirs(self, *args, **kwargs):
        return ours(self, *args, **kwargs)

    torch.Tensor.backward = theirs
    try:
        said = "the patch 'retain_variables' stays: Tensor.backward is not what the patch put there"
        with pytest.warns(UserWarning, match=said) as caught:
            patches.uninstall()
        assert len(caught) == 1
        assert torch.Tensor.backward is theirs and [name for name, _, made in patches.listing() if made] == [
            "retain_variables"
        ]
        x = torch.ones(2, requires_grad=True)
        (x * x).sum().backward(retain_variables=True)
        torch.Tensor.backward = ours
    finally:
        torch.Tensor.backward = ours
        patches.uninstall()
    assert before == dict(vars(torch.Tensor)) and not any(made for _, _, made in patches.listing())


def test_a_patch_below_one_that_stays(monkeypatch):
    """Two patches of one attribute: neither can be undone while something of others is on top."""

    class Owner:
        def method(self):
            return 1

    def adding(number):
        def changes():
            below = Owner.method
            yield Change(Owner, "method", lambda self: below(self) + number)

        return changes

    from torchthaw.legacy.ffi import variable

    for number in (10, 100, 1000):
        monkeypatch.setattr(variable, f"add_{number}", adding(number), raising=False)
    numbers = (10, 100, 1000)
    table = PatchTable("patch", *(Patch(f"{n}", "nothing", f"ffi.variable:add_{n}") for n in numbers))
    table.make()
    assert Owner().method() == 1111
    ours = Owner.method
    Owner.method = lambda self: -ours(self)
    with pytest.warns(UserWarning, match=names("patch", "'10'", "Owner.method")):
        table.undo("10")
    assert Owner().method() == -1111 and all(map(table.made, ("10", "100", "1000")))
    Owner.method = ours
    table.undo("100")
    assert Owner().method() == 1011 and table.made("1000") and not table.made("100")
    table.undo()
    assert Owner().method() == 1


def test_patches_after_one_that_stays_are_left_alone(monkeypatch):
    class Owner:
        pass

    from torchthaw.legacy.ffi import variable

    made = []

    def changes_of(name):
        def changes():
            made.append(name)
            yield variable.Change(Owner, name, 1)

        return changes

    names = "first", "second", "third"
    for name in names:
        monkeypatch.setattr(variable, f"make_{name}", changes_of(name), raising=False)
    table = PatchTable("patch", *(Patch(name, "nothing", f"ffi.variable:make_{name}") for name in names))
    table.make()
    Owner.third = 2
    with pytest.warns(UserWarning, match="the patch 'third' stays"):
        table.undo("third")
    assert made == [*names] and all(map(table.made, names))


DYNAMO = """
import torch, torchthaw.legacy.run.patches as patches
Function = torch.autograd.Function
before = dict(vars(Function))
patches.install()
ours = Function.__call__
import torch._dynamo
assert Function.__call__ is not ours
patches.uninstall()
assert before == dict(vars(Function)) and not any(made for _, _, made in patches.listing())
"""


@pytest.mark.slow
def test_what_the_import_of_dynamo_changes_is_undone():
    command = [sys.executable, "-W", "error:torchthaw", "-c", DYNAMO]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert (result.returncode, result.stderr) == (0, "")


RELOAD = """
import importlib, sys
import torchthaw.legacy
torchthaw.legacy.install()
import torch.utils.cpp_extension as module

first = module.load
module = importlib.reload(module)
assert module.load is not first
print(module.load.__module__, module.load.__wrapped__.__module__, hasattr(module.load.__wrapped__, "__wrapped__"))
print(module.BuildExtension.build_extensions.__wrapped__.__module__)
from torchthaw.legacy.run import finder, patches
patches.uninstall("cpp_extension")
print(hasattr(module.load, "__wrapped__"), hasattr(module.BuildExtension.build_extensions, "__wrapped__"))
"""


@pytest.mark.slow
def test_a_reloaded_module_is_patched_again():
    result = subprocess.run([sys.executable, "-c", RELOAD], cwd=ROOT, capture_output=True, text=True)
    name = "torch.utils.cpp_extension"  # which says on stderr where CUDA is, from PyTorch 2.15 on
    assert (result.returncode, result.stdout) == (0, f"{name} {name} False\n{name}\nFalse False\n"), result.stderr


def test_other_finders_get_the_target_of_a_reload(monkeypatch):
    from torchthaw.base import import_hook

    got = []

    class Other:
        @staticmethod
        def find_spec(name, path=None, target=None):
            got.append((name, path, target))

    monkeypatch.setattr(sys, "meta_path", [import_hook.Finder, Other])
    monkeypatch.setitem(import_hook._always, "torch.utils.cpp_extension", [])
    import_hook.Finder.find_spec("torch.utils.cpp_extension", ["folder"], torch.utils.cpp_extension)
    assert got == [("torch.utils.cpp_extension", ["folder"], torch.utils.cpp_extension)]


def test_every_patch_is_available_here():
    before = [dict(vars(owner)) for owner in OWNERS]
    assert patches.unavailable() == {}
    assert before == [dict(vars(owner)) for owner in OWNERS]


@pytest.mark.parametrize("value, off", [("creator, data_owner", ["creator", "data_owner"]), ("all", None), ("", [])])
def test_environment_switches_patches_off(monkeypatch, value, off):
    monkeypatch.setenv("TORCHTHAW_NO_PATCH", value)
    names = [name for name, _, _ in patches.listing() if name not in patches.OF_MODULE.values()]  # by imports
    patches.install()
    made = [name for name, _, made in patches.listing() if made]
    patches.uninstall()
    assert made == ([] if off is None else [name for name in names if name not in off])


def test_environment_with_an_unknown_name(monkeypatch):
    monkeypatch.setenv("TORCHTHAW_NO_PATCH", "volatil")
    with pytest.raises(ValueError, match="TORCHTHAW_NO_PATCH: .*got 'volatil'"):
        patches.install()


EXIT = """
import torch
import torchthaw.legacy
torchthaw.legacy.install()
from torchthaw.legacy.ffi import data_owner

x = torch.ones(3)
kept = x.data
# What the end of an interpreter does to modules that something still refers to.
for name in list(vars(data_owner)):
    setattr(data_owner, name, None)
del kept
"""


@pytest.mark.slow
def test_data_outlives_the_globals_of_its_module():
    result = subprocess.run([sys.executable, "-c", EXIT], cwd=ROOT, capture_output=True, text=True)
    assert (result.returncode, result.stderr) == (0, "")


def test_listing_imports_no_torch():
    code = "import sys; from torchthaw.legacy.run import patches; patches.listing(); print('torch' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert (result.stdout, result.stderr) == ("False\n", "")
