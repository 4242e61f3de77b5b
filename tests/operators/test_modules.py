"""tests/operators/test_modules.py: what a user expects of any torch.nn module, for every class in modules/."""

import copy
import gc
import pickle
import sys
import threading

import pytest
import torch
from torch import nn

import functions
import modules
from support import operator_checks as check, references
from support.messages import names

# name: (how to make it, shapes of its inputs, its extra_repr)
MODULES = {
    "MyAddModule": (modules.MyAddModule, [(3, 4), (3, 4)], ""),
    "ScaleAdd": (modules.ScaleAdd, [(3, 4), (3, 4)], ""),
    "MulConstant": (lambda: modules.MulConstant(2.5), [(3, 4)], "constant=2.5"),
    "Cube": (modules.Cube, [(3, 4)], ""),
    "Linear": (lambda **k: modules.Linear(4, 5, **k), [(3, 4)], "in_features=4, out_features=5, bias=True"),
    "Conv2D": (lambda **k: modules.Conv2D(2, 4, 3, **k), [(2, 2, 6, 6)], "2, 4, kernel_size=(3, 3)"),
    "BatchNorm2D": (modules.BatchNorm2D, [(2, 3, 4, 4)], "eps=0.001"),
    "FusedConvBatchNorm2D": (
        lambda **k: modules.FusedConvBatchNorm2D(2, 4, 3, **k),
        [(2, 2, 6, 6)],
        "2, 4, kernel_size=(3, 3), eps=0.001",
    ),
    "LLTM": (lambda **k: modules.LLTM(4, 5, **k), [(3, 4), ((3, 5), (3, 5))], "input_size=4, state_size=5"),
    "LLTMLayer": (lambda **k: modules.LLTMLayer(4, 5, **k), [(7, 3, 4)], "input_size=4, state_size=5"),
}
WITH_PARAMETERS = [name for name, (make, *_) in MODULES.items() if list(make().parameters())]
every_module = pytest.mark.parametrize("name", MODULES)
every_module_with_parameters = pytest.mark.parametrize("name", WITH_PARAMETERS)


def inputs_of(name, dtype=torch.float32, requires_grad=False):
    def make(shape):
        if isinstance(shape[0], tuple):
            return tuple(make(part) for part in shape)
        return torch.randn(shape, dtype=dtype, requires_grad=requires_grad)

    return [make(shape) for shape in MODULES[name][1]]


def flat(results):
    """The tensors in nested tuples."""
    if isinstance(results, torch.Tensor):
        return [results]
    return [tensor for part in results for tensor in flat(part)]


def train_step(module, inputs):
    """Runs forward and ``.sum().backward()``; the results, then the gradients of inputs and parameters."""
    results = flat(module(*inputs))
    sum(result.sum() for result in results).backward()
    return results + [tensor.grad for tensor in flat(inputs) + list(module.parameters())]


def assert_same(left, right):
    for a, b in zip(left, right, strict=True):
        assert torch.equal(a, b)


def test_every_module_and_function_is_listed():
    assert sorted(MODULES) == sorted(modules.__all__)
    assert all(callable(getattr(functions, name).apply) for name in functions.__all__)
    assert len(functions.__all__) == len(modules.__all__)


@every_module
def test_trains_behind_sum(name):
    module = MODULES[name][0]()
    inputs = inputs_of(name, requires_grad=True)
    for tensor in train_step(module, inputs):
        assert tensor is not None and tensor.isfinite().all() and tensor.dtype is torch.float32


@every_module
def test_deepcopy_and_pickle(name):
    module, inputs = MODULES[name][0](), inputs_of(name)
    for twin in (copy.deepcopy(module), pickle.loads(pickle.dumps(module))):
        assert_same(flat(twin(*inputs)), flat(module(*inputs)))
        for parameter, other in zip(module.parameters(), twin.parameters(), strict=True):
            assert parameter.data_ptr() != other.data_ptr()


@every_module
@pytest.mark.filterwarnings("ignore:.*torch.jit.*is deprecated", "ignore::torch.jit.TracerWarning")
def test_jit_trace(name):
    """As it is, without no_grad; the trace runs under no_grad."""
    module, inputs, others = MODULES[name][0](), inputs_of(name), inputs_of(name)
    traced = torch.jit.trace(module, tuple(inputs))
    with torch.no_grad():
        assert_same(flat(traced(*others)), flat(module(*others)))


