"""tests/operators/test_inputs.py: tensors without memory, without elements, with a bit set, sparse, nested."""

import re
from types import SimpleNamespace

import pytest
import torch

from functions import _library
from functions.add import add
from functions.batch_norm2d import batch_norm2d
from functions.conv2d import conv2d
from functions.scale_add import scale_add
from support.messages import names
from support.operator_table import OPERATORS, every_operator

INTERNALS = "c10::|DispatchKey|TensorImpl|aten::|KeyError|frame #"


@every_operator
def test_meta(operator):
    """Shapes, dtypes and gradients of shapes, as from the layers of torch.nn."""
    for dtype in (torch.float32, torch.float64, torch.bfloat16):
        inputs = [x.to("meta").requires_grad_() for x in operator.tensors(dtype)]
        results = operator.call(*inputs)
        expected = operator.expect(*inputs)
        assert [(y.shape, y.dtype, y.device.type) for y in results] == [(y.shape, y.dtype, "meta") for y in expected]
        gradients = torch.autograd.grad(results, inputs, [torch.ones_like(y) for y in results])
        assert [(g.shape, g.dtype, g.is_meta) for g in gradients] == [(x.shape, x.dtype, True) for x in inputs]
        with torch.no_grad():
            assert [y.shape for y in operator.call(*inputs)] == [y.shape for y in results]


@pytest.mark.parametrize("function", [add, scale_add])
def test_meta_checks_shapes(function):
    with pytest.raises(ValueError, match=r"\(2, 3\).*\(3,\)"):
        function(torch.empty(2, 3, device="meta"), torch.empty(3, device="meta"))


@every_operator
def test_meta_beside_memory_is_refused(operator):
    for place in range(len(operator.shapes) if len(operator.shapes) > 1 else 0):
        inputs = operator.tensors(torch.float32)
        inputs[place] = inputs[place].to("meta")
        if not operator.in_c:  # PyTorch's convolution says it in its own words
            continue
        with pytest.raises((TypeError, ValueError), match=names("device", "meta", "cpu")) as caught:
            operator.call(*inputs)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name, shapes", [
    ("add", [(0, 3), (0, 3)]),
    ("scale_add", [(0,), (0,)]),
    ("mul_constant", [(2, 0)]),
    ("cube", [(0, 0)]),
    ("linear", [(0, 4), (2, 4), (2,)]),
    ("linear", [(3, 0), (2, 0), (2,)]),
    ("linear", [(3, 4), (0, 4), (0,)]),
    ("conv2d", [(0, 2, 4, 3), (2, 2, 2, 2)]),
    ("batch_norm2d", [(0, 2, 2, 3)]),
    ("batch_norm2d", [(2, 0, 2, 3)]),
    ("lltm", [(0, 3), (12, 7), (12,), (0, 4), (0, 4)]),
    ("lltm", [(2, 0), (12, 4), (12,), (2, 4), (2, 4)]),
    ("lltm_sequence", [(0, 2, 3), (12, 7), (12,), (2, 4), (2, 4)]),
    ("lltm_sequence", [(3, 0, 3), (12, 7), (12,), (0, 4), (0, 4)]),
])  # fmt: skip
def test_no_elements(name, shapes):
    operator = OPERATORS[name]._replace(shapes=shapes)
    inputs = operator.tensors(requires_grad=True)
    ones = [torch.ones_like(result) for result in operator.call(*inputs)]

    def everything(function):
        results = function(*inputs)
        first = torch.autograd.grad(results, inputs, ones, create_graph=True, allow_unused=True, materialize_grads=True)
        tangents = tuple(torch.ones_like(x) for x in inputs)
        return results, first, torch.func.jvp(function, tuple(x.detach() for x in inputs), tangents)[1]

    actual, expected = everything(operator.call), everything(operator.expect)
    torch.testing.assert_close(actual, expected)


@every_operator
def test_a_negative_bit_is_resolved(operator):
    """Of each argument, with one element and with many; and of grad_output."""
    for place in range(len(operator.shapes)):
        inputs = operator.tensors()
        expected = operator.call(*inputs)
        inputs[place] = torch.complex(torch.zeros_like(inputs[place]), -inputs[place]).conj().imag
        assert inputs[place].is_neg()
        torch.testing.assert_close(operator.call(*inputs), expected)


@pytest.mark.parametrize("name", ["add", "scale_add", "mul_constant", "cube"])
def test_a_negative_bit_of_one_element(name):
    """It is contiguous, so that nothing copies it on the way to C."""
    operator = OPERATORS[name]._replace(shapes=[(1,) for _ in OPERATORS[name].shapes])
    x = torch.complex(torch.zeros(1).double(), torch.full((1,), -3.0).double()).conj().imag
    assert x.is_neg() and x.is_contiguous()
    inputs = [x.requires_grad_() for _ in operator.shapes]
    plain = [torch.full((1,), 3.0).double().requires_grad_() for _ in operator.shapes]
    direction = torch.complex(torch.zeros(1).double(), torch.full((1,), -2.0).double()).conj().imag
    torch.testing.assert_close(operator.call(*inputs), operator.call(*plain))
    torch.testing.assert_close(
        torch.autograd.grad(operator.call(*inputs), inputs[0], [direction]),
        torch.autograd.grad(operator.call(*plain), plain[0], [torch.full((1,), 2.0).double()])
        if len(plain) == 1
        else (sum(torch.autograd.grad(operator.call(*plain), plain, [torch.full((1,), 2.0).double()])),),
    )


