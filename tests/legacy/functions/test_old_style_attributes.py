# tests/legacy/functions/test_old_style_attributes.py: what an old-style Function offers besides its two methods, and
# attributes that a Function may assign although PyTorch's own are read-only.
import pytest
import torch
from torch.autograd import Function

from support.old_style import AddMul, Scale, StaticTwice, leaf

pytestmark = pytest.mark.usefixtures("legacy")


def test_attribute_previous_functions():
    f, g, x = Scale(), Scale(), leaf(2)
    assert f.previous_functions == ()
    y = g(f(x))
    assert g.previous_functions == ((f, 0),)
    ((variable, number),) = f.previous_functions
    assert variable is x and number == 0
    assert g.next_functions == ((f, 0),)
    assert y.creator is g


def test_attribute_previous_functions_of_a_static_function():
    x, f = leaf(2), Scale()
    y = StaticTwice.apply(x)
    assert y.grad_fn.previous_functions[0][0] is x
    y = StaticTwice.apply(f(x))
    assert y.grad_fn.previous_functions == ((f, 0),)


def test_attribute_requires_grad():
    """As saved_tensors and needs_input_grad: before and after a call."""
    f = Scale()
    assert f.requires_grad is False and f.saved_tensors == ()
    x = leaf(2)
    y = f(x)
    assert f.requires_grad is True and f.needs_input_grad == (True,)
    assert torch.equal(f.saved_tensors[0], x)
    del y
    assert f.saved_tensors == ()


def test_attributes_num_inputs_and_num_outputs():
    f = AddMul()
    outputs = f(leaf(2), leaf(2))
    assert (f.num_inputs, f.num_outputs) == (2, 2)
    f.num_outputs = 7
    assert f.num_outputs == 7
    outputs[0].sum().backward()


def test_attribute_do_forward_and_do_backward():
    f = Scale()
    y = f._do_forward(leaf(2))
    assert y.grad_fn is not None
    (gradient,) = f._do_backward((torch.ones(2),), False)
    assert gradient.tolist() == [3, 3]


def test_attribute_register_hook():
    """A hook runs after backward."""
    f, x, seen = Scale(), leaf(2), []
    before = f.register_hook(lambda grad_input, grad_output: seen.append((grad_input, grad_output)))
    y = f(x)
    f.register_hook(lambda grad_input, grad_output: (grad_input[0] * 2,))
    y.sum().backward()
    ((grad_input, grad_output),) = seen
    assert grad_input[0].tolist() == [3, 3] and grad_output[0].tolist() == [1, 1]
    assert x.grad.tolist() == [6, 6]
    before.remove()
    f(x).sum().backward()
    assert len(seen) == 1


READ_ONLY = (
    "metadata", "requires_grad", "next_functions", "saved_tensors", "saved_variables", "_raw_saved_tensors",
    "_input_metadata", "materialize_grads",
)  # fmt: skip


@pytest.mark.parametrize("name", READ_ONLY)
def test_attributes_of_an_instance_are_free(name):
    class Attribute(Scale):
        def forward(self, x):
            setattr(self, name, "mine")
            return super().forward(x)

        def backward(self, grad_output):
            assert getattr(self, name) == "mine"
            return grad_output

    f, x = Attribute(), leaf(2)
    f(x).sum().backward()
    assert getattr(f, name) == "mine" and x.grad.tolist() == [1, 1]
    delattr(f, name)
    assert getattr(f, name, None) != "mine"


@pytest.mark.filterwarnings("ignore:'saved_variables' is deprecated")
@pytest.mark.parametrize("name", READ_ONLY)
def test_attributes_of_a_static_ctx_are_free(name):
    class Attribute(Function):
        @staticmethod
        def forward(ctx, x):
            setattr(ctx, name, "mine")
            ctx.save_for_backward(x)
            return x * 2

        @staticmethod
        def backward(ctx, grad_output):
            assert getattr(ctx, name) == "mine"
            delattr(ctx, name)
            assert getattr(ctx, name, None) != "mine"
            return grad_output * 2

    x = leaf(2)
    Attribute.apply(x).sum().backward()
    assert x.grad.tolist() == [2, 2]


def test_set_materialize_grads_still_works():
    """The method of ctx keeps its meaning, although any attribute can be assigned."""

    class Static(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.set_materialize_grads(False)
            return x * 2, x * 3

        @staticmethod
        def backward(ctx, first, second):
            assert second is None
            return first * 2

    x = leaf(2)
    Static.apply(x)[0].sum().backward()
    assert x.grad.tolist() == [2, 2]
