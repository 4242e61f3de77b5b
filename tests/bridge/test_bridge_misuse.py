"""tests/bridge/test_bridge_misuse.py: each kind of parameter gets each object that Python may pass by mistake: the call
works, or raises an exception that names the argument, has written nothing and keeps nothing."""

import gc
import mmap
import sys
import threading
import warnings

import cffi
import numpy as np
import pytest
import torch

from support import misuse_probe
from support.messages import names

probe, legacy = misuse_probe.probe(), misuse_probe.legacy()
ffi = probe._misuse.ffi


class Refusal(Exception):
    """What the objects below raise."""


def refuse(*_):
    raise Refusal("of the object")


class Number:
    """An integer by its methods, which do something else as well."""

    def __init__(self, action=lambda: None, value=3):
        self.action, self.value = action, value

    def __index__(self):
        self.action()
        return self.value

    __int__ = __index__

    def __float__(self):
        return float(self.__index__())


class Whole(int):
    """An integer already, which Python does not ask."""

    __index__ = __int__ = __float__ = __str__ = __repr__ = refuse


class Closed:
    """An object without any attribute, `__class__` included."""

    __getattribute__ = __str__ = __repr__ = refuse


class ClosedTensor(torch.Tensor):
    """A tensor whose attributes raise."""

    __torch_function__ = classmethod(refuse)


class Meddling(torch.Tensor):
    """A tensor whose attributes do something else as well."""

    action = staticmethod(lambda: None)

    @classmethod
    def __torch_function__(cls, function, types, arguments=(), keywords=None):
        cls.action()
        with torch._C.DisableTorchFunctionSubclass():
            return function(*arguments, **keywords or {})


def read_only():
    array = np.ones(4, np.float32)
    array.flags.writeable = False
    return array


def emptied():
    tensor = torch.ones(4)
    tensor.untyped_storage().resize_(0)
    return tensor


def released():
    buffer = ffi.from_buffer("char[]", bytearray(b"abc"))
    ffi.release(buffer)
    return buffer


def mapped(access):
    with open(__file__, "rb") as file:
        return mmap.mmap(file.fileno(), 16, access=access)


# Name -> how it is made.
OBJECTS = {
    "None": lambda: None, "true": lambda: True, "int": lambda: 3, "negative": lambda: -1, "huge": lambda: 10**400,
    "more digits than Python prints": lambda: 10**5000, "float": lambda: 1.5, "nan": lambda: float("nan"),
    "infinite": lambda: float("inf"), "complex": lambda: 1j, "NumPy int": lambda: np.int64(3),
    "NumPy float": lambda: np.float32(3), "int subclass": lambda: Whole(3), "index": Number,
    "raising index": lambda: Number(refuse), "closed": Closed, "object": object, "type": lambda: int,
    "function": lambda: refuse, "str": lambda: "abc", "byte": lambda: b"x", "bytes": lambda: b"abc",
    "bytearray": lambda: bytearray(b"abc"), "memoryview": lambda: memoryview(b"abc"), "list": lambda: [1, 2],
    "tuple": lambda: (1, 2), "floats": lambda: [1.5, 2.5], "indices": lambda: [Number(), Number()],
    "raising list": lambda: [1, Number(refuse)], "strs": lambda: ["a", "b"], "nones": lambda: [None],
    "nested": lambda: [[1, 2], [3, 4]], "dict": lambda: {"x": 1, "y": 2}, "raising dict": lambda: {"x": Number(refuse)},
    "set": lambda: {1, 2}, "NumPy": lambda: np.ones(4, np.float32), "read-only NumPy": read_only,
    "mmap": lambda: mapped(mmap.ACCESS_COPY), "read-only mmap": lambda: mapped(mmap.ACCESS_READ),
    "NULL": lambda: ffi.NULL, "cffi floats": lambda: ffi.new("float[3]"), "cffi ints": lambda: ffi.new("int[3]"),
    "cffi bytes": lambda: ffi.from_buffer("char[]", b"abc"),
    "cffi bytearray": lambda: ffi.from_buffer(bytearray(b"abc")),
    "cffi read-only": lambda: ffi.from_buffer("float[]", read_only()), "released": released,
    "cffi struct": lambda: ffi.new("misuse_point *"), "foreign": lambda: cffi.FFI().new("float[3]"),
    "callback": lambda: ffi.callback("int(int)", lambda value: value),
    **{
        name: lambda name=name: torch.ones(4, dtype=getattr(torch, name))
        for name in (
            "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool",
            "complex64", "bfloat16",
        )
    },
    "number": lambda: torch.tensor(3), "strided": lambda: torch.ones(8)[::2],
    "expanded": lambda: torch.ones(1).expand(4),
    "meta": lambda: torch.ones(4, device="meta"), "sparse": lambda: torch.eye(2).to_sparse(),
    "quantized": lambda: torch.quantize_per_tensor(torch.ones(4), 1.0, 0, torch.qint8),
    "conjugate": lambda: torch.ones(4, dtype=torch.complex64).conj(),
    "negated": lambda: torch.ones(1, dtype=torch.complex64).conj().imag, "emptied": emptied,
    "leaf": lambda: torch.ones(4, requires_grad=True), "longer": lambda: torch.ones(5),
    "closed tensor": lambda: torch.ones(4).as_subclass(ClosedTensor), "storage": lambda: torch.ones(4).storage(),
}  # fmt: skip

