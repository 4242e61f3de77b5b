"""torchthaw/header/errors.py: what is wrong with a declaration of a header, in words, with its file and line."""

import bisect
import re
from pathlib import Path

import cffi

from ..base.errors import BuildError
from . import annotations, cffi_names


class HeaderError(BuildError, ValueError, cffi.CDefError, cffi.FFIError):
    """A declaration that cannot be taken: ``path:line: …: expected …, got …``. To callers of cffi, it is cffi's error."""


# What is C++ in a declaration that is none of C; the first that is found is named. In C, most of these words are names.
NO_NAME = r"\b(?!\s*[,;()\[])"
CXX = {
    r"\btemplate\s*<": "a template", rf"\bnamespace{NO_NAME}": "a namespace", rf"\bclass{NO_NAME}": "a class",
    r'\bextern\s*"C': 'extern "C"', rf"\boperator{NO_NAME}": "an operator", rf"\busing{NO_NAME}": "using",
    r"::": "a name with ::", r"\bauto\b|->": "auto", r"&": "a reference", r"\([^;]*=[^;]*\)": "a default argument",
    rf"\b(?:constexpr|decltype|explicit|friend|mutable|typename|virtual){NO_NAME}|\bnoexcept\b|\bnullptr\b":
        "a keyword of C++",
}  # fmt: skip
CXX_ADVICE = "declare functions with types of C, and put what is C++ between #ifdef __cplusplus and #endif"

# Names of functions that nobody else may have: generated C's own, cffi's own, and those of every Python module.
TAKEN = {
    "thaw_": "which generated C begins its own names with", "_cffi": "which cffi begins its own names with",
    "__": "which Python's own names begin with",
}  # fmt: skip

KEYWORDS = set(
    "auto break case char const continue default do double else enum extern float for goto if inline int long register "
    "restrict return short signed sizeof static struct switch typedef union unsigned void volatile while _Bool _Complex"
    .split()
)  # fmt: skip
ESCAPED = re.compile(r"\\(?:U([0-9a-fA-F]{8})|u([0-9a-fA-F]{4}))")  # as gcc -E writes letters outside ASCII
DEEPEST = 50  # pointers, arrays and functions in one type
MARKER = re.compile(r'# (\d+) "(.*)"$')


def of_cxx(text):
    """What is C++ in a declaration that C's parser did not take, such as ``"a reference"``; None where nothing is."""
    text = re.sub(r"\[[^\]]*\]", "[]", text)  # the sizes of arrays may be any expression of C
    return next((what for pattern, what in CXX.items() if re.search(pattern, text)), None)


def marker(path, line):
    """A line that says where the next one comes from."""
    return f'# {line} "{_name(path)}"'


def _name(path):
    return re.sub(r'["\\\n]', "_", str(path))  # what parsers would stumble over


def explained(error, types, text, headers, others, parse):
    """The HeaderError of what cffi said about the declarations ``text``, which has markers.

    types: the declarations before them. others: the annotations.Line of files that the headers include.
    parse: raises such an error for the texts that it is given.
    """
    words = str(error)
    twice = re.search(r"multiple declarations of (?:function |(typedef) )?(\w+)", words)
    explained = twice and _declared_twice(twice[2], bool(twice[1]), words.partition(" (")[0], types, text)
    if explained:
        return explained
    found = _place(words, headers)
    if found is None:  # parsers give no place for strings, such as that of extern "C"
        found = _first(re.compile(r'\bextern\s*"'), text)
    if found is None:
        path, line = _first_unreadable(types, text, parse)
        return HeaderError(f"{path}:{line}: expected a declaration that cffi can read, got {_in_words(error)}")
    path, line, column, reason = found
    said = _statement(text, path, line)
    where = f"{path}:{line}: cannot parse {said!r}"
    for name in re.findall(r"[^\W\d]\w*", said):
        if not name.isascii():
            return HeaderError(f"{where}: expected names of ASCII letters, digits and _, got {name}")
    unknown = annotations.unknown(said)
    if unknown:
        function = re.match(r"(?:THAW_\w+(?:\s*\([^()]*\))?\s+)*[\w\s*]*?(\w+)\s*\(", said)
        return annotations.AnnotationError(f"{path}:{line}: {function[1] + ': ' if function else ''}{unknown}")
    what = of_cxx(said)
    if what:
        return HeaderError(f"{where}: expected a declaration in C, got {what}; {CXX_ADVICE}")
    name = _unknown_type(said, (line, column), types, text, headers, path)
    if name:
        return HeaderError(f"{where}: {name}: expected a type that the headers declare, got {_other(name, others)}")
    return HeaderError(f"{where}: expected a declaration in C, got another text ({reason})")


def _place(words, headers):
    """(path, line, column, what is wrong there) in an error of cffi or pycparser; None where it says no place."""
    for header in headers:
        found = re.search(rf"{re.escape(_name(header))}:(?:(\d+):)?(?:(\d+):)? *(.*)", words)
        if found:
            last = Path(header).read_bytes().rstrip(b"\n").count(b"\n") + 1
            return str(header), int(found[1] or last), int(found[2] or 0), found[3]
    found = re.match(r":(\d+): (.*)", words)
    return (str(headers[0]), int(found[1]), 0, found[2]) if found and len(headers) == 1 else None


def _first(pattern, text):
    """As _place(), the first line in which the pattern is found."""
    for path, number, line in _lines(text):
        if pattern.search(line):
            return path, number, 0, "a text"
    return None


