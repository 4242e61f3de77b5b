"""tests/bridge/test_bridge_checks.py: a call of an annotated function that the header does not allow is refused before C
runs."""

import functools
import gc
import os
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from support import ROOT, checks_probe
from support.messages import names
from torchthaw.bridge import pytorch

probe = checks_probe.probe()
ffi = probe._extension.ffi


def ones(*sizes, dtype=torch.float32):
    return torch.ones(sizes, dtype=dtype)


def refused(error, message, function, *arguments, **keywords):
    """Checks that the call raises a message of this pattern, and that neither C ran nor a tensor changed."""
    tensors = [each for each in (*arguments, *keywords.values()) if isinstance(each, torch.Tensor)]
    before, ran = [(each.clone(), each._version) for each in tensors], probe.checks_count()
    with pytest.raises(error, match=message) as caught:
        function(*arguments, **keywords)
    assert type(caught.value) is error
    assert probe.checks_count() == ran
    same = functools.partial(torch.allclose, rtol=0, atol=0, equal_nan=True)  # torch.empty may be no number
    assert all(same(now, was) and now._version == version for now, (was, version) in zip(tensors, before))


def scale(input, output, shape=None, ndim=None):
    shape = input.shape if shape is None else shape
    return probe.scale(input, shape, len(shape) if ndim is None else ndim, 2.0, output)


def outer(rows, columns, output, *, bias=None, sums=None, m=None, n=None, workspace=None, size=None):
    """The call with all of its arguments."""
    m, n = len(rows) if m is None else m, len(columns) if n is None else n
    workspace = torch.empty(8 * m * n, dtype=torch.uint8) if workspace is None else workspace
    size = workspace.numel() if size is None else size
    return probe.outer(rows, columns, bias, m, n, output, sums, workspace, size)


# What the header says goes through


@pytest.mark.parametrize("sizes", [(2, 3), (), (0,), (1,) * 64, (2, 0, 3)])
def test_a_call_as_the_header_says_it(sizes):
    input, output = torch.ones(sizes), torch.zeros(sizes)
    assert scale(input, output) == 1
    assert torch.equal(output, 2 * input) and output._version == 1 and input._version == 0


def test_an_output_may_be_the_very_input_that_the_header_names():
    x = ones(2, 3)
    assert scale(x, x) == 1 and x.tolist() == [[2.0] * 3] * 2
    assert scale(x, x.view(2, 3)) == 1 and x.tolist() == [[4.0] * 3] * 2


def test_a_call_that_differs_from_the_last_one_is_checked_anew():
    """In one number after a call that passed, and as before again."""
    rows, columns, output = ones(2), ones(3), torch.zeros(2, 3)
    small, right = torch.empty(47, dtype=torch.uint8), lambda: outer(rows, columns, output)
    assert right() == 1
    for message, changed in {
        names("rows", "(2,)", "(3,)"): lambda: outer(ones(3), columns, output, m=2),
        names("rows", "(3,)", "(2,)"): lambda: outer(rows, columns, output, m=3),
        names("columns", "(4,)", "(3,)"): lambda: outer(rows, columns, output, n=4),
        names("output", "(2, 3)", "(3, 2)"): lambda: outer(rows, columns, output.view(3, 2)),
        names("output", "(2, 3)", "(6,)"): lambda: outer(rows, columns, output.view(6)),
        names("columns", "(3,)", "None"): lambda: outer(rows, None, output, n=3),
        names("workspace", "48", "47"): lambda: outer(rows, columns, output, workspace=small),
    }.items():
        for _ in range(2):
            refused(ValueError if "None" not in message else TypeError, message, changed)
        assert right() == 1 and right() == 1
    x = ones(2, 3)
    assert scale(x, x) == 1
    refused(ValueError, names("input", "(3, 2)", "(2, 3)"), scale, x, x, (3, 2))
    assert scale(x, x) == 1
    seven, own = ones(7), names("output", "input", "overlaps")
    for _ in range(2):  # overlap is no matter of sizes
        refused(ValueError, own, scale, seven[:6].view(2, 3), seven[1:].view(2, 3))


