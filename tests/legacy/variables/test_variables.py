# tests/legacy/variables/test_variables.py: Variable as it was: volatile, data, creator, retain_variables.
import copy
import gc
import io
import warnings
import weakref

import pytest
import torch
from torch import nn
from torch.autograd import Function, Variable

from support.rows import row
from torchthaw.legacy import patches


@pytest.fixture(autouse=True)
def legacy():
    patches.install()
    yield
    patches.uninstall()


class Double(Function):
    def forward(self, x):
        return x * 2

    def backward(self, grad_output):
        return grad_output * 2


@row("Variable")
def test_variable(row):
    x = torch.randn(3)
    v = Variable(x)
    assert isinstance(v, Variable) and v.data_ptr() == x.data_ptr() and not v.requires_grad
    assert Variable(x, True).requires_grad and Variable(x, requires_grad=True).requires_grad
    assert Variable(data=x).grad is None


@row("Variable-of-no-tensor")
def test_variable_of_no_tensor(row):
    with pytest.raises(TypeError, match="Variable data has to be a tensor, but got float"):
        Variable(2.0)


@row("Variable-volatile-and-requires-grad")
def test_variable_volatile_and_requires_grad(row):
    text = "Variable can't be volatile and require_grad at the same time!"
    with pytest.raises(RuntimeError, match=text):
        Variable(torch.ones(2), requires_grad=True, volatile=True)
    with pytest.raises(RuntimeError, match=text):
        Variable(torch.ones(2), requires_grad=True).volatile = True


@row("volatile")
def test_volatile_makes_no_graph(row):
    network = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU(), nn.Flatten(), nn.Linear(18, 4))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        x = Variable(torch.randn(2, 1, 5, 5), volatile=True)
        assert x.volatile
    y = network(x)
    assert y.volatile and y.grad_fn is None and not y.requires_grad
    assert torch.allclose(y.data, network(x.data).data)
    assert not network[0].weight.volatile


@row("volatile-is-infectious")
def test_volatile_is_infectious(row):
    weight = torch.randn(3, 2, requires_grad=True)
    x = Variable(torch.randn(4, 3), volatile=True)
    values, indices = (x @ weight).max(1)
    assert values.volatile and values.grad_fn is None and indices.volatile
    assert all(part.volatile for part in torch.cat([x, x]).chunk(2))
    packed = nn.utils.rnn.pack_padded_sequence(x.view(2, 2, 3), [2, 1], batch_first=True)
    assert packed.data.volatile
    assert Double()(x).volatile and not (weight * 2).volatile

    class Static(Function):
        @staticmethod
        def forward(ctx, a, b):
            return a @ b

    assert Static.apply(x, weight).volatile and Static.apply(x, weight).grad_fn is None
    with pytest.raises(RuntimeError, match="does not require grad"):
        values.sum().backward()


@row("volatile-data")
def test_data_of_a_volatile_is_a_plain_tensor(row):
    x = Variable(torch.randn(2, 3), volatile=True)
    assert type(x.data) is torch.Tensor and not x.data.volatile
    assert x.data.data_ptr() == x.data_ptr()
    y = Variable(x.data) * torch.ones(2, 3, requires_grad=True)
    assert y.requires_grad and x.tolist() == x.data.tolist() and x.numpy().shape == (2, 3)


@row("volatile-assigned")
def test_volatile_assigned(row):
    x = Variable(torch.randn(2))
    assert x.volatile is False
    x.volatile = True
    assert (x * 2).volatile
    x.volatile = False
    assert type(x) is torch.Tensor and not (x * 2).volatile


@row("volatile-in-files")
def test_volatile_is_saved_as_a_plain_tensor(row):
    x = Variable(torch.randn(2), volatile=True)
    file = io.BytesIO()
    torch.save({"x": x}, file)
    file.seek(0)
    assert type(torch.load(file, weights_only=True)["x"]) is torch.Tensor
    assert copy.deepcopy(x).volatile
    x.data = torch.ones(3)
    assert x.volatile and x.shape == (3,)


@row("volatile-in-place")
def test_volatile_in_place(row):
    x = Variable(torch.ones(2), volatile=True)
    total = zeros = torch.zeros(2)
    assert x.add_(1) is x and x.volatile
    total += x
    assert total is zeros and total.tolist() == [2, 2]


@row("creator")
def test_creator(row):
    x = Variable(torch.ones(2), requires_grad=True)
    f = Double()
    y = f(x)
    assert x.creator is None and y.creator is f
    z = y + 1
    assert z.creator is z.grad_fn


@row("backward-retain_variables")
@pytest.mark.parametrize("style", ["method", "positional", "function"])
def test_retain_variables(row, style):
    x = Variable(torch.ones(2), requires_grad=True)
    y = (x * x).sum()
    if style == "method":
        y.backward(retain_variables=True)
    elif style == "positional":
        y.backward(None, True)
    else:
        torch.autograd.backward([y], [torch.ones(())], retain_variables=True)
    y.backward()
    assert x.grad.tolist() == [4, 4]


