"""tests/bridge/test_bridge_arrays.py: arrays that are no tensors reach C as tensors do: NumPy's and all with a buffer."""

import array
import ctypes
import mmap
import os
import re
import subprocess
import sys
import threading

import numpy as np
import pytest
import torch

from support import ROOT, TESTS, bridge_probe, checks_probe
from support.messages import names

probe, checks = bridge_probe.probe(), checks_probe.probe()
DTYPES = {
    **{name: name for name in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool")},
    "float": "float32", "double": "float64", "complex64": "complex64", "complex128": "complex128", "long": "int64",
}  # fmt: skip


def address(x):
    return x.__array_interface__["data"][0]


def ones(*sizes):
    return np.ones(sizes, np.float32)


def read_only(*sizes):
    x = ones(*sizes)
    x.flags.writeable = False
    return x


def refused(error, pattern, function, *arguments, **keywords):
    """Checks that the call raises this, and that neither C ran nor an array changed."""
    given = [each for each in (*arguments, *keywords.values()) if isinstance(each, np.ndarray)]
    before, ran = [each.tobytes() for each in given], checks.checks_count()
    with pytest.raises(error, match=pattern) as caught:
        function(*arguments, **keywords)
    assert type(caught.value) is error and [each.tobytes() for each in given] == before
    assert checks.checks_count() == ran


def is_held(x):
    """Whether somebody has a buffer of an array.array; it may begin at any time."""
    try:
        x.append(0)
        x.pop()
    except BufferError:
        return True
    return False


# Memory


@pytest.mark.parametrize("name", DTYPES)
def test_c_gets_the_memory_of_each_dtype_and_of_no_other(name):
    for dtype in {*DTYPES.values(), "float16", "longdouble"}:
        x = np.zeros(3, dtype)
        for way in ("read", "write"):
            function = getattr(probe, f"{way}_{name}")
            if dtype == DTYPES[name]:
                assert function(x) == address(x)
            else:
                refused(TypeError, names("array", "contiguous", DTYPES[name], x.dtype, "astype"), function, x)
            assert getattr(probe, f"{way}_void")(x) == address(x)


@pytest.mark.parametrize("make", [
    lambda: array.array("f", [1, 2, 3]), lambda: (ctypes.c_float * 3)(1, 2, 3), lambda: memoryview(ones(3)),
    lambda: memoryview(bytearray(12)).cast("f"), lambda: memoryview(bytearray(24)).cast("f", (2, 3)),
    lambda: ones(3).view(type("Own", (np.ndarray,), {})),
    lambda: np.array(1, np.float32), lambda: ctypes.c_float(1),
], ids=["array", "ctypes", "memoryview", "cast", "two sizes", "subclass", "number", "ctypes number"])  # fmt: skip
def test_everything_with_a_buffer(make):
    x = make()
    assert probe.read_float(x) == probe.write_float(x) == address(np.asarray(x)) == probe.read_void(x)
    refused(TypeError, names("array", "contiguous", "float64", "float32"), probe.read_double, x)


def test_bytes_of_a_file():
    with open(__file__, "rb") as file, mmap.mmap(file.fileno(), 16, access=mmap.ACCESS_READ) as mapped:
        assert checks.length(mapped, 16) == 16
        refused(ValueError, names("array", "uint8", "read-only"), probe.write_uint8, mapped)
        refused(ValueError, names("text", "(15,)", "(16,)"), checks.length, mapped, 15)
    refused(TypeError, names("text", "uint8", "mmap"), checks.length, mapped, 16)


@pytest.mark.parametrize("x, error, parts", [
    (ones(8)[::2], ValueError, ("(4,)", "(8,)", "array.copy()")),
    (np.asfortranarray(ones(2, 3)), ValueError, ("(2, 3)", "(4, 8)", "array.copy()")),
    (np.broadcast_to(ones(1), (3,)), ValueError, ("(3,)", "(0,)")),
    (ones(3).astype(">f4"), TypeError, (">f4", "astype")),
    (np.frombuffer(bytes(13), "f4", 3, 1), ValueError, ("aligned",)),
    (np.array([ones], object), TypeError, ("object",)), (np.zeros(3, [("x", "f4")]), TypeError, ("x",)),
    (np.zeros(3, "S4"), TypeError, ("S4",)), (np.zeros(3, "M8[s]"), TypeError, ("datetime64[s]",)),
    (memoryview(bytes(4)), TypeError, ("uint8",)), (memoryview(ones(4))[::2], ValueError, ("(2,)", "(8,)")),
], ids=[
    "strided", "Fortran", "broadcast", "byte order", "odd address", "objects", "fields", "text", "dates", "bytes",
    "strided view",
])  # fmt: skip
def test_what_c_cannot_read(x, error, parts):
    refused(error, names("array", "contiguous", "float32", *parts), probe.read_float, x)


class Buffer(ctypes.Structure):
    """Py_buffer of Python's C API."""

    _fields_ = [
        ("buf", ctypes.c_void_p), ("obj", ctypes.py_object), ("len", ctypes.c_ssize_t), ("itemsize", ctypes.c_ssize_t),
        ("readonly", ctypes.c_int), ("ndim", ctypes.c_int), ("format", ctypes.c_char_p), ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p), ("suboffsets", ctypes.c_void_p), ("internal", ctypes.c_void_p),
    ]  # fmt: skip


