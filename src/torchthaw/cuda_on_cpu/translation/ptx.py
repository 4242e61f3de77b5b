"""torchthaw/cuda_on_cpu/translation/ptx.py: inline PTX as C++: a function of its registers, of functions of cuda_on_cpu/ptx/ptx.h.

An instruction that is not served becomes an error when it is reached. One whose operands do not fit is an error at once.
"""

import re

from . import ptx_text
from .brackets import quoted
from .ptx_forms import FORMS
from .ptx_rules import RULES, SPECIAL, STATEMENTS, reason
from .ptx_text import NotServed
from .ptx_types import CONSTRAINTS, Wrong, bits, cpp, described, size

_OPCODE = re.compile(r"\b[a-z]\w*(?:\.[\w:]+)+")


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


class _Writer:
    """The C++ of one statement."""

    def __init__(self, code, operands):
        self.code, self.operands = code, operands
        labels = [each for each in code.statements if isinstance(each, ptx_text.Label)]
        self.labels = {(label.scopes[-1] if label.scopes else 0, label.name) for label in labels}
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
        registers = [(self.variable(*where), cpp(kind)) for where, kind in self.code.registers.items()]
        declared = [f"[[maybe_unused]] {kind} {name} = 0;" for name, kind in registers]
        if self.carries or self.reads_carry:
            before = "P::carry_flag" if self.reads_carry else "false"
            declared.append(f"[[maybe_unused]] bool unused, carry = {before};")
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
            raise Wrong(f"expected a register of type {kind}, got {described(operand)}")
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
            raise Wrong(f"expected a register of {bits(kind)} for type {kind}, got {name} of {bits(found)}")

    def number(self, text, kind):
        if kind == "pred":
            raise Wrong(f"expected a predicate, got {text}")
        if re.match(r"0[fF]", text):
            how = f"P::as<{cpp(kind)}>" if kind in ("b32", "u32") else cpp(kind)  # its bits, or the number
            return f"{how}(P::as<P::f32>(0x{text[2:]}u))"
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
            raise Wrong(f"expected a register for the result, got {described(operand)}")
        found, variable, constraint = self.register(operand[1])
        if found == "constant" or constraint[:1] not in ("=", "+"):
            raise Wrong(f"expected an operand with = or + for the result, got {operand[1]}")
        self.expect_size(operand[1], found, kind, wide)
        return f"P::set({variable}, {cpp(kind)}({expression}));"

    def address(self, operand, space):
        """A pointer to bytes."""
        if operand[0] != "memory":
            raise Wrong(f"expected an address, got {described(operand)}")
        _, base, offset = operand
        found = self.register(base[1])[0] if base[0] == "register" and base[1] not in SPECIAL else "constant"
        shared = (space or "").startswith("shared")
        if found != "constant" and size(found) != 64 and not (shared and size(found) == 32):
            raise Wrong(f"expected an address of 64 bits{' or 32' if shared else ''}, got {base[1]} of {bits(found)}")
        if isinstance(offset, tuple):
            offset = self.source(offset, "s64")
        kind = "u32" if size(found if found != "constant" else "u64") == 32 else "u64"
        at = f"P::u64({self.source(base, kind)}) + P::u64({offset}{'' if isinstance(offset, str) else 'll'})"
        return f"P::{'from_shared' if shared else 'generic'}({at})"

    def is_predicate(self, operand):
        return operand[0] == "not" or operand[0] == "register" and self.register(operand[1])[0] == "pred"

    def jump(self, operand):
        """The name of the label."""
        if operand[0] != "register":
            raise Wrong(f"expected a label, got {described(operand)}")
        label = self.label(operand[1], self.now.scopes)
        self.jumps.add(label)
        return label

    def expect(self, count, more=0):
        got = len(self.now.operands)
        if not count <= got <= count + more:
            raise Wrong(f"expected {count}{f' to {count + more}' if more else ''} operands, got {got}")

    # ---- Instructions -----------------------------------------------------------------------------------------------

    def instruction(self, each):
        first = each.opcode.split(".")[0]
        if first in FORMS and (made := FORMS[first](self, each)) is not None:
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
