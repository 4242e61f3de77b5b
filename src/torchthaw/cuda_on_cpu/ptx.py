"""torchthaw/cuda_on_cpu/ptx.py: inline PTX as C++: a function of its registers, of functions of cuda_on_cpu/ptx.h.

An instruction that is not served becomes an error when it is reached. One whose operands do not fit is an error at once.
"""

import re

from . import ptx_text
from .brackets import quoted
from .ptx_rules import RULES, SPECIAL, STATEMENTS, reason
from .ptx_text import NotServed

# Constraints of operands: the type of the register.
CONSTRAINTS = {"h": "u16", "r": "u32", "l": "u64", "f": "f32", "d": "f64"}
_SIZES = {"pred": 1, "f16": 16, "bf16": 16, "f16x2": 32, "bf16x2": 32}
# ... of which an integer's register has the bits.
_BITS = {"f16": "u16", "bf16": "u16", "f16x2": "u32", "bf16x2": "u32"}
_OPCODE = re.compile(r"\b[a-z]\w*(?:\.[\w:]+)+")
_COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "lo": "<", "ls": "<=", "hi": ">", "hs": ">="}
_SPACES = r"(?:\.(?P<space>global|shared(?:::cta|::cluster)?|const|local))?"
_HINTS = r"(?P<hints>(?:\.(?:ca|cg|cs|lu|cv|wb|wt|nc|L1::\w+|L2::\w+|unified))*)"
_STRENGTH = r"(?:\.(?P<strength>weak|volatile|relaxed|acquire|release|acq_rel|mmio)(?:\.(?:cta|cluster|gpu|sys))?)?"
_TYPE = r"\.(?P<t>[bus](?:8|16|32|64)|f32|f64)"


class Wrong(ValueError):
    """PTX that no compiler takes."""


def translate(text, operands):
    """The statements of C++ for PTX. ``operands`` are constraints, such as =r; their registers are the variables o0, o1, …"""
    try:
        code = ptx_text.read(text)
    except NotServed as error:
        known = next((why for opcode in _OPCODE.findall(text) if (why := reason(opcode, None))), None)
        return _unserved(" ".join(text.split())[:100], known or str(error))
    return _Writer(code, operands).write()


def _unserved(what, why):
    return f"::cuda_on_cpu::unserved({quoted(f'inline PTX: {what}: {why}')}, P::here());"


def cpp(kind):
    """The type of C++ for one of PTX."""
    kind = _BITS.get(kind, kind)
    return f"P::{'u' + kind[1:] if kind[0] == 'b' and kind[1:].isdigit() else kind}"


def size(kind):
    return _SIZES.get(kind) or int(kind[1:])


