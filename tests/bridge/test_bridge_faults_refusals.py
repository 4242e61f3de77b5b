"""tests/bridge/test_bridge_faults_refusals.py: what must not reach C as a TH struct: tensors without memory, wrong
ones."""

import cffi
import numpy as np
import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from support import th_probe
from support.messages import names
from torchthaw.bridge import pytorch

probe = th_probe.probe()
ffi = probe._th_probe.ffi

pytestmark = pytest.mark.filterwarnings("ignore")


def fake(*sizes):
    with FakeTensorMode():
        return torch.ones(*sizes)


def emptied():
    tensor = torch.ones(3)
    tensor.untyped_storage().resize_(0)
    return tensor


class Wrapper(torch.Tensor):
    """A subclass whose tensors have sizes and no memory."""

    @staticmethod
    def __new__(cls, *sizes):
        return torch.Tensor._make_wrapper_subclass(cls, sizes)

    @classmethod
    def __torch_dispatch__(cls, function, types, arguments=(), keywords=None):
        raise NotImplementedError


# Name -> (tensor, error, what the message calls it).
TENSORS = {
    "meta": (lambda: torch.ones(3, device="meta"), TypeError, "meta"),
    "meta-empty": (lambda: torch.ones(0, device="meta"), TypeError, "meta"),
    "sparse": (lambda: torch.eye(2).to_sparse(), TypeError, "sparse"),
    "csr": (lambda: torch.eye(2).to_sparse_csr(), TypeError, "sparse"),
    "mkldnn": (lambda: torch.ones(3, 3).to_mkldnn(), TypeError, "torch._mkldnn"),
    "quantized": (lambda: torch.quantize_per_tensor(torch.ones(3), 1.0, 0, torch.quint8), TypeError, "quantized"),
    "nested": (lambda: torch.nested.nested_tensor([torch.ones(2), torch.ones(3)]), TypeError, "nested"),
    "jagged": (
        lambda: torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], layout=torch.jagged), TypeError, "nested",
    ),
    "wrapper": (lambda: Wrapper(3), ValueError, "Wrapper of shape (3,) without memory"),
    "wrapper-empty": (lambda: Wrapper(0), ValueError, "Wrapper of shape (0,) without memory"),
    "zero": (lambda: torch._efficientzerotensor(3), ValueError, "zeros of shape (3,) without memory"),
    "emptied": (emptied, ValueError, "shape (3,) without memory"),
    "conjugate": (lambda: torch.ones(3, dtype=torch.complex64).conj(), TypeError, "torch.complex64"),
    "negative": (lambda: torch.ones(3, dtype=torch.complex64).conj().imag, ValueError, "negative bit"),
    "one-negative": (lambda: torch.ones(1, dtype=torch.complex64).conj().imag, ValueError, "negative bit"),
    "bfloat16": (lambda: torch.ones(3).bfloat16(), TypeError, "torch.bfloat16"),
    "float8": (lambda: torch.ones(3).to(torch.float8_e4m3fn), TypeError, "torch.float8_e4m3fn"),
    "uint16": (lambda: torch.ones(3).to(torch.uint16), TypeError, "torch.uint16"),
    "bool": (lambda: torch.ones(3) > 0, TypeError, "torch.bool; pass tensor.byte()"),
}  # fmt: skip


@pytest.mark.parametrize("call", [
    pytest.param(probe.sum, id="read"), pytest.param(lambda tensor: probe.resize(tensor, 10), id="resize"),
])  # fmt: skip
@pytest.mark.parametrize("name", TENSORS)
def test_a_tensor_that_c_could_not_read_is_refused_by_its_kind(name, call):
    make, error, kind = TENSORS[name]
    with pytest.raises(error, match=names("CPU", "TH", kind)):
        call(make())


def test_fake_tensors_go_to_the_operator():
    """Of which there is none where the result is a number, and which cannot say what C would resize."""
    with pytest.raises(TypeError, match=names("sum", "PyTorch", "record")):
        probe.sum(fake(3))
    with pytest.raises(ValueError, match=names("tensor", "PyTorch", "records")):
        probe.resize(fake(0), 10)


TRANSFORMS = {
    "vmap": (lambda f: torch.vmap(f)(torch.ones(2, 3)), "torch.vmap"),
    "grad": (lambda f: torch.func.grad(lambda t: f(t).sum())(torch.ones(3)), "torch.func.grad or jvp"),
    "jvp": (lambda f: torch.func.jvp(f, (torch.ones(3),), (torch.ones(3),)), "torch.func.grad or jvp"),
    "functionalize": (lambda f: torch.func.functionalize(f)(torch.ones(3)), "torch.func.functionalize"),
}


