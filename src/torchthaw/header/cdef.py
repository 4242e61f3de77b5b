"""torchthaw/header/cdef.py: from the text of C headers to declarations that cffi understands."""

import os
import re
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import cffi

from ..base import child, config, toolchain
from . import annotations, c_type_kinds, cffi_names, errors as header_errors, redeclared

# What compilers add to declarations and cffi's parser does not know, with the spelling it takes instead.
NEUTRAL = {
    "__attribute__(x)": "", "__asm__(x)": "", "__declspec(x)": "", "_Static_assert(...)": "",
    "__extension__": "", "__inline__": "inline", "__inline": "inline", "_Noreturn": "",
    "__restrict__": "restrict", "__restrict": "restrict", "__const": "const", "__volatile__": "volatile",
}  # fmt: skip

MARKER = re.compile(r'# (\d+) "((?:[^"\\]|\\.)*)"')
ESCAPED = re.compile(r"\\(.)")
MACRO = re.compile(r"#\s*define\s+(\w+)\s+(.+?)\s*$")
UNDEFINED = re.compile(r"#\s*undef\s+(\w+)")
INCLUDED = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">\n]+)[">]', re.MULTILINE)
DEFINED = re.compile(r"[ \t]*#[ \t]*define\b")
INTEGER = re.compile(r"0[xX][0-9a-fA-F]+|\d+")
ARITHMETIC = re.compile(r"(?:(?:0[xX][0-9a-fA-F]+|\d+)[uUlL]*|[-+*/%|&^~()<>\s])+")


# Of the C preprocessor, for one call. Headers of CUDA and of the C library need a tenth of it.
SECONDS = 30
LIMITS = {"memory": 512 * child.MEGABYTE, "output": 16 * child.MEGABYTE}

# What cffi raises for text that it cannot read; the last three for sizes that it computes, such as 1 / 0.
UNREADABLE = (cffi.CDefError, cffi.FFIError, RecursionError, ArithmeticError, ValueError, MemoryError)


class Ended(ValueError):
    """What the headers declare is not known. why: a limit or a signal ended the C preprocessor, or it is too much."""

    def __init__(self, headers, why, said=""):
        super().__init__(f"headers: {', '.join(map(str, headers))}: {why}\n{said}".rstrip())
        self.why = why


class Declarations(NamedTuple):
    """What headers declare: a cffi.FFI that knows it, and the text that this was given.

    annotated, preprocessed: where any word of torchthaw/annotate.h is used, every prototype as an
    annotations.Prototype by name, and the headers' text with all that they include; else {} and "".
    """

    ffi: Any
    text: str
    annotated: dict = {}
    preprocessed: str = ""


def parse(headers, include_dirs=(), define_flags=(), preamble="", most=None, seconds=SECONDS):
    """The Declarations of ``headers``. most: how many characters they may have after the preprocessor,
    seconds: how long that may take; else Ended.

    The files are tried as they are. Where they hold more than declarations (``#include``, guards, macros,
    ``extern "C"``, ``static inline``, attributes), the C preprocessor resolves that, and what stands in the headers
    themselves is kept: what they include is not, so a header whose types are needed must be listed too. A function may
    be declared again with annotations, in the same header or another one; both declarations must agree.

    Raises HeaderError, which names the header and the line.
    """
    text = "".join(_marked(header) for header in headers)
    try:
        declared = Declarations(_ffi(preamble, text), preamble + text)
    except UNREADABLE:
        text, annotated, preprocessed, others = preprocess(headers, include_dirs, define_flags, seconds)
        if most is not None and len(text) > most:
            raise Ended(headers, f"macros make more than {most:,} characters of it") from None
        try:
            declared = Declarations(_ffi(preamble, text), preamble + text, annotated, preprocessed)
        except UNREADABLE as error:
            raise header_errors.explained(error, preamble, text, headers, others, _ffi) from None
    header_errors.check(declared.text)
    return declared