NULLS = {"None", "NULL"}
SEQUENCES = {"list", "tuple", "indices"}
INTEGERS = {"true", "int", "NumPy int", "int subclass", "index"}
FLOATS = INTEGERS - {"int subclass"} | {"negative", "float", "nan", "infinite", "NumPy float"}
FLOAT_TENSORS = {"float32", "leaf", "longer", "closed tensor"}
BYTES, BUFFERS = {"byte", "bytes"}, {"bytearray"}
DTYPES = {"float": "float32", "double": "float64", **{
    name: name for name in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool")
}, "complex64": "complex64"}  # fmt: skip
# What has memory of its own; of a tensor, as `void *`.
ARRAYS, BYTE_ARRAYS = {"NumPy", "read-only NumPy"}, {"memoryview", "mmap", "read-only mmap"}
MEMORY = {
    *ARRAYS, *BYTE_ARRAYS,
    *DTYPES.values(), "bfloat16", "number", "leaf", "longer", "closed tensor", "cffi floats", "cffi ints", "cffi bytes",
    "cffi bytearray", "cffi read-only", "cffi struct", "foreign", "callback", *BYTES, *BUFFERS, *NULLS,
}  # fmt: skip
UNWRITABLE = {
    "leaf", "closed tensor", "cffi read-only", "cffi bytes", *BYTES, "read-only NumPy", "memoryview", "read-only mmap",
}  # fmt: skip


def elements(name):
    """What an array of this type takes."""
    found = {DTYPES[name], *NULLS} | (SEQUENCES if name != "bool" else set())
    if name in ("float", "double", "complex64"):
        found |= {"floats"}
    if name == "float":
        found |= FLOAT_TENSORS | ARRAYS | {"cffi floats", "cffi read-only", "foreign"}
    if name == "int64":
        found |= {"number"}
    if name in ("int8", "uint8", "bool"):
        found |= {"cffi bytes", "cffi bytearray"}
    if name == "uint8":
        found |= BYTE_ARRAYS
    return found | (BYTES | BUFFERS if name in ("int8", "uint8") else set())