@pytest.mark.parametrize("format", ["", "<", "Z", "Zi", "ff", "p"])
def test_what_is_no_format_of_numbers(format):
    memory, shape, stride = ones(2), ctypes.c_ssize_t(2), ctypes.c_ssize_t(4)
    given = Buffer(
        buf=address(memory), len=8, itemsize=4, ndim=1, format=format.encode(), shape=ctypes.addressof(shape),
        strides=ctypes.addressof(stride),
    )  # fmt: skip
    view = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p)(("PyMemoryView_FromBuffer", ctypes.pythonapi))
    x = view(ctypes.addressof(given))
    assert (x.format, probe.read_void(x)) == (format, address(memory))
    refused(TypeError, names("array", "contiguous", "float32", "format", repr(format)), probe.read_float, x)


def test_void_takes_any_elements_but_references():
    for x in (np.zeros(3, [("x", "f4"), ("O", "i2")]), np.zeros(3, "M8[s]"), np.zeros(2, "S5"), ones(3).astype(">f4")):
        assert probe.read_void(x) == probe.write_void(x) == address(x)
    for x in (np.array([ones, None]), np.zeros(2, [("x", "f4"), ("y", object)]), np.zeros(2, "V0")):
        refused(TypeError, names("array", "contiguous", "format"), probe.read_void, x)


def test_what_c_would_write_to_is_not_read_only():
    x = read_only(3)
    assert probe.read_float(x) == address(x) == probe.read_void(x)
    for function in (probe.write_float, probe.write_void):
        refused(ValueError, names("array", "contiguous", "read-only"), function, x)
    refused(ValueError, names("output", "read-only"), checks.scale, ones(3), (3,), 1, 2, x)


@pytest.mark.parametrize("shape", [(0,), (2, 0, 3), (), (1,) * 32])
def test_shapes_at_the_edge(shape):
    x, y = np.ones(shape, np.float32), np.zeros(shape, np.float32)
    assert checks.scale(x, shape, len(shape), 2.0, y) == 1 and (y == 2 * x).all()


def test_sizes_may_be_an_array():
    sizes = np.array([2, 3])
    assert probe.sum_sizes(sizes, 2) == 5 and probe.sum_sizes(array.array("q", [2, 3]), 2) == 5
    x, y = ones(2, 3), np.zeros((2, 3), np.float32)
    assert checks.scale(x, sizes, 2, 2.0, y) == 1 and (y == 2).all()
    refused(ValueError, names("input", "(3, 2)", "(2, 3)"), checks.scale, x, np.array([3, 2]), 2, 2.0, y)
    refused(TypeError, names("sizes", "int64", "int32"), probe.sum_sizes, sizes.astype(np.int32), 2)


