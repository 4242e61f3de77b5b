"""tests/bridge/test_bridge_storage.py: tensors whose memory does not hold their values are refused in every way to C."""

import os
import subprocess
import sys

import numpy
import pytest
import torch

from support import SRC, TESTS, bridge_probe, checks_probe, extent_probe
from support.messages import names

# How calls read tensors: what the environment switches off.
WAYS = {
    "all": {}, "no dlpack": {"TORCHTHAW_NO_DLPACK": "1"}, "no mangled names": {"TORCHTHAW_NO_MANGLED_NAMES": "1"},
    "kernels in python": {"TORCHTHAW_NO_NATIVE_KERNELS": "1"},
    "none": {"TORCHTHAW_NO_DLPACK": "1", "TORCHTHAW_NO_MANGLED_NAMES": "1", "TORCHTHAW_NO_NATIVE_KERNELS": "1"},
    "no layout": {"NAMES": "dispatch_keys"}, "no bodies": {"NAMES": "body"},
}  # fmt: skip


def short(*shape, dtype=torch.float32, kept=4):
    """A tensor whose storage has only so many bytes."""
    tensor = torch.ones(*shape, dtype=dtype)
    tensor.untyped_storage().resize_(kept)
    return tensor


def at_the_end():
    """One that begins inside the storage and ends behind it."""
    base = torch.ones(100)
    tensor = base[20:40]
    base.untyped_storage().resize_(100)
    return tensor


class Sub(torch.Tensor):
    pass


class Loud(torch.Tensor):
    """A class whose own code answers every question."""

    @classmethod
    def __torch_function__(cls, function, types, arguments=(), keywords=None):
        return False


def strided():
    """Columns of a matrix whose storage ends in the middle of the last row."""
    matrix = torch.ones(4, 4)
    tensor = matrix.t()[1:3]
    matrix.untyped_storage().resize_(4 * 13)
    return tensor