@every_operator
def test_sparse_and_nested_are_refused_by_name(operator):
    first = list(torch.float32 for _ in operator.shapes)
    for place in range(len(first)):
        for kind in ("sparse", "nested"):
            inputs = operator.tensors(torch.float32)
            if kind == "sparse":
                inputs[place] = inputs[place].to_sparse()
            else:
                inputs[place] = torch.nested.nested_tensor([inputs[place], inputs[place]])
            with pytest.raises(TypeError, match=names("dense", "nested" if kind == "nested" else "layout")) as caught:
                operator.call(*inputs)
            assert not re.search(INTERNALS, str(caught.value))


@pytest.mark.parametrize("function", [conv2d, batch_norm2d])
def test_channels_last_is_kept(function):
    images = torch.randn(2, 3, 5, 4).to(memory_format=torch.channels_last).requires_grad_()
    weight = [torch.randn(4, 3, 2, 2).to(memory_format=torch.channels_last)] if function is conv2d else []
    result = function(images, *weight)
    assert result.is_contiguous(memory_format=torch.channels_last) and not result.is_contiguous()
    plain = images.detach().contiguous().requires_grad_()
    expected = function(plain, *(x.contiguous() for x in weight))
    torch.testing.assert_close(result, expected)
    direction = torch.randn_like(expected)
    (gradient,), (wanted,) = (torch.autograd.grad(y, x, direction) for y, x in ((result, images), (expected, plain)))
    torch.testing.assert_close(gradient, wanted)
    if function is batch_norm2d:
        assert gradient.is_contiguous(memory_format=torch.channels_last)


def test_pytorchs_setting_for_tf32_is_read_as_it_was_given():
    """From 2.9 on as a precision, after which PyTorch's older switch raises."""
    matmul = torch.backends.cuda.matmul
    before = getattr(matmul, "fp32_precision", None)
    try:
        for allowed in (True, False):
            matmul.allow_tf32 = allowed
            assert _library.allows_tf32() is allowed
            if before is not None:
                matmul.fp32_precision = "ieee" if allowed else "tf32"
                assert _library.allows_tf32() is not allowed
    finally:
        matmul.allow_tf32 = False
        if before is not None:
            matmul.fp32_precision = before


class OnGPU(torch.Tensor):
    is_cuda = True


@pytest.fixture
def asked(monkeypatch):
    """What the GPU's library is asked for."""
    calls = []
    monkeypatch.setattr(_library, "my_lib_cuda", lambda: SimpleNamespace(my_lib_cuda_allow_tf32=calls.append))
    return calls


def product_on_gpu(asked, dtype):
    """A product and its backward; what the library was asked for before, in and after each."""

    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx, input):
            asked.append("forward")
            return input.as_subclass(torch.Tensor) * 2

        @staticmethod
        def backward(ctx, grad_output):
            asked.append("backward")
            return grad_output * 2

    input = torch.ones(2, dtype=dtype).as_subclass(OnGPU).requires_grad_()
    _library.follows_tf32(Twice.apply)(input).sum().backward()
    return asked


def test_on_a_gpu_products_follow_the_setting_for_tf32(asked, monkeypatch):
    assert product_on_gpu(asked, torch.float32) == ["forward", "backward"]
    asked.clear()
    monkeypatch.setattr(_library, "allows_tf32", lambda: True)
    assert product_on_gpu(asked, torch.float32) == [1, "forward", 0, 1, "backward", 0]


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
def test_on_a_gpu_products_of_16_bits_are_in_tf32(asked, dtype):
    assert product_on_gpu(asked, dtype) == [1, "forward", 0, 1, "backward", 0]
    asked.clear()
    before = torch.is_autocast_enabled("cuda"), torch.get_autocast_dtype("cuda")
    torch.set_autocast_enabled("cuda", True)
    torch.set_autocast_dtype("cuda", dtype)
    try:
        assert _library.computes_in_16_bits(torch.ones(1)) and not _library.computes_in_16_bits(torch.ones(1).double())
        assert product_on_gpu(asked, torch.float32) == [1, "forward", 0, 1, "backward", 0]
    finally:
        torch.set_autocast_enabled("cuda", before[0])
        torch.set_autocast_dtype("cuda", before[1])


def test_an_error_leaves_no_tf32_behind(asked, monkeypatch):
    def fails(input):
        raise ValueError

    monkeypatch.setattr(_library, "allows_tf32", lambda: True)
    with pytest.raises(ValueError):
        _library.follows_tf32(fails)(torch.ones(2).as_subclass(OnGPU))
    assert asked == [1, 0]
