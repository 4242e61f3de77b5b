"""torchthaw/cuda_on_cpu/translation/ptx_types.py: the types of PTX, and those of C++ for them."""

# Constraints of operands: the type of the register.
CONSTRAINTS = {"h": "u16", "r": "u32", "l": "u64", "f": "f32", "d": "f64"}
_SIZES = {"pred": 1, "f16": 16, "bf16": 16, "f16x2": 32, "bf16x2": 32}
# Those of whose numbers an integer has the bits.
HALVES = {"f16": "u16", "bf16": "u16", "f16x2": "u32", "bf16x2": "u32"}


class Wrong(ValueError):
    """PTX that no compiler takes."""


def cpp(kind):
    """The type of C++; P:: is cuda_on_cpu::ptx."""
    kind = HALVES.get(kind, kind)
    return f"P::{'u' + kind[1:] if kind[0] == 'b' and kind[1:].isdigit() else kind}"


def size(kind):
    """How many bits it has."""
    return _SIZES.get(kind) or int(kind[1:])


def bits(kind):
    return "a predicate" if kind == "pred" else f"{size(kind)} bits"


def described(operand):
    """What an operand is, for a message."""
    known = {"memory": "an address", "vector": "several registers", "number": "a number", "sink": "_"}
    return known.get(operand[0], operand[0])
