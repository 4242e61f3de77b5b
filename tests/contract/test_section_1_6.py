# tests/contract/test_section_1_6.py: how arguments and results cross, and what errors in C become.
import gc
import re
import sys
import threading

import cffi
import numpy as np
import pytest
import torch


def text(message):
    return f"^{re.escape(message)}"


def test_argument_tensor_is_no_copy_and_resize_is_seen(calls):
    a, b, out = torch.randn(3, 4), torch.randn(3, 4), torch.FloatTensor()
    storage = out.untyped_storage()._cdata
    assert calls.add_forward(a, b, out) == 1
    assert torch.equal(out, a + b)
    assert out.untyped_storage()._cdata == storage, "its own storage grew"
    assert calls.add_forward(a, torch.ones(2), out) == 0


FLOAT = "initializer for ctype 'struct THFloatTensor *' must be a "
REFUSED = {
    "double": (lambda: torch.ones(2, 2).double(), FLOAT + "pointer to same type, not cdata 'struct THDoubleTensor *'"),
    "half": (lambda: torch.ones(2, 2).half(), FLOAT + "pointer to same type, not cdata 'struct THHalfTensor *'"),
    "none": (lambda: None, FLOAT + "cdata pointer, not NoneType"),
    "float": (lambda: 1.5, FLOAT + "cdata pointer, not float"),
    "storage": (lambda: torch.FloatStorage(2), FLOAT + "pointer to same type, not cdata 'struct THFloatStorage *'"),
    "bool-tensor": (lambda: torch.ones(2) > 0, "expected a CPU tensor of a type that TH has, got torch.bool"),
    "meta": (lambda: torch.empty(2, device="meta"), "expected a CPU tensor of a type that TH has, got "),
    "sparse": (lambda: torch.eye(2).to_sparse(), "expected a CPU tensor of a type that TH has, got a sparse tensor"),
}


@pytest.mark.parametrize("row", [pytest.param(name, id=f"row-{name}") for name in REFUSED])
def test_tensor_argument_refused(calls, row):
    make, message = REFUSED[row]
    with pytest.raises(TypeError, match=text(message)):
        calls.dimensions(make())


def test_argument_with_the_negative_bit_is_refused(calls):
    negative = torch.randn(3, dtype=torch.complex64).conj().imag
    assert negative.is_neg()
    with pytest.raises(ValueError, match="negative bit"):
        calls.dimensions(negative)


NUMBERS = {
    "int-too-big": ("identity", (2**31,), OverflowError, "integer 2147483648 does not fit '32-bit int'"),
    "negative-to-unsigned": ("identity_unsigned", (-1,), OverflowError, "can't convert negative number to unsigned"),
    "float-to-int": ("identity", (1.5,), TypeError, "an integer is required"),
    "str-to-char": ("first", ("abc",), TypeError, "initializer for ctype 'char *' must be a "),
    "numpy-to-array": ("sum_of", (np.ones(2), 2), TypeError, "initializer for ctype 'double *'"),
    "tensor-to-int": ("identity", (torch.ones(1),), TypeError, "int() not supported on cdata 'struct THFloatTensor *'"),
    "tensor-to-float": ("half_of", (torch.ones(1),), TypeError, "float() not supported on cdata "),
    "tensor-to-double-pointer": ("sum_of", (torch.ones(2).double(), 2), TypeError, "initializer for ctype 'double *'"),
}


@pytest.mark.parametrize("row", [pytest.param(name, id=f"row-{name}") for name in NUMBERS])
def test_argument_refused(calls, row):
    function, arguments, error, message = NUMBERS[row]
    with pytest.raises(error, match=text(message)):
        getattr(calls, function)(*arguments)


ACCEPTED = {
    "int": ("identity", (-5,), -5),
    "bool-to-int": ("identity", (True,), 1),
    "numpy-int": ("identity", (np.int64(4),), 4),
    "unsigned": ("identity_unsigned", (2**32 - 1,), 2**32 - 1),
    "int-to-float": ("half_of", (3,), 1.5),
    "bool-to-float": ("half_of", (True,), 0.5),
    "bool": ("negate", (True,), False),
    "list-to-double-array": ("sum_of", ([1.5, 2.5], 2), 4.0),
    "list-to-int-array": ("sum_of_ints", ([1, 2, 3], 3), 6),
    "bytes": ("first", (b"abc",), b"a"),
    "void": ("nothing", (), None),
}


@pytest.mark.parametrize("row", [pytest.param(name, id=f"row-{name}") for name in ACCEPTED])
def test_argument(calls, row):
    function, arguments, expected = ACCEPTED[row]
    result = getattr(calls, function)(*arguments)
    assert result == expected and type(result) is type(expected)


def test_wrong_count(calls):
    with pytest.raises(TypeError, match=r"identity\(\) takes exactly one argument \(2 given\)"):
        calls.identity(1, 2)
    with pytest.raises(TypeError, match="add_forward expected 3 arguments, got 1"):
        calls.add_forward(torch.ones(1))
    with pytest.raises(TypeError, match="takes no keyword arguments"):
        calls.identity(value=1)


def test_foreign_cdata(calls):
    other = cffi.FFI()
    block = other.new("void *[1]")
    assert calls.pass_text(other.NULL) == other.NULL
    assert getattr(calls, "pass")(block) == block


def test_result_pointer_is_raw_cdata(calls):
    from legacy_calls.calls._calls import ffi

    given = ffi.new("char[]", b"hello")
    assert ffi.string(calls.pass_text(given)) == b"hello"