class _Writer:
    """The C++ of one statement."""

    def __init__(self, code, operands):
        self.code, self.operands = code, operands
        self.labels = {(label.scopes[-1] if label.scopes else 0, label.name) for label in code.statements if isinstance(label, ptx_text.Label)}
        self.jumps, self.carries, self.reads_carry = set(), False, False
        self.now = None  # the instruction

    def write(self):
        lines = []
        for each in self.code.statements:
            if isinstance(each, ptx_text.Label):
                lines.append(f"{self.label(each.name, each.scopes)}:;")
                continue
            self.now = each
            try:
                line = self.instruction(each)
                if each.guard:
                    name, negated = each.guard
                    line = f"if ({'!' if negated else ''}{self.source(('register', name), 'pred')}) {{ {line} }}"
            except NotServed as error:
                line = _unserved(each.text[:100], str(error))
            except Wrong as error:
                raise Wrong(f"inline PTX: {each.text[:100]}: {error}") from None
            lines.append(line)
        # A label that nothing jumps to would be a warning.
        lines = [line for line in lines if not line.endswith(":;") or line[:-2] in self.jumps]
        declared = [f"[[maybe_unused]] {cpp(kind)} {self.variable(scope, name)} = 0;" for (scope, name), kind in self.code.registers.items()]
        if self.carries or self.reads_carry:
            declared.append(f"[[maybe_unused]] bool unused, carry = {'P::carry_flag' if self.reads_carry else 'false'};")
        lines += ["P::carry_flag = carry;"] if self.carries else []
        return " ".join([*declared, *lines])

    # ---- Operands ---------------------------------------------------------------------------------------------------

    def variable(self, scope, name):
        return f"r{scope}_" + re.sub(r"\W", "_", name)

    def label(self, name, scopes):
        scope = next((s for s in (*reversed(scopes), 0) if (s, name) in self.labels), None)
        if scope is None:
            raise NotServed(f"the label {name} is not in this statement")
        return f"l{scope}_" + re.sub(r"\W", "_", name)

    def register(self, name):
        """(type, variable, constraint) of a register."""
        if re.match(r"%\d", name):
            index = int(name[1:])
            if index >= len(self.operands):
                raise Wrong(f"expected an operand of the statement, got {name}")
            constraint = self.operands[index]
            return CONSTRAINTS.get(constraint.lstrip("=+&"), "constant"), f"o{index}", constraint
        for scope in (*reversed(self.now.scopes), 0):
            if (scope, name) in self.code.registers:
                return self.code.registers[scope, name], self.variable(scope, name), "+"
        raise NotServed(f"the register {name} is not declared in this statement")

    def source(self, operand, kind, wide=False):
        """An expression of type ``kind``; ``wide`` permits registers that are wider."""
        what = operand[0]
        if what == "not" and kind == "pred":
            return f"!{self.source(operand[1], kind)}"
        if what == "number":
            return self.number(operand[1], kind)
        if what != "register":
            raise Wrong(f"expected a register of type {kind}, got {_described(operand)}")
        if operand[1] in SPECIAL:
            special, expression = SPECIAL[operand[1]]
            if size(special) != size(kind):
                raise Wrong(f"expected {size(kind)} bits, got {size(special)} of {operand[1]}")
            return f"P::as<{cpp(kind)}>({expression})"
        if operand[1].startswith("%") and not operand[1][1:2].isdigit() and not self.is_declared(operand[1]):
            raise NotServed(f"the register {operand[1]} is not served")
        found, variable, constraint = self.register(operand[1])
        if found == "constant":
            return f"{cpp(kind)}({variable})"
        self.expect_size(operand[1], found, kind, wide)
        return f"P::as<{cpp(kind)}>({variable})"

    def is_declared(self, name):
        return any((scope, name) in self.code.registers for scope in (*self.now.scopes, 0))

    def expect_size(self, name, found, kind, wide):
        if size(found) != size(kind) and not (wide and size(found) > size(kind) and "pred" not in (found, kind)):
            raise Wrong(f"expected a register of {_bits(kind)} for type {kind}, got {name} of {_bits(found)}")

    def number(self, text, kind):
        if kind == "pred":
            raise Wrong(f"expected a predicate, got {text}")
        if re.match(r"0[fF]", text):
            return f"P::as<{cpp(kind)}>(P::as<P::f32>(0x{text[2:]}u))" if kind in ("f32", "b32", "u32") else f"{cpp(kind)}(P::as<P::f32>(0x{text[2:]}u))"
        if re.match(r"0[dD]", text):
            return f"{cpp(kind)}(P::as<P::f64>(0x{text[2:]}ull))"
        if "." in text:
            return f"{cpp(kind)}({text})"
        return f"{cpp(kind)}({int(ptx_text.number(text), 0)}{'ull' if not text.startswith('-') else 'll'})"

    def target(self, operand, kind, expression, wide=False):
        """A statement that gives a register a value of type ``kind``."""
        if operand[0] == "sink":
            return f"(void)({expression});"
        if operand[0] != "register":
            raise Wrong(f"expected a register for the result, got {_described(operand)}")
        found, variable, constraint = self.register(operand[1])
        if found == "constant" or constraint[:1] not in ("=", "+"):
            raise Wrong(f"expected an operand with = or + for the result, got {operand[1]}")
        self.expect_size(operand[1], found, kind, wide)
        return f"P::set({variable}, {cpp(kind)}({expression}));"

    def address(self, operand, space):
        """A pointer to bytes."""
        if operand[0] != "memory":
            raise Wrong(f"expected an address, got {_described(operand)}")
        _, base, offset = operand
        found = self.register(base[1])[0] if base[0] == "register" and base[1] not in SPECIAL else "constant"
        shared = (space or "").startswith("shared")
        if found != "constant" and size(found) != 64 and not (shared and size(found) == 32):
            raise Wrong(f"expected an address of 64 bits{' or 32' if shared else ''}, got {base[1]} of {_bits(found)}")
        if isinstance(offset, tuple):
            offset = self.source(offset, "s64")
        kind = "u32" if size(found if found != "constant" else "u64") == 32 else "u64"
        at = f"P::u64({self.source(base, kind)}) + P::u64({offset}{'' if isinstance(offset, str) else 'll'})"
        return f"P::{'from_shared' if shared else 'generic'}({at})"

    def expect(self, count, more=0):
        got = len(self.now.operands)
        if not count <= got <= count + more:
            raise Wrong(f"expected {count}{f' to {count + more}' if more else ''} operands, got {got}")

    # ---- Instructions -----------------------------------------------------------------------------------------------

    def instruction(self, each):
        first = each.opcode.split(".")[0]
        form = _FORMS.get(first)
        if form:
            made = form(self, each)
            if made is not None:
                return made
        for pattern, types, expression in STATEMENTS:
            if match := pattern.match(each.opcode):
                return self.by_rule(each, match, [None, *types], expression)
        for pattern, types, expression in RULES:
            if match := pattern.match(each.opcode):
                return self.by_rule(each, match, types, expression)
        raise NotServed(reason(each.opcode))

    def by_rule(self, each, match, types, expression):
        names = {key: value for key, value in match.groupdict().items() if value is not None}
        kinds = self.kinds(types, names)
        sources = each.operands if types[0] is None else each.operands[1:]
        if "*" not in types:
            optional = sum(kind.endswith("?") for kind in kinds[1:])
            self.expect(len([kind for kind in kinds if kind]) - optional, optional)
        values = dict(names)
        flush = (lambda text: f"P::flushed({text})") if "ftz" in names and kinds[0] == "f32" else (lambda text: text)
        for i, (operand, kind) in enumerate(zip(sources, kinds[1:]), 1):
            if kind == "*":
                break
            values[str(i)] = flush(self.source(operand, kind.rstrip("?")))
        for name, kind in (("t", names.get("t")), ("ut", names.get("t")), ("wt", names.get("t"))):
            if kind:
                values[name] = cpp(self.kinds([name], names)[0])
        values |= {"sign": names.get("t", "s")[0], "high": str(names.get("part") == "hi").lower(), "left": str(names.get("way") == "l").lower(),
                   "wrap": str(names.get("mode") == "wrap").lower(), "format": "Bf16" if names.get("h") == "bf16" else "F16"}  # fmt: skip
        self.carries |= "carry" in names
        self.reads_carry |= "carry_in" in names and not self.carries_before(each)
        made = re.sub(r"\{(\w+)(?::([^}]*))?\}", lambda each: values.get(each[1], each[2] or ""), expression)
        if names.get("round", "rn") != "rn":
            made = f"P::directed<{values['t']}>(P::{names['round']}, [&] {{ return {made}; }})"
        made = flush(made)
        made = f"P::unit({made})" if "sat" in names and kinds[0] in ("f32", "f64") else made
        return made + ";" * bool(made) if types[0] is None else self.target(each.operands[0], kinds[0], made)

    def carries_before(self, each):
        """Whether an instruction before has given a carry, for certain."""
        before = self.code.statements[: self.code.statements.index(each)]
        return not self.labels and any(".cc" in other.opcode and not other.guard for other in before)

    def kinds(self, types, names):
        t = names.get("t", "u32")
        half = ("b32" if names.get("x2") else "b16") if "h" in names else None
        sized = {"t": t, "ut": "u" + t[1:], "bt": "b" + t[1:], "s": names.get("s"), "h": half}
        if t[0] in "us" and t != "pred":
            sized["wt"] = t[0] + str(2 * int(t[1:]))
        return [sized.get(kind, kind) for kind in types]