@pytest.mark.parametrize("sizes", [slice(None), slice(0)], ids=["elements", "empty"])
@pytest.mark.parametrize("name", TRANSFORMS)
def test_a_tensor_inside_a_transform_is_refused(name, sizes):
    transform, origin = TRANSFORMS[name]
    with pytest.raises((TypeError, torch.FatalError), match=f"(?m)got a tensor inside {origin}$|storage"):
        transform(lambda tensor: probe.resize(tensor[sizes], 10) or tensor)


# Pointers

FLOATS = "initializer for ctype 'struct THFloatTensor [*]' must be a "
POINTERS = {
    **{
        str(dtype): (lambda dtype=dtype: torch.ones(2).to(dtype), f"pointer to same type, not cdata 'struct TH{real}")
        for dtype, real in [
            (torch.float64, "DoubleTensor"), (torch.float16, "HalfTensor"), (torch.int64, "LongTensor"),
            (torch.int32, "IntTensor"), (torch.int16, "ShortTensor"), (torch.int8, "CharTensor"),
            (torch.uint8, "ByteTensor"),
        ]
    },
    "storage": (lambda: torch.ones(2).storage(), "pointer to same type, not cdata 'struct THFloatStorage"),
    "untyped-storage": (lambda: torch.ones(2).untyped_storage(), "pointer to same type, not cdata 'struct THByteSto"),
    "none": (lambda: None, "cdata pointer, not NoneType"),
    "int": (lambda: 12345, "cdata pointer, not int"),
    "address": (lambda: torch.ones(2).data_ptr(), "cdata pointer, not int"),
    "float": (lambda: 1.5, "cdata pointer, not float"),
    "bytes": (lambda: b"1234", "bytes or list or tuple|cdata pointer, not bytes"),
    "list": (lambda: [1.0, 2.0], "cdata pointer, not list"),
    "array": (lambda: np.ones(2, np.float32), "cdata pointer, not numpy.ndarray"),
    "type": (lambda: torch.Tensor, "cdata pointer, not torch._C._TensorMeta"),
    "cdata": (lambda: ffi.new("float[2]"), "pointer to same type, not cdata 'float"),
    "foreign-cdata": (lambda: cffi.FFI().new("float[2]"), "pointer to same type, not cdata 'float"),
    "foreign-pointers": (lambda: cffi.FFI().new("void *[1]"), "pointer to same type, not cdata 'void"),
}  # fmt: skip


@pytest.mark.parametrize("name", POINTERS)
def test_another_pointer_is_refused(name):
    make, message = POINTERS[name]
    with pytest.raises(TypeError, match=f"^{FLOATS}({message})"):
        probe.sum(make())


def test_a_struct_of_another_ffi_is_refused():
    """It has the name, and may have another layout."""
    other = cffi.FFI()
    other.cdef("typedef struct THFloatTensor { int count; } THFloatTensor;")
    with pytest.raises(TypeError, match=FLOATS):
        probe.sum(other.new("THFloatTensor *"))


def test_a_tensor_for_a_storage_is_refused():
    for wrong in (torch.ones(2), torch.ones(2).double().storage(), None, 5):
        with pytest.raises(TypeError, match="^initializer for ctype 'struct THFloatStorage [*]' must be a "):
            probe.sum_of_storage(wrong)


def test_nothing_of_a_refused_call_reaches_c():
    """An error in a later argument comes before C sees the first."""
    output = torch.full((3,), 5.0)
    for wrong in (torch.ones(3).double(), torch.ones(3, device="meta"), None, object()):
        with pytest.raises(TypeError):
            probe.add(output, wrong, output)
        with pytest.raises(TypeError):
            probe.fill(output, wrong)
    assert output.tolist() == [5, 5, 5] and output._version == 0


def test_a_storage_that_was_emptied_has_no_elements():
    storage = torch.ones(3).storage()
    storage.untyped().resize_(0)
    assert probe.sum_of_storage(storage) == 0
    probe.resize_storage(storage, 3)
    assert storage.tolist() == [0, 0, 0]


def test_null_and_foreign_pointers_pass_where_a_pointer_is_wanted():
    other = cffi.FFI()
    assert probe.count_of(other.NULL, b"text", other.new("double[2]"), 0) == 2
    assert probe.count_of(other.new("void *[1]"), other.new("char[4]"), [1.0, 2.0], 1) == 4
    with pytest.raises(TypeError, match="'double [*]'"):
        probe.count_of(other.NULL, b"", other.new("float[2]"), 0)


def test_more_dimensions_than_attributes_are_read_of():
    many = torch.ones([1] * 65)
    if pytorch.access()[2] is not None:
        assert probe.sum(many) == 1
        return
    with pytest.raises(ValueError, match=names("CPU", "65", "64")):
        probe.sum(many)