def check(calls, checked):
    operators = torch.ops._ext_checks
    output = torch.zeros(100)

    def refused(tensor, function, *arguments):
        with pytest.raises(ValueError, match=names("bytes", "storage")):
            function(*arguments)
        assert output.sum() == 0

    for tensor in short(100), short(10, 10), at_the_end(), short(100).as_subclass(Sub):
        for function in (calls.read_float, calls.write_float, calls.read_void, calls.write_void):
            refused(tensor, function, tensor)
    for tensor in short(100).as_subclass(Loud), torch._neg_view(torch.ones(4)).as_subclass(Loud):
        with pytest.raises((TypeError, ValueError)):
            calls.read_float(tensor)
    count = torch.arange(3)
    count.untyped_storage().resize_(8)
    refused(count, calls.sum_sizes, count, 3)
    refused(None, checked.scale, short(100), (100,), 1, 2.0, output)
    refused(None, checked.scale, torch.ones(100), (100,), 1, 2.0, short(100))
    for tensor in short(10, 10), strided():
        result = torch.zeros(tensor.shape)
        refused(None, operators.scale, tensor, 2.0)
        refused(None, operators.scale.out, tensor, 2.0, result)
        refused(None, operators.scale.out, torch.ones(tensor.shape), 2.0, tensor)
        assert result.sum() == 0
    # What the storage holds is taken: all of it, a part, and no elements.
    whole, part = torch.ones(100), torch.ones(100)[20:40]
    part.untyped_storage().resize_(4 * 40)
    assert calls.read_float(whole) == whole.data_ptr() and calls.read_float(part) == part.data_ptr()
    assert calls.read_float(whole[100:]) == 0
    none = short(0, 3)
    assert checked.scale(none, none.shape, 2, 2.0, torch.empty(0, 3)) == 1
    # The sign of a view that is negated later, and the conjugate of one.
    whole = torch.ones(100)
    negative = torch._neg_view(whole)
    for tensor in negative, negative[20:40], negative.as_subclass(Sub), torch._neg_view(torch.arange(5)):
        assert tensor.is_contiguous() and tensor.is_neg()
        for function in (calls.read_void, calls.write_void):
            with pytest.raises(ValueError, match=names("negative bit", "tensor.resolve_neg")):
                function(tensor)
        assert calls.read_void(tensor.resolve_neg())
    with pytest.raises(ValueError, match=names("input", "negative bit", "tensor.resolve_neg")):
        checked.scale(negative, (100,), 1, 2.0, output)
    assert operators.scale(negative.view(10, 10), 2.0).tolist() == [[-2.0] * 10] * 10
    for number in (
        torch.ones(3, dtype=torch.complex64).conj(),
        torch.ones(3, dtype=torch.complex64).as_subclass(Sub).conj(),
    ):
        with pytest.raises(ValueError, match=names("conjugate bit", "tensor.resolve_conj")):
            calls.read_complex64(number)


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_every_way_to_read_a_tensor(way):
    if way == "all":
        check(bridge_probe.probe(), checks_probe.probe())
        return
    script = """
import os
import sys
from pathlib import Path
from torchthaw.bridge import private_names
path, find = private_names.NAMES[os.environ["NAMES"]].path if "NAMES" in os.environ else None, private_names.find
private_names.find = lambda asked: private_names._ABSENT if asked == path else find(asked)
from support import bridge_probe
from test_bridge_storage import check
check(*(bridge_probe.load(Path(folder), Path(folder).name) for folder in sys.argv[1:]))
"""
    folders = bridge_probe.folder() / "_ext" / "probe", checks_probe.folder() / "_ext" / "checks"
    environment = {**os.environ, "PYTHONPATH": f"{SRC}:{TESTS}:{TESTS / 'bridge'}", **WAYS[way]}
    done = subprocess.run(
        [sys.executable, "-c", script, *map(str, folders)], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("made", [extent_probe.exact, extent_probe.partial])
def test_structs(made):
    extension = made()
    for tensor in short(100), at_the_end(), strided():
        with pytest.raises(ValueError, match=names("bytes", "storage")):
            extension.at(tensor, 0)
    with pytest.raises(ValueError, match=names("negative bit")):
        extension.at(torch._neg_view(torch.ones(4)), 0)
    part = torch.ones(100)[20:40]
    part.untyped_storage().resize_(4 * 40)
    assert extension.at(part, 0) == 1


def test_a_storage_that_shrinks_while_another_argument_is_read():
    class Shrinks:
        def __index__(self):
            tensor.untyped_storage().resize_(4)
            return 1

    tensor, output = torch.ones(100), torch.zeros(100)
    with pytest.raises(ValueError, match=names("input", "400 bytes", "storage", "4")):
        checks_probe.probe().scale(tensor, (100,), Shrinks(), 2.0, output)


def test_a_masked_array():
    masked = numpy.ma.array(numpy.ones(4, dtype=numpy.float32), mask=[0, 1, 0, 1])
    calls = bridge_probe.probe()
    for function in calls.read_float, calls.write_float, calls.read_void, calls.write_void:
        with pytest.raises(TypeError, match=names("array", "MaskedArray", "mask", "array.filled")):
            function(masked)
    for function in calls.read_float, calls.write_float:
        assert function(masked.data) == masked.data.ctypes.data
    assert calls.read_float(masked.filled(0))


def test_a_function_is_no_memory():
    calls = bridge_probe.probe()
    ffi = calls._extension.ffi
    callback = ffi.callback("int(int)", lambda value: value)
    for function in callback, ffi.addressof(calls._extension.lib, "call_back"), ffi.cast("int(*)(int)", 4096):
        with pytest.raises(TypeError, match=names("array", "function")):
            calls.write_void(function)
    assert calls.write_void(ffi.cast("void *", callback)) == calls.read_void(ffi.cast("void *", callback))
