"""tests/support/allocation_cases.py: calls through the bridge, each made anew before its n-th allocation fails.

A case is a function that returns (call, look): what is done while an allocation may fail, and what it may have changed.
Whatever fails, look() gives what it gave before, or what it gives after a call that worked.
"""

import cffi
import numpy as np
import torch

LARGE = 10**6  # of which Python keeps no object ready


class Number:
    def __index__(self):
        return 3


def alone(call, *tensors):
    """The call, and what the tensors hold and are."""

    def look():
        return [(list(tensor.shape), tensor.reshape(-1)[:8].tolist()) for tensor in tensors]

    return call, look


def output():
    return torch.zeros(4)


def values(probe):
    """Objects that the functions of misuse.h get, by the name of the object."""
    ffi = probe._misuse.ffi
    foreign = cffi.FFI()
    return {
        "None": lambda: None, "true": lambda: True, "int": lambda: 3, "large": lambda: LARGE, "huge": lambda: 10**400,
        "float": lambda: 1.5, "NumPy int": lambda: np.int64(3), "NumPy float": lambda: np.float32(3), "index": Number,
        "str": lambda: "abc", "byte": lambda: b"x", "bytes": lambda: b"abc", "bytearray": lambda: bytearray(b"abc"),
        "list": lambda: [1, 2], "large list": lambda: [LARGE] * 40, "tuple": lambda: (1, 2), "floats": lambda: [1.5],
        "indices": lambda: [Number(), Number()], "strs": lambda: ["a"], "dict": lambda: {"x": 1, "y": 2},
        "object": object, "NumPy": lambda: np.ones(4, np.float32), "NULL": lambda: ffi.NULL,
        "cffi floats": lambda: ffi.new("float[4]"), "cffi int": lambda: ffi.cast("int", 3),
        "cffi buffer": lambda: ffi.from_buffer("char[]", bytearray(b"abc")),
        "cffi struct": lambda: ffi.new("misuse_point *"), "foreign": lambda: foreign.new("float[4]"),
        "float32": lambda: torch.ones(4), "float64": lambda: torch.ones(4, dtype=torch.float64),
        "int64": lambda: torch.ones(4, dtype=torch.int64), "uint8": lambda: torch.ones(4, dtype=torch.uint8),
        "strided": lambda: torch.ones(8)[::2], "sparse": lambda: torch.eye(2).to_sparse(),
        "complex": lambda: torch.ones(4, dtype=torch.complex64), "one": lambda: torch.ones(1),
        "conjugate": lambda: torch.ones(4, dtype=torch.complex64).conj(), "empty": lambda: torch.ones(0),
        "leaf": lambda: torch.ones(4, requires_grad=True), "parameter": lambda: torch.nn.Parameter(torch.ones(4)),
        "storage": lambda: torch.ones(4).storage(), "callback": lambda: ffi.callback("int(int)", lambda value: value),
    }  # fmt: skip


# Function of misuse.h -> what it gets behind the value.
KINDS = {
    "read_float": (1,), "write_float": (1,), "read_int64": (1,), "write_uint8": (1,), "read_complex64": (1,),
    "read_char": (1,), "read_void": (1,), "write_void": (1,), "give_int8": (), "give_int32": (), "give_int64": (),
    "give_uint64": (), "give_float": (), "give_double": (), "give_bool": (), "give_char": (), "give_level": (),
    "give_point": (), "give_struct": (), "give_wide": (), "give_function": (), "sizes": (0,), "shaped": (4,),
    "filled": (4,), "text": (3, 4), "worked": (16, 4),
}  # fmt: skip
LEGACY_KINDS = "th_tensor", "th_storage", "th_int", "th_float", "th_floats", "th_text", "th_const_text", "th_function"
# Of these groups the short form tries one call in so many.
EACH = {"misuse": 25, "misuse_th": 12}
# What becomes of memory that C overwrites is no case.
DESTROYED = {("write_void", "callback"), ("worked", "callback"), ("write_void", "object"), ("th_text", "byte")}


