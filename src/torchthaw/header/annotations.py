"""torchthaw/header/annotations.py: takes the words of torchthaw/annotate.h out of preprocessed C, with their places.

What they mean is the business of description.py; here each gets the function and the parameter that it belongs to.
"""

import bisect
import difflib
import re
from typing import NamedTuple

from ..base.errors import BuildError


class AnnotationError(BuildError, ValueError):
    """A word that does not fit where it stands: ``path:line: function: parameter: WORD: expected …, got …``."""


# Word -> what its arguments are called; None: it takes none, "...": any number.
BEHIND = {
    "THAW_SHAPE": "...", "THAW_LIKE": "shape, ndim", "THAW_BROADCAST": "shape1, ndim1, shape2, ndim2",
    "THAW_NULLABLE": None, "THAW_INOUT": None, "THAW_ALIAS": "...", "THAW_WORKSPACE": "size, call", "THAW_SAVED": None,
    "THAW_GRADIENT_OF": "array", "THAW_EQUALS": "array",
}  # fmt: skip
BEFORE = {
    "THAW_STATUS": None, "THAW_VARIANT_OF": "base", "THAW_BACKWARD_OF": "base", "THAW_TANGENT_OF": "base",
    "THAW_ELEMENTWISE": None, "THAW_BATCH": "size", "THAW_AUTOCAST": "rule", "THAW_ERROR_MESSAGE": None,
    "THAW_ERROR_CODE": "...", "THAW_NUM_THREADS": None,
}  # fmt: skip
ARGUMENTS = {**BEHIND, **BEFORE}

WORD = re.compile(rf"\b(?:{'|'.join(ARGUMENTS)})\b")
LOOKS_LIKE_ONE = re.compile(r"\bTHAW_\w+")
# The words of C's number types, which name no parameter.
NUMBERS = {"char", "short", "int", "long", "float", "double", "signed", "unsigned", "void", "_Bool", "_Complex"}
TOKEN = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|[{}();,]')


def unknown(text):
    """What is wrong with the first word in a text that looks like an annotation and is none; None without one."""
    for name in LOOKS_LIKE_ONE.findall(text):
        if name not in ARGUMENTS:
            similar = difflib.get_close_matches(name.upper(), ARGUMENTS, 1)
            advice = f"; did you mean {similar[0]}?" if similar else ""
            return f"{name}: expected a word of torchthaw/annotate.h, got an unknown one{advice}"
    return None


class Line(NamedTuple):
    """A line of preprocessed C, and where it comes from."""

    path: str
    number: int
    text: str


class Word(NamedTuple):
    """An annotation: ``arguments`` as texts; ``place`` as ``path:line``."""

    name: str
    arguments: tuple
    place: str


class Argument(NamedTuple):
    """A parameter of a prototype: its name, or "", and its words. ``type`` is comparable, its elements left out;
    ``c_type``: the declaration without the name.
    """

    name: str
    type: tuple
    words: tuple
    c_type: str


class Prototype(NamedTuple):
    """A function as a header declares it. ``path``, ``line``: where; words: those before it; others: the Prototypes of
    its other declarations.
    """

    name: str
    path: str
    line: int
    result: str
    parameters: tuple
    words: tuple
    others: tuple = ()

    @property
    def place(self):
        return f"{self.path}:{self.line}"

    @property
    def is_annotated(self):
        return bool(self.words or any(each.words for each in self.parameters))


def take(lines):
    """(lines, prototypes): the lines without annotations, and every prototype by name; {} where none has a word.

    Of a function that is declared several times, the lines keep the declaration that has words.
    """
    text = "\n".join(line.text for line in lines)
    found = [_word(match, text) for match in WORD.finditer(text)]
    if not found:
        return lines, {}
    pieces, position = [], 0
    for start, end, _, _ in found:
        pieces += [text[position:start], re.sub(r"[^\n]", " ", text[start:end])]
        position = end
    reader = _Reader(lines, "".join(pieces) + text[position:], found)
    prototypes = reader.prototypes()
    clean = [line._replace(text=each) for line, each in zip(lines, reader.without_repeated().split("\n"))]
    return clean, prototypes


