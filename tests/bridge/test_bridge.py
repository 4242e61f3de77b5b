"""tests/bridge/test_bridge.py: what becomes of each argument and result on its way through torchthaw.bridge."""

import inspect
import os
import subprocess
import sys

import numpy as np
import pytest
import torch

from support import ROOT, SRC, TESTS, bridge_probe
from support.messages import names
from torchthaw.bridge import private_names

probe = bridge_probe.probe()
ffi = probe._extension.ffi

DTYPES = {
    "float": torch.float32, "double": torch.float64, "int8": torch.int8, "int16": torch.int16, "int32": torch.int32,
    "int64": torch.int64, "long": torch.int64, "uint8": torch.uint8, "uint16": torch.uint16, "uint32": torch.uint32,
    "uint64": torch.uint64, "bool": torch.bool, "complex64": torch.complex64, "complex128": torch.complex128,
}  # fmt: skip
INTEGER_BITS = {f"{sign}int{bits}": (sign, bits) for sign in ("", "u") for bits in (8, 16, 32, 64)}


def reads_and_writes(name):
    return getattr(probe, f"read_{name}"), getattr(probe, f"write_{name}")


def refused(function, *arguments, error=(TypeError, ValueError), match):
    """Checks that the call raises, and that tensors among ``arguments`` keep their version."""
    tensors = [a for a in arguments if isinstance(a, torch.Tensor) and not a.is_inference()]
    versions = [tensor._version for tensor in tensors]
    with pytest.raises(error, match=match):
        function(*arguments)
    assert [tensor._version for tensor in tensors] == versions


# Tensors


@pytest.mark.parametrize("name", DTYPES)
def test_a_tensor_is_its_address(name):
    tensor = torch.ones(3, 4, dtype=DTYPES[name])
    for function in reads_and_writes(name):
        assert function(tensor) == tensor.data_ptr()


@pytest.mark.parametrize("name", DTYPES)
def test_another_dtype_is_refused(name):
    for dtype in set(DTYPES.values()) | {torch.float16, torch.bfloat16}:
        if dtype is not DTYPES[name]:
            for function in reads_and_writes(name):
                want = str(DTYPES[name]).removeprefix("torch.")
                to = f"tensor.to({DTYPES[name]})"
                advice = {"reads": [to], "writes": [to, "tensor.copy_(copy)"]}
                kind = "writes" if "write" in function.__name__ else "reads"
                match = names("array", "contiguous", want, "CPU", dtype, *advice[kind])
                refused(function, torch.ones(3).to(dtype), error=TypeError, match=match)


@pytest.mark.parametrize("dtype", [*DTYPES.values(), torch.float16, torch.bfloat16])
def test_void_pointer_takes_any_dtype(dtype):
    tensor = torch.ones(3).to(dtype)
    assert probe.read_void(tensor) == probe.write_void(tensor) == tensor.data_ptr()


def test_storage_offset_is_part_of_the_address():
    base = torch.arange(12.0).reshape(3, 4)
    assert probe.read_float(base[1:]) == base.data_ptr() + 16
    assert probe.sum_floats(base[2], 4) == 38


def test_none_is_null():
    for name in [*DTYPES, "void", "point"]:
        for function in reads_and_writes(name):
            assert function(None) == 0


@pytest.mark.parametrize("shape", [(0,), (0, 4), (4, 0), (2, 0, 3)])
def test_no_elements(shape):
    probe.read_float(torch.empty(shape))
    probe.write_float(torch.empty(shape))
    probe.read_float(torch.empty(shape[::-1]).permute(*range(len(shape))[::-1]))


def test_zero_dimensions_and_size_one():
    for tensor in (torch.tensor(3.0), torch.ones(1, 5, 1), torch.ones(5, 1).expand(5, 1), torch.ones(1, 5).t()):
        assert probe.read_float(tensor) == tensor.data_ptr()