def _bits(kind):
    return "a predicate" if kind == "pred" else f"{size(kind)} bits"


def _described(operand):
    return {"memory": "an address", "vector": "several registers", "number": "a number", "sink": "_"}.get(operand[0], operand[0])


# ---- Forms that no expression serves ------------------------------------------------------------------------------------


def _move(writer, each):
    match = re.fullmatch(r"mov\.([bus](?:16|32|64)|f32|f64|pred)", each.opcode)
    if not match:
        return None
    writer.expect(2)
    kind, (to, source) = match[1], each.operands
    for vector in (to, source):
        if vector[0] == "vector":
            count = len(vector[1])
            if kind[0] != "b" or count not in (2, 4) or size(kind) // count < 8:
                raise Wrong(f"expected 2 or 4 registers of {kind}, got {count}")
    if to[0] == "vector":
        part = f"b{size(kind) // len(to[1])}"
        lines = [writer.target(one, part, f"P::part_of<{cpp(part)}>(whole, {i})") for i, one in enumerate(to[1])]
        return f"{{ const P::u64 whole = {writer.source(source, kind)}; {' '.join(lines)} }}"
    if source[0] == "vector":
        part = f"b{size(kind) // len(source[1])}"
        parts = ", ".join(writer.source(one, part) for one in source[1])
        return writer.target(to, kind, f"P::joined<{cpp(kind)}, {cpp(part)}>({{{parts}}})")
    return writer.target(to, kind, writer.source(source, kind))