def of_kinds(probe, names, objects):
    """Each object as each kind of parameter; ``names``: function -> what it gets behind the value."""

    def case(name, make, more):
        def made():
            given, thing = output(), make()
            return alone(lambda: getattr(probe, name)(given, thing, *more), given)

        return made

    return {
        f"{name} of {each}": case(name, make, more)
        for name, more in names.items() for each, make in objects.items() if (name, each) not in DESTROYED
    }  # fmt: skip


def misuse_cases(probe):
    ffi = probe._misuse.ffi

    def by_keywords():
        given = output()
        return alone(lambda: probe.worked(output=given, n=4), given)

    def large_workspace():
        given = torch.zeros(1000)
        return alone(lambda: probe.worked(output=given, n=1000), given)

    def left_out():
        given = output()
        return alone(lambda: probe.shaped(output=given, value=torch.ones(4)), given)

    def unknown_keyword():
        given = output()
        return alone(lambda: probe.shaped(output=given, wrong=torch.ones(4)), given)

    def too_few():
        given = output()
        return alone(lambda: probe.shaped(given), given)

    def callback(body):
        def case():
            given, function = output(), ffi.callback("int(int)", body)
            return alone(lambda: probe.call_back(function, 3, given), given)

        return case

    def raising(value):
        raise KeyError("of the callback")

    def overlapping():
        both = torch.zeros(4)
        return alone(lambda: probe.shaped(both, both, 4), both)

    return {
        **of_kinds(probe, KINDS, values(probe)), "a workspace left out": by_keywords, "a large workspace": large_workspace,
        "sizes left out": left_out, "an unknown keyword": unknown_keyword, "too few": too_few,
        "a callback": callback(lambda value: value), "a callback that raises": callback(raising),
        "an array over an output": overlapping,
        "a wrong shape": lambda: alone(lambda: probe.shaped(torch.zeros(5), torch.zeros(4), 4)),
        "C++ throws": lambda: alone(lambda: probe.call_and_throw(ffi.callback("int(int)", lambda value: value))),
    }  # fmt: skip


def misuse_th_cases(probe, misuse):
    objects = values(misuse)
    functions = {name: objects if name == "th_function" else {**objects, "callback": object} for name in LEGACY_KINDS}
    return {key: case for name, own in functions.items() for key, case in of_kinds(probe, {name: ()}, own).items()}