@pytest.mark.parametrize("tensor", [
    torch.ones(3, 4).t(), torch.ones(3, 4)[:, ::2], torch.ones(3, 1).expand(3, 4), torch.ones(()).expand(4),
    torch.ones(2, 3, 4, 5).to(memory_format=torch.channels_last), torch.ones(8).as_strided((3, 3), (1, 1)),
], ids=["transposed", "strided", "expanded", "expanded-scalar", "channels-last", "overlapping"])  # fmt: skip
def test_not_contiguous_is_refused(tensor):
    for function in reads_and_writes("float"):
        match = r"^array: expected a contiguous float32.*strides .*contiguous\(\)"
        refused(function, tensor, error=ValueError, match=match)
    refused(probe.read_void, tensor, error=ValueError, match="strides")


def test_conjugate_is_refused():
    tensor = torch.ones(3, dtype=torch.complex64).conj()
    assert tensor.is_contiguous()
    for function in (*reads_and_writes("complex64"), *reads_and_writes("void")):
        refused(function, tensor, error=ValueError, match="conjugate bit; pass tensor.resolve_conj")
    assert probe.read_complex64(tensor.resolve_conj())


@pytest.mark.parametrize("tensor", [
    torch.ones((), dtype=torch.complex64).conj().imag, torch.ones(1, dtype=torch.complex64).conj().imag,
    torch.ones(8, dtype=torch.complex64).conj().imag[3:4],
    torch.ones(8, dtype=torch.complex64).conj().imag.as_strided((4,), (1,)),
    torch.frombuffer(bytearray(16), dtype=torch.complex64, offset=4, count=1).conj().imag,
], ids=["scalar", "one", "slice", "as-strided", "unaligned"])  # fmt: skip
def test_negative_is_refused(tensor):
    assert tensor.is_neg() and tensor.is_contiguous()
    for function in (*reads_and_writes("float"), *reads_and_writes("void")):
        refused(function, tensor, error=ValueError, match="negative bit; pass tensor.resolve_neg")
    assert probe.read_float(tensor.resolve_neg())


def test_what_the_message_proposes_for_an_imaginary_part_is_right():
    tensor = torch.full((4,), 1 + 2j, dtype=torch.complex64).conj().imag
    refused(probe.sum_floats, tensor, 4, error=ValueError, match="negative bit; pass tensor.resolve_neg")
    assert probe.sum_floats(tensor.resolve_neg(), 4) == probe.sum_floats(tensor.contiguous(), 4) == -8


def test_odd_addresses_are_fine_without_the_bit():
    tensor = torch.arange(8.0)[1:]
    assert probe.read_float(tensor) == tensor.data_ptr()


def test_meta_is_refused():
    refused(probe.read_float, torch.empty(3, device="meta"), error=TypeError, match="^array: .* got a meta tensor")


@pytest.mark.slow
def test_another_device_is_refused():
    """No such device is at hand: PyTorch is asked by attributes, and the answer says so."""
    source = """
import pytest, torch
from support import bridge_probe
from torchthaw.bridge import pytorch

pytorch.describe = lambda tensor: (tensor.data_ptr(), 3, True, tensor.dim() == 2, 2, 32, -1)
probe = bridge_probe.probe()
assert probe.read_float(torch.ones(1, 3))
with pytest.raises((TypeError, ValueError), match="^array: expected a contiguous float32 CPU tensor, got "):
    probe.read_float(torch.ones(3))
"""
    run = subprocess.run(
        [sys.executable, "-c", source], capture_output=True, text=True,
        env={**os.environ, "TORCHTHAW_NO_DLPACK": "1", "PYTHONPATH": f"{SRC}:{TESTS}"},
    )  # fmt: skip
    assert run.returncode == 0, run.stderr


def test_fake_is_refused():
    """It is: as the argument of a call that a graph cannot hold, since its result is no tensor."""
    from torch._subclasses import FakeTensorMode

    real = torch.ones(3)
    with FakeTensorMode() as mode:
        fake, from_real = torch.empty(3), mode.from_tensor(real)
        for tensor in (fake, from_real):
            with pytest.raises(TypeError, match=names("read_float", "PyTorch", "record")):
                probe.read_float(tensor)


