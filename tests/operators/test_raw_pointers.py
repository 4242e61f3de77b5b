"""tests/operators/test_raw_pointers.py: the traps of docs/reference/raw-pointers.md, each met by every operator and by a strided
kernel."""

import re
import sys

import pytest
import torch
from hypothesis import given, settings, strategies

import functions
from support import ROOT
from support.messages import names


def random(*shape):
    return torch.randn(*shape, dtype=torch.float64)


# Each operator: a call that returns one tensor, and contiguous inputs for it.
OPERATORS = {
    "add": (functions.add.add, lambda: (random(3, 4), random(3, 4))),
    "scale_add": (functions.scale_add.scale_add, lambda: (random(3, 4), random(3, 4))),
    "mul_constant": (lambda x: functions.mul_constant.mul_constant(x, 2.5), lambda: (random(3, 4),)),
    "cube": (functions.cube.cube, lambda: (random(3, 4),)),
    "linear": (functions.linear.linear, lambda: (random(3, 4), random(2, 4), random(2))),
    "conv2d": (functions.conv2d.conv2d, lambda: (random(2, 3, 5, 5), random(2, 3, 3, 3))),
    "batch_norm2d": (functions.batch_norm2d.batch_norm2d, lambda: (random(2, 3, 4, 4),)),
    "lltm": (
        lambda *arguments: torch.cat(functions.lltm.lltm(*arguments)),
        lambda: (random(2, 3), random(12, 7), random(12), random(2, 4), random(2, 4)),
    ),
    "lltm_sequence": (
        lambda *arguments: functions.lltm_sequence.lltm_sequence(*arguments)[0],
        lambda: (random(5, 2, 3), random(12, 7), random(12), random(2, 4), random(2, 4)),
    ),
}

every_operator = pytest.mark.parametrize("call, inputs", OPERATORS.values(), ids=OPERATORS.keys())


def with_offset(x):
    """The same values in the middle of a larger storage whose other elements are NaN."""
    storage = torch.full((x.numel() + 10,), float("nan"), dtype=x.dtype)
    view = storage[5 : 5 + x.numel()].view(x.shape)
    view.copy_(x)
    assert view.storage_offset() == 5
    return view


def backwards_in_memory(x):
    """The same values with the dimensions stored in the opposite order."""
    return x.permute(*reversed(range(x.dim()))).contiguous().permute(*reversed(range(x.dim())))


def with_gaps(x):
    """The same values, NaN between one and the next."""
    storage = torch.full((*x.shape, 2), float("nan"), dtype=x.dtype)
    storage[..., 0] = x
    return storage[..., 0]


@every_operator
@pytest.mark.parametrize("layout", [with_offset, backwards_in_memory, with_gaps])
def test_inputs_of_any_layout_give_the_same_values_and_gradients(call, inputs, layout):
    plain = [x.requires_grad_() for x in inputs()]
    laid_out = [layout(x.detach()).requires_grad_() for x in plain]
    expected, result = call(*plain), call(*laid_out)
    assert torch.equal(result, expected)
    grad_output = torch.randn_like(expected)
    expected = torch.autograd.grad(expected, plain, grad_output)
    for gradient, theirs in zip(torch.autograd.grad(result, laid_out, layout(grad_output)), expected):
        torch.testing.assert_close(gradient, theirs, rtol=1e-12, atol=1e-12)


@every_operator
def test_an_expanded_grad_output(call, inputs):
    arguments = [x.requires_grad_() for x in inputs()]
    output = call(*arguments)
    expected = torch.autograd.grad(output, arguments, torch.ones_like(output), retain_graph=True)
    for gradient, theirs in zip(torch.autograd.grad(output.sum(), arguments), expected):
        torch.testing.assert_close(gradient, theirs, rtol=1e-12, atol=1e-12)


@every_operator
def test_new_outputs_have_the_dtype_of_the_input_and_are_contiguous(call, inputs):
    for dtype in (torch.float32, torch.float64):
        output = call(*(backwards_in_memory(x.to(dtype)) for x in inputs()))
        assert output.dtype == dtype and output.device.type == "cpu" and output.layout == torch.strided
        assert output.is_contiguous()


@every_operator
def test_a_conjugated_or_negated_view_is_seen_as_its_values(call, inputs):
    # The imaginary part of a conjugate: real numbers whose memory has the other sign.
    first, *others = inputs()
    negative = torch.complex(torch.zeros_like(first), -first).conj().imag
    assert negative.is_neg()
    torch.testing.assert_close(call(negative, *others), call(first, *others), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("operator", ["add", "cube", "linear"])
def test_complex_numbers_are_refused(operator):
    call, inputs = OPERATORS[operator]
    with pytest.raises(TypeError, match=names("torch.float32", "torch.float64", "torch.complex128") + "input"):
        call(*(x.to(torch.complex128) for x in inputs()))


@pytest.fixture(scope="module")
def row_sums(tmp_path_factory):
    """The function of the document, compiled: tensor -> (sums, bits of the index)."""
    page = (ROOT / "docs" / "reference" / "raw-pointers.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    (block,) = [block for block in blocks if "view<" in block]
    namespace = {"x": torch.arange(6.0).reshape(2, 3)}
    block = block.replace('"c_api/my_lib"', repr(str(ROOT / "c_api" / "my_lib")))
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("TORCHTHAW_CACHE", str(tmp_path_factory.mktemp("cache")))
        exec("import torch\n" + block, namespace)
    yield namespace["row_sums"]
    sys.path.remove(str(namespace["folder"]))


@settings(max_examples=50)
@given(
    shape=strategies.tuples(strategies.integers(0, 5), strategies.integers(0, 7)),
    steps=strategies.tuples(strategies.integers(1, 3), strategies.integers(1, 3)),
    start=strategies.integers(0, 2),
    transpose=strategies.booleans(),
)
def test_a_kernel_over_strided_data_reads_what_the_tensor_holds(row_sums, shape, steps, start, transpose):
    x = torch.arange(float(shape[0] * shape[1])).reshape(shape)[start :: steps[0], :: steps[1]]
    x = x.t() if transpose else x
    sums, bits = row_sums(x)
    assert sums.tolist() == x.sum(dim=1).tolist() and bits == 32


def test_a_stride_beyond_32_bits_takes_the_64_bit_index(row_sums):
    far = torch.tensor([1.0, 2.0]).as_strided((1, 2), (2**40, 1))
    sums, bits = row_sums(far)
    assert sums.tolist() == [3] and bits == 64