TEXT = {"int8", "cffi bytes", "cffi bytearray", *BYTES, *BUFFERS, *NULLS}
# Function -> (what works; what it gets after the value).
KINDS = {
    **{f"read_{name}": (elements(name), (1,)) for name in DTYPES},
    **{f"write_{name}": (elements(name) - UNWRITABLE, (1,)) for name in DTYPES},
    "read_char": (TEXT, (1,)), "write_char": (TEXT - UNWRITABLE, (1,)),
    "read_void": (MEMORY, (1,)), "write_void": (MEMORY - UNWRITABLE, (1,)),
    **{f"give_{name}": (INTEGERS | {"negative"}, ()) for name in ("int8", "int16", "int32", "int64")},
    **{f"give_{name}": (INTEGERS, ()) for name in ("uint8", "uint16", "uint32", "uint64")},
    "give_float": (FLOATS, ()), "give_double": (FLOATS, ()), "give_bool": ({"true"}, ()), "give_char": ({"byte"}, ()),
    "give_level": (INTEGERS, ()), "give_point": (SEQUENCES | {"dict"}, ()),
    "give_struct": (NULLS | {"cffi struct", "nested"}, ()), "give_wide": (NULLS | {"str", "strs"}, ()),
    "give_function": (NULLS | {"callback"}, ()),
    "sizes": (elements("int64"), (0,)), "shaped": (FLOAT_TENSORS - {"longer"} | ARRAYS | {"cffi read-only"}, (4,)),
    "filled": ({"float32", "NumPy"}, (4,)),
    "text": ({"bytes", "bytearray", "memoryview", "cffi bytes", "cffi bytearray"}, (3, 4)),
    "worked": (
        {"float32", "float64", "int32", "int64", "uint32", "uint64", "complex64", "longer", "cffi struct", "NumPy", "mmap"},
        (16, 4),
    ),
}  # fmt: skip
LEGACY_KINDS = {
    "th_tensor": (FLOAT_TENSORS - {"closed tensor"} | {"NULL", "strided", "expanded"}, ()),
    "th_storage": ({"NULL", "storage"}, ()),
    "th_int": (INTEGERS | {"negative", "NumPy float"}, ()), "th_float": (FLOATS, ()),
    "th_floats": (SEQUENCES | {"floats", "NULL", "cffi floats", "cffi read-only", "foreign"}, ()),
    "th_text": (BYTES | BUFFERS | {"NULL", "cffi bytes", "cffi bytearray"}, ()),
    "th_const_text": (BYTES | BUFFERS | {"NULL", "cffi bytes", "cffi bytearray"}, ()),
    "th_function": ({"NULL", "callback"}, ()),
}  # fmt: skip


# A function is memory too, which works no more once C has written there.
DESTROYED = {("write_void", "callback"), ("worked", "callback")}
# Objects that nobody else has.
OWN = OBJECTS.keys() - {"None", "true", "int", "negative", "type", "function", "str", "byte", "bytes"}
REPETITIONS = 5


def content(thing):
    """The bytes of an object that has some."""
    try:
        return bytes(memoryview(thing))
    except TypeError:
        return None


def is_about(error, argument):
    return any(argument in text for text in (str(error), *getattr(error, "__notes__", ())))


def outcome(call, thing):
    """What is wrong with the call, or None; whether it worked."""
    before = content(thing)
    output = torch.zeros(4)
    try:
        call(output)
    except Exception as error:
        found = [] if is_about(error, "value") else [f"{type(error).__name__}: {error}"]
        found += ["something was written"] if output.any() or output._version or content(thing) != before else []
        return ", ".join(found), False
    is_fixed = before is not None and memoryview(thing).readonly
    return "it changed" if is_fixed and content(thing) != before else "", True


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("module, name", [
    *((probe, name) for name in KINDS), *((legacy, name) for name in LEGACY_KINDS),
], ids=[*KINDS, *LEGACY_KINDS])  # fmt: skip
def test_each_object_works_or_is_refused_by_name(module, name):
    works, more = (KINDS if module is probe else LEGACY_KINDS)[name]
    assert works <= OBJECTS.keys()
    function = getattr(module, name)
    things = {each: make() for each, make in OBJECTS.items() if (name, each) not in DESTROYED}
    wrong = {}
    for each, thing in things.items():
        problem, worked = outcome(lambda output: function(output, thing, *more), thing)
        if problem or worked != (each in works):
            wrong[each] = problem or ("worked" if worked else "was refused")
    assert not wrong

    def state():
        gc.collect()
        return {each: sys.getrefcount(things[each]) for each in OWN & things.keys()}, sys.getallocatedblocks()

    def all_again():
        for thing in things.values():
            outcome(lambda output: function(output, thing, *more), thing)

    all_again()
    counts, blocks = state()
    for _ in range(REPETITIONS):
        all_again()
    counts_after, blocks_after = state()
    assert [each for each, count in counts_after.items() if count - counts[each] >= REPETITIONS] == []
    assert blocks_after - blocks < REPETITIONS * len(things) // 2