def test_a_number_of_numpy_is_no_array():
    """It has a buffer of one element, and C may read more."""
    for number, function in (
        (np.float32(3), probe.read_float),
        (np.int64(3), probe.sum_sizes),
        (np.bool_(1), probe.read_void),
    ):
        with pytest.raises(TypeError, match=names("contiguous", type(number).__name__)):
            function(number, *[1] * (function is probe.sum_sizes))
    x = np.array(3, np.float32)
    x.flags.writeable = False
    assert probe.read_float(x) == address(x)


def test_an_object_without_memory():
    view = memoryview(ones(3))
    view.release()
    refused(TypeError, names("array", "contiguous", "float32", "memoryview"), probe.read_float, view)


# What the header says


def by_type(call, make):
    """What a call says about arguments of each type: arrays and tensors."""
    said = []
    for convert in (lambda x: x, torch.from_numpy):
        with pytest.raises(ValueError) as caught:
            call(lambda *sizes: convert(make(*sizes)))
        said.append(str(caught.value))
    return said


@pytest.mark.parametrize("call", [
    lambda ones: checks.scale(ones(2, 3), (3, 2), 2, 1, ones(2, 3)),
    lambda ones: checks.scale(input=ones(2, 3), factor=1, output=ones(3, 2)),
    lambda ones: checks.outer(rows=ones(2), columns=ones(3), bias=ones(2), output=ones(2, 3), sums=None),
    lambda ones: checks.outer(ones(2), ones(3), None, 2, 3, ones(2, 3), None, ones(2), 8),
    lambda ones: checks.accumulate(ones(3), 3, torch.ones(1, dtype=torch.float64)),
    lambda ones: checks.windows(ones(4), 4, 9, 1, ones(1)),
], ids=range(6))  # fmt: skip
def test_shapes_are_refused_with_the_texts_for_tensors(call):
    array, tensor = by_type(call, ones)
    assert array == tensor and "expected" in array


def test_sizes_and_workspace_may_be_left_out():
    output, sums = np.zeros((2, 3), np.float32), np.zeros(2, np.float32)
    assert checks.outer(rows=2 * ones(2), columns=ones(3), bias=None, output=output, sums=sums) == 1
    assert (output == 2).all() and (sums == 6).all()
    workspace = np.empty(48, np.uint8)
    assert checks.outer(rows=ones(2), columns=ones(3), bias=None, output=output, sums=None, workspace=workspace) == 1
    refused(
        ValueError, names("workspace", "48", "47"), checks.outer, rows=ones(2), columns=ones(3), bias=None,
        output=output, sums=None, workspace=workspace[:47],
    )  # fmt: skip


def test_an_array_and_a_tensor_in_one_call():
    x, y = ones(2, 3), torch.zeros(2, 3)
    assert checks.scale(x, x.shape, 2, 2.0, y) == 1 and y.eq(2).all() and y._version == 1
    z = np.zeros((2, 3), np.float32)
    assert checks.scale(input=y, factor=2.0, output=z) == 1 and (z == 4).all() and y._version == 1
    refused(ValueError, names("output", "(2, 3)", "(3, 2)"), checks.scale, y, y.shape, 2, 2.0, z.reshape(3, 2))
    leaf = torch.zeros(2, 3, requires_grad=True)
    refused(RuntimeError, names("output", "leaf"), checks.scale, x, x.shape, 2, 2.0, leaf)


def test_memory_that_overlaps():
    x = ones(7)
    assert checks.scale(x, (7,), 1, 2.0, x) == 1 and (x == 2).all()  # which the header allows
    pattern = names("output", "overlaps", "input")
    refused(ValueError, pattern, checks.scale, x[:6], (6,), 1, 2.0, x[1:])
    refused(ValueError, pattern, checks.scale, torch.from_numpy(x)[:6], (6,), 1, 2.0, x[1:])
    refused(ValueError, pattern, checks.scale, x[:6], (6,), 1, 2.0, torch.from_numpy(x)[1:])