def _word(match, text):
    """(start, end, name, arguments or None) of an annotation, in which it may be written on several lines."""
    opening = re.compile(r"\s*\(").match(text, match.end())
    if ARGUMENTS[match[0]] is None or not opening:
        return match.start(), match.end(), match[0], None
    depth, arguments, start = 1, [], opening.end()
    for token in re.finditer(r"[(),]", text[start:]):
        position = opening.end() + token.start()
        depth += {"(": 1, ")": -1}.get(token[0], 0)
        if depth == 0 or depth == 1 and token[0] == ",":
            arguments.append(" ".join(text[start:position].split()))
            start = position + 1
        if depth == 0:
            return match.start(), start, match[0], () if arguments == [""] else tuple(arguments)
    return match.start(), match.end(), match[0], None


class _Statement:
    """A declaration, or the head of a definition, at file scope: its bounds, and those of its parameters.

    behind: where it ends with its body, or its semicolon.
    """

    def __init__(self, start):
        self.start, self.end, self.behind = start, start, start
        self.opening = self.closing = None
        self.commas = []


def _statements(text):
    """Those that have a list of parameters."""
    braces = parentheses = 0
    statement = defined = _Statement(0)
    for token in TOKEN.finditer(text):
        sign, position = token[0], token.start()
        if sign == "{":
            if braces == 0 and parentheses == 0 and statement.closing:
                statement.end = position
                yield statement
                defined, statement = statement, _Statement(position)
            braces += 1
        elif sign == "}":
            braces = max(0, braces - 1)
            if braces == 0:
                if defined.end == statement.start:
                    defined.behind = token.end()
                statement = _Statement(token.end())
        elif braces:
            continue
        elif sign == "(":
            if parentheses == 0 and statement.opening is None:
                statement.opening = position
            parentheses += 1
        elif sign == ")":
            parentheses = max(0, parentheses - 1)
            if parentheses == 0 and statement.closing is None and statement.opening is not None:
                statement.closing = position
        elif sign == "," and parentheses == 1 and statement.closing is None:
            statement.commas.append(position)
        elif sign == ";" and parentheses == 0:
            if statement.closing:
                statement.end, statement.behind = position, token.end()
                yield statement
            statement = _Statement(token.end())