def test_optional_arrays():
    rows, columns, output = ones(2), ones(3), torch.zeros(2, 3)
    assert outer(rows, columns, output) == 1 and output.tolist() == [[1.0] * 3] * 2
    sums = torch.zeros(2)
    assert outer(rows, columns, output, bias=ones(3), sums=sums) == 1
    assert output.tolist() == [[2.0] * 3] * 2 and sums.tolist() == [6.0] * 2


@pytest.mark.parametrize("shape1, shape2", [
    ((2, 3), (2, 3)), ((2, 1), (3,)), ((), (4,)), ((3, 1, 2), (5, 1)), ((0, 3), (1,)), ((1,), (0,)),
])  # fmt: skip
def test_broadcasting(shape1, shape2):
    a, b = torch.rand(shape1), torch.rand(shape2)
    output = torch.empty(torch.broadcast_shapes(shape1, shape2))
    assert probe.add(a, shape1, len(shape1), b, shape2, len(shape2), output) == 1
    assert torch.equal(output, a + b)


def test_arrays_that_are_read_and_written():
    total = torch.full((), 5.0, dtype=torch.float64)
    assert probe.accumulate(ones(3), 3, total) is None and total.item() == 8 and total._version == 1


@pytest.mark.parametrize("n, k, step, count", [(10, 4, 2, 4), (10, 4, 5, 2), (4, 4, 1, 1)])
def test_expressions(n, k, step, count):
    output = torch.zeros(count)
    probe.windows(ones(n), n, k, step, output)
    assert output.tolist() == [k] * count
    refused(
        ValueError, names("output", f"({count},)", f"({count + 1},)"), probe.windows, ones(n), n, k, step,
        torch.zeros(count + 1),
    )  # fmt: skip


def test_half_precision_types():
    for dtype, name in ((torch.bfloat16, "bfloat16"), (torch.float16, "float16")):
        function = getattr(probe, f"{name}_bits")
        assert function(ones(2, dtype=dtype), 2) == ones(1, dtype=dtype).view(torch.int16).item()
        want = "input", "contiguous", name, "CPU"
        for wrong in (torch.float32, torch.uint16, torch.int16):
            refused(TypeError, names(*want, wrong, f"tensor.to({dtype})"), function, ones(2, dtype=wrong), 2)
        refused(TypeError, names(*want, "list"), function, [1, 2], 2)
        assert function(ffi.new("uint16_t[]", [7, 8]), 2) == 7
        refused(ValueError, names("input", "(3,)", "(2,)"), function, ones(2, dtype=dtype), 3)


# Shapes


def test_the_example_of_the_readme_with_an_output_that_is_too_small():
    from _ext import my_lib

    a, b = ones(5, 5), ones(5, 5)
    output = torch.zeros(5, 4)
    with pytest.raises(ValueError, match=names("output", "(5, 5)", "(5, 4)")):
        my_lib.my_lib_add_forward(a, a.shape, a.dim(), b, b.shape, b.dim(), output)
    assert output.sum() == 0 and output._version == 0


@pytest.mark.parametrize("sizes, text", [
    ((2, 2), "(2, 2)"), ((3, 2), "(3, 2)"), ((6,), "(6,)"), ((2, 3, 1), "(2, 3, 1)"), ((), "()"), ((0, 3), "(0, 3)"),
    ((2, 4), "(2, 4)"),
])  # fmt: skip
def test_another_shape_is_refused(sizes, text):
    refused(ValueError, names("output", "(2, 3)", text), scale, ones(2, 3), torch.zeros(sizes))
    refused(
        ValueError, names("input", "(2, 3)", text), scale, torch.ones(sizes), torch.zeros(2, 3), (2, 3),
    )  # fmt: skip