# While C runs


def test_the_lock_is_released_and_the_buffer_held_until_c_returns():
    """C waits for a number that another thread writes when it finds the array held."""
    flag, ended = array.array("q", [0]), threading.Event()

    def set_flag():
        while not is_held(flag) and not ended.is_set():
            pass
        flag[0] = not ended.is_set()

    thread = threading.Thread(target=set_flag)
    thread.start()
    waited = probe.wait_for_flag(flag, 10_000)
    ended.set()
    thread.join()
    assert waited >= 0 and not is_held(flag)


@pytest.mark.parametrize("call", [
    lambda x: probe.fill_two(x, 1.0, np.zeros(1, np.float32)), lambda x: probe.throw_exception(1, x),
    lambda x: checks.scale(x, (9,), 1, 2.0, ones(9)), lambda x: checks.scale(x, (2,), 1, object(), x),
    lambda x: checks.fail_by_struct([1], x, 2), lambda x: probe.add(x, x, x, 2**70),
], ids=["another argument", "exception", "shape", "number", "status", "range"])  # fmt: skip
def test_no_buffer_is_held_after_an_error(call):
    x = array.array("f", [1, 2])
    with pytest.raises((TypeError, ValueError, RuntimeError, OverflowError)):
        call(x)
    assert not is_held(x)


def test_calls_leave_no_references():
    x, y = ones(3), read_only(3)
    counts = sys.getrefcount(x), sys.getrefcount(y)
    for _ in range(100):
        checks.scale(x, (3,), 1, 1.0, x)
        with pytest.raises(ValueError):
            checks.scale(x, (3,), 1, 1.0, y)
    assert (sys.getrefcount(x), sys.getrefcount(y)) == counts


def test_calls_that_cffi_makes():
    assert checks.fail_by_struct([0], ones(2), 2) == 1
    refused(ValueError, names("input", "(3,)", "(2,)"), checks.fail_by_struct, [0], ones(2), 3)
    x, ffi = ones(3), probe._extension.ffi
    assert probe.add(x, [1, 2, 3], x, ffi.cast("int64_t", 3)) is None and x.tolist() == [2, 3, 4]


def test_many_arrays_in_one_call():
    """More buffers than a call can describe without an allocation."""
    import torchthaw

    count = 12
    parameters = ", ".join(f"const float *x{i}" for i in range(count))
    body = " + ".join(f"*x{i}" for i in range(count))
    module = torchthaw.load_inline(
        "many_arrays", c_sources=f"float total({parameters}) {{ return {body}; }}", functions=["total"]
    )
    arrays = [array.array("f", [i]) for i in range(count)]
    assert module.total(*arrays) == sum(range(count)) and not any(map(is_held, arrays))


class Number:
    """An integer whose conversion does something else as well."""

    def __init__(self, action, value):
        self.action, self.value = action, value

    def __index__(self):
        self.action()
        return self.value


def test_code_of_another_argument_finds_the_array_held():
    x, found = array.array("f", [1, 2]), []
    probe.add(x, x, x, Number(lambda: found.append(is_held(x)), 2))
    assert found == [True] and x.tolist() == [2, 4]


def test_a_shape_that_code_of_another_argument_changes():
    """The sizes are those of the array when it was read."""
    x, y = ones(2, 3), np.zeros((2, 3), np.float32)
    assert checks.scale(x, (2, 3), Number(lambda: setattr(x, "shape", (6, 1)), 2), 2.0, y) == 1 and (y == 2).all()


