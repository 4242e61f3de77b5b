"""torchthaw/declarations/interface.py: what a C header declares, as the languages' templates need it.

Every type is one of types.SCALARS, a pointer to one, ``void *``, or text; functions with other types are left out.
"""

import os
import re
import tempfile
from pathlib import Path
from typing import NamedTuple

from ..base import child, toolchain
from ..header import c_type_kinds, cdef, cffi_names, description, prototypes, reading
from ..header.cffi_names import model
from .types import SCALARS

PRINTS_CONSTANTS = """#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
{includes}
#define SHOW(value) printf((value) < 0 ? "%lld\\n" : "%llu\\n", (value) + 0ULL)
int main(void) {{
{shows}    return 0;
}}
"""


class Type(NamedTuple):
    """``form``: "void", "scalar", "pointer" or "text" (``const char *``); ``scalar``: of SCALARS, or "void"."""

    form: str
    scalar: str = "void"
    is_const: bool = False


class Parameter(NamedTuple):
    """``note``: what is annotated of it, in words, or ""."""

    name: str
    type: Type
    note: str


class Function(NamedTuple):
    """``prototype``: its C declaration; ``comment``: the header's, or ""."""

    name: str
    result: Type
    parameters: list
    prototype: str
    comment: str


class Interface(NamedTuple):
    """``left_out``: (name, reason) of the other functions. ``constants``: (name, value). All in the header's order."""

    header: str
    functions: list
    left_out: list
    constants: list


def read(header, include_dirs=(), define_flags=()):
    """The Interface of a C header, a path; the others as in cdef.parse().

    Raises ValueError for what cannot be parsed, AnnotationError for annotations that do not fit, and OSError.
    """
    header = Path(header)
    declared, signatures, module = reading.read(header, include_dirs, define_flags)
    text = header.read_text("utf-8")
    by_name = {each.name: each for each in module.functions}
    inline = _without_symbol(text)
    functions, left_out = [], []
    for name in signatures:
        try:
            if name in inline:
                raise _LeftOut("static: a library has no symbol for it")
            functions.append(_function(declared.ffi, by_name[name]))
        except _LeftOut as reason:
            left_out.append((name, str(reason)))
    constants = _constants(header, declared, include_dirs, define_flags)
    return Interface(header.name, functions, left_out, constants)


class _LeftOut(Exception):
    """Why a function has no declaration."""


def _function(ffi, described):
    made = described.made
    if made.type.ellipsis:
        raise _LeftOut("a variable number of arguments")
    result = _type(ffi, made.type.result, "result")
    parameters = [_parameter(ffi, each, described) for each in described.parameters]
    return Function(described.name, result, parameters, made.declaration, made.comment)


def _parameter(ffi, parameter, function):
    type = _type(ffi, parameter.crossing.type, parameter.name)
    return Parameter(parameter.name, type, _note(parameter) if function.is_annotated else "")


def _type(ffi, type, of):
    """The Type of one of cffi's. Raises _LeftOut, which names ``of``."""
    if isinstance(type, model.VoidType):
        return Type("void")
    if not isinstance(type, model.PointerType) or isinstance(type, model.FunctionPtrType):
        return Type("scalar", _scalar(ffi, type, type, of))
    is_const = bool(type.quals & model.Q_CONST)
    if isinstance(type.totype, model.VoidType):
        return Type("pointer", "void", is_const)
    scalar = _scalar(ffi, type.totype, type, of)
    return Type("text" if scalar == "char" and is_const else "pointer", scalar, is_const)


def _scalar(ffi, type, whole, of):
    """The name in SCALARS of a cffi type; ``whole``: what the header has."""
    if isinstance(type, model.EnumType):
        return "int"
    number = c_type_kinds.number(ffi, type)
    if number and type.name in SCALARS:
        return type.name  # others, such as int_fast8_t, are the one of their size and sign
    if number and number.code in (c_type_kinds.INT, c_type_kinds.UINT):
        return f"{description.DTYPES[number.code]}{number.bits}_t"
    raise _LeftOut(f"{of}: {description.c_type(whole)}")


def _note(parameter):
    """What is annotated of an array, in words."""
    if parameter.kind == "workspace":
        name, arguments = parameter.call
        return f"{name}({', '.join(arguments)}) bytes"
    if parameter.kind != "array":
        return ""
    rules = ["read and written" if parameter.is_inout else "written" if parameter.is_written else "read"]
    if parameter.aliases:
        rules.append(f"may be {' or '.join(parameter.aliases)}")
    if parameter.is_nullable:
        rules.append("may be NULL")
    return ", ".join([*filter(None, [parameter.shape_text]), *rules])


def _without_symbol(text):
    """The names of functions that a header defines as static or inline."""
    found = set()
    for statement in prototypes.statements(text):
        head = statement.partition("(")[0].split()
        if head and {"static", "inline"} & {*head[:-1]}:
            found.add(head[-1].lstrip("*"))
    return found


def _constants(header, declared, include_dirs, define_flags):
    """(name, value) of the integer macros and enumerators, whose values a C compiler computes."""
    macros = re.findall(r"^#\s*define\s+(\w+)\s+\S", declared.text, re.MULTILINE)
    names = [*macros, *cffi_names.enumerators(declared.ffi)]
    if not names:
        return []
    program = PRINTS_CONSTANTS.format(
        includes=cdef.include_lines([header]), shows="".join(f"    SHOW({name});\n" for name in names)
    )
    flags = [*(f"-I{folder}" for folder in include_dirs), *cdef.annotate_flags(), *define_flags]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "constants")
        # Functions that the header defines may call others.
        flags += ["-w", "-O1", "-Wl,--unresolved-symbols=ignore-all,-z,lazy"]
        command = [*toolchain.c_compiler(), *flags, "-x", "c", "-", "-o", path]
        result = child.answer(command, input=program, check=False)
        if result.status:
            raise ValueError(f"{header}: the C compiler failed\n{result.err}")
        printed = child.answer([path]).out
    return [(name, int(value)) for name, value in zip(names, printed.split())]