class _Reader:
    """From words and the text without them to prototypes."""

    def __init__(self, lines, text, found):
        self.lines, self.text, self.found = lines, text, found
        self.repeated = []  # the _Statements that declare what another one declares with words
        self.starts = [0]
        for line in lines[:-1]:
            self.starts.append(self.starts[-1] + len(line.text) + 1)

    def line(self, position):
        return self.lines[bisect.bisect_right(self.starts, position) - 1]

    def place(self, position):
        line = self.line(position)
        return f"{line.path}:{line.number}"

    def prototypes(self):
        statements = list(_statements(self.text))
        starts, words = [each.start for each in statements], {}  # index of the statement -> those in it
        for word in self.found:
            index = bisect.bisect_right(starts, word[0]) - 1
            if index < 0 or word[0] >= statements[index].end:
                self.misplaced(word)
            words.setdefault(index, []).append(word)
        declared = {}  # name -> its (Prototype, _Statement)
        for index, statement in enumerate(statements):
            prototype = self.prototype(statement, words.get(index, []))
            if prototype is not None:
                declared.setdefault(prototype.name, []).append((prototype, statement))
        return {name: self.joined(each) for name, each in declared.items()}

    def joined(self, declared):
        """The Prototype of several declarations of a function: the first that has words."""
        kept = next((each for each, _ in declared if each.is_annotated), declared[0][0])
        others = [(each, statement) for each, statement in declared if each is not kept]
        for other, statement in others:
            if other.is_annotated and not _same(kept, other):
                raise AnnotationError(
                    f"{other.place}: {other.name}: expected the annotations of {kept.place}, got others"
                )
            if kept.is_annotated or other.place == kept.place:  # a header without a guard, included twice
                self.repeated.append(statement)
        return kept._replace(others=tuple(other for other, _ in others))

    def without_repeated(self):
        """The text without the declarations that another one with words stands for."""
        text = self.text
        for statement in self.repeated:
            if text[statement.closing + 1 : statement.end].strip():
                continue  # it declares something else, too
            start, end = statement.start, statement.behind
            text = text[:start] + re.sub(r"[^\n]", " ", text[start:end]) + text[end:]
        return text

    def misplaced(self, word, function=""):
        kind = "before a function" if word[2] in BEFORE else "behind the name of a function's parameter"
        of = f"{function}: " if function else ""
        raise AnnotationError(f"{self.place(word[0])}: {of}{word[2]}: expected {kind}, got another place")

    def prototype(self, statement, words):
        """The Prototype of a statement; None for what is none."""
        head = self.text[statement.start : statement.opening]
        name = re.search(r"([A-Za-z_]\w*)\s*$", head)
        if not name or re.search(r"\btypedef\b|[=]", head) or not head[: name.start()].strip():
            if words:
                self.misplaced(words[0])
            return None
        name = name[1]
        before, behind = [], {}
        for word in words:
            position = word[0]
            inside = self.text[statement.opening : position]
            if word[2] in BEFORE and position < statement.opening:
                before.append(self.word(word, name))
            elif word[2] in BEHIND and inside.count("(") - inside.count(")") == 1 and position < statement.closing:
                behind.setdefault(bisect.bisect(statement.commas, position), []).append(word)
            else:
                self.misplaced(word, name)
        bounds = [statement.opening, *statement.commas, statement.closing]
        texts = [self.text[start + 1 : end].strip() for start, end in zip(bounds, bounds[1:])]
        if texts in ([""], ["void"]):
            texts = []
        parameters = []
        for index, text in enumerate(texts):
            parameter = _name(text)
            own = tuple(self.word(word, f"{name}: {parameter}") for word in behind.pop(index, ()))
            rest = _without(text, parameter)
            parameters.append(Argument(parameter, _type(rest), own, " ".join(rest.split())))
        for left in behind.values():
            self.misplaced(left[0], name)
        first = self.line(statement.start + len(head) - len(head.lstrip()))
        kept = [word for word in head[: head.rindex(name)].split() if word not in ("extern", "static", "inline")]
        result = " ".join(kept)
        return Prototype(name, first.path, first.number, result, tuple(parameters), tuple(before))

    def word(self, found, of):
        """The Word, with as many arguments as it must have."""
        position, _, name, arguments = found
        expected = ARGUMENTS[name]
        place = self.place(position)
        if expected is None:
            return Word(name, (), place)
        got = "none" if not arguments else f"({', '.join(arguments)})"
        if arguments is None or "" in arguments:
            raise AnnotationError(f"{place}: {of}: {name}: expected arguments in parentheses ({expected}), got {got}")
        if expected != "..." and len(arguments) != expected.count(",") + 1:
            raise AnnotationError(f"{place}: {of}: {name}: expected arguments ({expected}), got {got}")
        return Word(name, arguments, place)


def _same(one, other):
    """Whether two declarations of a function say the same."""

    def said(prototype):
        words = [prototype.words, *(each.words for each in prototype.parameters)]
        return [[word[:2] for word in each] for each in words]

    return said(one) == said(other)


def _name(text):
    """The name of a parameter, or ""; ``text``: its declaration."""
    pointer = re.search(r"\(\s*\*\s*(\w+)", text)
    if pointer:
        return pointer[1]
    words = re.findall(r"[A-Za-z_]\w*", re.sub(r"\[[^\]]*\]", "", text))
    kept = [word for word in words if word not in ("const", "volatile", "restrict", "struct", "union", "enum")]
    return kept[-1] if len(kept) > 1 and kept[-1] not in NUMBERS else ""


def _without(text, name):
    """The declaration of a parameter without its name; that of a pointer to a function keeps it."""
    return re.sub(rf"\b{name}\b(?=\s*(?:\[[^\]]*\]\s*)*$)", "", text) if name else text


def _type(rest):
    """What parameters of variants have in common: a pointer's qualifiers; of other types every word."""
    stars = rest.count("*") + rest.count("[")
    words = re.findall(r"[A-Za-z_]\w*", re.sub(r"\[[^\]]*\]", "", rest))
    if stars:
        return "*" * stars, "const" in words
    return tuple(sorted(word for word in words if word != "const"))