@row("backward-retain_variables-false")
def test_retain_variables_false(row):
    y = (torch.ones(2, requires_grad=True) ** 2).sum()
    y.backward(retain_variables=False)
    with pytest.raises(RuntimeError, match="second time"):
        y.backward()


@row("backward-retain_variables-and-retain_graph")
def test_retain_variables_and_retain_graph(row):
    y = (torch.ones(2, requires_grad=True) ** 2).sum()
    with pytest.raises(ValueError, match="retain_variables: expected it without retain_graph"):
        y.backward(retain_variables=True, retain_graph=True)


@row("data-assignable")
def test_data_is_assignable(row):
    p = nn.Parameter(torch.ones(2))
    p.data = torch.zeros(3)
    assert p.shape == (3,) and p.requires_grad
    p.data.fill_(5)
    assert p.tolist() == [5, 5, 5]


# Each changes the sizes of a 1x2x3 tensor in place.
RESIZES = {
    "as_strided_": lambda t: t.as_strided_((2, 2), (1, 2)),
    "resize_": lambda t: t.resize_(4, 5),
    "resize_as_": lambda t: t.resize_as_(torch.empty(7, 2)),
    "set_": lambda t: t.set_(torch.ones(3, 3)),
    "squeeze_": lambda t: t.squeeze_(0),
    "unsqueeze_": lambda t: t.unsqueeze_(-1),
    "t_": lambda t: t.squeeze_(0).t_(),
    "transpose_": lambda t: t.transpose_(1, 2),
}


@pytest.mark.parametrize("method", RESIZES, ids=[f"note_15_{name}" for name in RESIZES])
@pytest.mark.parametrize("kind", ["variable", "volatile", "parameter", "result", "wrapped"])
def test_resizing_data_resizes_the_owner(method, kind):
    tensor = torch.arange(6.0).view(1, 2, 3)
    owner = {
        "variable": lambda: Variable(tensor.clone()),
        "volatile": lambda: Variable(tensor.clone(), volatile=True),
        "parameter": lambda: nn.Parameter(tensor.clone()),
        "result": lambda: tensor.clone().requires_grad_() * 1,
        "wrapped": lambda: tensor,
    }[kind]()
    target = Variable(owner) if kind == "wrapped" else owner
    alias = target.data
    result = RESIZES[method](alias)
    assert result is alias
    for follower in {id(owner): owner, id(target): target}.values():
        assert follower.shape == alias.shape and follower.stride() == alias.stride()
        assert follower.data_ptr() == alias.data_ptr()


@row("note_15_empty-output")
def test_empty_output_is_resized_through_data(row):
    out = Variable(torch.FloatTensor())
    out.data.resize_(4).fill_(2)
    assert out.tolist() == [2, 2, 2, 2]
    out.data.resize_(2, 2)
    assert out.shape == (2, 2)


@row("note_15_owner-not-kept")
def test_data_keeps_neither_owner_nor_graph(row):
    x = torch.ones(3, requires_grad=True)
    function = Double()
    y = function(x)
    graph = weakref.ref(function)
    del function
    data = y.data
    gc.disable()
    try:
        del y
        assert graph() is None
    finally:
        gc.enable()
    data.resize_(5)


@row("note_15_owner-with-new-data")
def test_old_data_does_not_resize_an_owner_that_has_new_data(row):
    x = Variable(torch.ones(2))
    old = x.data
    x.data = torch.zeros(3)
    assert type(x.data) is torch.Tensor
    old.resize_(7)
    assert x.shape == (3,)


@row("note_15_table-does-not-grow")
def test_aliases_are_forgotten(row):
    from torchthaw.legacy import data_owner

    before = len(data_owner._aliases)
    x = torch.ones(2)
    aliases = [x.data for _ in range(100)]
    assert len(data_owner._aliases) == before + 100
    del aliases
    assert len(data_owner._aliases) == before


@row("note_15_data-is-saved")
def test_data_can_be_saved_and_copied(row):
    x = torch.ones(2)
    file = io.BytesIO()
    torch.save(x.data, file)
    file.seek(0)
    assert torch.load(file, weights_only=True).tolist() == [1, 1]
    assert copy.deepcopy(x.data).tolist() == [1, 1]


@row("grad")
def test_grad(row):
    x = Variable(torch.ones(2), requires_grad=True)
    assert x.grad is None
    (x * 2).sum().backward()
    assert isinstance(x.grad, Variable) and x.grad.data.tolist() == [2, 2]
    x.grad.data.zero_()
    assert x.grad.tolist() == [0, 0]