def test_each_of_several_arrays_is_compared():
    right = SimpleNamespace(rows=ones(2), columns=ones(3), output=torch.zeros(2, 3), bias=ones(3), sums=ones(2))
    for name, shape in (
        ("rows", "(2,)"),
        ("columns", "(3,)"),
        ("output", "(2, 3)"),
        ("bias", "(3,)"),
        ("sums", "(2,)"),
    ):
        given = {**vars(right), name: torch.zeros(7), "m": 2, "n": 3}
        refused(ValueError, names(name, shape, "(7,)"), outer, **given)


def test_broadcast_shapes_are_compared():
    a, b = ones(2, 1), ones(3)
    for sizes, text in (((2, 1), "(2, 1)"), ((3,), "(3,)"), ((3, 2), "(3, 2)")):
        refused(
            ValueError, names("output", "(2, 3)", text), probe.add, a, a.shape, 2, b, b.shape, 1,
            torch.zeros(sizes),
        )  # fmt: skip
    message = names("output", "shape1=(2, 2)", "ndim1=2", "shape2=(3,)", "ndim2=1")
    refused(ValueError, message, probe.add, ones(2, 2), (2, 2), 2, b, b.shape, 1, torch.zeros(2, 3))


@pytest.mark.parametrize("n, k, step", [(3, 5, 1), (3, 1, 0), (3, -(2**63), 1), (-1, 1, 1)])
def test_integers_that_give_no_shape_are_refused(n, k, step):
    name = "input" if n < 0 else "output"
    message = names(name, f"n={n}", f"k={k}", f"step={step}")
    refused(ValueError, message, probe.windows, ones(max(n, 0)), n, k, step, torch.zeros(1))


# Sizes


@pytest.mark.parametrize("shape, ndim, got", [((2, 3), 1, 2), ((2, 3), 3, 2), ([2], 2, 1), ((), 1, 0)])
def test_the_number_of_sizes_is_compared(shape, ndim, got):
    message = names("shape", f"({ndim},)", got)
    refused(ValueError, message, scale, ones(2, 3), torch.zeros(2, 3), shape, ndim)


def test_sizes_may_be_a_tensor_or_an_array_of_cffi():
    for shape in (torch.tensor([2, 3]), ffi.new("int64_t[]", [2, 3]), [2, 3]):
        output = torch.zeros(2, 3)
        assert scale(ones(2, 3), output, shape, 2) == 1 and output.sum() == 12
    refused(ValueError, names("shape", "(3,)", "(2,)"), scale, ones(2), torch.zeros(2), torch.tensor([2, 3]), 3)
    few = ffi.new("int64_t[]", [2])
    refused(ValueError, names("shape", "(2,)", "1"), scale, ones(2, 3), torch.zeros(2, 3), few, 2)


@pytest.mark.parametrize("make, got", [
    (lambda: ffi.new("char[2]"), "char[2]"),
    (lambda: ffi.new("double[2]"), "double[2]"),
    (lambda: ffi.cast("int32_t *", 0), "*"),
    (lambda: ffi.cast("int64_t", 0), "cffi"), (lambda: b"ab", "bytes"), (lambda: "ab", "str"),
])  # fmt: skip
def test_other_values_are_no_sizes(make, got):
    """They would be read as sizes, beyond their end or at NULL, before cffi says that they are of another type."""
    with pytest.raises(TypeError, match=names("shape", "integers", got)):
        scale(ones(2, 3), torch.zeros(2, 3), make(), 2)


def test_integers_of_cffi_are_compared_too():
    for ndim in (ffi.cast("int", 2), ffi.cast("int64_t", 2)):
        assert scale(ones(2, 3), torch.zeros(2, 3), (2, 3), ndim) == 1
    message = names("shape", "(3,)", "2")
    refused(ValueError, message, scale, ones(2, 3), torch.zeros(2, 3), (2, 3), ffi.cast("int", 3))


def test_a_negative_number_of_sizes_is_refused():
    message = names("shape", "shape=(2, 3)", "ndim=-1")
    refused(ValueError, message, scale, ones(2, 3), torch.zeros(2, 3), (2, 3), -1)