def read(path):
    """The text of a header. Comments may be in any encoding."""
    return path.read_text(encoding="utf-8", errors="replace")


def _marked(header):
    """The text of a header with markers of its lines, from which cffi removes macros and the empty lines above them."""
    lines = [header_errors.marker(header, 1)]
    for number, line in enumerate(read(header).split("\n"), 1):
        lines.append(line)
        if DEFINED.match(line) and not line.endswith("\\"):
            lines.append(header_errors.marker(header, number + 1))
    return "\n".join(lines) + "\n\n"


def _ffi(*texts):
    ffi = cffi.FFI()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about #pragma, which no declaration depends on
        for text in texts:
            ffi.cdef(text)
    return ffi


def preprocess(headers, include_dirs=(), define_flags=(), seconds=SECONDS):
    """(declarations, annotated, preprocessed, others): the declarations of ``headers`` after the C preprocessor, with
    their integer macros as ``#define NAME ...``; the two next as in Declarations; the lines of all other files.
    """
    # Defined after the headers' own includes would have used them, these would break the C library's headers.
    neutral = [f"-D{name}={value}" for name, value in NEUTRAL.items()]
    include = [*(f"-I{folder}" for folder in include_dirs), *annotate_flags(), "-DTHAW_READS_ANNOTATIONS"]
    output = _preprocessor([*define_flags, *neutral, *include], headers, seconds)
    listed = {os.path.realpath(header): str(header) for header in headers}
    names, spelt = set(listed.values()), {}  # a header that another one includes may have another path there
    lines, macros, paths, path, number = [], {}, set(), "", 0
    for line in output.split("\n"):  # a form feed ends no line
        marker = MARKER.match(line)
        if marker:
            path, number = ESCAPED.sub(r"\1", marker[2]), int(marker[1])
            if path not in spelt:
                spelt[path] = listed.get(os.path.realpath(path), path)
            path = spelt[path]
            paths.add(path.rpartition("/")[2])
            continue
        if not line.startswith("#"):
            lines.append(annotations.Line(path, number, line))
        elif undefined := UNDEFINED.match(line):
            macros.pop(undefined[1], None)
        elif path in names:
            macro = MACRO.match(line)
            if macro and _is_integer(macro[2], macros):
                macros[macro[1]] = macro[2]
        number += 1
    lines, annotated = annotations.take(lines)
    redeclared.check(annotated, lines)
    if "annotate.h" not in paths:
        for each in annotated.values():
            if each.is_annotated:
                missing = "expected #include <torchthaw/annotate.h> before its annotations, got none"
                raise annotations.AnnotationError(f"{each.place}: {each.name}: {missing}")
    ours = [line for line in lines if line.path in names]
    constants = "".join(f"#define {name} ...\n" for name in macros)
    declared = _without_bodies("\n".join(line.text for line in ours)).split("\n")
    declared = "\n".join(_with_markers([line._replace(text=text) for line, text in zip(ours, declared)]))
    halves = c_type_kinds.TYPEDEFS if re.search(rf"\b({'|'.join(c_type_kinds.HALVES)})\b", declared) else ""
    preprocessed = "\n".join(line.text for line in lines) if annotated else ""
    others = [line for line in lines if line.path not in names]
    return f"{constants}{halves}{declared}\n", annotated, preprocessed, others


def _preprocessor(flags, headers, seconds):
    """What the C preprocessor makes of ``headers``, with markers and macros."""
    command = [*toolchain.c_compiler(), "-E", "-dD", *flags, "-x", "c", "-"]
    done = child.run(command, input=os.fsencode(include_lines(headers)), seconds=seconds, **LIMITS)
    err = done.err.decode("utf-8", "replace")
    if done.ended_by:
        raise Ended(headers, f"the C preprocessor was ended by {done.ended_by}", err)
    if done.status:
        raise ValueError(f"headers: the C preprocessor failed\n{err}")
    return done.out.decode("utf-8", "surrogateescape")


