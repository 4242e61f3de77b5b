"""torchthaw/header/redeclared.py: whether the declarations of a function agree, where one of them adds words.

C's compiler says so as well, in its own words and after the build has begun. Types that only a compiler knows, such as
pointers to functions, are left to it.
"""

import re

from .annotations import NUMBERS, AnnotationError

TYPEDEF = re.compile(r"\btypedef\b([^;{}()\[\]]*?)\b(\w+)\s*;")
BODY = re.compile(r"\{[^{}]*\}")
QUALIFIERS = {"const", "volatile"}  # restrict changes no type
IGNORED = {"restrict", "register"}


def check(annotated, lines):
    """Raises AnnotationError where a Prototype with words differs from another declaration of its function.

    annotated: the Prototypes by name. lines: the preprocessed annotations.Line, with the types.
    """
    found = [(kept, other) for kept in annotated.values() if kept.is_annotated for other in kept.others]
    if not found:
        return
    typedefs = _typedefs(lines)
    for kept, other in found:
        of = f"{kept.place}: {kept.name}"
        _compare(of, other.result, kept.result, other.place, typedefs, "a function that returns ")
        if not (kept.parameters and other.parameters):
            continue  # f() says nothing of parameters
        if len(kept.parameters) != len(other.parameters):
            expected = f"{len(other.parameters)} parameters, as {other.place} declares it"
            raise AnnotationError(f"{of}: expected {expected}, got {len(kept.parameters)}")
        for index, (expected, given) in enumerate(zip(other.parameters, kept.parameters)):
            name = given.name or f"parameter {index + 1}"
            _compare(f"{of}: {name}", expected.c_type, given.c_type, other.place, typedefs)


def _typedefs(lines):
    """name -> the type that it stands for."""
    text, bodies, found = "\n".join(line.text for line in lines), 1, {}
    while bodies:
        text, bodies = BODY.subn(lambda body: "\n" * body[0].count("\n"), text)
    for match in TYPEDEF.finditer(text):
        found.setdefault(match[2], []).append(match)
    typedefs = {name: first[1] for name, (first, *_) in found.items()}

    def place(match):
        line = lines[text.count("\n", 0, match.end())]
        return f"{line.path}:{line.number}"

    for name, (first, *others) in found.items():
        for other in others:
            if other[1].split() != first[1].split():
                _compare(f"{place(other)}: {name}", first[1], other[1], place(first), typedefs)
    return typedefs


def _compare(of, expected, given, place, typedefs, what=""):
    ours, theirs = (_levels(each, typedefs) for each in (given, expected))
    if ours is None or theirs is None or _without_outermost(ours) == _without_outermost(theirs):
        return
    if _is_known(ours) and _is_known(theirs):
        raise AnnotationError(f"{of}: expected {what}{_shown(expected)}, as {place} declares it, got {_shown(given)}")


def _levels(said, typedefs, seen=()):
    """[(word, qualifiers)] of a type without its name, that of the elements first, then "*" for each pointer to them.

    None for what is no such type.
    """
    said = re.sub(r"\[[^\]]*\]", "*", said)
    if re.search(r"[^\w\s*]", said):
        return None
    first, *pointers = ([word for word in part.split() if word not in IGNORED] for part in said.split("*"))
    words = [word for word in first if word not in QUALIFIERS]
    name = words[0] if len(words) == 1 else None
    if name in typedefs and name not in seen:
        levels = _levels(typedefs[name], typedefs, (*seen, name))
    else:
        levels = [(_number(words), frozenset())]
    if levels is None:
        return None
    word, qualifiers = levels[-1]
    levels = [*levels[:-1], (word, qualifiers | QUALIFIERS.intersection(first))]
    return levels + [("*", frozenset(QUALIFIERS.intersection(part))) for part in pointers]


def _number(words):
    """The words of a type; of a number always the same ones: C has ``long`` and ``signed long int`` for one type."""
    if not NUMBERS.issuperset(words):
        return " ".join(words)
    kept = words if "char" in words else [word for word in words if word not in ("signed", "int")]
    return " ".join(sorted(kept)) or "int"


def _without_outermost(levels):
    """Without the qualifiers of the parameter itself, which are its own business."""
    return [*levels[:-1], levels[-1][0]]


def _is_known(levels):
    word = levels[0][0]
    return NUMBERS.issuperset(word.split()) or word.startswith(("struct ", "union "))


def _shown(said):
    return re.sub(r"\s*\*\s*", " *", said).replace("* *", "**").strip()
