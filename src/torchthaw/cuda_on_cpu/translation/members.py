"""torchthaw/cuda_on_cpu/translation/members.py: `template` before member templates that are called without it: x.block<3>(5).

CUDA's compiler takes such a call in a template, where x depends on its parameters, if it is an expression too: f<int>(5) and
f<3>() need the word there as well. A C++ compiler reads two comparisons, as the standard has it. C++ that means comparisons
stays as it is: a call has the name of a function template that the text declares. If a class has a variable of that name
too, it is taken for a call only where the text does not compile else.
"""

import re

from . import brackets

_LIMIT = 2000  # characters between < and >
_TYPES = frozenset("void bool char short int long float double signed unsigned auto const volatile".split())
_TEMPLATE = re.compile(r"template\s*<[^;{}]*")
_CALLED = re.compile(r"\b([A-Za-z_]\w*)\s*\(")
_NO_VARIABLE = re.compile(
    r"^\s*(?:using|typedef|friend)\b|\b(?:using|struct|class|union|enum|namespace|typename|goto)\s*$|(?:::|\.|->)\s*$"
)
_INNER = re.compile(r"<[^<>]*>|\b(?:__attribute__|alignas)\s*\((?:[^()]|\([^()]*\))*\)|\[\[[^\]]*\]\]")
_CLASS = re.compile(
    r"\s*(?:(?:template|typedef|static|const|constexpr|inline|extern|volatile|public|private|protected)\b\s*:?\s*)*"
    r"(?:class|struct|union|enum)\b[^()=:]*(?:(?<!:):(?!:).*)?$", re.S
)  # fmt: skip


class Members:
    """Those calls in one text that may be of member templates."""

    def __init__(self, text):
        self._text, self._found = text, []  # (position of the name, name)

    def note(self, mark):
        """``mark`` is a . or -> with a name and <."""
        if not mark[0].startswith("-"):
            before = brackets.word_before(self._text, mark.start())
            if before[:1].isdigit() or self._text.startswith(".", max(0, mark.start() - 1)):
                return  # 1.f < x, ...name<
        if _is_call(self._text, mark.end() - 1):
            self._found.append((mark.start("member"), mark["member"]))

    def edits(self):
        """What is to be inserted, and what besides if the text does not compile so."""
        if not self._found:
            return set(), set()
        text = self._text
        templates = {name for head in _TEMPLATE.finditer(text) for name in _CALLED.findall(head[0])}
        found = [each for each in self._found if each[1] in templates]
        variables = _member_variables(text, {name for _, name in found})
        doubtful = {(at, at, "template ") for at, name in found if name in variables}
        return {(at, at, "template ") for at, _ in found} - doubtful, doubtful


def _is_call(text, at):
    """Whether template arguments with a bracket behind them begin at ``at``, as far as an expression looks like that."""
    angles, opened, last = 0, [], ""
    for token in brackets.TOKEN.finditer(text, at, at + _LIMIT):
        word = token[0]
        if word.startswith("#"):
            continue
        if word in (";", "{", "}"):
            return False
        if word in brackets.OPENING:
            opened.append(brackets.OPENING[word])
        elif word in brackets.CLOSING:
            if not opened or opened.pop() != word:
                return False
        elif not opened:
            if word in ("=", "&&", "||") or word in (">", ",") and (last in _TYPES or last in ("*", "&", ".")):
                return False
            angles += (word == "<") - (word == ">")
            if not angles:
                opening = brackets.skip_space(text, token.end())
                return text.startswith("(", opening) and not text.startswith(
                    ")", brackets.skip_space(text, opening + 1)
                )
        last = word
    return False


def _member_variables(text, names):
    """Those of ``names`` that a class declares as a variable, or an enumeration as a value."""
    places = []
    for name in names:  # each by itself: the search for a word that is given takes little time
        for place in re.finditer(name + r"\b\s*(?=[;,=:\[{}])(?!::|==)", text):
            if _is_variable(text, place.start()) and not _is_ours(text, place.start()):
                places.append((place.start(), name))
    places.sort()
    found = set()
    for (_, name), opened in zip(places, brackets.open_braces(text, [at for at, _ in places])):
        if opened and name not in found and _is_class(text, opened[-1]):
            found.add(name)
    return found


def _is_ours(text, at):
    """Whether a header of CUDA on the CPU is there, whose classes no project names."""
    start = text.rfind("\n# ", 0, at) + 1
    return "/include/cuda_on_cpu/" in text[start : text.find("\n", start)]


def _is_class(text, brace):
    """Whether the brace begins the members of a class or an enumeration."""
    head = re.search(r"[^;{}]*$", text[max(0, brace - 1000) : brace])[0]
    head = re.sub(r"^#.*$", "", head, flags=re.M)
    longer = None
    while longer != head:  # without arguments of templates and attributes
        longer, head = head, _INNER.sub(" ", head)
    return _CLASS.match(head) is not None


def _is_variable(text, at):
    """Whether the name at ``at`` is a variable's or a value's, if that is where members are declared."""
    if re.match(r"\w", text[at - 1 : at]):
        return False
    before = text[brackets.statement_start(text, at) : at]
    if _NO_VARIABLE.search(before):
        return False
    plain = before.replace("->", "")
    return plain.count("(") == plain.count(")") and plain.count("<") == plain.count(">")