def _with_markers(lines):
    """The texts of lines that are not empty, with a marker before each that does not follow the one before it."""
    expected = None
    for line in lines:
        if not line.text.strip():
            continue
        if (line.path, line.number) != expected:
            yield header_errors.marker(line.path, line.number)
        yield line.text
        expected = line.path, line.number + 1


def annotate_flags():
    """What lets a C compiler find torchthaw/annotate.h, and nothing that it finds without these flags."""
    return ["-idirafter", str(config.annotate_includes())]


def include_lines(headers):
    """C text that includes ``headers``, by their paths. Raises ValueError for a path that no directive can name."""
    lines = []
    for path in map(str, headers):
        if "\n" in path or '"' in path and ">" in path:
            raise ValueError(f"headers: expected a path that #include can name, got {path!r}")
        lines.append(f"#include <{path}>\n" if '"' in path else f'#include "{path}"\n')
    return "".join(lines)


def _is_integer(value, known):
    """Whether a macro's text is integer arithmetic, also over the macros found before it."""
    value = re.sub(r"\b[A-Za-z_]\w*\b", lambda name: "0" if name[0] in known else name[0], value)
    return bool(INTEGER.search(value) and ARITHMETIC.fullmatch(value))


def _without_bodies(text):
    """Functions defined in a header (``static inline``) as plain prototypes. Lines stay."""
    kept, depth, start = [], 0, 0
    position = 0
    while position < len(text):
        character = text[position]
        if character == "{":
            head = text[start:position].rstrip()
            if depth == 0 and head.endswith(")"):
                end = _closing(text, position) + 1
                kept.append(re.sub(r"\b(?:static|inline)\b", "", head) + ";")
                kept.append("\n" * text.count("\n", start + len(head), end))
                position = start = end
                continue
            depth += 1
        elif character == "}":
            depth -= 1
        elif character == ";" and depth == 0:
            kept.append(text[start : position + 1])
            start = position + 1
        position += 1
    kept.append(text[start:])
    return "".join(kept)


def _closing(text, position):
    """The position of the brace that closes the one at ``position``; string and character literals are skipped."""
    depth = 0
    for token in re.finditer(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'|[{}]', text[position:]):
        depth += {"{": 1, "}": -1}.get(token[0], 0)
        if depth == 0:
            return position + token.start()
    return len(text) - 1


def included(headers, include_dirs=()):
    """``headers``, and the files that they include from beside them, ``include_dirs`` or torchthaw's own headers."""
    found, waiting = [], [*headers]
    while waiting:
        path = waiting.pop(0)
        if path in found:
            continue
        found.append(path)
        folders = [path.parent, *map(Path, include_dirs), config.annotate_includes()]
        for name in INCLUDED.findall(read(path)):
            waiting += [folder / name for folder in folders if (folder / name).is_file()][:1]
    return found


class Signature(NamedTuple):
    """A function's C declaration, its parameters' names (None for one without), what each of them points to, and where
    it is declared, as ``path:line``.
    """

    declaration: str
    names: list
    elements: list = []
    place: str = ""


def signatures(declarations):
    """The Signature of each function, by name."""
    from pycparser import c_ast, c_generator

    tree = cffi_names.syntax_tree(declarations)
    generator = c_generator.CGenerator()
    found = {}
    for node in tree.ext:
        if isinstance(node, c_ast.Decl) and isinstance(node.type, c_ast.FuncDecl):
            parameters = node.type.args.params if node.type.args else []
            names = [getattr(parameter, "name", None) for parameter in parameters]
            declaration = generator.visit(node).replace("__dotdotdot__", "...")
            elements = [_element(parameter) for parameter in parameters]
            found[node.name] = Signature(declaration, names, elements, f"{node.coord.file}:{node.coord.line}")
    return found


def _element(parameter):
    """The name of the type that a parameter points to, such as ``thaw_bfloat16``, or ""."""
    pointed = getattr(getattr(getattr(parameter, "type", None), "type", None), "type", None)
    return " ".join(getattr(pointed, "names", ()))