@pytest.mark.parametrize("convert", ["to_sparse", "to_sparse_csr", "to_mkldnn"])
@pytest.mark.filterwarnings("ignore")
def test_other_layouts_are_refused(convert):
    with pytest.raises(TypeError, match=names("array", "contiguous", "float32", "CPU", "tensor")):
        probe.read_float(getattr(torch.eye(3), convert)())


@pytest.mark.filterwarnings("ignore")
def test_quantized_is_refused():
    tensor = torch.quantize_per_tensor(torch.ones(3), 0.1, 0, torch.qint8)
    for function in (probe.read_int8, probe.read_void):
        with pytest.raises(TypeError, match="^array: .* got a quantized tensor"):
            function(tensor)


@pytest.mark.filterwarnings("ignore")
def test_nested_is_refused():
    with pytest.raises(TypeError, match="^array: .* got a nested tensor"):
        probe.read_float(torch.nested.nested_tensor([torch.ones(2), torch.ones(3)]))


def test_vmap_is_refused():
    with pytest.raises(TypeError, match="^array: "):
        torch.func.vmap(lambda x: torch.tensor(probe.read_float(x)))(torch.ones(3, 4))


def test_a_storage_without_memory_is_refused():
    tensor = torch.ones(3)
    tensor.untyped_storage().resize_(0)
    for function in reads_and_writes("float"):
        refused(function, tensor, error=ValueError, match=r"got one of shape \(3,\) without memory")
    refused(probe.read_float, torch._efficientzerotensor(3), error=ValueError, match="without memory")


def test_a_subclass_is_a_tensor():
    class Sub(torch.Tensor):
        pass

    tensor = torch.ones(3).as_subclass(Sub)
    assert probe.read_float(tensor) == tensor.data_ptr()
    assert probe.read_float(torch.nn.Parameter(tensor)) == tensor.data_ptr()
    if hasattr(torch.nn, "Buffer"):  # since PyTorch 2.5
        assert probe.read_float(torch.nn.Buffer(torch.ones(3)))


def test_a_tensor_for_a_struct_pointer_is_refused():
    match = names("array", "cffi", "pointer", "None", "tensor")
    refused(probe.read_point, torch.ones(2), error=TypeError, match=match)


@pytest.mark.parametrize("name", ["int32", "size", "bool", "float", "double", "char", "level", "point"])
def test_a_tensor_for_a_number_is_refused(name):
    match = names("value", "tensor", "item()")
    for tensor in (torch.tensor(1), torch.tensor(1.0), torch.ones(2)):
        refused(getattr(probe, f"give_{name}"), tensor, error=TypeError, match=match)


@pytest.mark.parametrize("value", [3, 3.0, object(), torch.float32, {}, np.float32(3), np.array(3)[()]])
def test_no_tensor_is_refused(value):
    match = names("array", "contiguous", "float32", "CPU", "tensor", type(value).__name__)
    refused(probe.read_float, value, error=TypeError, match=match)
    refused(probe.read_void, value, error=TypeError, match=names("array", "contiguous", "CPU", "tensor"))


# Writing


def test_a_pointer_without_const_counts_as_written():
    tensor = torch.ones(3)
    probe.write_float(tensor)
    assert tensor._version == 1
    probe.write_void(tensor)
    assert tensor._version == 2
    probe.read_float(tensor)
    probe.read_void(tensor)
    assert tensor._version == 2


def test_each_written_tensor_once_and_views_with_their_base():
    output1, output2 = torch.zeros(3), torch.zeros(3, dtype=torch.float64)
    probe.fill_two(output1[1:], 5, output2)
    assert output1.tolist() == [0, 5, 0] and output2.tolist() == [5, 0, 0]
    assert (output1._version, output2._version) == (1, 1)
    probe.fill_two(None, 6, output2)
    assert (output1._version, output2._version) == (1, 2)


def test_autograd_notices_the_write():
    x = torch.ones(3, requires_grad=True)
    y = x * 2
    z = (y * y).sum()
    with torch.no_grad():
        probe.write_float(y)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.backward()


def test_autograd_does_not_mind_a_read():
    x = torch.ones(3, requires_grad=True)
    y = x * 2
    z = (y * y).sum()
    probe.read_float(y)
    z.backward()
    assert x.grad.tolist() == [8, 8, 8]