def test_no_sizes_are_needed_without_dimensions():
    output = torch.zeros(())
    assert scale(ones(), output, (), 0) == 1 and output.item() == 2
    assert probe.scale(ones(), None, 0, 3.0, output) == 1 and output.item() == 3
    refused(TypeError, names("shape", "(1,)", "None"), probe.scale, ones(1), None, 1, 3.0, torch.zeros(1))


# None


def test_none_is_refused_where_it_is_not_allowed():
    refused(TypeError, names("output", "(2, 3)", "None"), scale, ones(2, 3), None)
    refused(TypeError, names("input", "(2, 3)", "None"), scale, None, torch.zeros(2, 3), (2, 3))
    refused(TypeError, names("rows", "(2,)", "None"), outer, None, ones(3), torch.zeros(2, 3), m=2)
    refused(TypeError, names("total", "()", "None"), probe.accumulate, ones(3), 3, None)
    refused(TypeError, names("output", "(2, 3)", "None"), scale, ones(2, 3), ffi.NULL)


def test_none_is_allowed_for_arrays_without_elements():
    assert scale(None, None, (2, 0), 2) == 1
    assert outer(None, None, None, m=0, n=0) == 1
    refused(TypeError, names("columns", "(3,)", "None"), outer, None, None, None, m=0, n=3)


# What cffi converts


def test_lists_are_counted():
    output = torch.zeros(3)
    assert scale([1.0, 2.0, 3.0], output, (3,)) == 1 and output.tolist() == [2, 4, 6]
    assert scale([1.0, 2.0, 3.0, 4.0], torch.zeros(2, 2), (2, 2)) == 1
    refused(ValueError, names("input", "(3,)", "2"), scale, [1.0, 2.0], output, (3,))
    refused(ValueError, names("input", "(2, 2)", "3"), scale, (1.0,) * 3, torch.zeros(2, 2), (2, 2))
    assert probe.length(b"text", 4) == 4
    refused(ValueError, names("text", "(5,)", "4"), probe.length, b"text", 5)


def test_arrays_of_cffi_are_counted():
    input, output = ffi.new("float[]", [1, 2, 3]), ffi.new("float[3]")
    assert scale(input, output, (3,)) == 1 and list(output) == [2, 4, 6]
    refused(ValueError, names("output", "(4,)", "3"), scale, ones(4), output, (4,))
    refused(ValueError, names("input", "(4,)", "3"), scale, input, torch.zeros(4), (4,))
    buffer = bytearray(12)
    assert scale(input, ffi.from_buffer("float[]", buffer), (3,)) == 1
    assert list(ffi.from_buffer("float[]", buffer)) == [2, 4, 6]
    refused(
        ValueError, names("output", "(4,)", "3"), scale, ones(4), ffi.from_buffer("float[]", buffer),
        (4,),
    )  # fmt: skip


def test_pointers_of_cffi_are_trusted():
    memory = ffi.new("float[3]")
    assert scale(ones(3), ffi.cast("float *", memory), (3,)) == 1 and list(memory) == [2, 2, 2]


OUTPUT = ("output", "contiguous", "float32", "CPU")


@pytest.mark.parametrize("output", [[0.0] * 3, (0.0,) * 3])
def test_an_output_that_would_be_a_copy_is_refused(output):
    refused(ValueError, names(*OUTPUT, type(output).__name__), scale, ones(3), output)


def test_a_read_only_buffer_is_no_output():
    unchangeable, array = bytes(12), np.zeros(3, np.float32)
    array.setflags(write=False)
    for buffer in (unchangeable, array):
        output = ffi.from_buffer("float[]", buffer)
        refused(ValueError, names(*OUTPUT, "read-only", "buffer"), scale, ones(3), output)
        assert scale(output, torch.zeros(3), (3,)) == 1, "it can be read"
    assert unchangeable == bytes(12) and not array.any()


def test_what_cffi_refuses_stays_cffis():
    with pytest.raises(TypeError, match=names("input", "initializer", "ctype", "'float *'")):
        scale(ffi.new("double[3]"), torch.zeros(3), (3,))
    with pytest.raises(TypeError, match="^input: "):
        scale(ffi.cast("int", 3), torch.zeros(3), (3,))
    with pytest.raises(TypeError, match="^input: .* got object$"):
        scale(object(), torch.zeros(3), (3,))