# Code of an argument that moves the memory of another


def grow(tensor):
    tensor.resize_(200_000)


def empty(tensor):
    tensor.untyped_storage().resize_(0)


def meddling(action):
    tensor = torch.ones(4).as_subclass(type("Meddling", (Meddling,), {"action": staticmethod(action)}))
    return tensor


# Name -> the call, with an action that one of its arguments does after C's pointer to the output was read.
MEDDLING = {
    "integer": lambda output, action: probe.give_int32(output, Number(action)),
    "float": lambda output, action: probe.give_double(output, Number(action)),
    "enum": lambda output, action: probe.give_level(output, Number(action)),
    "struct": lambda output, action: probe.give_point(output, [Number(action), 2]),
    "dict": lambda output, action: probe.give_point(output, {"x": Number(action), "y": 2}),
    "list": lambda output, action: probe.read_double(output, [1, Number(action)], 2),
    "sizes": lambda output, action: probe.sizes(output, [1, Number(action)], 2),
    "sizes below cffi": lambda output, action: probe.read_int64(output, (Number(action),), ffi.cast("int", 1)),
    "tensor": lambda output, action: probe.write_float(output, meddling(action), 1),
    "legacy integer": lambda output, action: legacy.th_int(output, Number(action)),
    "legacy list": lambda output, action: legacy.th_floats(output, [1, Number(action)]),
}


@pytest.mark.parametrize("name", MEDDLING)
def test_c_writes_where_the_output_is_after_all_conversions(name):
    output = torch.zeros(4)
    MEDDLING[name](output, lambda: grow(output))
    assert output[0] == 1 and output.numel() == 200_000


@pytest.mark.parametrize("name", MEDDLING)
def test_an_output_that_lost_its_memory_meanwhile_is_refused(name):
    output = torch.zeros(4)
    with pytest.raises((ValueError, TypeError), match="without memory") as error:
        MEDDLING[name](output, lambda: empty(output))
    assert is_about(error.value, "output")


def test_shapes_are_those_after_all_conversions():
    output, value = torch.zeros(4), torch.ones(4)
    with pytest.raises(ValueError, match=names("output", "(4,)", "(200000,)")):
        probe.shaped(output, value, Number(lambda: grow(output), 4))
    buffer = bytearray(b"abc")
    with pytest.raises(ValueError, match=names("value", "(3,)", "0")):
        probe.text(value, buffer, Number(buffer.clear), 4)


def test_a_list_that_its_item_changes():
    sizes = [1, 2]
    sizes[:] = [Number(sizes.clear), 2]
    with pytest.raises(TypeError, match="^value: expected "):
        probe.sizes(torch.zeros(4), sizes, 2)
    numbers = []
    numbers[:] = [Number(numbers.clear), 2, 3]
    probe.read_double(torch.zeros(4), numbers, 3)
    assert numbers == []


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, MemoryError])
@pytest.mark.parametrize("name", [name for name in MEDDLING if name != "tensor"])
def test_what_no_message_may_hide(name, error):
    def interrupt():
        raise error

    output = torch.zeros(4)
    with pytest.raises(error):
        MEDDLING[name](output, interrupt)
    assert not output.any()


