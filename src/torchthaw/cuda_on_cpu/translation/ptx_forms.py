"""torchthaw/cuda_on_cpu/translation/ptx_forms.py: instructions of PTX that are more than one expression: moves, accesses, conversions.

Each function gets the writer of the statement and the instruction, and gives statements of C++, or None for a form that it
does not know.
"""

import re

from .ptx_types import HALVES, Wrong, cpp, size

_SPACES = r"(?:\.(?P<space>global|shared(?:::cta|::cluster)?|const|local))?"
_HINTS = r"(?P<hints>(?:\.(?:ca|cg|cs|lu|cv|wb|wt|nc|L1::\w+|L2::\w+|unified))*)"
_SCOPE = r"(?:\.(?:cta|cluster|gpu|sys))?"
_INTEGERS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "lo": "<", "ls": "<=", "hi": ">", "hs": ">="}  # fmt: skip
_FLOATS = {*(how + also for how in ("eq", "ne", "lt", "le", "gt", "ge") for also in ("", "u")), "num", "nan"}
_ATOMICS = {
    "add": ("::atomicAdd", "u32 s32 u64 f32 f64"), "min": ("::atomicMin", "u32 s32 u64 s64"), "max": ("::atomicMax", "u32 s32 u64 s64"),
    "and": ("::atomicAnd", "b32 b64"), "or": ("::atomicOr", "b32 b64"), "xor": ("::atomicXor", "b32 b64"),
    "exch": ("::atomicExch", "b32 b64"), "cas": ("::atomicCAS", "b16 b32 b64"), "inc": ("::atomicInc", "u32"), "dec": ("::atomicDec", "u32"),
}  # fmt: skip


def _two(operand):
    """The two results of p|q, or the one and None."""
    return operand[1:] if operand[0] == "pair" else (operand, None)


def _format(kind):
    return "P::Bf16" if kind.startswith("b") else "P::F16"