# Overlap


def test_an_output_that_overlaps_another_array_is_refused():
    memory = ones(8)
    own = names("output", "input", "overlaps")
    refused(ValueError, own, scale, memory[:4], memory[1:5])
    refused(ValueError, own, scale, memory[1:5], memory[:4])
    assert scale(memory[:4], memory[4:]) == 1 and memory[4:].tolist() == [2] * 4, "side by side is apart"


def test_an_output_that_is_another_array_is_refused_where_the_header_does_not_name_it():
    rows, columns, output = ones(2), ones(3), torch.zeros(2, 3)
    refused(
        ValueError, names("output", "overlaps", "columns"), outer, rows,
        output.view(6)[:3], output,
    )  # fmt: skip
    refused(
        ValueError, names("sums", "overlaps", "output"), outer, rows, columns, output,
        sums=output.view(6)[2:4],
    )  # fmt: skip
    refused(
        ValueError, names("sums", "overlaps", "rows"), outer, rows, columns, output,
        sums=rows,
    )  # fmt: skip
    memory = torch.zeros(48, dtype=torch.uint8)
    refused(
        ValueError, names("workspace", "overlaps", "output"), outer, rows, columns,
        memory.view(torch.float32)[:6].view(2, 3), workspace=memory,
    )  # fmt: skip


def test_the_same_begin_is_not_the_same_array():
    memory = ones(2, 3)
    message = names("output", "input1", "input2", "overlaps")
    refused(ValueError, message, probe.add, memory[:1], (1, 3), 2, ones(2, 3), (2, 3), 2, memory)
    assert probe.add(memory, (2, 3), 2, memory, (2, 3), 2, memory) == 1 and memory.tolist() == [[2.0] * 3] * 2


def test_overlap_of_arrays_that_cffi_converts():
    memory = ffi.new("float[8]")
    tensor = torch.frombuffer(ffi.buffer(memory), dtype=torch.float32)
    message = names("output", "input", "overlaps")
    refused(ValueError, message, scale, tensor[1:], ffi.cast("float(*)[7]", memory)[0], (7,))
    refused(ValueError, message, scale, ffi.cast("float *", tensor.data_ptr() + 4), tensor[:4], (4,))
    assert scale(tensor, memory, (8,)) == 1


def test_inputs_may_overlap_and_empty_arrays_overlap_nothing():
    x = ones(4)
    assert probe.add(x[:3], (3,), 1, x[1:], (3,), 1, torch.zeros(3)) == 1
    assert scale(x[2:2], x[1:1]) == 1


# The workspace


def test_a_workspace_that_is_too_small_is_refused():
    rows, columns, output = ones(2), ones(3), torch.zeros(2, 3)
    small, right = torch.empty(47, dtype=torch.uint8), torch.empty(48, dtype=torch.uint8)
    refused(
        ValueError, names("workspace", "48", "47"), outer, rows, columns, output, workspace=small,
        size=48,
    )  # fmt: skip
    refused(
        ValueError, names("workspace_size", "48", "47"), outer, rows, columns, output, workspace=right,
        size=47,
    )  # fmt: skip
    refused(
        ValueError, names("workspace", "49", "48"), outer, rows, columns, output, workspace=right,
        size=49,
    )  # fmt: skip
    refused(
        ValueError, names("workspace", "48", "None"), probe.outer, rows, columns, None, 2, 3, output,
        None, None, 48,
    )  # fmt: skip
    assert outer(rows, columns, output, workspace=torch.empty(6, dtype=torch.float64), size=48) == 1
    assert outer(rows, columns, output, workspace=torch.empty(100, dtype=torch.uint8)) == 1
    assert outer(rows, columns, output, workspace=ffi.new("char[48]"), size=48) == 1
    assert probe.outer(None, None, None, 0, 0, None, None, None, 0) == 1