@pytest.mark.skipif(sys.version_info < (3, 12), reason="classes of Python have buffers from 3.12 on")
def test_a_class_with_a_buffer_that_moves_a_tensor():
    output = torch.zeros(4)

    class Exporter:
        def __buffer__(self, flags):
            output.resize_(200_000)
            return memoryview(ones(4))

        def __release_buffer__(self, view):
            released.append(view)

    released = []
    probe.fill_two(output, 3.0, None)
    probe.add(output, Exporter(), output, 1)
    assert output[0] == 4 and output.numel() == 200_000 and len(released) == 1


OTHER_FIELDS = """
import sys
import numpy as np
from torchthaw.bridge import arrays
fields, asked = arrays.numpy_fields, []
def others():
    asked.append(1)
    type, sample, address, *rest = fields()
    return {"none": False, "moved": (type, sample, address + 4, *rest)}[sys.argv[1]]
arrays.numpy_fields = others
from support import checks_probe
checks = checks_probe.probe()
x = np.ones(3, np.float32)
for _ in range(3):
    assert checks.scale(x, factor=2.0).tolist() == [2, 2, 2]
print(len(asked))
"""


@pytest.mark.parametrize("which", ["none", "moved"])
def test_other_fields_are_asked_for_once(which):
    """Where NumPy's arrays have other fields, each call reads buffers, and does not try again."""
    done = subprocess.run(
        [sys.executable, "-c", OTHER_FIELDS, which], capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": f"{ROOT / 'src'}:{TESTS}", "TORCHTHAW_NO_NUMPY_FIELDS": ""},
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "1\n"), done.stderr


@pytest.mark.slow
def test_all_of_this_by_buffers_alone():
    """As where NumPy has the fields of its arrays elsewhere."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", __file__, "-k", "not alone"],
        capture_output=True, text=True, env={**os.environ, "TORCHTHAW_NO_NUMPY_FIELDS": "1"}, cwd=ROOT,
    )  # fmt: skip
    assert done.returncode == 0 and " passed" in done.stdout, done.stdout + done.stderr


# Where there is no PyTorch

WITHOUT_TORCH = """
import array, importlib.util, sys
import numpy as np

spec = importlib.util.spec_from_file_location("checks", sys.argv[1], submodule_search_locations=[])
spec.submodule_search_locations.append(sys.argv[1].rpartition("/")[0])
checks = importlib.util.module_from_spec(spec)
sys.modules["checks"] = checks
spec.loader.exec_module(checks)
x, y = np.ones((2, 3), np.float32), np.zeros((2, 3), np.float32)
assert checks.scale(input=x, factor=2.0, output=y) == 1 and (y == 2).all()
for call in (
    lambda: checks.scale(x, (3, 2), 2, 2.0, y), lambda: checks.scale(x.astype("f8"), x.shape, 2, 2.0, y),
    lambda: checks.scale([1.0] * 6, x.shape, 2, 2.0, [0.0] * 6), lambda: checks.scale(x, x.shape, 2, 2.0, y[:, :2]),
):
    try:
        call()
    except (TypeError, ValueError) as error:
        print(error)
assert "torch" not in sys.modules
"""


def test_without_pytorch():
    """Nothing imports it, and messages do not speak of tensors."""
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_TORCH, checks.__file__], capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": f"{ROOT / 'src'}:{TESTS}"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "tensor" not in done.stdout
    for line, parts in zip(done.stdout.splitlines(), (
        ("input", "(3, 2)", "(2, 3)"), ("input", "float32", "float64"), ("output", "float32", "list"),
        ("output", "(2, 2)", "(12, 4)"),
    ), strict=True):  # fmt: skip
        assert re.search(names(*parts), line), line


def test_the_limited_api_of_python_3_10_has_all_that_is_linked():
    """It lacks the buffer protocol, which is looked for in the process."""
    from torchthaw.bridge import _bridge

    linked = subprocess.run(["nm", "-D", "--undefined-only", _bridge.__file__], capture_output=True, text=True)
    assert linked.returncode == 0 and " PyErr_Occurred" in linked.stdout
    assert "PyObject_GetBuffer" not in linked.stdout and "PyBuffer_" not in linked.stdout
