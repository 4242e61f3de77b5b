"""torchthaw/header/c_type_kinds.py: how each C type crosses from Python, in the words of bridge.h."""

from typing import NamedTuple

from .cffi_names import model

# DLPack's DLDataTypeCode
INT, UINT, FLOAT, BFLOAT, COMPLEX, BOOL = 0, 1, 2, 4, 5, 6
ANY = -1


# What torchthaw/annotate.h calls the elements that C has no type for: (code, bits).
HALVES = {"thaw_bfloat16": (BFLOAT, 16), "thaw_float16": (FLOAT, 16)}
TYPEDEFS = "".join(f"typedef uint16_t {name};\n" for name in HALVES)


class Number(NamedTuple):
    """A C number type: its DLPack code and bits as the element of an array, and the thaw_kind of a value of it."""

    code: int
    bits: int
    kind: str = "THAW_CFFI"


def number(ffi, type):
    """The Number that a cffi type is, or None."""
    if not isinstance(type, model.PrimitiveType) or type.name in ("wchar_t", "char16_t", "char32_t", "long double"):
        return None
    bits = 8 * ffi.sizeof(type.name)
    if type.name == "_Bool":
        return Number(BOOL, bits, "THAW_BOOL")
    if type.name == "char":
        return Number(INT, bits)
    if type.is_integer_type():
        signed = int(ffi.cast(type.name, -1)) < 0
        return Number(INT, bits, f"THAW_INT{bits}") if signed else Number(UINT, bits, f"THAW_UINT{bits}")
    if type.is_float_type():
        return Number(FLOAT, bits, f"THAW_{type.name.upper()}")
    return Number(COMPLEX, bits)


class Parameter(NamedTuple):
    """One parameter: how it crosses, as thaw_parameter in bridge.h has it."""

    type: model.BaseTypeByIdentity
    name: str
    kind: str
    flags: str = "0"
    code: int = 0
    bits: int = 0


def parameter(ffi, type, name, word=""):
    """The Parameter of a cffi type; ``word``: the header's name of what it points to."""
    if isinstance(type, model.FunctionPtrType):
        return Parameter(type, name, "THAW_HANDLE")
    if not isinstance(type, model.PointerType):
        value = number(ffi, type)
        return Parameter(type, name, value.kind if value else "THAW_CFFI")
    element = Number(ANY, 0) if isinstance(type.totype, model.VoidType) else number(ffi, type.totype)
    if element is None:
        return Parameter(type, name, "THAW_HANDLE")
    flags = "THAW_WRITTEN"
    if type.quals & model.Q_CONST:
        flags = "THAW_SIZES" if (element.code, element.bits) == (INT, 64) else "0"
    code, bits = HALVES.get(word, (element.code, element.bits))
    return Parameter(type, name, "THAW_ARRAY", flags, code, bits)


def result_kind(ffi, type):
    """The thaw_kind of a result; THAW_CFFI where only cffi can give it to Python."""
    if isinstance(type, model.VoidType):
        return "THAW_VOID"
    if isinstance(type, model.PointerType):
        is_text = type.quals & model.Q_CONST and getattr(type.totype, "name", None) == "char"
        return "THAW_TEXT" if is_text else "THAW_CFFI"
    value = number(ffi, type)
    return value.kind if value else "THAW_CFFI"