def _move(writer, each):
    match = re.fullmatch(r"mov\.([bus](?:16|32|64)|f32|f64|pred)", each.opcode)
    if not match:
        return None
    writer.expect(2)
    kind, (to, source) = match[1], each.operands
    for several in (to, source):
        count = len(several[1]) if several[0] == "vector" else 2
        if count not in (2, 4) or several[0] == "vector" and (kind[0] != "b" or size(kind) // count < 8):
            raise Wrong(f"expected 2 or 4 registers of {kind}, got {count}")
    if to[0] == "vector":
        part = f"b{size(kind) // len(to[1])}"
        parts = [writer.target(one, part, f"P::part_of<{cpp(part)}>(whole, {i})") for i, one in enumerate(to[1])]
        return f"{{ const P::u64 whole = {writer.source(source, kind)}; {' '.join(parts)} }}"
    if source[0] == "vector":
        part = f"b{size(kind) // len(source[1])}"
        parts = ", ".join(writer.source(one, part) for one in source[1])
        return writer.target(to, kind, f"P::joined<{cpp(kind)}, {cpp(part)}>({{{parts}}})")
    return writer.target(to, kind, writer.source(source, kind))


def _compare(writer, each):
    match = re.fullmatch(
        r"(?P<what>setp?)\.(?P<how>[a-z]+)(?:\.(?P<also>and|or|xor))?(?P<ftz>\.ftz)?"
        r"(?:\.(?P<to>[us]32|f32))?\.(?P<t>[bus](?:16|32|64)|f32|f64)", each.opcode
    )  # fmt: skip
    if not match or (match["what"] == "setp") == bool(match["to"]):
        return None
    writer.expect(3 + bool(match["also"]))
    kind, how, to = match["t"], match["how"], each.operands[0]
    if how not in (_FLOATS if kind[0] == "f" else _INTEGERS):
        raise Wrong(f"expected a comparison for {kind}, got {how}")
    a, b = (writer.source(operand, kind) for operand in each.operands[1:3])
    if match["ftz"]:
        a, b = f"P::flushed({a})", f"P::flushed({b})"
    sign = _INTEGERS.get(how[:2])
    if kind[0] != "f" or how in ("eq", "lt", "le", "gt", "ge"):
        made = f"({a} {sign} {b})"
    elif how in ("num", "nan"):
        made = f"{'!' if how == 'num' else ''}P::unordered({a}, {b})"
    else:
        made = (
            f"(P::unordered({a}, {b}) || {a} {sign} {b})"
            if how.endswith("u")
            else f"(!P::unordered({a}, {b}) && {a} {sign} {b})"
        )
    joined = {"and": "&&", "or": "||", "xor": "!="}.get(match["also"])
    other = f" {joined} {writer.source(each.operands[3], 'pred')}" if joined else ""
    if match["to"]:
        return writer.target(to, match["to"], f"(({made}{other}) ? {'1.f' if match['to'] == 'f32' else '~0u'} : 0)")
    first, second = _two(to)
    made = f"{{ const bool yes = {made}, both = yes{other}; [[maybe_unused]] const bool not_yes = !yes{other}; {writer.target(first, 'pred', 'both')}"
    return made + (f" {writer.target(second, 'pred', 'not_yes')} }}" if second else " }")


def _convert(writer, each):
    match = re.fullmatch(
        r"cvt(?:\.(?P<round>r[nzmp])(?P<integral>i)?)?(?P<ftz>\.ftz)?(?P<sat>\.sat)?"
        r"\.(?P<to>[us](?:8|16|32|64)|b?f16(?:x2)?|f32|f64)\.(?P<of>[us](?:8|16|32|64)|b?f16|f32|f64)", each.opcode
    )  # fmt: skip
    if not match:
        return None
    to, of = match["to"], match["of"]
    if to.endswith("x2"):
        return _convert_two(writer, each, match)
    writer.expect(2)
    value = writer.source(each.operands[1], of, wide=True)
    value = f"P::wide_{of}({value})" if of in HALVES else value
    value = f"P::flushed({value})" if match["ftz"] and of == "f32" else value
    direction = match["round"] or "rn"
    if to[0] in "us":
        if of[0] not in "us":
            if not match["integral"]:
                raise Wrong(f"expected a rounding to an integer, such as .rzi, for {of} to {to}")
            value = f"P::to_integer<{cpp(to)}>(P::{direction}, {value})"
        elif match["sat"]:
            value = f"P::saturate_integer<{cpp(to)}>({value})"
        return writer.target(each.operands[0], to, value, wide=True)
    if to in HALVES and (direction not in ("rn", "rz") or match["integral"] or of == "f64"):
        return None
    middle = "f32" if to in HALVES else to  # what a number of 16 bits is made of
    if match["integral"]:
        value = f"P::integral(P::{direction}, {value})"
    elif direction != "rn" and to not in HALVES:
        value = f"P::directed<{cpp(to)}>(P::{direction}, [&] {{ return {cpp(to)}({value}); }})"
    value = f"{cpp(middle)}({value})"
    value = f"P::flushed({value})" if match["ftz"] else value
    value = f"P::unit({value})" if match["sat"] else value
    value = f"P::narrow_{to}({value}, {_true(direction == 'rz')})" if to in HALVES else value
    return writer.target(each.operands[0], to, value, wide=True)


def _convert_two(writer, each, match):
    if match["of"] != "f32" or match["round"] not in ("rn", "rz") or match["integral"] or match["sat"]:
        return None
    writer.expect(3)
    high, low = (writer.source(operand, "f32") for operand in each.operands[1:])
    made = f"P::two<{_format(match['to'])}>({high}, {low}, {_true(match['round'] == 'rz')})"
    return writer.target(each.operands[0], match["to"], made)


def _true(value):
    return "true" if value else "false"


def _access(writer, each):
    match = re.fullmatch(
        rf"(?P<what>ld|ldu|st)(?:\.(?P<order>weak|volatile|relaxed|acquire|release|mmio){_SCOPE})?{_SPACES}{_HINTS}"
        r"(?:\.v(?P<count>[24]))?\.(?P<t>[bus](?:8|16|32|64)|f32|f64)", each.opcode
    )  # fmt: skip
    if not match:
        return None
    write, count, kind = match["what"] == "st", int(match["count"] or 1), match["t"]
    writer.expect(2, "cache_hint" in match["hints"])
    memory, value = each.operands[:2] if write else each.operands[1::-1]
    parts = value[1] if value[0] == "vector" else [value]
    if len(parts) != count:
        raise Wrong(f"expected {count} register{'s' * (count > 1)}, got {len(parts)}")
    order = match["order"] or "weak"
    if order == ("acquire" if write else "release"):
        raise Wrong(f"expected no .{order} here")
    if order in ("volatile", "mmio") or ".cv" in match["hints"]:
        order = "relaxed"
    address = writer.address(memory, match["space"])
    if write:
        values = ", ".join(writer.source(part, kind, wide=True) for part in parts)
        return f"P::store<{cpp(kind)}, {count}>(P::{order}, {address}, {{{{{values}}}}});"
    lines = [writer.target(part, kind, f"loaded.at[{i}]", wide=True) for i, part in enumerate(parts)]
    return f"{{ const auto loaded = P::load<{cpp(kind)}, {count}>(P::{order}, {address}); {' '.join(lines)} }}"


def _atomic(writer, each):
    match = re.fullmatch(
        rf"(?P<what>atom|red)(?:\.(?P<order>relaxed|acquire|release|acq_rel))?{_SCOPE}{_SPACES}\.(?P<op>{'|'.join(_ATOMICS)})"
        r"(?:\.noftz)?(?P<hints>(?:\.L[12]::\w+)*)\.(?P<t>[bus](?:16|32|64)|b?f16(?:x2)?|f32|f64)", each.opcode
    )  # fmt: skip
    if not match or match["t"] in HALVES and match["op"] != "add":
        return None
    kind, values = match["t"], 2 if match["op"] == "cas" else 1
    has_result = match["what"] == "atom"
    writer.expect(1 + values + has_result, "cache_hint" in match["hints"])
    to, memory, *rest = each.operands if has_result else [("sink",), *each.operands]
    address = writer.address(memory, match["space"])
    given = ", ".join(writer.source(operand, kind) for operand in rest[:values])
    if kind in HALVES:
        made = f"P::add_halves<{_format(kind)}, {cpp(kind)}>({address}, {given})"
    else:
        name, kinds = _ATOMICS[match["op"]]
        if kind not in kinds.split():
            raise Wrong(f"expected {' or '.join(kinds.split())}, got {kind}")
        made = f"{name}(reinterpret_cast<{cpp(kind)} *>({address}), {given})"
    if match["order"] not in (None, "relaxed"):
        made = f"P::ordered([&] {{ return {made}; }})"
    return writer.target(to, kind, made)


def _shuffle(writer, each):
    match = re.fullmatch(r"shfl\.sync\.(up|down|bfly|idx)\.b32", each.opcode)
    if not match:
        return None
    writer.expect(5)
    value, by, bounds, mask = (writer.source(operand, "u32") for operand in each.operands[1:])
    made = f"const auto got = P::shfl(P::Shuffle::{match[1]}, {mask}, {value}, {by}, {bounds}, P::here());"
    return _with_predicate(writer, each, made, "got.value", "got.inside")


def _with_predicate(writer, each, made, value, predicate):
    """What ``made`` computes, for a destination d|p, of which p may be left out."""
    first, second = _two(each.operands[0])
    also = f" {writer.target(second, 'pred', predicate)}" if second else ""
    return f"{{ {made} {writer.target(first, 'b32', value)}{also} }}"


def _match_all(writer, each):
    match = re.fullmatch(r"match\.all\.sync\.(b32|b64)", each.opcode)
    if not match:
        return None
    writer.expect(3)
    value, mask = writer.source(each.operands[1], match[1]), writer.source(each.operands[2], "u32")
    made = f"int all; const P::u32 same = ::__match_all_sync({mask}, {value}, &all);"
    return _with_predicate(writer, each, made, "same", "all != 0")


def _copy(writer, each):
    match = re.fullmatch(r"cp\.async\.(ca|cg)\.shared(?:::cta)?\.global((?:\.L2::\w+)*)", each.opcode)
    if not match:
        return None
    policy = "cache_hint" in match[2]
    writer.expect(3 + policy, 1)
    to, source, length, *more = each.operands[: len(each.operands) - policy]
    permitted = ("16",) if match[1] == "cg" else ("4", "8", "16")
    if length[0] == "number" and length[1] not in permitted:
        raise Wrong(f"expected {' or '.join(permitted)} bytes, got {length[1]}")
    bytes_ = read = writer.source(length, "u32")
    if more and writer.is_predicate(more[0]):  # whether the source is ignored
        read = f"{writer.source(more[0], 'pred')} ? 0u : {bytes_}"
    elif more:
        read = writer.source(more[0], "u32")
    return f"P::copy_async({writer.address(to, 'shared')}, {writer.address(source, 'global')}, {bytes_}, {read});"


def _jump(writer, each):
    if not re.fullmatch(r"bra(?:\.uni)?", each.opcode):
        return None
    writer.expect(1)
    return f"::cuda_on_cpu::may_wait(); goto {writer.jump(each.operands[0])};"


FORMS = {
    "mov": _move, "set": _compare, "setp": _compare, "cvt": _convert, "ld": _access, "ldu": _access, "st": _access, "atom": _atomic,
    "red": _atomic, "shfl": _shuffle, "match": _match_all, "cp": _copy, "bra": _jump,
}  # fmt: skip