def test_messages_about_numbers():
    for value, got in ((10**5000, "an integer of 16610 bits"), (10**300, "1" + 99 * "0" + "…"), (2**31, str(2**31))):
        with pytest.raises(OverflowError, match=names("value", "integer", "int32_t", got)):
            probe.give_int32(torch.zeros(1), value)
    with pytest.raises(TypeError, match=names("value", "integers", "float")):
        probe.sizes(torch.zeros(1), [np.int64(3), 2.5], 2)
    with pytest.raises(TypeError, match=names("value", "integer", "Number")) as error:
        probe.give_int32(torch.zeros(1), Number(refuse))
    assert type(error.value.__cause__) is Refusal
    with pytest.raises(TypeError, match="^value: of the object$") as error:
        probe.read_double(torch.zeros(1), [Number(refuse)], 1)
    assert type(error.value.__cause__) is Refusal


# Bytes


def test_bytes_are_not_written_and_a_bytearray_is():
    output, text, buffer = torch.zeros(4), b"abc", bytearray(b"abc")
    for write in (probe.write_char, probe.write_int8, probe.write_uint8, probe.write_void, probe.write_bool):
        with pytest.raises(ValueError, match=names("value", "bytes", "bytearray")):
            write(output, text, 1)
    with pytest.raises(ValueError, match="^value: .* got a read-only buffer$"):
        probe.write_float(output, ffi.from_buffer("float[]", read_only()), 1)
    for write in (probe.write_char, probe.write_int8, probe.write_uint8, probe.write_void):
        buffer[:] = b"abc"
        write(output, buffer, 2)
        assert buffer == b"\1\1c"
    buffer += b"longer"  # nobody holds it any more
    legacy.th_text(output, buffer)
    assert text == b"abc" and buffer[:2] == b"X\1"


def test_an_old_project_gets_a_copy_of_bytes():
    """Whether C writes cannot be known; a pointer to const shows the bytes themselves, which C may keep."""
    output, text = torch.zeros(4), bytes([120, 121])
    legacy.th_text(output, text)
    array = np.frombuffer(text, np.uint8)
    legacy.th_text(output, ffi.from_buffer("char[]", text))
    assert text == b"xy" and array.tolist() == [120, 121] and output.eq(1).all()


# Outputs that are not contiguous


def advised(output):
    """The result in ``output``, by what the message about it says."""
    with pytest.raises(ValueError, match="^value: .*with strides") as error:
        probe.write_float(torch.zeros(1), output, output.numel())
    assert "; pass tensor.contiguous()" not in str(error.value)
    advice = str(error.value).rpartition("; pass ")[2].rpartition(" = ")
    variables = {"tensor": output}
    _, _, steps = advice
    first, _, then = steps.partition(", then ")
    variables["copy"] = eval(first.partition(" and go on")[0], variables)
    probe.write_float(torch.zeros(1), variables["copy"], output.numel())
    if then:
        eval(then, variables)
    return variables["copy" if "go on with copy" in first else "tensor"]


@pytest.mark.parametrize("make, is_same", [
    (lambda: torch.zeros(4, 3).t(), True), (lambda: torch.zeros(8)[::2], True),
    (lambda: torch.zeros(1).expand(4), False),
    (lambda: torch.zeros(2, 1).expand(2, 3), False), (lambda: torch.zeros(8).as_strided((3, 3), (1, 1)), False),
], ids=["transposed", "strided", "expanded", "rows", "overlapping"])  # fmt: skip
def test_the_advice_about_an_output_keeps_the_result(make, is_same):
    output = make()
    result = advised(output)
    assert result.eq(1).all() and result.shape == output.shape and (result is output) == is_same


def test_the_advice_about_an_input():
    with pytest.raises(ValueError, match=r"with strides \(1, 3\); pass tensor.contiguous\(\)$"):
        probe.read_float(torch.zeros(1), torch.zeros(4, 3).t(), 12)


# Callbacks


def raises(error):
    @ffi.callback("int(int)", error=-5)
    def callback(value):
        raise error

    return callback


def kept(callback):
    probe.keep(callback)
    return probe.call_kept(2, torch.zeros(1))


