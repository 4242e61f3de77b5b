# tests/contract/test_section_4_3.py: what today's PyTorch still does, under the patches, and what is patched at all.
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from torch.autograd import Function, Variable

from torchthaw.legacy import patches

ROOT = Path(__file__).resolve().parents[2]
OWNERS = (
    torch.Tensor, torch.autograd, type(Variable), Variable, Function, torch.autograd.function.BackwardCFunction,
    torch.autograd.function.FunctionMeta, torch.autograd.function.FunctionCtx, torch,
)  # fmt: skip


@pytest.fixture
def legacy():
    patches.install()
    yield
    patches.uninstall()


def row(name):
    """A contract row: the words of its first column, in the test's id."""
    return pytest.mark.parametrize("row", [pytest.param(name, id=f"row-{name}")])


def python(code):
    """What the Python code prints in a process of its own."""
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


CONSTRUCTS = {
    "Variable": lambda x: isinstance(Variable(x, requires_grad=True), Variable),
    "data-is_cuda-type": lambda x: x.data.type() == "torch.FloatTensor" and not x.is_cuda,
    "type-DoubleTensor": lambda x: x.type(torch.DoubleTensor).type() == "torch.DoubleTensor",
    "type_as": lambda x: x.double().type_as(x).dtype is torch.float32,
    "typename": lambda x: torch.typename(x) == "torch.FloatTensor",
    "isinstance-FloatTensor": lambda x: isinstance(x, torch.FloatTensor) and type(x) is torch.Tensor,
    "new": lambda x: x.new().dim() == 1 and x.new(2, 3).shape == (2, 3) and x.new([1, 2]).tolist() == [1, 2],
    "new-Size": lambda x: x.new(torch.Size([2, 2])).shape == (2, 2),
    "new-resize_": lambda x: x.new().resize_(2, 2).resize_as_(x).shape == x.shape,
    "FloatTensor": lambda x: torch.FloatTensor(2, 3).shape == (2, 3) and torch.FloatTensor().shape == (0,),
    "new-tensor-aliases": lambda x: x.new(x).data_ptr() == x.data_ptr() == torch.FloatTensor(x).data_ptr(),
    "cuda-FloatTensor-name": lambda x: not isinstance(x, torch.cuda.FloatTensor),
    "_cdata": lambda x: isinstance(x._cdata, int),
    "FatalError": lambda x: issubclass(torch.FatalError, Exception),
    "is_tensor-is_storage": lambda x: torch.is_tensor(x) and torch.is_storage(x.storage()),
    "forward-called-directly": lambda x: torch.equal(Instance().forward(x), x + 1),
    "once_differentiable-InplaceFunction-NestedIOFunction": lambda x: all(
        hasattr(torch.autograd.function, name)
        for name in ("once_differentiable", "InplaceFunction", "NestedIOFunction")
    ),
    "ByteTensor-parameter": lambda x: (x > 2).byte().type() == "torch.ByteTensor",
}


class Instance(Function):
    def forward(self, x):
        return x + 1


@pytest.mark.filterwarnings("ignore:TypedStorage is deprecated")
@pytest.mark.parametrize("construct", CONSTRUCTS, ids=[f"row-{name}" for name in CONSTRUCTS])
def test_construct(construct, legacy):
    assert CONSTRUCTS[construct](torch.ones(2, 3))


@row("resize_-refused")
def test_resize_refused(row, legacy):
    with pytest.raises(RuntimeError, match="cannot resize variables that require grad"):
        torch.ones(2, requires_grad=True).resize_(3)
    np = pytest.importorskip("numpy")
    with pytest.raises(RuntimeError, match="not resizable"):
        torch.from_numpy(np.ones(2)).resize_(100)


