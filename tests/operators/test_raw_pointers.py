"""tests/operators/test_raw_pointers.py: the traps of docs/reference/raw-pointers.md, each met by every operator and by a strided
kernel."""

import re
import sys

import pytest
import torch
from hypothesis import given, settings, strategies

from support import ROOT
from support.messages import names
from support.operator_table import OPERATORS, every_operator


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
def test_inputs_of_any_layout_give_the_same_values_and_gradients(operator, layout):
    plain = operator.tensors(requires_grad=True)
    laid_out = [layout(x.detach()).requires_grad_() for x in plain]
    expected, results = operator.call(*plain), operator.call(*laid_out)
    torch.testing.assert_close(results, expected, rtol=1e-12, atol=1e-12)
    directions = [torch.randn_like(result) for result in expected]
    gradients = torch.autograd.grad(results, laid_out, [layout(direction) for direction in directions])
    torch.testing.assert_close(gradients, torch.autograd.grad(expected, plain, directions), rtol=1e-12, atol=1e-12)


@every_operator
def test_an_expanded_grad_output(operator):
    inputs = operator.tensors(requires_grad=True)
    results = operator.call(*inputs)
    expected = torch.autograd.grad(results, inputs, [torch.ones_like(y) for y in results], retain_graph=True)
    gradients = torch.autograd.grad(sum(y.sum() for y in results), inputs)
    torch.testing.assert_close(gradients, expected, rtol=1e-12, atol=1e-12)


@every_operator
def test_new_outputs_have_the_dtype_of_the_input_and_are_contiguous(operator):
    for dtype in (torch.float32, torch.float64):
        for output in operator.call(*(backwards_in_memory(x) for x in operator.tensors(dtype))):
            assert output.dtype == dtype and output.device.type == "cpu" and output.layout == torch.strided
            assert output.is_contiguous()


@pytest.mark.parametrize("name", ["add", "cube", "linear"])
def test_complex_numbers_are_refused(name):
    with pytest.raises(ValueError, match=names("torch.float32", "torch.float64", "torch.complex128") + "input"):
        OPERATORS[name].call(*OPERATORS[name].tensors(torch.complex128))


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


@pytest.mark.slow
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