def test_a_leaf_that_requires_grad_is_not_written():
    leaf = torch.ones(3, requires_grad=True)
    for tensor in (leaf, torch.nn.Parameter(torch.ones(3))):
        match = "^array: .* got a leaf that requires grad; .*no_grad"
        refused(probe.write_float, tensor, error=RuntimeError, match=match)
        assert probe.read_float(tensor) == tensor.data_ptr()
    for view in (leaf[1:], leaf.view(3, 1)):
        refused(probe.write_float, view, error=RuntimeError, match=names("array", "view", "leaf", "grad"))


def test_the_leaf_is_found_among_several():
    output = torch.ones(1)
    leaf = torch.ones(1, dtype=torch.float64, requires_grad=True)
    refused(probe.fill_two, output, 1, leaf, error=RuntimeError, match="^output2: .* got a leaf")
    assert output._version == 0 and output.item() == 1


def test_without_grad_mode_a_leaf_is_written():
    leaf = torch.ones(1, requires_grad=True)
    leaf2 = torch.ones(1, dtype=torch.float64, requires_grad=True)
    with torch.no_grad():
        probe.write_float(leaf)
        probe.fill_two(leaf, 3, leaf2)
    assert leaf._version == 2 and leaf2._version == 1 and leaf.item() == leaf2.item() == 3

    class Write(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            probe.write_float(x)
            ctx.mark_dirty(x)
            return x

    Write.apply(leaf.clone())


def test_a_non_leaf_that_requires_grad_is_written():
    tensor = torch.ones(3, requires_grad=True) * 1
    probe.write_float(tensor)
    assert tensor._version == 1
    probe.write_float(tensor.detach())
    assert tensor._version == 2


def test_inference_tensors_have_no_version():
    with torch.inference_mode():
        tensor, double = torch.ones(1), torch.ones(1, dtype=torch.float64)
        assert probe.write_float(tensor) == tensor.data_ptr()
    probe.fill_two(tensor, 2, double)
    assert tensor.item() == double.item() == 2


def test_nothing_is_written_when_a_later_argument_is_refused():
    output = torch.ones(1)
    refused(probe.fill_two, output, 5, torch.ones(1), error=TypeError, match="^output2: ")
    refused(probe.fill_two, output, "x", None, error=TypeError, match="^value: ")
    assert output.item() == 1


# Sizes


@pytest.mark.parametrize("sizes", [
    (2, 3), [2, 3], torch.Size([2, 3]), (True, 4), [torch.ones(5).numel()], torch.ones(2, 3).stride() + (1,), (),
    list(range(1000)), tuple(range(25)), (-2, 7),
], ids=str)  # fmt: skip
def test_sequences_of_sizes(sizes):
    assert probe.sum_sizes(sizes, len(sizes)) == sum(sizes)


def test_numpy_integers_are_integers():
    numpy = pytest.importorskip("numpy")
    assert probe.sum_sizes([numpy.int32(2), numpy.int64(3)], numpy.int8(2)) == 5


def test_several_sequences_of_any_length():
    for count1 in (0, 1, 23, 24, 25, 100):
        for count2 in (0, 1, 24, 100):
            assert probe.sum_two_sizes([1] * count1, count1, [2] * count2, count2) == 1000 * count1 + 2 * count2


def test_an_int64_tensor_of_sizes():
    assert probe.sum_sizes(torch.tensor([2, 3]), 2) == 5


@pytest.mark.parametrize("sizes, error, match", [
    ((1, 2.0), TypeError, names("sizes", "integers", "float")),
    (["a"], TypeError, names("sizes", "integers", "str")),
    ([torch.tensor(2)], TypeError, names("sizes", "integers", "Tensor")),
    ((2**63,), OverflowError, "^sizes: expected integers that fit int64_t"),
    ("ab", TypeError, "^sizes: "),
    ({1}, TypeError, names("sizes", "contiguous", "int64", "CPU", "tensor", "torch.Size", "sequence", "integers", "set")),
], ids=str)  # fmt: skip
def test_bad_sizes_are_refused(sizes, error, match):
    refused(probe.sum_sizes, sizes, 1, error=error, match=match)


# Numbers and results


@pytest.mark.parametrize("name", INTEGER_BITS)
def test_integers_at_their_limits(name):
    unsigned, bits = INTEGER_BITS[name]
    low, high = (0, 2**bits - 1) if unsigned else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    function = getattr(probe, f"give_{name}")
    for value in (low, 0, 1, high):
        assert function(value) == value
    for value in (low - 1, high + 1, 2**80, -(2**80)):
        match = names("value", "integer", f"{name}_t", value)
        refused(function, value, error=OverflowError, match=match)


@pytest.mark.parametrize("value", [1.0, "1", None, 1j, b"1", []], ids=repr)
def test_no_integer_is_refused(value):
    refused(probe.give_int32, value, error=TypeError, match=names("value", "integer"))


def test_booleans():
    assert probe.give_bool(True) is True and probe.give_bool(0) is False and probe.give_bool(1) is True
    refused(probe.give_bool, 2, error=OverflowError, match=names("value", "bool", "2"))
    refused(probe.give_bool, "x", error=TypeError, match=names("value", "bool", "str"))


@pytest.mark.parametrize("name", ["float", "double"])
def test_floats(name):
    function = getattr(probe, f"give_{name}")
    for value in (0.5, -2, True, float("inf"), 1e300 if name == "double" else 1.5):
        assert function(value) == value
    assert function(float("nan")) != function(float("nan"))
    refused(function, "1", error=TypeError, match=names("value", "number", "str"))
    refused(function, 10**400, error=OverflowError, match="^value: .*1000")
    assert type(function(3)) is float


def test_what_only_cffi_converts():
    assert probe.give_char(b"x") == b"x"
    assert probe.give_level(probe.PROBE_HIGH) == 5
    point = probe.give_point([1, 2.5])
    assert (point.x, point.y) == (1, 2.5)
    assert probe.describe(b"%d-%s", ffi.cast("int", 12), ffi.new("char[]", b"abc")) == 6
    assert probe.give_int32(ffi.cast("int", 3)) == 3 and probe.give_double(ffi.cast("double", 3)) == 3
    assert probe.text_length(b"hello") == 5
    assert probe.sum_floats([1.0, 2.0, 3.0], 3) == 6
    with pytest.raises(TypeError, match="^value: "):
        probe.give_char("x")
    with pytest.raises(TypeError, match="^value: "):
        probe.give_point(3)


def test_cffi_pointers_pass():
    array = ffi.new("float[3]", [1, 2, 3])
    assert probe.sum_floats(array, 3) == 6
    assert probe.write_float(array) == int(ffi.cast("intptr_t", array))
    assert probe.read_float(ffi.NULL) == 0
    import cffi

    assert probe.read_float(cffi.FFI().NULL) == 0
    output = torch.zeros(3)
    probe.add(array, torch.ones(3), output, 3)
    assert output.tolist() == [2, 3, 4] and output._version == 1
    refused(probe.sum_floats, ffi.new("double[3]"), 3, error=TypeError, match="^values: initializer for ctype")
    refused(probe.sum_floats, [1.0, "x"], 2, error=TypeError, match="^values: ")
    assert probe.read_point(ffi.new("probe_point *"))


def test_results():
    assert probe.nothing() is None
    assert probe.text(0) == "grüß" and probe.text(1) is None
    tensor = torch.tensor([1.5, 2.5])
    pointer = probe.first(tensor)
    assert pointer[1] == 2.5 and tensor._version == 1


def test_callbacks_may_call_again():
    calls = []

    @ffi.callback("int(int)")
    def callback(value):
        calls.append(value)
        tensor = torch.ones(3)
        assert probe.sum_floats(tensor, 3) == 3
        return probe.call_back(callback, value - 1) + 1 if value else 0

    assert probe.call_back(callback, 20) == 20
    assert calls == list(range(20, -1, -1))


def test_errno_is_kept():
    probe.set_errno(5)
    assert ffi.errno == 5
    probe.set_errno(ffi.cast("int", 6))
    assert ffi.errno == 6


# Calling


def test_the_number_of_arguments():
    missing = "; missing: values, count", "; missing: count", None, ""
    for arguments in ((), (torch.ones(1),), (torch.ones(1), 1, 1)):
        words = f"{len(arguments)}{missing[len(arguments)]}"
        with pytest.raises(TypeError, match=names("sum_floats", "2", words)):
            probe.sum_floats(*arguments)
    with pytest.raises(TypeError, match=names("sum_floats", "2", "1", "values")):
        probe.sum_floats(count=2)
    with pytest.raises(TypeError, match=names("nothing", "0", "1")):
        probe.nothing(1)
    with pytest.raises(TypeError, match=names("give_int8", "1", "0", "value")):
        probe.give_int8()


def test_keywords_are_parameter_names():
    assert probe.sum_floats(count=2, values=torch.ones(2)) == 2
    assert probe.sum_floats(torch.ones(2), count=2) == 2
    with pytest.raises(TypeError, match="^sum_floats: no parameter is called 'n'$"):
        probe.sum_floats(torch.ones(2), n=2)
    with pytest.raises(TypeError, match="^sum_floats: got 'values' twice$"):
        probe.sum_floats(torch.ones(2), values=2)


def test_help_shows_the_c_declaration():
    assert probe.add.__doc__ == ("void add(const float *input1, const float *input2, float *output, int64_t count)")
    assert str(inspect.signature(probe.add)) == "(input1, input2, output, count)"
    assert probe.describe.__doc__ == "int64_t describe(const char *format, ...)"
    assert probe.nothing.__doc__ == "void nothing(void)"
    assert probe.add.__name__ == "add" and probe.add.__module__ == "probe"


def test_constants_and_globals():
    assert probe.PROBE_ANSWER == 42 and probe.PROBE_MASK == 58
    assert (probe.PROBE_LOW, probe.PROBE_HIGH) == (1, 5)
    assert probe.probe_global == 7
    assert probe.twice(4) == 8
    assert not hasattr(probe, "PROBE_TEXT") and not hasattr(probe, "PROBE_POINTER")
    assert "add" in probe.__all__ and "_bind" not in probe.__all__


# Exceptions


def test_cxx_exceptions_become_python_exceptions():
    output = torch.zeros(1)
    with pytest.raises(RuntimeError, match="^a runtime error$"):
        probe.throw_exception(1, output)
    assert output.item() == 1 and output._version == 1
    with pytest.raises(MemoryError):
        probe.throw_exception(2, None)
    with pytest.raises(RuntimeError, match="no std::exception"):
        probe.throw_exception(3, None)
    assert probe.throw_exception(0, None) == 0


def test_cxx_exceptions_below_cffi():
    with pytest.raises(RuntimeError, match="^some text$"):
        probe.throw_at(b"some text")
    with pytest.raises(RuntimeError, match="^a runtime error$"):
        probe.throw_exception(1, ffi.new("float *"))
    assert probe.throw_exception(0, ffi.new("float *")) == 0


# Without DLPack's exchange API, as on PyTorch before 2.10


@pytest.mark.slow
@pytest.mark.skipif("TORCHTHAW_NO_DLPACK" in os.environ, reason="this is that run")
def test_all_of_this_through_attributes():
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", __file__],
        env={**os.environ, "TORCHTHAW_NO_DLPACK": "1"}, capture_output=True, text=True, cwd=ROOT,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout


@pytest.mark.parametrize("error", [TypeError, RuntimeError])
def test_version_counters_where_pytorch_counts_one_tensor_at_a_time(monkeypatch, error):
    native = torch.autograd.graph.increment_version

    def one_at_a_time(tensor):
        if isinstance(tensor, tuple):
            raise error("expected a Tensor")  # as PyTorch 2.4 does
        monkeypatch.undo()
        native(tensor)

    monkeypatch.setattr(torch._C, "_increment_version", one_at_a_time)
    monkeypatch.setattr(torch.autograd.graph, "increment_version", one_at_a_time)
    increment = private_names.get.__wrapped__("increment_version")
    tensor = torch.ones(1)
    with torch.inference_mode():
        uncounted = torch.ones(1)
    increment((tensor, uncounted))
    assert tensor._version == 1