@every_module_with_parameters
def test_state_dict_makes_modules_equal(name):
    module, other, inputs = MODULES[name][0](), MODULES[name][0](), inputs_of(name)
    assert not torch.equal(flat(module(*inputs))[0], flat(other(*inputs))[0])
    other.load_state_dict(module.state_dict())
    assert_same(flat(module(*inputs)), flat(other(*inputs)))


@every_module
def test_double(name):
    module = MODULES[name][0]().double()
    tensors = train_step(module, inputs_of(name, torch.float64, requires_grad=True))
    assert all(tensor.dtype is torch.float64 for tensor in tensors)


@every_module_with_parameters
def test_device_and_dtype(name):
    make = MODULES[name][0]
    assert all(parameter.dtype is torch.float64 for parameter in make(dtype=torch.float64).parameters())
    module = make(device="meta")
    assert all(parameter.is_meta for parameter in module.parameters())
    module.to_empty(device="cpu").reset_parameters()
    assert all(tensor.isfinite().all() for tensor in train_step(module, inputs_of(name, requires_grad=True)))


@every_module_with_parameters
def test_input_of_another_dtype_is_refused(name):
    module = MODULES[name][0]()
    with pytest.raises((TypeError, ValueError), match="weight|bias"):
        module(*inputs_of(name, torch.float64))


@every_module
def test_repr(name):
    expected = MODULES[name][2]
    assert repr(MODULES[name][0]()) == f"{name}({expected})"


@every_module
def test_train_and_eval_agree(name):
    module, inputs = MODULES[name][0](), inputs_of(name)
    training = flat(module.train()(*inputs))
    assert_same(training, flat(module.eval()(*inputs)))


@every_module
def test_default_device_does_not_matter(name):
    module, inputs = MODULES[name][0](), inputs_of(name)
    expected = flat(module(*inputs))
    with torch.device("meta"):
        assert_same(flat(module(*inputs)), expected)


@every_module
def test_threads_share_a_module(name):
    module, inputs = MODULES[name][0](), inputs_of(name)
    expected, results = flat(module(*inputs)), []

    def work():
        results.append([flat(module(*inputs)) for _ in range(50)])

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 4
    for many in results:
        for one in many:
            assert_same(one, expected)


@every_module
def test_function_transforms(name):
    """grad, vmap and jvp of a module, by what autograd says of it."""
    module, inputs = MODULES[name][0]().double(), inputs_of(name, torch.float64)
    first = inputs[0]

    def loss(first):
        return sum(result.square().sum() for result in flat(module(first, *inputs[1:])))

    leaf = first.clone().requires_grad_()
    (gradient,) = torch.autograd.grad(loss(leaf), leaf)
    torch.testing.assert_close(torch.func.grad(loss)(first), gradient)
    many = torch.stack([first, 2 * first])
    torch.testing.assert_close(torch.func.vmap(loss)(many), torch.stack([loss(x) for x in many]))
    _, tangent = torch.func.jvp(loss, (first,), (first,))
    torch.testing.assert_close(tangent, (gradient * first).sum())


@every_module
def test_errors_leave_no_memory_behind(name):
    """A thousand refused calls hold on to no tensor."""
    module, inputs = MODULES[name][0](), inputs_of(name)
    inputs[0] = inputs[0].to(torch.int64)

    def refused():
        with pytest.raises((TypeError, ValueError)):
            module(*inputs)

    before = sys.getrefcount(inputs[0])
    for _ in range(1000):
        refused()
    gc.collect()
    after = sys.getrefcount(inputs[0])
    assert after == before


# -- single modules


def test_linear_is_drawn_as_torch_draws_it():
    torch.manual_seed(0)
    ours = modules.Linear(4, 5)
    torch.manual_seed(0)
    theirs = nn.Linear(4, 5)
    assert_same(ours.state_dict().values(), theirs.state_dict().values())
    ours.load_state_dict(theirs.state_dict())
    assert modules.Linear(4, 5, bias=False).bias is None
    assert repr(modules.Linear(4, 5, bias=False)) == "Linear(in_features=4, out_features=5, bias=False)"