CALLS = {
    "argument": lambda callback: probe.call_back(callback, 2, None),
    "with a tensor": lambda callback: probe.call_back(callback, 2, torch.zeros(1)),
    "cast": lambda callback: probe.call_back(ffi.cast("int(*)(int)", callback), 2, None),
    "list": lambda callback: probe.call_each([callback], 1, 2),
    "kept": kept,
    "then C throws": lambda callback: probe.call_and_throw(callback),
    "legacy": lambda callback: legacy.th_function(torch.zeros(1), callback),
}


class Fatal(BaseException):
    """Not even an Exception."""


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit, Fatal, StopIteration])
@pytest.mark.parametrize("name", CALLS)
def test_a_callback_that_raises_makes_the_call_raise(name, error, capfd):
    raised, before, seen = error("text"), sys.unraisablehook, []
    sys.unraisablehook = seen.append
    try:
        callback = raises(raised)
        with pytest.raises(error) as found:
            CALLS[name](callback)
    finally:
        hook, sys.unraisablehook = sys.unraisablehook, before
    assert found.value is raised and hook == seen.append
    assert any(entry.name == "callback" for entry in found.traceback)
    assert len(seen) == (0 if name in ("then C throws", "legacy") else 1)  # what the second of two calls raised
    assert probe.call_back(ffi.callback("int(int)", lambda value: value), 3, None) == 3, "nothing is left of it"


def test_a_result_that_c_cannot_take():
    with pytest.raises(TypeError, match="integer"):
        probe.call_back(ffi.callback("int(int)", lambda value: "text"), 1, None)


def test_c_gets_the_error_value_and_its_writes_stay():
    output = torch.zeros(1)
    with pytest.raises(ValueError, match="^text$"):
        probe.call_back(raises(ValueError("text")), 1, output)
    assert output.item() == 1 and output._version == 1


def test_who_gives_an_onerror_gets_the_exception():
    errors = []
    callback = ffi.callback("int(int)", refuse, error=-5, onerror=lambda type, value, traceback: errors.append(type))
    assert probe.call_back(callback, 2, None) == -10 and errors == [Refusal, Refusal]


def test_calls_within_callbacks():
    def inner(value):
        with pytest.raises(ValueError, match="^inner$"):
            probe.call_back(raises(ValueError("inner")), 1, None)
        raise KeyError("outer")

    with pytest.raises(KeyError, match="outer"):
        probe.call_back(ffi.callback("int(int)", inner), 1, None)


def test_other_errors_that_python_cannot_raise_go_where_they_went():
    class Dying:
        def __del__(self):
            raise Refusal

    def callback(value):
        Dying()
        return value

    seen, before = [], sys.unraisablehook
    sys.unraisablehook = lambda unraisable: seen.append(unraisable.exc_type)
    try:
        assert probe.call_back(ffi.callback("int(int)", callback), 3, None) == 3
        with warnings.catch_warnings():
            raises(Refusal())(3)  # called from Python: no call of ours
    finally:
        sys.unraisablehook = before
    assert seen == [Refusal] * 4


def test_each_thread_gets_its_own_exception():
    found, wait = {}, threading.Barrier(4)

    def work(number):
        def callback(value):
            wait.wait()
            raise ValueError(number)

        try:
            probe.call_back(ffi.callback("int(int)", callback), 1, None)
        except ValueError as error:
            found[number] = error.args

    before = sys.unraisablehook
    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {number: (number,) for number in range(4)} and sys.unraisablehook == before


def test_a_thousand_exceptions_leave_nothing_behind():
    @ffi.callback("int(int)")
    def callback(value):
        raise ValueError("text")

    def once():
        with pytest.raises(ValueError):
            probe.call_back(callback, 1, None)

    def count():
        gc.collect()
        return sys.getrefcount(callback), len(gc.get_objects())

    once()
    references, objects = count()
    for _ in range(1000):
        once()
    references_after, objects_after = count()
    assert references_after - references < 100 and objects_after - objects < 500
