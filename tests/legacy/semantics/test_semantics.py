# tests/legacy/semantics/test_semantics.py: the opt-in items that restore what PyTorch changed in silence, and the debug
# mode.
import abc
import os
import subprocess
import sys
import warnings

import pytest
import torch
import torch.nn.functional as F

import torchthaw.legacy
from support import ROOT
from support.messages import names
from torchthaw.doctor.rules import RULES
from torchthaw.legacy.ffi import debug, semantics
from torchthaw.legacy.ffi.semantics import memory
from torchthaw.legacy.patching import Change, Patch, PatchTable
from torchthaw.legacy.run import patches

OWNERS = (
    torch, torch.Tensor, torch.nn.functional, torch.linalg, torch.testing, torch.nn.Parameter, torch.autograd.Function,
    torch.autograd.Variable,
)  # fmt: skip


def functions_of_six(six):
    with pytest.raises(KeyError) as caught:
        six.raise_from(KeyError("new"), ValueError("cause"))
    made = six.with_metaclass(abc.ABCMeta, dict)
    is_right = isinstance(caught.value.__cause__, ValueError) and type(made) is abc.ABCMeta and issubclass(made, dict)
    return is_right and six.istuple((1,)) and not six.istuple([1])


@pytest.fixture(autouse=True)
def undone():
    yield
    semantics.disable()
    patches.uninstall()


def state():
    return [dict(vars(owner)) for owner in OWNERS]


def made():
    return [name for name, _, is_made in semantics.SEMANTICS.listing() if is_made]


# item: what holds with it, and does not without.
def raises(function):
    try:
        return not function()
    except Exception:
        return True


def assigned(index, value):
    """Four zeros, or the second of two columns of them, after ``value`` was put at ``index``."""
    x = torch.zeros(4, 2) if isinstance(index, tuple) else torch.zeros(4)
    x[index] = value
    return (x[:, 1] if isinstance(index, tuple) else x).tolist()


T = torch.arange(6.0).view(2, 3).t()  # transposed: not contiguous
INTEGERS = torch.tensor([5, -5, 7])
FOUR_D = torch.randn(1, 4, 5, 3).permute(0, 3, 1, 2)  # the strides of channels_last