def th_cases(probe):
    ffi = probe._th_probe.ffi

    def resize(count, make=lambda: torch.ones(4)):
        def case():
            tensor = make()
            return alone(lambda: probe.resize(tensor, count), tensor)

        return case

    def add(*shape):
        def case():
            a, b, c = torch.ones(shape), torch.ones(shape), torch.ones(1)
            return alone(lambda: probe.add(a, b, c), a, b)

        return case

    def two_views():
        base = torch.ones(16)
        return alone(lambda: probe.resize_one_sum_other(base[:4], 100_000, base[4:]))

    def storage():
        tensor = torch.ones(4)
        held = tensor.storage()
        return alone(lambda: probe.resize_storage(held, 50), tensor)

    def of_storage():
        held = torch.ones(4).storage()
        return alone(lambda: probe.sum_of_storage(held))

    def kept(use, resized=False):
        def case():
            tensor = torch.ones(4)

            def call():
                probe.keep(tensor)
                if resized:
                    tensor.resize_(LARGE)
                try:
                    return use()
                finally:
                    probe.release()

            return alone(call)

        return case

    def same_twice():
        tensor = torch.ones(3)
        return alone(lambda: probe.same_pointer(tensor, tensor))

    def ten_thousand():
        tensor = torch.ones(4)
        return alone(lambda: probe.resize2d(tensor, 1000, 1000), tensor)

    def back(body):
        def case():
            function = ffi.callback("int(int)", body)
            return alone(lambda: probe.call_back(function, 3))

        return case

    def raising(value):
        raise KeyError("of the callback")

    def after_resize():
        tensor = torch.ones(4)
        return alone(lambda: probe.fail_after_resize(tensor, 1000))

    def after_keep():
        def call():
            try:
                probe.fail_after_keep(torch.ones(4))
            finally:
                probe.release()

        return alone(call)

    def no_dimension():
        tensor = torch.tensor(3.0)
        return alone(lambda: probe.fill(tensor, 3), tensor)

    text = "x" * 100
    return {
        "resize": resize(1000), "resize to nothing": resize(0), "resize smaller": resize(2),
        "resize far": resize(LARGE), "resize a leaf": resize(1000, lambda: torch.ones(4, requires_grad=True)),
        "resize a parameter": resize(4, lambda: torch.nn.Parameter(torch.ones(4))),
        "resize NumPy's": resize(1000, lambda: torch.from_numpy(np.ones(4, np.float32))),
        "resize shared": resize(1000, lambda: torch.ones(4).share_memory_()),
        "resize strided": resize(3, lambda: torch.ones(8)[::2]), "resize2d": ten_thousand, "add": add(3, 4),
        "add many dimensions": add(*[1] * 12), "two views": two_views, "a storage": storage,
        "read a storage": of_storage, "kept": kept(lambda: probe.sum_of_kept()),
        "kept and resized": kept(lambda: probe.sum_of_kept(), resized=True),
        "kept and grown by C": kept(lambda: probe.resize_kept(1000)), "the same twice": same_twice,
        "a number": no_dimension, "empty": resize(4, lambda: torch.ones(0)),
        "a callback": back(lambda value: value), "a callback that raises": back(raising),
        "cffi": lambda: alone(lambda: probe.count_of(torch.ones(3), b"x", [1.5, 2.5], 3)),
        "an error": lambda: alone(lambda: probe.fail(text.encode())),
        "an argument's error": lambda: alone(lambda: probe.fail_if_negative(-1)),
        "an error after a resize": after_resize, "an error after it was kept": after_keep,
        "a runtime error of C++": lambda: alone(lambda: probe.throw_exception(1)),
        "bad_alloc of C++": lambda: alone(lambda: probe.throw_exception(2)),
        "an exception that is no std::exception": lambda: alone(lambda: probe.throw_exception(3)),
        "an error in a region": lambda: alone(lambda: probe.fail_in_region(torch.ones(4, 4), 1, 2)),
        "too many arguments": lambda: alone(lambda: probe.sum(torch.ones(3), 4)),
        "keywords": lambda: alone(lambda: probe.sum(tensor=torch.ones(3))),
    }  # fmt: skip


class Exported:
    """A producer of DLPack without a buffer."""

    def __init__(self, tensor):
        self.__dlpack__, self.__dlpack_device__ = tensor.__dlpack__, tensor.__dlpack_device__


def checks_cases(probe):
    def scale(*shape, factor=2.0):
        def case():
            source, target = torch.ones(shape), torch.zeros(shape)
            return alone(lambda: probe.scale(source, shape, len(shape), factor, target), target)

        return case

    def outer(m, n, **more):
        def case():
            target = torch.zeros(m, n)
            given = {"rows": torch.ones(m), "columns": torch.ones(n), "bias": None, "sums": None, "output": target}
            return alone(lambda: probe.outer(**{**given, **more}), target)

        return case

    def scale_array(*shape, make=lambda x: x):
        def case():
            source, target = np.ones(shape, np.float32), np.zeros(shape, np.float32)
            return alone(lambda: probe.scale(make(source), shape, len(shape), 2.0, target), target)

        return case

    def exported(array):
        return Exported(torch.from_numpy(array))

    rows, columns = np.ones(3, np.float32), np.ones(4, np.float32)
    return {
        "scale of arrays": scale_array(3, 4), "scale of many dimensions": scale_array(*[1] * 12),
        "scale of a memoryview": scale_array(3, 4, make=memoryview), "scale of DLPack": scale_array(3, 4, make=exported),
        "scale of a strided array": scale_array(3, 4, make=lambda x: x.T),
        "scale makes an array": lambda: alone(lambda: probe.scale(rows, factor=2.0)),
        "scale makes a tensor": lambda: alone(lambda: probe.scale(torch.ones(3), factor=2.0)),
        "scale of an array of another dtype": lambda: alone(lambda: probe.scale(rows.astype(float), factor=2.0)),
        "outer of arrays": lambda: alone(lambda: probe.outer(rows=rows, columns=columns, bias=None)),
        "scale": scale(3, 4), "scale many": scale(*[1] * 30), "outer": outer(3, 4), "outer with much": outer(30, 40),
        "outer with too much": outer(1001, 1), "outer of a wrong shape": outer(3, 4, rows=torch.ones(7)),
        "bad factor": scale(3, factor=float("nan")),
        "windows without a shape": lambda: alone(
            lambda: probe.windows(torch.ones(3), 3, 7, 1, torch.ones(3))
        ),
        "length": lambda: alone(lambda: probe.length(b"abc", 3)),
        "length of cffi": lambda: alone(lambda: probe.length(b"abc", probe._checks.ffi.cast("int64_t", 3))),
        "wrong length": lambda: alone(lambda: probe.length(b"abc", 4)),
    }  # fmt: skip