def _compare(writer, each):
    match = re.fullmatch(
        r"setp?\.(?P<how>eq|ne|lt|le|gt|ge|lo|ls|hi|hs|equ|neu|ltu|leu|gtu|geu|num|nan)(?:\.(?P<bool>and|or|xor))?(?P<ftz>\.ftz)?"
        r"(?:\.(?P<to>[us]32|f32))?\.(?P<t>[bus](?:16|32|64)|f32|f64)", each.opcode
    )  # fmt: skip
    if not match or each.opcode.startswith("setp.") == bool(match["to"]):
        return None
    writer.expect(3 + bool(match["bool"]))
    kind, how = match["t"], match["how"]
    if (kind[0] == "f") != (how in ("num", "nan") or how.endswith("u") or how in ("eq", "ne", "lt", "le", "gt", "ge") and kind[0] == "f"):
        raise Wrong(f"expected a comparison for {kind}, got {how}")
    a, b = (writer.source(operand, kind) for operand in each.operands[1:3])
    if match["ftz"]:
        a, b = f"P::flushed({a})", f"P::flushed({b})"
    if how in ("num", "nan"):
        made = f"{'!' if how == 'num' else ''}P::unordered({a}, {b})"
    elif kind[0] == "f":
        made = f"({a} {_COMPARISONS[how[:2]]} {b})"
        if how.endswith("u"):
            made = f"(P::unordered({a}, {b}) || {made})"
        elif how == "ne":
            made = f"(!P::unordered({a}, {b}) && {made})"
    else:
        made = f"({a} {_COMPARISONS[how]} {b})"
    joined = {"and": "&&", "or": "||", "xor": "!="}.get(match["bool"])
    also = f" {joined} {writer.source(each.operands[3], 'pred')}" if joined else ""
    to = each.operands[0]
    if match["to"]:
        ones = "1.f" if match["to"] == "f32" else "~0u"
        return writer.target(to, match["to"], f"(({made}{also}) ? {ones} : 0)")
    first, second = (to[1], to[2]) if to[0] == "pair" else (to, None)
    lines = [f"const bool yes = {made}, also = yes{also}, no = !yes{also};", writer.target(first, "pred", "also")]
    lines.append(writer.target(second, "pred", "no") if second else "(void)no;")
    return f"{{ {' '.join(lines)} }}"


def _convert(writer, each):
    match = re.fullmatch(
        r"cvt(?:\.(?P<round>r[nzmp]i?))?(?P<ftz>\.ftz)?(?P<sat>\.sat)?(?P<relu>\.relu)?"
        r"\.(?P<to>[us](?:8|16|32|64)|f16x2|bf16x2|f16|bf16|f32|f64)\.(?P<of>[us](?:8|16|32|64)|f16|bf16|f32|f64)", each.opcode
    )  # fmt: skip
    if not match or match["relu"]:
        return None
    to, of, rounding = match["to"], match["of"], match["round"] or "rn"
    if to.endswith("x2"):
        if of != "f32" or rounding not in ("rn", "rz") or match["sat"]:
            return None
        writer.expect(3)
        a, b = (writer.source(operand, of) for operand in each.operands[1:])
        return writer.target(each.operands[0], to, f"P::two<P::{'Bf16' if to[0] == 'b' else 'F16'}>({a}, {b}, {str(rounding == 'rz').lower()})")
    writer.expect(2)
    value = writer.source(each.operands[1], of, wide=True)
    value = f"P::wide_{of}({value})" if of in ("f16", "bf16") else value
    value = f"P::flushed({value})" if match["ftz"] and of == "f32" else value
    is_float, was_float = (kind.lstrip("b")[0] == "f" for kind in (to, of))
    direction = f"P::{rounding[:2]}"
    if is_float and was_float:
        if rounding.endswith("i"):
            value = f"P::integral({direction}, {value})"
        if to in ("f16", "bf16"):
            if rounding[:2] not in ("rn", "rz"):
                return None
            value = f"P::unit({value})" if match["sat"] else value
            value = value if to == of and match["round"] is None else f"P::narrow_{to}({value}, {str(rounding[:2] == 'rz').lower()})"
            if to == of and match["round"] is None:
                value = f"P::narrow_{to}({value})"
        else:
            value = f"P::directed<{cpp(to)}>({direction}, [&] {{ return {cpp(to)}({value}); }})" if rounding in ("rz", "rm", "rp") else f"{cpp(to)}({value})"
            value = f"P::flushed({value})" if match["ftz"] else value
            value = f"P::unit({value})" if match["sat"] else value
    elif is_float:
        wide = "f32" if to in ("f16", "bf16") else to
        value = f"P::directed<{cpp(wide)}>({direction}, [&] {{ return {cpp(wide)}({value}); }})"
        value = f"P::narrow_{to}({value})" if wide != to else value
        if match["sat"]:
            if wide != to:
                return None
            value = f"P::unit({value})"
    elif was_float:
        if not rounding.endswith("i"):
            raise Wrong(f"expected a rounding to an integer, such as .rzi, for {of} to {to}")
        value = f"P::to_integer<{cpp(to)}>({direction}, {value})"
    elif match["sat"]:
        value = f"P::saturate_integer<{cpp(to)}>({value})"
    return writer.target(each.operands[0], to, value, wide=True)


