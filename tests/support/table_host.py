"""tests/support/table_host.py: a host of tables in Python: builds what `export table` writes, and calls it by ctypes."""

import ctypes
import os
import subprocess
import sys
from ctypes import POINTER, c_char, c_char_p, c_double, c_int, c_int64, c_size_t, c_ubyte, c_uint64, c_void_p

import torch

from support import ROOT
from torchthaw.base import config

DTYPES = [None, "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "bfloat16",
          "float32", "float64", "complex64", "complex128"]  # fmt: skip
INPUT, OUTPUT, INOUT, SIZES, INTEGER, REAL, BOOLEAN, WORKSPACE, WORKSPACE_SIZE, STREAM = range(10)
ABSENT, UNKNOWN = -1, -2


class Argument(ctypes.Structure):
    _fields_ = [("data", c_void_p), ("dtype", c_int), ("ndim", c_int), ("shape", POINTER(c_int64)),
                ("integer", c_int64), ("real", c_double), ("own_shape", c_int64 * 64)]  # fmt: skip


class Parameter(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("role", c_int), ("is_nullable", c_int), ("is_choosing", c_int), ("source", c_int), ("dimension", c_int),
                ("type", c_char_p), ("least", c_int64), ("most", c_int64), ("aliases", c_uint64),
                ("shape_count", c_int), ("shapes", c_void_p)]  # fmt: skip


class Variant(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("dtypes", POINTER(c_ubyte)), ("parameters", POINTER(Parameter)),
                ("run", c_void_p), ("workspace", c_void_p)]  # fmt: skip


class Operator(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("parameter_count", c_int), ("parameters", POINTER(Parameter)),
                ("variant_count", c_int), ("variants", POINTER(Variant))]  # fmt: skip


class Call(ctypes.Structure):
    _fields_ = [("op", POINTER(Operator)), ("arguments", POINTER(Argument)), ("workspace", c_void_p),
                ("stream", c_void_p), ("num_threads", c_int), ("workspace_size", c_size_t), ("variant", POINTER(Variant)),
                ("message", c_char * 1024)]  # fmt: skip


STEP = ctypes.CFUNCTYPE(c_int, POINTER(Call))


class Table(ctypes.Structure):
    _fields_ = [("version", c_int), ("operator_count", c_int), ("operators", POINTER(Operator)),
                ("find", ctypes.CFUNCTYPE(POINTER(Operator), c_char_p)), ("shapes", STEP), ("call", STEP)]  # fmt: skip


class Refused(Exception):
    """What the table says of a call that fails."""


def export(header, folder, *options):
    """Writes the table of a header there."""
    command = [sys.executable, "-m", "torchthaw", "export", "table", header, "-o", folder, *options]
    subprocess.run([*map(str, command)], check=True, capture_output=True, env=environment())


def environment():
    return {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"}


def of_a_host(*path):
    """The environment of a process that loads a library beside a host's packages in ``path``.

    THAW_HOST_PRELOAD: what such a process must load before Python, as where the library has a sanitizer.
    """
    preload = os.environ.get("THAW_HOST_PRELOAD")
    found = {**environment(), "PYTHONPATH": os.pathsep.join(map(str, path))}
    return {**found, "LD_PRELOAD": preload} if preload else found


def compiler(*flags):
    """The command for the C of a table, which has no warning."""
    return [
        "cc",
        "-std=c99",
        "-pedantic",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-g0",
        f"-I{ROOT / 'c_api' / 'include'}",
        *flags,
    ]


def my_lib():
    """The flags that link it, and nothing else."""
    folder = config.libdir()
    return ["-Wl,--no-undefined", f"-L{folder}", "-lmy_lib", f"-Wl,-rpath,{folder}"]


class Host:
    """The table of a shared library, which has the function STEM_table."""

    def __init__(self, library, stem):
        self.library = ctypes.CDLL(str(library))
        function = getattr(self.library, f"{stem}_table")
        function.restype = POINTER(Table)
        self.table = function().contents
        self.operators = {
            self.table.operators[i].name.decode(): self.table.operators[i] for i in range(self.table.operator_count)
        }

    def begin(self, name, **values):
        """The Call of an operator: a tensor, None, a number or a tuple for each parameter that is given by the host. An
        output is a tensor, None, or left out: then shapes() says what it is."""
        op = self.operators[name]
        call = Call(op=ctypes.pointer(op))
        call.held = arguments, tensors = (Argument * op.parameter_count)(), dict(values)
        call.arguments, call.tensors = arguments, tensors
        for index in range(op.parameter_count):
            parameter, argument = op.parameters[index], arguments[index]
            word = parameter.name.decode()
            if parameter.role <= INOUT:
                argument.ndim = UNKNOWN if word not in values else ABSENT
                if values.get(word) is not None:
                    describe(argument, values[word])
            elif parameter.role == SIZES and word in values:
                set_shape(argument, values[word])
            elif parameter.role in (INTEGER, BOOLEAN) and word in values:
                argument.integer = values[word]
            elif parameter.role == REAL:
                argument.real = values[word]
        return call

    def shapes(self, call):
        if not self.table.shapes(ctypes.byref(call)):
            raise Refused(call.message.decode())

    def call(self, name, **values):
        """The outputs by name, those that were given and those that are made."""
        call = self.begin(name, **values)
        self.shapes(call)
        outputs = self.allocate(call)
        if not self.table.call(ctypes.byref(call)):
            raise Refused(call.message.decode())
        return outputs

    def allocate(self, call):
        """Makes the outputs that shapes() described, and the workspace."""
        op, outputs = call.op.contents, {}
        for index in range(op.parameter_count):
            word, role, argument = op.parameters[index].name.decode(), op.parameters[index].role, call.arguments[index]
            if role in (OUTPUT, INOUT) and argument.ndim >= 0:
                if word not in call.tensors:
                    shape = tuple(argument.shape[k] for k in range(argument.ndim))
                    call.tensors[word] = torch.full(shape, 77, dtype=getattr(torch, DTYPES[argument.dtype]))
                argument.data = call.tensors[word].data_ptr()
                outputs[word] = call.tensors[word]
        if call.workspace_size:
            call.scratch = ctypes.create_string_buffer(call.workspace_size)
            call.workspace = ctypes.cast(call.scratch, c_void_p)
        return outputs


def set_shape(argument, shape):
    argument.ndim = len(shape)
    argument.shape = (c_int64 * len(shape))(*shape)


def describe(argument, tensor):
    argument.data, argument.dtype = tensor.data_ptr(), DTYPES.index(str(tensor.dtype).removeprefix("torch."))
    set_shape(argument, tensor.shape)


def integers(folder):
    """(types.h, {dtype of integers: its largest value less one}); the C beside it adds one to each element."""
    dtypes = {f"{sign}int{bits}": 2 ** (bits - (sign == "")) - 2 for sign in ("", "u") for bits in (8, 16, 32, 64)}
    header = folder / "types.h"
    declared = [
        f"int types_{name}(const {name}_t *x THAW_SHAPE(n), int64_t n, {name}_t *y THAW_SHAPE(n))" for name in dtypes
    ]
    lines = [f"THAW_STATUS\n{each};" for each in declared]
    header.write_text("\n".join(["#include <stdint.h>", "#include <torchthaw/annotate.h>", *lines]) + "\n")
    bodies = [f"{each} {{ for (int64_t i = 0; i < n; ++i) y[i] = x[i] + 1; return 1; }}" for each in declared]
    header.with_suffix(".c").write_text("\n".join(['#include "types.h"', *bodies]) + "\n")
    return header, dtypes