def operator_cases(_):
    """Kernels in C, which PyTorch's dispatcher calls."""
    add, lltm_forward = torch.ops.my_lib.my_lib_add_forward, torch.ops.my_lib.lltm_forward  # which must exist

    def lltm():
        state, gates = torch.ones(2, 3), torch.ones(9, 7)
        given = torch.ones(2, 4), gates, torch.ones(9), state, state
        return alone(lambda: lltm_forward(*given))

    a = torch.ones(3, 4)
    return {
        "add": lambda: alone(lambda: add(a, a)),
        "lltm": lltm,
        "add of a dtype": lambda: alone(lambda: add(a, torch.ones(3, 4, dtype=torch.int32))),
        "add of shapes": lambda: alone(lambda: add(a, torch.ones(3, 5))),
        "strided": lambda: alone(lambda: add(a.t(), a.t())),
        "requires grad": lambda: alone(lambda: add(torch.ones(3, 4, requires_grad=True), a)),
    }


def portable_cases(module):
    """Functions of tests/fuzz/portable_calls.cpp: arguments and results of every kind, errors, callbacks, operators."""
    a = torch.ones(2, 3)
    long_text = "x" * 100

    def raising(value):
        raise KeyError("of the callback")

    given = {
        "int": (3,), "uint64": (2**64 - 1,), "double": (1.5,), "complex": (1 + 2j,), "string": (long_text,),
        "c_string": (long_text,), "bytes": (b"abc",), "ints": ([1, 2, LARGE],), "strings": ([long_text, "a"],),
        "nested": ([[1, 2], [3]],), "array": ([1, 2, 3],), "set": ({1, 2},), "map": ({long_text: 1.5},), "pair": ((1, "a"),),
        "tuple_of": ((1, 1.5, long_text),), "optional_int": (None,), "optional_tensor": (a,), "variant": (long_text,),
        "object": (a,), "list": ([1],), "dict": ({1: 2},), "tensor": (a,), "tensors": ([a, a],), "sizes": ([2, 3],),
        "dtype": (torch.float64,), "device": (torch.device("cpu"),), "array_of_double": (np.ones(3),),
        "array_of_int": ([1, 2],), "call": (lambda value: value,), "over": (object(),), "keywords": (1,), "all": (1, "a"),
        "facts": (a,), "elements": (a,), "dispatched": (a,), "at_add": (a, a), "cat": ([a, a], 0), "at_sort": (a,),
        "sum_over": (a, [1], True, None), "index": (a, torch.tensor([0])), "scalar": (a, 2.5),
    }  # fmt: skip
    wrong = {
        "a wrong type": ("int", "x"), "a wrong element": ("ints", [1, "x"]), "no argument": ("at_add",),
        "an error of the extension": ("elements", torch.ones(2, device="meta")), "an error of PyTorch": ("cat", [], 0),
        "an error of a shape": ("at_mm", a, a), "a callback that raises": ("call", raising), "a number too large": ("int", 2**40),
    }  # fmt: skip

    def case(name, arguments):
        return lambda: alone(lambda: getattr(module, name)(*arguments))

    made = {name: case(name, arguments) for name, arguments in given.items()}
    made |= {what: case(name, arguments) for what, (name, *arguments) in wrong.items()}
    return made | {"keyword arguments": lambda: alone(lambda: module.keywords(a=1, b=2.5, c=False))}
