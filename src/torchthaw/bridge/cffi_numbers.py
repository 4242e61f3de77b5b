"""torchthaw/bridge/cffi_numbers.py: numbers that cffi would cut, or read from a text.

cffi calls ``__int__`` and ``__float__``: of Fraction(5, 3) that makes 1, of NumPy's array "1.5" a number.
"""

from . import arrays

INTEGERS = {
    f"{sign}{width}" for sign in ("", "unsigned ") for width in ("int", "short", "long", "long long")
} | {f"{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64)} | {
    "signed char", "unsigned char", "_Bool", "size_t", "ssize_t", "ptrdiff_t", "intptr_t", "uintptr_t",
}  # fmt: skip
FLOATS = {"float", "double"}


def check(ctype, value):
    """Raises TypeError for a number in ``value``, at any depth, that is not what a C value of type ``ctype`` is."""
    kind = ctype.kind
    if kind == "enum" or (kind == "primitive" and ctype.cname in INTEGERS):
        if hasattr(type(value), "__int__") and not isinstance(value, float) and not hasattr(type(value), "__index__"):
            raise TypeError(f"expected an integer, got {type(value).__name__}")
    elif kind == "primitive" and ctype.cname in FLOATS:
        if not arrays.is_real(value):
            raise TypeError(f"expected a number, got {type(value).__name__}")
    elif kind in ("struct", "union"):
        for field, item in _fields(ctype, value):
            check(field.type, item)
    elif kind in ("array", "pointer") and isinstance(value, (list, tuple)):
        for item in value:
            check(ctype.item, item)


def _fields(ctype, value):
    fields = ctype.fields or ()
    if isinstance(value, dict):
        return [(field, value[name]) for name, field in fields if name in value]
    return zip((field for _, field in fields), value) if isinstance(value, (list, tuple)) else ()