WITH = {
    "contiguous-clone": lambda: T.clone().is_contiguous(),
    "contiguous-zeros_like": lambda: torch.zeros_like(T).is_contiguous(),
    "contiguous-relu": lambda: torch.relu(T).is_contiguous() and F.relu(T).is_contiguous() and T.relu().is_contiguous(),
    "contiguous-where": lambda: torch.where(T > 2, T, T).is_contiguous(),
    "contiguous-sort": lambda: all(part.is_contiguous() for part in T.sort(0)),
    "contiguous-float": lambda: T.double().is_contiguous(),
    "contiguous-type": lambda: T.type(torch.DoubleTensor).is_contiguous() and T.int().is_contiguous(),
    "contiguous-add": lambda: (T + 1).is_contiguous() and (T + T).is_contiguous() and (1 - T).is_contiguous(),
    "contiguous-mul": lambda: T.mul(2).is_contiguous() and torch.mul(T, T).is_contiguous() and (-T).is_contiguous(),
    "contiguous-exp": lambda: T.exp().is_contiguous() and torch.tanh(T).is_contiguous() and (T**2).is_contiguous(),
    "contiguous-compare": lambda: (T > 2).is_contiguous() and T.eq(T).is_contiguous(),
    "contiguous-nonzero": lambda: (T > 2).nonzero().is_contiguous(),
    "contiguous-inverse": lambda: torch.inverse(torch.eye(3) + 1).is_contiguous(),
    "contiguous-svd": lambda: all(part.is_contiguous() for part in torch.svd(torch.randn(3, 3))),
    "contiguous-solve": lambda: torch.linalg.solve(torch.eye(3) + 1, torch.randn(3, 3)).is_contiguous(),
    "contiguous-conv2d": lambda: torch.nn.Conv2d(3, 2, 2)(FOUR_D).is_contiguous(),
    "contiguous-batch_norm": lambda: torch.nn.BatchNorm2d(3)(FOUR_D).is_contiguous(),
    "contiguous-max_pool2d": lambda: F.max_pool2d(FOUR_D, 2).is_contiguous(),
    "integer_division-operator": lambda: (INTEGERS / 2).tolist() == [2, -2, 3],
    "integer_division-tensors": lambda: (INTEGERS / INTEGERS.abs()).dtype is torch.int64,
    "integer_division-reverse": lambda: (7 / INTEGERS).tolist() == [1, -1, 1],
    "integer_division-div": lambda: INTEGERS.div(2).tolist() == torch.div(INTEGERS, 2).tolist() == [2, -2, 3],
    "integer_division-div_": lambda: INTEGERS.clone().div_(2).tolist() == [2, -2, 3],
    "integer_division-in-place-operator": lambda: INTEGERS.clone().__itruediv__(2.5).tolist() == [2, -2, 3],
    "integer_division-in-place": lambda: exec("x = x.clone(); y = x; x /= 2; assert y is x", {"x": INTEGERS}) is None,
    "arange": lambda: torch.arange(3).dtype is torch.float32 and torch.arange(0, 6, 2).tolist() == [0, 2, 4],
    "scalar_index": lambda: torch.ones(3).sum().data[0] == 3.0 and isinstance(torch.ones(3).sum().data[0], float),
    "copy_shapes-copy_": lambda: torch.zeros(6).copy_(T).tolist() == [0, 3, 1, 4, 2, 5],
    "copy_shapes-column": lambda: assigned((slice(None), 1), torch.tensor([[1.0, 2], [3, 4]])) == [1, 2, 3, 4],
    "copy_shapes-rows": lambda: assigned(slice(None), torch.tensor([[1.0, 2], [3, 4]])) == [1, 2, 3, 4],
    "copy_shapes-mask": lambda: assigned(torch.tensor([1, 0, 0, 1]).bool(), torch.ones(2, 1)) == [1, 0, 0, 1],
    "tensor_index": lambda: T.index((torch.tensor([0]), torch.tensor([1]))).tolist() == [3],
    "integer_requires_grad-Parameter": lambda: not torch.nn.Parameter(torch.LongTensor([1])).requires_grad,
    "integer_requires_grad-method": lambda: not INTEGERS.clone().requires_grad_().requires_grad,
    "integer_requires_grad-Variable": lambda: not torch.autograd.Variable(INTEGERS, requires_grad=True).requires_grad,
    "integer_requires_grad-assigned": lambda: setattr(INTEGERS.clone(), "requires_grad", True) is None,
    "method_out-mul": lambda: T.mul(2, out=(out := torch.empty(3, 2))) is out and out.tolist() == (T * 2).tolist(),
    "method_out-exp": lambda: T.exp(out=(out := torch.empty(3, 2))) is out and torch.equal(out, torch.exp(T)),
    "torch_six": lambda: __import__("torch._six")._six.string_classes == (str, bytes),
    "torch_six-from": lambda: exec("from torch._six import inf, container_abcs; assert inf > 1e300", {}) is None,
    "torch_six-functions": lambda: functions_of_six(__import__("torch._six")._six),
    "all_dtypes": lambda: torch.testing.get_all_dtypes() == [
        torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.float16, torch.float32, torch.float64,
    ],
    "align_corners-grid_sample": lambda: F.grid_sample(
        torch.arange(4.0).view(1, 1, 2, 2), torch.ones(1, 1, 1, 2)
    ).item() == 3,
    "align_corners-affine_grid": lambda: F.affine_grid(
        torch.eye(2, 3)[None], torch.Size([1, 1, 2, 2])
    )[0, 0, 0].tolist() == [-1, -1],
    "keepdim-sum": lambda: T.sum(1).shape == torch.sum(T, 1).shape == (3, 1) and T.sum(dim=0).shape == (1, 2),
    "keepdim-max": lambda: T.max(1)[0].shape == (3, 1) and T.max(1)[1].shape == (3, 1),
    "keepdim-norm": lambda: T.norm(2, 1).shape == (3, 1),
    "keepdim-last": lambda: T.mode()[0].shape == torch.mode(T)[1].shape == T.kthvalue(1)[0].shape == (3, 1),
}  # fmt: skip