def test_sizes_without_a_workspace_are_the_error_of_c():
    message = names("m", "1000", "1001")
    refused(
        ValueError, message, outer, ones(1001), ones(1), torch.zeros(1001, 1), workspace=torch.empty(1), size=4,
    )  # fmt: skip


# Left out


def test_what_the_tensors_determine_may_be_left_out():
    input, output = ones(2, 3), torch.zeros(2, 3)
    assert probe.scale(input=input, factor=3, output=output) == 1 and output.sum() == 18
    assert probe.scale(input, factor=2, output=output) == 1 and output.sum() == 12
    assert probe.scale(input, (2, 3), factor=2, output=output) == 1
    assert probe.scale(input, ndim=2, factor=2, output=output) == 1
    empty = torch.zeros(0)
    assert probe.scale(input=ones(), factor=4, output=torch.zeros(())) == 1
    assert probe.scale(input=ones(0), factor=4, output=empty) == 1
    assert probe.add(input1=ones(2, 1), input2=ones(3), output=output) == 1 and output.tolist() == [[2.0] * 3] * 2


def test_the_workspace_may_be_left_out():
    rows, columns, output = ones(2), ones(3), torch.zeros(2, 3)
    given = dict(rows=rows, columns=columns, bias=None, output=output, sums=None)
    assert probe.outer(**given) == 1 and output.sum() == 6
    assert probe.outer(**given, workspace_size=100) == 1
    assert probe.outer(**given, workspace=torch.empty(48, dtype=torch.uint8)) == 1
    refused(ValueError, names("workspace", "48", "40"), probe.outer, **given, workspace=torch.empty(10))
    refused(ValueError, names("workspace_size", "48", "4"), probe.outer, **given, workspace_size=4)
    large = dict(given, rows=ones(1000), columns=ones(300), output=torch.zeros(1000, 300))
    assert probe.outer(**large) == 1 and large["output"].sum() == 300000
    pointer = ffi.cast("void *", ffi.new("char[48]"))
    message = names("workspace_size", "workspace", "tensor")
    refused(TypeError, message, probe.outer, **given, workspace=pointer)


def test_given_ones_are_checked():
    input, output = ones(2, 3), torch.zeros(2, 3)
    refused(
        ValueError, names("input", "(3, 2)", "(2, 3)"), probe.scale, input=input, shape=(3, 2), factor=1.0,
        output=output,
    )  # fmt: skip
    refused(
        ValueError, names("shape", "(3,)", "2"), probe.scale, input=input, ndim=3, factor=1.0,
        output=output,
    )  # fmt: skip
    refused(
        ValueError, names("output", "(2, 3)", "(3, 2)"), probe.scale, input=input, factor=1.0,
        output=torch.zeros(3, 2),
    )  # fmt: skip
    refused(
        ValueError, names("rows", "(4,)", "(2,)"), probe.outer, rows=ones(2), columns=ones(3), bias=None, m=4,
        output=torch.zeros(2, 3), sums=None,
    )  # fmt: skip


def test_what_is_not_determined_cannot_be_left_out():
    input, output = ones(2, 3), torch.zeros(2, 3)
    message = names("scale", "factor", "2")
    refused(TypeError, message, probe.scale, input=input, output=output)
    refused(TypeError, names("scale", "5", "3", "factor", "output"), probe.scale, input, 2.0, output)
    refused(TypeError, names("scale", "'inputs'"), probe.scale, inputs=input, factor=2.0, output=output)
    refused(TypeError, names("scale", "'input'", "twice"), probe.scale, input, input=input, output=output)
    refused(
        TypeError, names("ndim", "input"), probe.scale, input=[1.0],
        shape=(1,), factor=2.0, output=torch.zeros(1),
    )  # fmt: skip
    refused(
        TypeError, names("shape", "input"), probe.scale, input=None,
        factor=2.0, output=output,
    )  # fmt: skip
    message = names("unchecked", "3", "2", "count")
    refused(TypeError, message, probe.unchecked, input=input, output=output)