def _strength(match, write):
    strength = match["strength"] or "weak"
    if strength in ("volatile", "mmio") or ".cv" in match["hints"]:
        strength = "relaxed"
    wrong = "acquire" if write else "release"
    if strength in (wrong, "acq_rel"):
        raise Wrong(f"expected no .{strength} here")
    return f"P::{strength}"


def _access(writer, each):
    write = each.opcode.startswith("st")
    match = re.fullmatch(r"(?:ld|ldu|st)" + _STRENGTH + _SPACES + _HINTS + r"(?:\.v(?P<count>[24]))?" + _TYPE, each.opcode)
    if not match:
        return None
    writer.expect(2, 1 if "cache_hint" in match["hints"] else 0)
    count, kind = int(match["count"] or 1), match["t"]
    memory, value = (each.operands[0], each.operands[1]) if write else (each.operands[1], each.operands[0])
    parts = value[1] if value[0] == "vector" else [value]
    if len(parts) != count:
        raise Wrong(f"expected {count} register{'s' * (count > 1)}, got {len(parts)}")
    address, strength = writer.address(memory, match["space"]), _strength(match, write)
    if write:
        values = ", ".join(writer.source(part, kind, wide=True) for part in parts)
        return f"P::store<{cpp(kind)}, {count}>({strength}, {address}, {{{{{values}}}}});"
    lines = [writer.target(part, kind, f"loaded.at[{i}]", wide=True) for i, part in enumerate(parts)]
    return f"{{ const auto loaded = P::load<{cpp(kind)}, {count}>({strength}, {address}); {' '.join(lines)} }}"


_ATOMICS = {
    "add": ("::atomicAdd", "u32 s32 u64 f32 f64"), "min": ("::atomicMin", "u32 s32 u64 s64"), "max": ("::atomicMax", "u32 s32 u64 s64"),
    "and": ("::atomicAnd", "b32 b64"), "or": ("::atomicOr", "b32 b64"), "xor": ("::atomicXor", "b32 b64"),
    "exch": ("::atomicExch", "b32 b64"), "cas": ("::atomicCAS", "b16 b32 b64"), "inc": ("::atomicInc", "u32"), "dec": ("::atomicDec", "u32"),
}  # fmt: skip