# What stays as it is with the item.
STILL = {
    "contiguous-argument": lambda: F.dropout(T, training=False) is T and T.float() is T,
    "contiguous-view": lambda: not T.t().t().is_contiguous(),
    "contiguous-given": lambda: T.clone(memory_format=torch.preserve_format).stride() == T.stride(),
    "contiguous-out": lambda: torch.add(T, 1, out=torch.empty(2, 3).t()).stride() == T.stride(),
    "contiguous-in-place": lambda: T.add_(0) is T and T.stride() == (1, 3),
    "contiguous-named-tuple": lambda: T.sort(0).values.tolist() == T.tolist() and T.max(0).indices[0] == 2,
    "contiguous-gradient": lambda: torch.autograd.gradcheck(
        lambda x: (x.t() * 2).exp(), torch.ones(2, 3, dtype=torch.float64).requires_grad_()
    ),
    "integer_division-floats": lambda: (torch.ones(2) / 2).tolist() == [0.5, 0.5]
    and (INTEGERS / 2.0).tolist()[0] == 2.5,
    "integer_division-mode": lambda: torch.div(INTEGERS, 2, rounding_mode="floor").tolist() == [2, -3, 3],
    "integer_division-floats-in-place": lambda: torch.ones(2).div_(2).tolist() == [0.5, 0.5],
    "arange-dtype": lambda: torch.arange(3, dtype=torch.int32).dtype is torch.int32,
    "arange-out": lambda: torch.arange(3, out=torch.empty(0, dtype=torch.int64)).dtype is torch.int64,
    "scalar_index-vectors": lambda: isinstance(torch.ones(3)[0], torch.Tensor) and torch.ones(3)[1:].shape == (2,),
    "scalar_index-gradient": lambda: torch.ones(3, requires_grad=True).sum()[0].requires_grad,
    "scalar_index-beyond": lambda: raises(lambda: torch.ones(3).sum()[1]),
    "copy_shapes-broadcast": lambda: torch.zeros(2, 3).copy_(torch.ones(3)).sum() == 6
    and assigned((slice(None), 1), torch.ones(1)) == [1, 1, 1, 1] and assigned(0, 2) == [2, 0, 0, 0],
    "copy_shapes-other-counts": lambda: raises(lambda: torch.zeros(4).copy_(torch.ones(3)))
    and raises(lambda: assigned(slice(None), torch.ones(3))),
    "tensor_index-first-class": lambda: raises(lambda: T.index((1,), 3)),
    "integer_requires_grad-floats": lambda: torch.nn.Parameter(torch.ones(2)).requires_grad
    and torch.ones(2).requires_grad_().requires_grad and not torch.ones(2).requires_grad_(False).requires_grad,
    "method_out-without": lambda: T.mul(2).tolist() == (T * 2).tolist(),
    "align_corners-given": lambda: F.grid_sample(
        torch.arange(4.0).view(1, 1, 2, 2), torch.ones(1, 1, 1, 2), align_corners=False
    ).item() < 3,
    "align_corners-given-by-position": lambda: F.grid_sample(
        torch.arange(4.0).view(1, 1, 2, 2), torch.ones(1, 1, 1, 2), "bilinear", "zeros", False
    ).item() < 3,
    "keepdim-given": lambda: T.sum(1, keepdim=False).shape == (3,) and T.sum(1, True).shape == (3, 1),
    "keepdim-last-given": lambda: T.mode(keepdim=False)[0].shape == (3,) and T.kthvalue(1, 1, False)[0].shape == (3,),
    "keepdim-unbiased": lambda: T.std(False).shape == () and T.var(False).shape == (),
    "keepdim-all": lambda: T.sum().shape == () and T.max(T).shape == T.shape and T.norm(2).shape == (),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:Default grid_sample", "ignore:Default affine_grid")
@pytest.mark.parametrize("name", WITH)
def test_item(name):
    item = name.partition("-")[0]
    assert raises(WITH[name]), "this holds without the item"
    torchthaw.legacy.enable(item)
    assert made() == [item]
    assert WITH[name]()
    torchthaw.legacy.disable(item)
    assert raises(WITH[name])


@pytest.mark.parametrize("name", STILL)
def test_item_leaves_alone(name):
    torchthaw.legacy.enable(name.partition("-")[0])
    assert STILL[name]()


# Arguments that the functions of ``contiguous`` are tried with: each takes one of these.
UNIT = (torch.rand(3, 4) / 2 + 0.1).t()
SQUARE = (torch.rand(4, 4) + 4 * torch.eye(4)).t()
WHOLE = (UNIT * 10).long()
MASK = UNIT > 0.3
POOLED = F.max_pool2d(FOUR_D, 2, return_indices=True)
CALLS = [
    (UNIT,), (UNIT, UNIT), (UNIT, UNIT, UNIT), (UNIT, 0.5), (UNIT, 1), (WHOLE,), (WHOLE, WHOLE), (WHOLE, 2),
    (MASK, MASK), (SQUARE,), (SQUARE, SQUARE), (SQUARE, SQUARE, SQUARE), (MASK, UNIT, UNIT), (UNIT, MASK, 1.0), (UNIT, (0, 1)),
    (UNIT, 1, WHOLE % 3), (UNIT, 1, torch.tensor([0, 2])), (2, UNIT), ([UNIT, UNIT],), (UNIT, torch.DoubleTensor),
    (UNIT, torch.float64), (FOUR_D,), (FOUR_D, 1), (FOUR_D, 2), (FOUR_D, (3,)), (FOUR_D, 2, 2), (FOUR_D, (0, 1, 1, 0)),
    (FOUR_D, torch.randn(2, 3, 2, 2)), (FOUR_D, torch.randn(3, 2, 2, 2)), (FOUR_D, torch.zeros(3), torch.ones(3)),
    (FOUR_D, torch.rand(1, 4, 4, 2)), (FOUR_D[0], 2), (FOUR_D[0], torch.randn(2, 4, 2)), (FOUR_D.repeat(1, 4, 1, 1), 2),
    (FOUR_D[0], torch.randn(4, 2, 2)), (FOUR_D[:, None], 2), (FOUR_D[:, None], torch.randn(2, 1, 1, 1, 1)),
    (*POOLED, 2), (POOLED[0][:, :, 0], POOLED[1][:, :, 0] % 2, 2), (UNIT, UNIT, torch.randn(2, 3, 3)), (UNIT, 2, 5),
    (torch.linalg.lu_factor(SQUARE)), (POOLED[0][None], POOLED[1][None] * 0, 2), (FOUR_D, 2, None, (2, 2)),
    (UNIT, (3,)), (UNIT, torch.ones(3)), (UNIT, 0.5, True), (FOUR_D, None, None, None, None, True, 0.1, 1e-5, False),
    (FOUR_D[:, None], torch.ones(1, 1, 1, 1, 1)),
]  # fmt: skip


def is_gone(owner, name):
    """Whether a function only says what to use instead, as torch.qr does in PyTorch 2.15."""
    try:
        getattr(owner, name)(SQUARE)
    except RuntimeError as error:
        return "is now removed" in str(error)
    except Exception:
        return False


def call(function):
    """The tensors of the first call that works, and those that are not contiguous: [] and [] if none does."""
    for arguments in CALLS:
        try:
            result = function(*arguments)
        except (TypeError, RuntimeError, ValueError, IndexError, AttributeError, AssertionError):
            continue
        tensors = [each for each in (result if isinstance(result, (tuple, list)) else [result])]
        tensors = [each for each in tensors if isinstance(each, torch.Tensor)]
        if tensors and not any(each is argument for each in tensors for argument in arguments):
            return tensors, [each for each in tensors if not each.is_contiguous()]
    return [], []


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_contiguous_results_of_every_function():
    names = memory.functions()
    before = [call(getattr(owner, name)) for owner, name in names]
    torchthaw.legacy.enable("contiguous")
    after = [call(getattr(owner, name)) for owner, name in names]
    untried = [name for (owner, name), (tensors, _) in zip(names, after) if not tensors and not is_gone(owner, name)]
    assert untried == ["cpu", "cuda", "solve_triangular"]  # these need a GPU, or a keyword
    assert [name for name, (_, wrong) in zip(names, after) if wrong] == []
    assert sum(bool(wrong) for _, wrong in before) > 200


def test_every_item_has_tests():
    items = set(semantics.SEMANTICS.patches)
    assert items == {name.partition("-")[0] for name in WITH}
    assert items - {name.partition("-")[0] for name in STILL} == {"torch_six", "all_dtypes"}


def test_the_doctor_names_items_that_exist():
    assert {rule.item for rule in RULES if rule.item} <= set(semantics.SEMANTICS.patches)


def test_all_items_together_and_undone_in_any_order():
    before = state()
    torchthaw.legacy.enable()
    assert set(made()) == set(semantics.SEMANTICS.patches) - {"keepdim"}
    torchthaw.legacy.enable("keepdim")
    assert (T.mul(2, out=torch.empty(3, 2)) + 1).is_contiguous() and T.sum(0).shape == (1, 2)
    torchthaw.legacy.disable("contiguous")  # made before method_out, which wraps the same methods
    assert not (T * 2).is_contiguous()
    assert T.mul(2, out=torch.empty(3, 2)).shape == (3, 2)
    torchthaw.legacy.disable("integer_division", "torch_six")
    assert "torch._six" not in sys.modules and T.mul(2, out=torch.empty(3, 2)).shape == (3, 2)
    torchthaw.legacy.disable()
    for a, b in zip(before, state()):
        assert {name for name in a.keys() | b.keys() if a.get(name) is not b.get(name)} == set()


class Board:
    text = ""


class Append(Patch):
    """A patch that wraps what is there: it writes its name behind it."""

    def changes(self):
        yield Change(Board, "text", Board.text + self.name)


def test_patches_of_one_attribute_wrap_each_other():
    table = PatchTable("patch", *(Append(name, "", "") for name in "abcd"))
    table.make("c", "a", "d", "b")
    assert Board.text == "cadb"
    table.undo("a")
    assert Board.text == "cdb"
    table.undo("b", "c")
    assert Board.text == "d" and [name for name, _, made in table.listing() if made] == ["d"]
    table.undo()
    assert Board.text == ""


def test_a_network_trains_under_all_items():
    torchthaw.legacy.enable()
    patches.install()
    network = torch.nn.Sequential(
        torch.nn.Conv2d(3, 4, 3), torch.nn.BatchNorm2d(4), torch.nn.ReLU(), torch.nn.MaxPool2d(2), torch.nn.Flatten(),
        torch.nn.Linear(4, 2),
    )  # fmt: skip
    optimizer = torch.optim.SGD(network.parameters(), 0.1, momentum=0.9)
    x, y = torch.randn(8, 3, 5, 4), torch.tensor([0, 1] * 4)
    losses = []
    for _ in range(5):
        optimizer.zero_grad()
        loss = F.cross_entropy(network(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.data[0])
    assert losses[-1] < losses[0]


def scripted(x):
    """One function of each kind that TorchScript knows: builtins, Python's, overloaded, and two in one."""
    y = torch.relu(F.relu(x)) + F.linear(x, x)
    z = F.interpolate(F.max_pool2d(y[None, None], 2), scale_factor=2.0)
    return torch.div(torch.sum(x, 1), 2), torch.arange(3), torch.max(z), torch.norm(x), F.grid_sample(z, z[..., :2])


LAYERS = {
    "Linear": ((3, 2), (4, 3)), "Conv2d": ((2, 3, 3), (1, 2, 5, 5)), "BatchNorm2d": ((2,), (3, 2, 5, 5)),
    "MaxPool2d": ((2,), (1, 2, 4, 4)), "AdaptiveMaxPool2d": ((2,), (1, 1, 4, 4)), "Upsample": ((None, 2.0), (1, 1, 2, 2)),
    "Softmax": ((1,), (3, 3)), "ReLU": ((), (3,)), "LayerNorm": ((3,), (2, 3)),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_scripts_compile_as_without_items():
    x = torch.ones(2, 2)
    expected = scripted(x)
    for _ in range(2):
        torchthaw.legacy.enable(*semantics.SEMANTICS.patches)
        assert torch.arange(3).dtype is torch.float32
        for a, b in zip(torch.jit.script(scripted)(x), expected):
            assert a.dtype is b.dtype and torch.equal(a, b)
        for name, (arguments, size) in LAYERS.items():
            layer, given = getattr(torch.nn, name)(*arguments), torch.rand(size)
            assert torch.allclose(torch.jit.script(layer)(given), layer(given))
        torchthaw.legacy.disable()


SCRIPT = """
import torch, torchthaw.legacy
torchthaw.legacy.install()
from torch import nn

assert torch.arange(3).dtype is torch.float32
print(torch.jit.script(nn.Linear(3, 2))(torch.ones(1, 3)).shape)
torchthaw.legacy.disable()
print(torch.jit.script(nn.Sequential(nn.Linear(3, 2), nn.ReLU()))(torch.ones(1, 3)).shape)
"""


@pytest.mark.slow
def test_the_first_script_of_a_process_under_all_items():
    environment = {**os.environ, "TORCHTHAW_LEGACY_SEMANTICS": "1"}
    command = [sys.executable, "-W", "ignore", "-c", SCRIPT]
    result = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert (result.stdout, result.stderr) == (2 * "torch.Size([1, 2])\n", "")


def test_unknown_item():
    with pytest.raises(ValueError, match=names("name", "contiguous", "'division'")):
        torchthaw.legacy.enable("division")
    assert made() == []


@pytest.mark.parametrize(
    "value, expected",
    [("", []), ("0", []), ("1", None), ("arange, keepdim", ["arange", "keepdim"])],
    ids=["empty", "0", "1", "names"],
)
def test_environment(monkeypatch, value, expected):
    monkeypatch.setenv("TORCHTHAW_LEGACY_SEMANTICS", value)
    patches.install()
    every = [item for item in semantics.SEMANTICS.patches if item != "keepdim"]
    assert made() == (every if expected is None else expected)


def test_environment_with_an_unknown_item(monkeypatch):
    monkeypatch.setenv("TORCHTHAW_LEGACY_SEMANTICS", "arange,division")
    with pytest.raises(ValueError, match=names("TORCHTHAW_LEGACY_SEMANTICS", "name", "'division'")):
        patches.install()


def test_import_of_the_table_needs_no_torch():
    code = "import sys, torchthaw; torchthaw.legacy.enable; print('torch' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert (result.stdout, result.stderr) == ("False\n", "")


def scale(input, factor):
    """Stands for a C function."""
    return input.sum() * factor


def test_debug_warns_once_for_each_call_site():
    watched = debug.watch(scale)
    assert watched.__name__ == "scale"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(3):
            assert watched(T, 2) == T.sum() * 2
        watched(T.contiguous(), 2)
        line = sys._getframe().f_lineno + 1
        watched(T, 2)
    first, second = caught
    assert str(first.message).startswith("scale: input is not contiguous (shape (3, 2), strides (1, 3)); ")
    assert first.filename == second.filename == __file__ and second.lineno == line


def test_debug_names_arguments_by_number_where_there_are_no_names():
    with pytest.warns(UserWarning, match="add: argument 2 is not contiguous"):
        debug.watch(torch.add)(torch.ones(3, 2), T)


def test_debug_switch(monkeypatch):
    for value, expected in (("1", True), ("0", False), ("", False)):
        monkeypatch.setenv("TORCHTHAW_DEBUG", value)
        assert debug.enabled() is expected
    monkeypatch.delenv("TORCHTHAW_DEBUG")
    assert debug.enabled() is False