@row("static-Functions")
def test_static_functions(row, legacy):
    class Static(Function):
        @staticmethod
        def forward(ctx, x, k, flag):
            y = x * k
            ctx.save_for_backward(x, y)  # an input and an intermediate
            ctx.to_save = (x, y)
            ctx.k = k
            where = x.argmax()
            ctx.mark_non_differentiable(where)
            return y + 1, y * 0, where, "text"

        @staticmethod
        def backward(ctx, grad, unused, grad_where, text):
            assert not unused.any() and text is None
            x, y = ctx.saved_tensors
            assert torch.equal(y, x * ctx.k)
            return grad * ctx.k, None, None, None, None

    x = torch.ones(3, requires_grad=True)
    y, _, where, text = Static.apply(x, 4.0, True)
    y.sum().backward()
    assert x.grad.tolist() == [4, 4, 4] and not where.requires_grad and text == "text"


@row("mark_dirty-of-ctx")
def test_mark_dirty_of_a_static_function(row, legacy):
    class Static(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x)
            return x.add_(1)

        @staticmethod
        def backward(ctx, grad_output):
            return grad_output * 3

    x = torch.ones(2, requires_grad=True)
    z = x * 1
    assert Static.apply(z) is z
    z.sum().backward()
    assert x.grad.tolist() == [3, 3]


@row("saved_variables-mark_shared_storage-next_functions-of-ctx")
@pytest.mark.filterwarnings("ignore:'saved_variables' is deprecated", "ignore:.*mark_shared_storage")
def test_deprecated_methods_of_ctx(row, legacy):
    class Static(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            ctx.mark_shared_storage((x, x))
            return x * 2

        @staticmethod
        def backward(ctx, grad_output):
            return grad_output * ctx.saved_variables[0]

    x = torch.full((2,), 3.0, requires_grad=True)
    y = Static.apply(x)
    assert len(y.grad_fn.next_functions) == 1
    y.sum().backward()
    assert x.grad.tolist() == [3, 3]


@row("gradient-of-another-dtype")
def test_gradient_of_another_dtype(row, legacy):
    class Cast(Function):
        def forward(self, x):
            return x * 2

        def backward(self, grad_output):
            return grad_output.double() * 2

    x = torch.ones(2, requires_grad=True)
    Cast()(x).sum().backward()
    assert x.grad.dtype is torch.float32 and x.grad.tolist() == [2, 2]


@row("dispatch-by-is_cuda-and-by-name")
def test_dispatch_idioms(row, legacy):
    """Section 4.4."""
    x = torch.ones(2)
    library = {"THFloat_scale": "cpu", "THCuda_scale": "cuda"}
    prefix = "THCuda" if x.is_cuda else "TH" + torch.typename(x).split(".")[-1].replace("Tensor", "")
    assert library[prefix + "_scale"] == "cpu"
    assert x.type() == "torch.FloatTensor"


@row("patched-only-by-install")
def test_uninstall_restores_everything(row):
    before = [dict(vars(owner)) for owner in OWNERS]
    patches.install()
    during = [dict(vars(owner)) for owner in OWNERS]
    assert sum(a != b for a, b in zip(before, during)) >= 4
    patches.uninstall()
    after = [dict(vars(owner)) for owner in OWNERS]
    for owner, a, b in zip(OWNERS, before, after):
        changed = {name for name in a.keys() | b.keys() if a.get(name) is not b.get(name)}
        assert not changed, (owner, changed)


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


UNCHANGED = """
import sys
import torch
from torch.autograd import Function, Variable, function
owners = (torch.Tensor, torch.autograd, type(Variable), Variable, Function, function.BackwardCFunction,
          function.FunctionMeta, function.FunctionCtx)
before = [dict(vars(owner)) for owner in owners]
import torchthaw, functions, modules
from torchthaw.legacy import patches
patches.listing()
assert before == [dict(vars(owner)) for owner in owners]
print("unchanged", "torchthaw.legacy.function" in sys.modules)
"""


def test_the_modern_half_patches_nothing():
    assert python(UNCHANGED) == "unchanged False"


def test_listing_imports_no_torch():
    code = "import sys; from torchthaw.legacy import patches; patches.listing(); print('torch' in sys.modules)"
    assert python(code) == "False"
