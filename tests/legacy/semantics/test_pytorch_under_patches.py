# tests/legacy/semantics/test_pytorch_under_patches.py: what today's PyTorch still does, under the patches, and what is
# patched at all.
import subprocess
import sys

import pytest
import torch
from torch.autograd import Function, Variable

from support import ROOT
from support.messages import names
from torchthaw.cli import main
from torchthaw.legacy.run import patches

OWNERS = (
    torch.Tensor, torch.autograd, type(Variable), Variable, Function, torch.autograd.function.BackwardCFunction,
    torch.autograd.function.FunctionMeta, torch.autograd.function.FunctionCtx, torch,
)  # fmt: skip


@pytest.fixture
def legacy():
    patches.install()
    yield
    patches.uninstall()


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
    "volatile-argument": lambda x: (Variable(x, volatile=True) * x.requires_grad_()).grad_fn is None,
    "x.volatile": lambda x: x.volatile is False,
    "creator": lambda x: x.creator is None and (x.requires_grad_() * 2).creator is not None,
    "instance-Function": lambda x: torch.equal(Instance()(x), x + 1),
    "retain_variables": lambda x: x.requires_grad_().sum().backward(retain_variables=True) is None,
    "integer-division": lambda x: (torch.LongTensor([3]) / 2).tolist() == [1.5],
    "torch.utils.ffi": lambda x: callable(__import__("torch.utils.ffi").utils.ffi.create_extension),
}


class Instance(Function):
    def forward(self, x):
        return x + 1


@pytest.mark.filterwarnings("error", "ignore:TypedStorage is deprecated")
@pytest.mark.parametrize("construct", CONSTRUCTS)
def test_construct(construct, legacy, utils_ffi):
    assert CONSTRUCTS[construct](torch.ones(2, 3))


REFUSED = {
    "cuda-FloatTensor-without-CUDA": (
        lambda x: torch.cuda.FloatTensor(2), TypeError,
        "^type torch.cuda.FloatTensor not available. Torch not compiled with CUDA enabled.$",
    ),
    "data-index-of-a-loss": (lambda x: x.sum().data[0], IndexError, "^invalid index of a 0-dim tensor"),
}  # fmt: skip


@pytest.mark.skipif(torch.version.cuda is not None, reason="about PyTorch without CUDA")
@pytest.mark.parametrize("construct", REFUSED)
def test_refused(construct, legacy):
    code, error, message = REFUSED[construct]
    with pytest.raises(error, match=message):
        code(torch.ones(2))


def test_resize_refused(legacy):
    """resize_ of leaves and of NumPy's memory."""
    with pytest.raises(RuntimeError, match=names("resize", "variables", "grad")):
        torch.ones(2, requires_grad=True).resize_(3)
    np = pytest.importorskip("numpy")
    with pytest.raises(RuntimeError, match="not resizable"):
        torch.from_numpy(np.ones(2)).resize_(100)


def test_static_functions(legacy):
    """Saved intermediates, surplus Nones, outputs that are no tensors."""

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


def test_mark_dirty_of_a_static_function(legacy):
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


@pytest.mark.filterwarnings("ignore:'saved_variables' is deprecated", "ignore:.*mark_shared_storage")
def test_deprecated_methods_of_ctx(legacy):
    """saved_variables, mark_shared_storage and next_functions work."""

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


def test_gradient_of_another_dtype(legacy):
    """It is cast to the type of the input."""

    class Cast(Function):
        def forward(self, x):
            return x * 2

        def backward(self, grad_output):
            return grad_output.double() * 2

    x = torch.ones(2, requires_grad=True)
    Cast()(x).sum().backward()
    assert x.grad.dtype is torch.float32 and x.grad.tolist() == [2, 2]


def test_gradient_of_a_shape_that_can_be_reduced(legacy):
    class Wide(Function):
        def forward(self, x):
            return x * 2

        def backward(self, grad_output):
            return torch.ones(5, 2)

    x = torch.ones(2, requires_grad=True)
    Wide()(x).sum().backward()
    assert x.grad.tolist() == [5, 5]


def test_the_doctor_names_what_python_3_refuses(tmp_path, capsys):
    """It shows the edit as well."""
    (tmp_path / "train.py").write_text("x = x.cuda(async=True)\nprint x\nfor i in xrange(3): pass\n")
    assert main(["doctor", str(tmp_path)]) == 1
    printed = capsys.readouterr().out
    assert all(edit in printed for edit in ("non_blocking=True", "print(x)", "range(3)"))


def test_uninstall_restores_everything():
    before = [dict(vars(owner)) for owner in OWNERS]
    patches.install()
    during = [dict(vars(owner)) for owner in OWNERS]
    assert sum(a != b for a, b in zip(before, during)) >= 4
    patches.uninstall()
    after = [dict(vars(owner)) for owner in OWNERS]
    for owner, a, b in zip(OWNERS, before, after):
        changed = {name for name in a.keys() | b.keys() if a.get(name) is not b.get(name)}
        assert not changed, (owner, changed)


UNCHANGED = """
import sys
import torch
from torch.autograd import Function, Variable, function
owners = (torch.Tensor, torch.autograd, type(Variable), Variable, Function, function.BackwardCFunction,
          function.FunctionMeta, function.FunctionCtx)
before = [dict(vars(owner)) for owner in owners]
import torchthaw, functions, modules
from torchthaw.cli import main
from torchthaw.legacy.run import patches
patches.listing()
assert before == [dict(vars(owner)) for owner in owners]
print("unchanged", "torchthaw.legacy.ffi.function" in sys.modules)
"""


@pytest.mark.slow
def test_only_install_patches_pytorch():
    """Importing torchthaw, functions, modules or the command line does not."""
    assert python(UNCHANGED) == "unchanged False"