def _first_unreadable(types, text, parse):
    """(path, line) of the first declaration that ``parse`` cannot read together with those before it."""
    lines, ends, depth = text.split("\n"), [], 0
    for number, line in enumerate(lines, 1):
        depth += line.count("{") - line.count("}")
        if depth <= 0 and line.rstrip().endswith((";", "}")):
            ends.append(number)

    def fails(index):
        try:
            parse(types, "\n".join(lines[: ends[index]]))
        except Exception:  # whatever it raised for all of them
            return True
        return False

    first = bisect.bisect_left(range(len(ends)), True, key=fails)
    begin = ends[first - 1] if first else 0
    places = [(path, number) for path, number, line in _lines(text) if line.strip()]
    before = sum(1 for _, _, line in _lines("\n".join(lines[:begin])) if line.strip())
    return places[min(before, len(places) - 1)]


def _in_words(error):
    """What a parser that gives no place did not like."""
    if isinstance(error, (RecursionError, MemoryError)):
        return "one that is nested too deep"
    return str(error).partition(".  Please")[0]


def _lines(text):
    """(path, number, line) of those behind markers."""
    path, number = None, 0
    for line in text.split("\n"):
        found = MARKER.match(line)
        if found:
            path, number = found[2], int(found[1])
        elif path is not None:
            yield path, number, line
            number += 1


def _statement(text, path, line):
    """The declaration of which this line is a part, as the header has it."""
    lines, is_found = [], False
    for origin, number, each in _lines(text):
        if lines and re.search("[;}]", lines[-1]):
            if is_found:
                break
            lines.clear()
        is_found |= origin == _name(path) and number == line
        lines.append(each.strip())
    said = ESCAPED.sub(lambda found: chr(int(found[1] or found[2], 16)), " ".join(filter(None, lines)))
    return said if len(said) <= 200 else said[:200] + " …"


def _unknown_type(said, place, types, text, headers, path):
    """The name in a declaration that parses better, or at all, once it is a type; or None."""

    def parses(names):
        typedefs = "".join(f"typedef int {name};\n" for name in names)
        try:
            cffi_names.syntax_tree(f"{types}\n{typedefs}{text}")
        except cffi.CDefError as error:
            found = _place(str(error), headers)
            return found is not None and (found[0] != path or found[1:3] > place)
        except Exception:  # pycparser's own, for a keyword or a name that has been declared
            return False
        return True

    names = list(dict.fromkeys(re.findall(r"\b[A-Za-z_]\w*\b(?!\s*\()", said)))
    names = [name for name in names if name not in KEYWORDS]
    if parses([]):
        return None
    for name in names:
        if parses([name]):
            return name
    # There may be several of them.
    needed = [name for name in names if not parses([other for other in names if other != name])]
    return needed[0] if needed and parses(names) else None


def _other(name, others):
    """What there is of a name that the headers do not declare as a type."""
    for each in others:
        if re.search(rf"\btypedef\b.*\b{name}\s*;|\}}\s*{name}\s*;", each.text):
            return f"one of {each.path}:{each.number}, which is not among headers; list it there, before this one"
    return "an unknown name"


def _declared_twice(name, is_type, words, types, text):
    """The HeaderError that names both places of a function, or of a typedef; None for what is neither."""
    from pycparser import c_ast, c_generator

    if is_type:
        found = [node for node in cffi_names.syntax_tree(types + text).ext if isinstance(node, c_ast.Typedef)]
        places = [f"{node.coord.file}:{node.coord.line}" for node in found if node.name == name]
    else:
        found = [declared for each, declared, _ in _functions(types + text) if each == name]
        places = [place for place, _ in found]
    if len(places) < 2:
        return None
    if is_type:
        said = "expected one, got another one than that"
    elif len({c_generator.CGenerator().visit(node) for _, node in found}) == 1:
        said = "expected one, got the same once more, like that"
    else:
        said = "expected one, as C has no overloads, got another one than that"
    return HeaderError(f"{places[1]}: {words}: {said} of {places[0]}")


def _functions(text):
    """(name, (path:line, declaration node), storage and specifiers) of each function."""
    from pycparser import c_ast

    for node in cffi_names.syntax_tree(text).ext:
        if isinstance(node, c_ast.Decl) and isinstance(node.type, c_ast.FuncDecl):
            yield node.name, (f"{node.coord.file}:{node.coord.line}", node), {*node.storage, *node.funcspec}


def _depth(node):
    """How many pointers, arrays and functions the types of a declaration are made of, one within the other."""
    deepest, waiting = 0, [(node, 1)]
    while waiting:
        node, depth = waiting.pop()
        deepest = max(deepest, depth)
        waiting += [(child, depth + 1) for _, child in node.children()]
    return deepest


def check(text):
    """Raises HeaderError for functions that parsers take and that no module can have."""
    for name, (place, node), words in _functions(text):
        for taken, why in TAKEN.items():
            if name.startswith(taken):
                raise HeaderError(f"{place}: {name}: expected a name that does not begin with {taken}, {why}")
        if _depth(node.type) > DEEPEST:
            raise HeaderError(f"{place}: {name}: expected types of at most {DEEPEST} pointers and arrays, got more")
        if "auto" in words:
            raise HeaderError(f"{place}: {name}: expected a function whose result has a type of C, got auto")
        if "static" in words:
            raise HeaderError(
                f"{place}: {name}: expected a function that other files can call, or its body, got static"
            )