def test_fused_equals_the_pair():
    fused = modules.FusedConvBatchNorm2D(3, 4, (3, 2), eps=0.01)
    conv = modules.Conv2D(3, 4, (3, 2))
    conv.weight = fused.conv_weight
    x = torch.randn(2, 3, 6, 6)
    assert torch.equal(fused(x), modules.BatchNorm2D(eps=0.01)(conv(x)))
    bound = 1 / (3 * 3 * 2) ** 0.5  # kaiming-uniform with a = sqrt(5)
    assert fused.conv_weight.abs().max() <= bound
    assert [name for name, _ in fused.named_parameters()] == ["conv_weight"]


def test_lltm_parameters():
    for module in (modules.LLTM(32, 100), modules.LLTMLayer(32, 100)):
        assert {name: tuple(p.shape) for name, p in module.named_parameters()} == {
            "weights": (300, 132),
            "bias": (300,),
        }
        for parameter in module.parameters():
            assert 0.09 < parameter.abs().max() <= 0.1  # uniform between -1/sqrt(100) and 1/sqrt(100)


def test_lltm_with_parametrized_weights():
    class Double(nn.Module):
        def forward(self, weights):
            return 2 * weights

    cell, inputs = modules.LLTM(4, 5), inputs_of("LLTM")
    doubled = copy.deepcopy(cell)
    with torch.no_grad():
        doubled.weights.mul_(2)
    nn.utils.parametrize.register_parametrization(cell, "weights", Double())
    assert_same(cell(*inputs), doubled(*inputs))


def test_layer_equals_the_cell_step_by_step():
    cell, layer = modules.LLTM(4, 5), modules.LLTMLayer(4, 5)
    layer.load_state_dict(cell.state_dict())
    x, state = torch.randn(6, 3, 4), (torch.randn(3, 5), torch.randn(3, 5))
    output, last_state = layer(x, state)
    for step, expected in zip(x.unbind(0), output.unbind(0), strict=True):
        state = cell(step, state)
        torch.testing.assert_close(expected, state[0])
    torch.testing.assert_close(last_state, state)


def test_layer_starts_from_zeros():
    layer, x = modules.LLTMLayer(4, 5), torch.randn(6, 3, 4)
    assert_same(flat(layer(x)), flat(layer(x, (torch.zeros(3, 5), torch.zeros(3, 5)))))


def test_layer_batch_first():
    layer, first = modules.LLTMLayer(4, 5), modules.LLTMLayer(4, 5, batch_first=True)
    first.load_state_dict(layer.state_dict())
    x = torch.randn(6, 3, 4)
    output, state = layer(x)
    output_first, state_first = first(x.transpose(0, 1))
    assert_same([output.transpose(0, 1), *state], [output_first, *state_first])
    assert repr(first) == "LLTMLayer(input_size=4, state_size=5, batch_first=True)"


@pytest.mark.parametrize(
    "module, x",
    [
        (modules.LLTM(4, 5), torch.zeros(3, 4)),
        (modules.LLTMLayer(4, 5), torch.zeros(2, 3, 4)),
    ],
)
def test_mismatching_states(module, x):
    good = torch.zeros(3, 5)
    for state, exception, message in [
        ((torch.zeros(2, 5), good), ValueError, names("old_h", "(3, 5)", "(2, 5)")),
        ((good, torch.zeros(3, 4)), ValueError, names("old_cell", "(3, 5)", "(3, 4)")),
        ((good, None), TypeError, check.no_tensor("old_cell", "(3, 5)")),
        ((good, good, good), ValueError, names("state", "pair", "(h, cell)", "3")),
        (good, TypeError, names("state", "pair", "(h, cell)", "Tensor")),
    ]:
        with pytest.raises(exception, match=message):
            module(x, state)


def test_layer_refuses_a_flat_input():
    with pytest.raises(ValueError, match="seq_len, batch, input_size"):
        modules.LLTMLayer(4, 5)(torch.zeros(4))


def test_gradients_of_a_layer_equal_the_reference():
    layer = modules.LLTMLayer(4, 5).double()
    x = torch.randn(6, 3, 4, dtype=torch.float64, requires_grad=True)
    zeros = torch.zeros(3, 5, dtype=torch.float64)

    def through_reference(x, weights, bias):
        return references.lltm_sequence(x, weights, bias, zeros, zeros)

    def through_layer(x, weights, bias):
        output, (h, cell) = torch.func.functional_call(layer, {"weights": weights, "bias": bias}, (x,))
        return output, h, cell

    check.check_values(through_layer, through_reference, [x, layer.weights, layer.bias])