def _atomic(writer, each):
    match = re.fullmatch(
        r"(?P<what>atom|red)" + _STRENGTH.replace("weak|volatile|", "") .replace("|mmio", "") + r"(?:\.(?:cta|cluster|gpu|sys))?" + _SPACES
        + r"\.(?P<op>add|min|max|and|or|xor|exch|cas|inc|dec)(?P<noftz>\.noftz)?(?P<hints>(?:\.L[12]::\w+)*)"
        r"\.(?P<t>[bus](?:16|32|64)|f16x2|bf16x2|f16|bf16|f32|f64)", each.opcode
    )  # fmt: skip
    if not match:
        return None
    kind, has_result = match["t"], match["what"] == "atom"
    operands = each.operands if has_result else [("sink",), *each.operands]
    values = 2 if match["op"] == "cas" else 1
    wanted = 2 + values - (not has_result)
    writer.expect(wanted, 1 if "cache_hint" in match["hints"] else 0)
    address = writer.address(operands[1], match["space"])
    given = ", ".join(writer.source(operand, kind) for operand in operands[2 : 2 + values])
    if kind.rstrip("x2").endswith("f16") or kind in ("f16", "bf16", "f16x2", "bf16x2"):
        if match["op"] != "add":
            return None
        made = f"P::add_halves<P::{'Bf16' if kind[0] == 'b' else 'F16'}, {cpp(kind)}>({address}, {given})"
    else:
        name, kinds = _ATOMICS[match["op"]]
        if kind not in kinds.split():
            raise Wrong(f"expected {' or '.join(kinds.split())}, got {kind}")
        made = f"{name}(reinterpret_cast<{cpp(kind)} *>({address}), {given})"
    strength = match["strength"] or "relaxed"
    if strength != "relaxed":
        made = f"P::ordered(P::{'acquire' if strength == 'acq_rel' else strength}, [&] {{ return {made}; }})"
    return writer.target(operands[0], kind, made)


def _shuffle(writer, each):
    match = re.fullmatch(r"shfl(?P<sync>\.sync)?\.(?P<kind>up|down|bfly|idx)\.b32", each.opcode)
    if not match:
        return None
    writer.expect(4 + bool(match["sync"]))
    to, *sources = each.operands
    value, by, bounds = (writer.source(operand, "u32") for operand in sources[:3])
    mask = writer.source(sources[3], "u32") if match["sync"] else "0u"
    first, second = (to[1], to[2]) if to[0] == "pair" else (to, None)
    lines = [f"const auto got = P::shfl(P::Shuffle::{match['kind']}, {mask}, {value}, {by}, {bounds}, P::here());", writer.target(first, "b32", "got.value")]
    lines += [writer.target(second, "pred", "got.inside")] if second else []
    return f"{{ {' '.join(lines)} }}"


def _match_all(writer, each):
    match = re.fullmatch(r"match\.all\.sync\.(b32|b64)", each.opcode)
    if not match:
        return None
    writer.expect(3)
    to = each.operands[0]
    first, second = (to[1], to[2]) if to[0] == "pair" else (to, None)
    value, mask = writer.source(each.operands[1], match[1]), writer.source(each.operands[2], "u32")
    lines = [f"int all; const P::u32 same = ::__match_all_sync({mask}, {value}, &all);", writer.target(first, "b32", "same")]
    lines += [writer.target(second, "pred", "all != 0")] if second else []
    return f"{{ {' '.join(lines)} }}"


def _copy(writer, each):
    match = re.fullmatch(r"cp\.async\.(?P<how>ca|cg)\.shared(?:::cta)?\.global(?P<hints>(?:\.L2::\w+)*)", each.opcode)
    if not match:
        return None
    policy = "cache_hint" in match["hints"]
    writer.expect(3 + policy, 1)
    to, source, length, *more = each.operands[: len(each.operands) - policy]
    if length[0] == "number" and length[1] not in (("16",) if match["how"] == "cg" else ("4", "8", "16")):
        raise Wrong(f"expected {'16' if match['how'] == 'cg' else '4, 8 or 16'} bytes, got {length[1]}")
    size_, read = writer.source(length, "u32"), None
    if more and (more[0][0] == "not" or more[0][0] == "register" and writer.register(more[0][1])[0] == "pred"):
        read = f"{writer.source(more[0], 'pred')} ? 0u : {size_}"  # whether the source is ignored
    elif more:
        read = writer.source(more[0], "u32")
    return f"P::copy_async({writer.address(to, 'shared')}, {writer.address(source, 'global')}, {size_}, {read or size_});"


def _jump(writer, each):
    if not re.fullmatch(r"bra(?:\.uni)?", each.opcode):
        return None
    writer.expect(1)
    label = writer.label(each.operands[0][1], each.scopes)
    writer.jumps.add(label)
    return f"::cuda_on_cpu::may_wait(); goto {label};"


_FORMS = {
    "mov": _move, "set": _compare, "setp": _compare, "cvt": _convert, "ld": _access, "ldu": _access, "st": _access, "atom": _atomic, "red": _atomic,
    "shfl": _shuffle, "match": _match_all, "cp": _copy, "bra": _jump,
}  # fmt: skip