def test_a_tensor_with_too_few_dimensions_determines_nothing():
    message = names("rows", "1", "m", "0")
    refused(
        ValueError, message, probe.outer, rows=ones(), columns=ones(3), bias=None, output=torch.zeros(2, 3),
        sums=None,
    )  # fmt: skip


def test_a_size_that_the_integer_does_not_hold():
    columns = torch.empty(0, dtype=torch.float32).as_strided((0, 2**31), (1, 1))
    assert columns.numel() == 0
    rows = torch.empty(0)
    with pytest.raises(ValueError, match=names("columns", "1 dimension", "(0, 2147483648)")):
        probe.outer(rows=rows, columns=columns, bias=None, n=0, output=torch.zeros(0, 0), sums=None)


def test_left_out_where_cffi_makes_the_call():
    output = ffi.new("float[6]")
    assert probe.scale(input=ones(2, 3), factor=2, output=output) == 1 and list(output) == [2.0] * 6
    assert probe.outer(rows=ones(2), columns=ones(3), bias=[1.0, 2.0, 3.0], output=output, sums=None) == 1
    assert list(output) == [2, 3, 4, 2, 3, 4]
    problem = ffi.new("checks_problem *", {"code": 0})[0]
    assert probe.fail_by_struct(problem=problem, input=ones(2)) == 1


# Status


@pytest.mark.parametrize("code, error, message", [
    (1, ValueError, names("code", "0", "1")), (2, RuntimeError, names("code", "0", "2")),
    (3, ValueError, names("0", "THAW_ERROR_MESSAGE")),
])  # fmt: skip
def test_a_failure_raises(code, error, message):
    problem = ffi.new("checks_problem *", {"code": code})[0]
    for function, arguments in ((probe.fail, (code,)), (probe.fail_by_struct, (problem, ones(1), 1))):
        name = "fail" if function is probe.fail else "fail_by_struct"
        with pytest.raises(error, match=message + (name if code == 3 else "")) as caught:
            function(*arguments)
        assert type(caught.value) is error
    assert probe.fail(0) == 1 and probe._extension.lib.fail(code) == 0, "cffi's own functions return it"


def test_other_functions_return_their_result():
    output = torch.zeros(3)
    assert probe.unchecked(ones(3), 3, output) == 0 and output.tolist() == [1, 1, 1]
    assert probe.unchecked(None, 0, None) == 0


def test_nothing_is_leaked():
    def use():
        for _ in range(1000):
            with pytest.raises(ValueError):
                scale(x, wrong)
            with pytest.raises(ValueError):
                probe.outer(rows=x[:2], columns=ones(3), bias=None, output=torch.zeros(3, 3), sums=None)
            with pytest.raises(ValueError):
                scale([1.0], wrong, (3,))
            with pytest.raises(RuntimeError):
                probe.fail(2)
            probe.outer(rows=x[:2], columns=ones(300), bias=None, output=torch.zeros(2, 300), sums=None)

    x, wrong = ones(3), torch.zeros(2)

    def held():
        gc.collect()
        return sys.getrefcount(x), sys.getrefcount(wrong), sys.getallocatedblocks()

    use()
    before = held()
    use()
    after = held()
    assert after[:2] == before[:2] and after[2] - before[2] < 400  # other threads hold some


def test_more_dimensions_than_attributes_are_read_of():
    many, y, out = torch.ones([1] * 65), ones(1), torch.zeros(1, 1)
    without = pytorch.access()[2] is None
    got = "one of 65 dimensions, more than 64" if without else f"({'1, ' * 64}1)"
    with pytest.raises(ValueError, match=names("rows", got)):
        outer(many, y, out)


# Without DLPack's exchange API, as on PyTorch before 2.10


@pytest.mark.slow
@pytest.mark.skipif("TORCHTHAW_NO_DLPACK" in os.environ, reason="this is that run")
def test_all_of_this_through_attributes():
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", __file__],
        env={**os.environ, "TORCHTHAW_NO_DLPACK": "1"}, capture_output=True, text=True, cwd=ROOT,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout
