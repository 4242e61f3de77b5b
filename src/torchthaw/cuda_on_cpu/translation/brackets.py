"""torchthaw/cuda_on_cpu/translation/brackets.py: brackets, names and statements in preprocessed text, found by their neighbours."""

import re

OPENING, CLOSING = {"(": ")", "[": "]", "{": "}"}, {")": "(", "]": "[", "}": "{"}
TOKEN = re.compile(
    r"""R"([^\s()\\"]{0,16})\((?s:.*?)\)\1"|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)+\'|\d(?:[\w.]|'\w)*|\w+|->|::|<=|>=|==|!=|&&|\|\||<<|#.*|\S"""
)
ATTRIBUTES = (
    "__attribute__",
    "alignas",
    "_Alignas",
    "__declspec",
    "decltype",
    "typeof",
    "__typeof__",
    "__launch_bounds__",
)


class Unreadable(ValueError):
    """Text that is no CUDA C++ this module knows; ``position`` is where."""

    def __init__(self, message, position):
        super().__init__(message)
        self.position = position


def opening(text, at):
    """The bracket that the one at ``at`` closes."""
    wanted = []
    while at >= 0:
        letter = text[at]
        if letter in CLOSING:
            wanted.append(CLOSING[letter])
        elif letter in OPENING:
            if wanted.pop() != letter:
                break
            if not wanted:
                return at
        at -= 1
    raise Unreadable("brackets that do not match", max(at, 0))


def closing(text, at):
    """The bracket that closes the one at ``at``."""
    wanted = []
    for token in TOKEN.finditer(text, at):
        letter = token[0]
        if letter in OPENING:
            wanted.append(OPENING[letter])
        elif letter in CLOSING:
            if wanted.pop() != letter:
                break
            if not wanted:
                return token.start()
    raise Unreadable("brackets that do not match", at)


def opening_angle(text, at):
    """The < of a template argument list that ends with the > at ``at``."""
    depth = 0
    while at >= 0:
        letter = text[at]
        if letter == ">" and text[at - 1] != "-":
            depth += 1
        elif letter == "<":
            depth -= 1
            if not depth:
                return at
        elif letter in CLOSING:
            at = opening(text, at)
        elif letter in ";{":
            break
        at -= 1
    raise Unreadable("a launch: expected template arguments before <<<", max(at, 0))


def closing_angle(text, at):
    """Behind the > that closes the template arguments which begin at ``at``; None if there is none."""
    depth = 0
    while True:
        token = TOKEN.search(text, at)
        if not token or token[0] in (";", "{", "}"):
            return None
        at = token.end()
        if token[0] == "(":
            at = closing(text, token.start()) + 1
        elif token[0] == "<":
            depth += 1
        elif token[0] == ">":
            depth -= 1
            if not depth:
                return at


def skip_space(text, at):
    while True:
        at = re.compile(r"\s*").match(text, at).end()
        if text[at : at + 2] != "# ":  # a line mark
            return at
        at = text.find("\n", at) % (len(text) + 1)  # or the end


def skip_space_back(text, at):
    while at and text[at - 1].isspace():
        at -= 1
        if text[at] == "\n":  # before a line mark
            line = text.rfind("\n", 0, at) + 1
            if text[line : line + 2] == "# ":
                at = line
    return at


def word_before(text, at):
    return re.search(r"\w*$", text[max(0, at - 200) : at])[0]


def statement_start(text, at):
    """Behind the ; { } : or line mark before ``at``."""
    start = max(0, at - 2000)
    ends = re.finditer(r"[;{}]|\b(?:public|private|protected)\s*:|^#.*$", text[start:at], re.M)
    return start + max((each.end() for each in ends), default=0)


def statement_end(text, at):
    """Behind the ; that ends the statement at ``at``."""
    while True:
        token = TOKEN.search(text, at)
        if not token:
            raise Unreadable("a declaration without ;", at)
        if token[0] == ";":
            return token.end()
        at = closing(text, token.start()) + 1 if token[0] in OPENING else token.end()


_BRACES = re.compile(
    r"""\d[\w.]*(?:'[\w.]+)+|R"([^\s()\\"]{0,16})\((?s:.*?)\)\1"|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)+'|[{}]"""
)


def open_braces(text, positions):
    """For each of the positions, which ascend, the braces that are open there. The list is the same one each time."""
    opened, braces = [], _BRACES.finditer(text)
    brace = next(braces, None)
    for position in positions:
        while brace and brace.start() < position:
            if brace[0] == "{":
                opened.append(brace.start())
            elif brace[0] == "}" and opened:
                opened.pop()
            brace = next(braces, None)
        yield opened


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def one_line(text):
    return " ".join(re.sub(r"^#.*$", "", text, flags=re.M).split())[:400]
