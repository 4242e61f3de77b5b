"""torchthaw/header/dimensions.py: a size of an annotated shape: integer arithmetic over a function's own parameters.

A parsed expression is a number, a name, or a tuple ``(operator, left, right)``.
"""

import re

TOKEN = re.compile(r"\s*(?:(?P<number>0[xX][0-9a-fA-F]+|\d+)[uUlL]*\b|(?P<name>[A-Za-z_]\w*)|(?P<sign>[-+*/()]))")
EXPECTED = "an integer expression of numbers, integer parameters, + - * / and parentheses"
MOST = 200  # tokens of one expression: reading it goes as deep as they are nested
CHECKED = {"+": "thaw_plus", "-": "thaw_minus", "*": "thaw_times", "/": "thaw_over"}  # of the generated C


def parse(text):
    """The parsed expression. Raises ValueError, whose text is what was expected."""
    parser = _Parser(text)
    parsed = parser.sum()
    if parser.next:
        raise ValueError(EXPECTED)
    return parsed


class _Parser:
    def __init__(self, text):
        self.text, self.position, self.next, self.count = text, 0, "", 0
        self.take()

    def take(self):
        """The next token, which it goes past."""
        taken = self.next
        found = TOKEN.match(self.text, self.position)
        if found:
            self.next, self.position, self.count = found[0].strip(), found.end(), self.count + 1
            if self.count > MOST:
                raise ValueError(f"an expression of at most {MOST} numbers, names, signs and parentheses")
        elif self.text[self.position :].strip():
            raise ValueError(EXPECTED)
        else:
            self.next = ""
        return taken

    def sum(self):
        left = self.product()
        while self.next in ("+", "-"):
            left = self.take(), left, self.product()
        return left

    def product(self):
        left = self.value()
        while self.next in ("*", "/"):
            left = self.take(), left, self.value()
        return left

    def value(self):
        token = self.take()
        if token == "-":
            return "-", 0, self.value()
        if token == "(":
            inner = self.sum()
            if self.take() != ")":
                raise ValueError(EXPECTED)
            return inner
        if re.fullmatch(r"[A-Za-z_]\w*", token):
            return token
        digits = token.rstrip("uUlL")
        if not digits[:1].isdigit():
            raise ValueError(EXPECTED)
        value = int(digits, 16 if digits[:2] in ("0x", "0X") else 8 if digits[0] == "0" else 10)
        if value >= 2**63:
            raise ValueError("a number that fits int64_t")
        return value


def names(parsed):
    """The names in a parsed expression, in order."""
    if isinstance(parsed, tuple):
        return [*names(parsed[1]), *names(parsed[2])]
    return [parsed] if isinstance(parsed, str) else []


def text(parsed):
    """A parsed expression as C and Python have it, but for ``/``, with single spaces."""
    if not isinstance(parsed, tuple):
        return str(parsed)
    operator, left, right = parsed
    if operator == "-" and left == 0:
        return f"-{_operand(right, right_of='*')}"
    return f"{_operand(left, left_of=operator)} {operator} {_operand(right, right_of=operator)}"


def _operand(parsed, left_of="", right_of=""):
    is_sum = isinstance(parsed, tuple) and parsed[0] in "+-"
    is_product = isinstance(parsed, tuple) and parsed[0] in "*/"
    outer = left_of or right_of
    inside = (is_sum and (outer in "*/" or right_of)) or (is_product and right_of and outer in "*/")
    return f"({text(parsed)})" if inside else text(parsed)


def in_c(parsed, value_of):
    """C that computes a parsed expression as int64_t and sets ``bad`` where it cannot. ``value_of(name)``: C, too."""
    if isinstance(parsed, tuple):
        operator, left, right = parsed
        return f"{CHECKED[operator]}({in_c(left, value_of)}, {in_c(right, value_of)}, &bad)"
    return value_of(parsed) if isinstance(parsed, str) else f"INT64_C({parsed})"