def test_result_tensor(calls):
    fresh = calls.fresh(3)
    assert type(fresh) is torch.Tensor and fresh.tolist() == [7, 7, 7]
    fresh.resize_(1000)
    matrix = torch.randn(2, 3)
    assert calls.same(matrix) is matrix
    row = calls.first_row(matrix)
    row.fill_(5)
    assert matrix[0].tolist() == [5, 5, 5], "the same memory"
    del matrix
    assert row.tolist() == [5, 5, 5]


def test_storages(calls):
    tensor = torch.arange(4.0)
    storage = calls.storage_of(tensor)
    assert storage.dtype is torch.float32 and storage.data_ptr() == tensor.data_ptr()
    assert calls.storage_sum(tensor.storage()) == 6


def test_wrapped_function_looks_like_the_original(calls):
    from legacy_calls.calls._calls import lib

    for name in ("add_forward", "identity"):
        wrapped, original = getattr(calls, name), getattr(lib, name)
        assert wrapped.__name__ == original.__name__ and wrapped.__module__ == original.__module__
        declaration = original.__doc__.partition("\n")[0].replace("struct ", "").replace(" *", "*")
        assert wrapped.__doc__.replace(" *", "*") == declaration


def test_errors(calls):
    with pytest.raises(torch.FatalError, match=r"^invalid argument 1: expected 2 dimensions at .*calls\.c:\d+$"):
        calls.same(torch.ones(3))
    with pytest.raises(RuntimeError, match=r"^count -1 at .*calls\.c:\d+$"):
        calls.fresh(-1)
    with pytest.raises(torch.FatalError, match="^the project's own$"):
        calls.throw_project_error()


def test_many_errors_leave_nothing_behind(calls):
    tensor = torch.ones(3)
    before = sys.getrefcount(tensor)
    for _ in range(5000):  # more than the interpreter's recursion limit
        with pytest.raises(torch.FatalError):
            calls.same(tensor)
    assert sys.getrefcount(tensor) == before


def test_sizes_stay_after_an_error(calls):
    tensor = torch.ones(3)
    with pytest.raises(torch.FatalError, match="^too late"):
        calls.fail_after_resize(tensor)
    assert tensor.tolist() == [1, 1, 1]


# Shapes between the two worlds


def test_shapes(calls):
    assert calls.dimensions(torch.tensor(5.0)) == 1
    assert calls.dimensions(torch.empty(0, 4)) == 0
    assert calls.dimensions(torch.empty(2, 3, 4)) == 3
    transposed = torch.ones(2, 3).t()
    assert [calls.stride(transposed, 0), calls.stride(transposed, 1)] == [1, 3]
    tensor = torch.ones(2, 2)
    calls.resize1d(tensor, 0)
    assert tensor.shape == (0,)


def test_same_tensor_twice_is_one_pointer(calls):
    tensor, other = torch.ones(2), torch.ones(2)
    assert calls.same_pointer(tensor, tensor) == 1
    assert calls.same_pointer(tensor, other) == 0


def test_resize_keeps_contents_and_reaches_views(calls):
    tensor = torch.arange(6.0)
    view, first = tensor.view(2, 3), tensor[:2]
    calls.resize1d(first, 4)
    assert first.tolist() == [0, 1, 2, 3], "what lay behind it in the storage"
    calls.resize2d(tensor, 50, 40)
    assert tensor.shape == (50, 40) and tensor.view(-1)[:7].tolist() == [0, 1, 2, 3, 4, 5, 0]
    tensor.fill_(3)
    assert view.tolist() == [[3, 3, 3]] * 2


def test_set_shares_the_other_storage(calls):
    tensor, source = torch.zeros(2), torch.arange(6.0).view(2, 3)
    calls.set(tensor, source)
    tensor[1, 2] = 9
    assert source[1, 2] == 9


def test_retained_tensor_lives_and_follows(calls):
    tensor = torch.ones(4)
    calls.keep(tensor)
    tensor.resize_(100000).fill_(2)
    assert calls.kept_sum() == 8
    calls.grow_kept(10)
    assert calls.kept_sum() == 20
    del tensor
    gc.collect()
    assert calls.kept_sum() == 20


@pytest.mark.parametrize("make", [
    pytest.param(lambda: torch.from_numpy(np.ones(2, dtype=np.float32)), id="numpy"),
    pytest.param(lambda: torch.ones(2).share_memory_(), id="shared-memory"),
    pytest.param(lambda: torch.ones(2).requires_grad_(), id="requires-grad"),
])  # fmt: skip
def test_growth_refused(calls, make):
    tensor = make()
    with pytest.raises(RuntimeError, match="[rR]esize"):
        calls.resize1d(tensor, 1000)
    assert tensor.tolist() == [1, 1] and calls.dimensions(tensor) == 1


def test_parameter_of_the_same_size_may_be_reshaped(calls):
    parameter = torch.nn.Parameter(torch.ones(6))
    calls.resize2d(parameter, 6, 1)
    assert parameter.shape == (6, 1) and parameter.is_leaf


def test_resize_through_data_reaches_the_owner(calls):
    from torchthaw.legacy import patches

    patches.install("data_owner")
    try:
        owner = torch.FloatTensor()
        calls.resize2d(owner.data, 2, 3)
        assert owner.shape == (2, 3)
    finally:
        patches.uninstall()


def test_threads(calls):
    def work():
        a, out = torch.ones(50), torch.FloatTensor()
        for _ in range(200):
            calls.add_forward(a, a, out)
        results.append(out.eq(2).all().item())

    results = []
    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [True] * 8
