# tests/legacy/create_extension/test_arguments_and_results.py: how arguments and results cross.
import re

import cffi
import numpy as np
import pytest
import torch
from torch.autograd import Variable

from support.messages import names


def text(message):
    return f"^{re.escape(message)}"


@pytest.mark.slow
def test_tensor_is_no_copy_and_its_resize_is_seen(calls):
    """C gets the tensor's own memory; what C resizes is resized in Python."""
    a, b, out = torch.randn(3, 4), torch.randn(3, 4), torch.FloatTensor()
    storage = out.untyped_storage()._cdata
    assert calls.add_forward(a, b, out) == 1
    assert torch.equal(out, a + b)
    assert out.untyped_storage()._cdata == storage, "its own storage grew"
    assert calls.add_forward(a, torch.ones(2), out) == 0


FLOAT = "'struct THFloatTensor *'"
REFUSED = {
    "double": (lambda: torch.ones(2, 2).double(), names(FLOAT, "'struct THDoubleTensor *'")),
    "half": (lambda: torch.ones(2, 2).half(), names(FLOAT, "'struct THHalfTensor *'")),
    "none": (lambda: None, names(FLOAT, "NoneType")),
    "float": (lambda: 1.5, names(FLOAT, "float")),
    "storage": (lambda: torch.ones(2).storage(), names(FLOAT, "'struct THFloatStorage *'")),
    "bool-tensor": (lambda: torch.ones(2) > 0, names("CPU", "TH", "torch.bool")),
    "meta": (lambda: torch.empty(2, device="meta"), names("CPU", "TH", "meta")),
    "sparse": (lambda: torch.eye(2).to_sparse(), names("CPU", "TH", "sparse")),
}


@pytest.mark.filterwarnings("ignore:TypedStorage is deprecated")
@pytest.mark.parametrize("case", REFUSED)
def test_tensor_argument_refused(calls, case):
    make, message = REFUSED[case]
    with pytest.raises(TypeError, match=message):
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


@pytest.mark.parametrize("case", NUMBERS)
def test_argument_refused(calls, case):
    function, arguments, error, message = NUMBERS[case]
    with pytest.raises(error, match=text(message)):
        getattr(calls, function)(*arguments)


ACCEPTED = {
    "int": ("identity", (-5,), -5),
    "numpy-float-to-int": ("identity", (np.float32(2.7),), 2),
    "bool-to-int": ("identity", (True,), 1),
    "numpy-int": ("identity", (np.int64(4),), 4),
    "unsigned": ("identity_unsigned", (2**32 - 1,), 2**32 - 1),
    "int-to-float": ("half_of", (3,), 1.5),
    "bool-to-float": ("half_of", (True,), 0.5),
    "bool": ("negate", (True,), False),
    "list-to-double-array": ("sum_of", ([1.5, 2.5], 2), 4.0),
    "list-to-int-array": ("sum_of_ints", ([1, 2, 3], 3), 6),
    "list-to-float-array": ("sum_of_floats", ([1, 2.5], 2), 3.5),
    "bytes": ("first", (b"abc",), b"a"),
    "result-integer": ("add_forward", (torch.ones(1), torch.ones(2), torch.ones(1)), 0),
    "result-char": ("first", (b"xyz",), b"x"),
    "result-float": ("half_of", (1.0,), 0.5),
    "result-bool": ("negate", (False,), True),
    "void": ("nothing", (), None),
}


@pytest.mark.parametrize("case", ACCEPTED)
def test_argument(calls, case):
    function, arguments, expected = ACCEPTED[case]
    result = getattr(calls, function)(*arguments)
    assert result == expected and type(result) is type(expected)


COUNTS = {
    "wrong-count-one": (lambda calls: calls.identity(1, 2), names("identity()", "2")),
    "wrong-count-none": (lambda calls: calls.nothing(1), names("nothing()", "1")),
    "wrong-count-many": (lambda calls: calls.add_forward(torch.ones(1)), names("add_forward", "3", "1")),
    "keywords": (lambda calls: calls.identity(value=1), names("identity()", "keyword")),
}


@pytest.mark.parametrize("case", COUNTS)
def test_wrong_count(calls, case):
    call, message = COUNTS[case]
    with pytest.raises(TypeError, match=message):
        call(calls)


def test_null_tensor_is_given_as_ffi_null(calls):
    """None is refused; ffi.NULL is the NULL tensor."""
    from legacy_calls.calls._calls import ffi

    assert calls.is_null(ffi.NULL) == 1 and calls.is_null(torch.ones(1)) == 0


def test_tensor_converts_to_a_void_pointer(calls):
    from legacy_calls.calls._calls import ffi

    tensor = torch.ones(2, 3)
    pointer = getattr(calls, "pass")(tensor)
    assert ffi.typeof(pointer) is ffi.typeof("void *") and pointer != ffi.NULL


@pytest.mark.parametrize("make", [Variable, torch.nn.Parameter], ids=["Variable", "Parameter"])
def test_variable_is_a_tensor(make, calls):
    assert calls.dimensions(make(torch.ones(2, 3))) == 2


def test_cdata_of_another_ffi(calls):
    other = cffi.FFI()
    block = other.new("void *[1]")
    assert calls.pass_text(other.NULL) == other.NULL
    assert getattr(calls, "pass")(block) == block


def test_result_pointer_is_raw_cdata(calls):
    """Any pointer but a tensor's or storage's is cffi's."""
    from legacy_calls.calls._calls import ffi

    given = ffi.new("char[]", b"hello")
    assert ffi.string(calls.pass_text(given)) == b"hello"


def test_result_tensor_is_new_and_takes_the_reference(calls):
    fresh = calls.fresh(3)
    assert type(fresh) is torch.Tensor and fresh.tolist() == [7, 7, 7]
    fresh.resize_(1000)
    matrix = torch.randn(2, 3)
    first = calls.first_row(matrix)
    first.fill_(5)
    assert matrix[0].tolist() == [5, 5, 5], "the same memory"
    del matrix
    assert first.tolist() == [5, 5, 5]


def test_result_that_is_an_argument_is_that_tensor(calls):
    matrix = torch.randn(2, 3)
    assert calls.same(matrix) is matrix


def test_result_storage_is_new_and_shares_the_memory(calls):
    tensor = torch.arange(4.0)
    storage = calls.storage_of(tensor)
    assert storage.dtype is torch.float32 and storage.data_ptr() == tensor.data_ptr()
    assert calls.storage_sum(tensor.storage()) == 6


def test_wrapped_function_looks_like_the_original(calls):
    """__name__, __module__ and __doc__ are those of the wrapped function."""
    from legacy_calls.calls._calls import lib

    for name in ("add_forward", "identity"):
        wrapped, original = getattr(calls, name), getattr(lib, name)
        assert wrapped.__name__ == original.__name__ and wrapped.__module__ == original.__module__
        declaration = original.__doc__.partition("\n")[0].replace("struct ", "").replace(" *", "*")
        assert wrapped.__doc__.replace(" *", "*") == declaration


def test_same_tensor_twice_is_one_pointer(calls):
    tensor, other = torch.ones(2), torch.ones(2)
    assert calls.same_pointer(tensor, tensor) == 1
    assert calls.same_pointer(tensor, other) == 0
