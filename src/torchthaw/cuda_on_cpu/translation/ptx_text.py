"""torchthaw/cuda_on_cpu/translation/ptx_text.py: the text of inline PTX as instructions, labels and registers."""

import re
from dataclasses import dataclass, field

# The words of PTX: an opcode or a name with what . and :: join, %0, a directive, a number, a sign.
_TOKEN = re.compile(
    r"\s+|//[^\n]*|/\*(?s:.*?)\*/"
    r"|(?P<number>0[fF][0-9a-fA-F]{8}\b|0[dD][0-9a-fA-F]{16}\b|0[xX][0-9a-fA-F]+U?|\d+\.\d*(?:[eE][+-]?\d+)?|\d+U?)"
    r"|(?P<word>%%?\d+|%?%?[A-Za-z_$][\w$]*(?:(?:\.|::)[\w$]+)*|_)"
    r"|(?P<directive>\.[a-z]\w*)"
    r"|(?P<sign>[{}\[\](),;:@!|+\-<>])"
)


class NotServed(ValueError):
    """A form that is not read; the message says which."""


@dataclass
class Instruction:
    opcode: str
    operands: list  # tuples: ("register", name), ("number", text), ("memory", operand, offset), ("vector", operands),
    # ("not", operand), ("pair", operand, operand), ("sink",)
    guard: tuple | None = None  # (name, whether it is negated)
    scopes: tuple = ()  # the numbers of the { that are open
    text: str = ""


@dataclass
class Label:
    name: str
    scopes: tuple = ()


@dataclass
class Code:
    statements: list = field(default_factory=list)
    registers: dict = field(default_factory=dict)  # (scope, name) -> type, such as b32; scope 0 is outside of all {


def read(text):
    """``text``, whose escapes are C's no more, as Code. Raises NotServed."""
    return _Reader(text).read()


class _Reader:
    def __init__(self, text):
        self.tokens, at = [], 0  # (kind, text)
        while at < len(text):
            token = _TOKEN.match(text, at)
            if not token:
                raise NotServed(f"{' '.join(text[at : at + 20].split())!r} is not read")
            if token.lastgroup:
                word = token[0].replace("%%", "%") if token.lastgroup == "word" else token[0]
                self.tokens.append((token.lastgroup, word))
            at = token.end()
        self.at, self.scopes, self.count, self.code = 0, [], 0, Code()

    def peek(self, ahead=0):
        return self.tokens[self.at + ahead] if self.at + ahead < len(self.tokens) else ("end", "")

    def take(self, *expected):
        kind, word = self.peek()
        if expected and word not in expected and kind not in expected:
            raise NotServed(f"expected {' or '.join(expected)}, got {word or 'the end'!r}")
        self.at += 1
        return word

    def read(self):
        while self.at < len(self.tokens):
            kind, word = self.peek()
            if word == ";":
                self.take()
            elif word == "{":
                self.take()
                self.count += 1
                self.scopes.append(self.count)
            elif word == "}":
                self.take()
                if not self.scopes:
                    raise NotServed("a } without {")
                self.scopes.pop()
            elif kind == "directive":
                self.declaration()
            elif kind == "word" and self.peek(1)[1] == ":":
                self.code.statements.append(Label(self.take(), tuple(self.scopes)))
                self.take(":")
            else:
                self.instruction()
        if self.scopes:
            raise NotServed("a { without }")
        return self.code

    def declaration(self):
        directive = self.take()
        if directive != ".reg":
            raise NotServed(f"the directive {directive}")
        kind = self.take("directive")[1:]
        if self.peek()[0] == "directive":
            raise NotServed("vectors of registers")
        if kind == "b128":
            raise NotServed("registers of 128 bits")
        scope = self.scopes[-1] if self.scopes else 0
        while True:
            name = self.take("word")
            if self.peek()[1] == "<":
                self.take()
                count = int(self.take("number"))
                self.take(">")
                if count > 1000:
                    raise NotServed(f"{count} registers")
                for i in range(count):
                    self.code.registers[scope, f"{name}{i}"] = kind
            else:
                self.code.registers[scope, name] = kind
            if self.take(",", ";", "end") != ",":
                return

    def instruction(self):
        guard, begin = None, self.at
        if self.peek()[1] == "@":
            self.take()
            negated = self.peek()[1] == "!"
            if negated:
                self.take()
            guard = (self.take("word"), negated)
        opcode, operands = self.take("word"), []
        while self.peek()[1] not in (";", ""):
            operands.append(self.operand())
            if self.peek()[1] == ",":
                self.take()
            elif self.peek()[1] not in (";", ""):
                raise NotServed(f"expected , or ; behind an operand of {opcode}, got {self.peek()[1]!r}")
        text = " ".join(word for _, word in self.tokens[begin : self.at])
        text = re.sub(r" (?=[\],}|])|(?<=[\[{@!|-]) ", "", text)
        self.code.statements.append(Instruction(opcode, operands, guard, tuple(self.scopes), text))
        if self.peek()[1] == ";":
            self.take()

    def operand(self):
        kind, word = self.peek()
        if word == "{":
            return ("vector", self.several("}"))
        if word == "[":
            self.take()
            base, offset = self.operand(), 0
            while self.peek()[1] in ("+", "-"):
                sign = -1 if self.take() == "-" else 1
                more = self.operand()
                if more[0] == "memory" or offset and more[0] == "register":
                    raise NotServed("an address of this form")
                offset = more if more[0] == "register" else offset + sign * int(number(more[1]), 0)
            self.take("]")
            return ("memory", base, offset)
        if word == "!":
            self.take()
            return ("not", self.operand())
        if word == "-":
            self.take()
            return ("number", "-" + self.take("number"))
        if kind == "number":
            return ("number", self.take())
        if kind != "word":
            raise NotServed(f"an operand that begins with {word!r}")
        found = ("sink",) if word == "_" else ("register", word)
        self.take()
        if self.peek()[1] == "|":
            self.take()
            return ("pair", found, self.operand())
        return found

    def several(self, end):
        self.take()
        found = []
        while True:
            found.append(self.operand())
            if self.take(",", end) == end:
                return found


def number(text):
    """An integer of PTX as C++ and Python have it."""
    text = text.rstrip("U")
    digits = text.lstrip("-")
    return text[: len(text) - len(digits)] + ("0o" + digits[1:] if re.fullmatch(r"0[0-7]+", digits) else digits)
