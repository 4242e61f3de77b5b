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

pytestmark = pytest.mark.usefixtures("legacy")


class Double(Function):
    def forward(self, x):
        return x * 2

    def backward(self, grad_output):
        return grad_output * 2


def test_variable_shares_the_memory_of_the_tensor():
    x = torch.randn(3)
    v = Variable(x)
    assert isinstance(v, Variable) and v.data_ptr() == x.data_ptr() and not v.requires_grad
    assert Variable(x, True).requires_grad and Variable(x, requires_grad=True).requires_grad
    assert Variable(data=x).grad is None


def test_variable_of_no_tensor_is_an_error():
    with pytest.raises(TypeError, match="Variable data has to be a tensor, but got float"):  # text of PyTorch 0.4
        Variable(2.0)


def test_variable_volatile_and_requires_grad_is_an_error():
    text = "Variable can't be volatile and require_grad at the same time!"
    with pytest.raises(RuntimeError, match=text):
        Variable(torch.ones(2), requires_grad=True, volatile=True)
    with pytest.raises(RuntimeError, match=text):
        Variable(torch.ones(2), requires_grad=True).volatile = True


def test_volatile_makes_no_graph():
    network = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU(), nn.Flatten(), nn.Linear(18, 4))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        x = Variable(torch.randn(2, 1, 5, 5), volatile=True)
        assert x.volatile
    y = network(x)
    assert y.volatile and y.grad_fn is None and not y.requires_grad
    assert torch.allclose(y.data, network(x.data).data)
    assert not network[0].weight.volatile


def test_volatile_is_infectious():
    """Every output of an operation on a volatile is volatile."""
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


def test_data_of_a_volatile_is_a_plain_tensor():
    x = Variable(torch.randn(2, 3), volatile=True)
    assert type(x.data) is torch.Tensor and not x.data.volatile
    assert x.data.data_ptr() == x.data_ptr()
    y = Variable(x.data) * torch.ones(2, 3, requires_grad=True)
    assert y.requires_grad and x.tolist() == x.data.tolist() and x.numpy().shape == (2, 3)


def test_volatile_assigned():
    """The attribute may be set to True and to False."""
    x = Variable(torch.randn(2))
    assert x.volatile is False
    x.volatile = True
    assert (x * 2).volatile
    x.volatile = False
    assert type(x) is torch.Tensor and not (x * 2).volatile


def test_volatile_is_saved_as_a_plain_tensor():
    x = Variable(torch.randn(2), volatile=True)
    file = io.BytesIO()
    torch.save({"x": x}, file)
    file.seek(0)
    assert type(torch.load(file, weights_only=True)["x"]) is torch.Tensor
    assert copy.deepcopy(x).volatile
    x.data = torch.ones(3)
    assert x.volatile and x.shape == (3,)


def test_volatile_stays_in_place():
    """An operation in place leaves it volatile."""
    x = Variable(torch.ones(2), volatile=True)
    total = zeros = torch.zeros(2)
    assert x.add_(1) is x and x.volatile
    total += x
    assert total is zeros and total.tolist() == [2, 2]


def test_creator():
    """The instance that made the Variable."""
    x = Variable(torch.ones(2), requires_grad=True)
    f = Double()
    y = f(x)
    assert x.creator is None and y.creator is f
    z = y + 1
    assert z.creator is z.grad_fn


@pytest.mark.parametrize("style", ["method", "positional", "function"])
def test_retain_variables(style):
    """retain_graph's old name."""
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


def test_retain_variables_false():
    """It frees the graph."""
    y = (torch.ones(2, requires_grad=True) ** 2).sum()
    y.backward(retain_variables=False)
    with pytest.raises(RuntimeError, match="second time"):
        y.backward()


def test_retain_variables_and_retain_graph():
    """Both at once are an error."""
    y = (torch.ones(2, requires_grad=True) ** 2).sum()
    with pytest.raises(ValueError, match="retain_variables: expected it without retain_graph"):
        y.backward(retain_variables=True, retain_graph=True)


@pytest.mark.parametrize("gradient", [torch.ones(1), torch.ones(1, 1), torch.ones(()), None])
def test_loss_gradient(gradient):
    """A loss has no dimension today; the gradient of one may have one."""
    for backward in (
        lambda loss: loss.backward(gradient),
        lambda loss: torch.autograd.backward(loss, gradient),
        lambda loss: torch.autograd.backward([loss], [gradient]),
        lambda loss: torch.autograd.backward(loss, grad_tensors=(gradient,), retain_graph=True),
    ):
        x = torch.zeros(3, requires_grad=True)
        backward((2 * x).sum())
        assert x.grad.tolist() == [2, 2, 2]


def test_loss_gradient_of_what_is_no_loss():
    x = torch.zeros(3, requires_grad=True)
    for tensors, gradients in ((2 * x, torch.ones(1)), (x.sum(), torch.ones(2)), ([x.sum()], [torch.ones(2)])):
        with pytest.raises(RuntimeError):
            torch.autograd.backward(tensors, gradients)


def test_data_is_assignable():
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


@pytest.mark.parametrize("method", RESIZES)
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


def test_empty_output_is_resized_through_data():
    out = Variable(torch.FloatTensor())
    out.data.resize_(4).fill_(2)
    assert out.tolist() == [2, 2, 2, 2]
    out.data.resize_(2, 2)
    assert out.shape == (2, 2)


def test_data_keeps_neither_owner_nor_graph():
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


def test_old_data_does_not_resize_an_owner_that_has_new_data():
    x = Variable(torch.ones(2))
    old = x.data
    x.data = torch.zeros(3)
    assert type(x.data) is torch.Tensor
    old.resize_(7)
    assert x.shape == (3,)


def test_aliases_are_forgotten():
    """The table of aliases does not grow."""
    from torchthaw.legacy.ffi import data_owner

    before = len(data_owner._aliases)
    x = torch.ones(2)
    aliases = [x.data for _ in range(100)]
    assert len(data_owner._aliases) == before + 100
    del aliases
    assert len(data_owner._aliases) == before


def test_data_can_be_saved_and_copied():
    x = torch.ones(2)
    file = io.BytesIO()
    torch.save(x.data, file)
    file.seek(0)
    assert torch.load(file, weights_only=True).tolist() == [1, 1]
    assert copy.deepcopy(x.data).tolist() == [1, 1]


def test_grad():
    """A Variable or None."""
    x = Variable(torch.ones(2), requires_grad=True)
    assert x.grad is None
    (x * 2).sum().backward()
    assert isinstance(x.grad, Variable) and x.grad.data.tolist() == [2, 2]
    x.grad.data.zero_()
    assert x.grad.tolist() == [0, 0]
