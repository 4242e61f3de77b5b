"""tests/fuzz/header_reader.py: C headers with the words of torchthaw/annotate.h, as create_extension reads them.

Any text gives what the headers declare, or a HeaderError or AnnotationError that begins with the header's path and a
line. A header that is generated here gives exactly the functions that it was made of.
"""

import ast
import atexit
import functools
import json
import re
import shutil
import sys
import tempfile
from pathlib import Path

import guided
from hypothesis import given, strategies as st

import torchthaw
from torchthaw.header import annotations, cdef, comments, dimensions, errors as header_errors, prototypes
from torchthaw.header.errors import HeaderError

WORDS = [
    *annotations.ARGUMENTS, *header_errors.KEYWORDS, "int64_t", "size_t", "uint16_t", "thaw_bfloat16", "thaw_float16",
    "typedef", "struct s {", "enum e { A, B = -1 };", "#define N 3\n", "/*", "*/", "//", "(*f)(int)", "[3]", "[]", "...",
    "const float *", "void *", "(void);", ";\n", "THAW_SHAPE(n)", "THAW_LIKE(s, n)", "THAW_WORKSPACE(n, f(n))", "(((",
    '"', "'", "\\", "\\\n", "#", "static inline int f(int n) { return n; }", "__attribute__((x))", "extern \"C\" {",
    "=== other.h\n", '#include "other.h"\n', "#if 0\n", "#endif\n", "_Bool", "long double", "_Complex", "0x7fffffffffffffff",
    "é", "\\u00e9", "~", "->", "::", "&", "unsigned long long", "THC", "void *stream", "_cuda(", "# 1 \"input.h\"\n",
]  # fmt: skip
PROLOGUE = "#include <stdint.h>\n#include <stddef.h>\n#include <torchthaw/annotate.h>\n"
# What the preprocessor would change: comments, directives, joined lines, and the names that cdef.NEUTRAL has.
PREPROCESSED = re.compile(r"#|//|/\*|\\\n|%:|\?\?|__|_Static_assert|_Noreturn|\r")
OUTSIDE = re.compile(
    rb"#\s*(?:include\w*\s*(?!\s*[\"<](?:other\.h|std\w+\.h|torchthaw/annotate\.h)[\">])|embed|pragma|line)"
)


@functools.cache
def folder():
    path = Path(tempfile.mkdtemp(prefix="torchthaw-fuzz-"))
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    return path


@functools.cache
def prologue():
    """What the preprocessor makes of PROLOGUE in input.h."""
    path = folder() / "input.h"
    path.write_text(PROLOGUE)
    with open(path), _whole_preprocessor():
        return cdef._preprocessor(["-DTHAW_READS_ANNOTATIONS", *cdef.annotate_flags()], [path], cdef.SECONDS)


_preprocessor = cdef._preprocessor


class _whole_preprocessor:
    def __enter__(self):
        cdef._preprocessor = _preprocessor

    def __exit__(self, *_):
        pass


def read(contents):
    """The description of the headers {name: text}, as JSON has it, and their cdef.Declarations."""
    for path in folder().iterdir():
        path.unlink()
    texts = {path: text.decode("utf-8", "replace") for path, text in contents.items()}
    begin = prologue()
    for path, data in contents.items():
        (folder() / path).write_bytes(PROLOGUE.encode() + data)
    text = texts.get("input.h", "")
    is_plain = len(texts) == 1 and not PREPROCESSED.search(text)
    # A process for each input would take most of the time: this text is what it would give.
    made = f'{begin}\n# {PROLOGUE.count(chr(10)) + 1} "{folder()}/input.h"\n{text}'
    cdef._preprocessor = (lambda *given: made) if is_plain else _preprocessor
    try:
        headers = sorted(folder() / path for path in contents)
        extension = torchthaw.create_extension("_ext.fuzzed", headers, relative_to=folder() / "build.py")
        _, _, module = extension.interface()
        return json.loads(module.json()), extension.declarations()
    finally:
        cdef._preprocessor = _preprocessor


def check(data):
    if OUTSIDE.search(data):
        return  # a device or a huge file, which no reader of ours opens
    contents = {path: text for path, text in guided.files(data, "input.h").items() if path in ("input.h", "other.h")}
    if not contents:
        return
    try:
        read(contents)
    except (HeaderError, annotations.AnnotationError) as error:
        if not re.match(rf"{re.escape(str(folder()))}/(?:input|other)\.h:\d+: ", str(error)):
            raise guided.Broken(f"expected an error that begins with path and line, got {error}") from error
    except ValueError as error:
        if not str(error).startswith("headers: the C preprocessor failed\n"):
            raise
    text = contents.get("input.h", b"").decode("utf-8", "replace")
    names = set(re.findall(r"\b[A-Za-z_]\w*\b", text)[:3])
    comments.of(text, names)
    try:
        prototypes.header(text, sorted(names))
    except ValueError as error:
        if not re.match(r"functions: (\w+: ){0,2}expected ", str(error)):
            raise


# ---- Headers that are right -----------------------------------------------------------------------------------------

ELEMENTS = {
    "float": "float32", "double": "float64", "int32_t": "int32", "int64_t": "int64", "uint8_t": "uint8", "void": None,
    "thaw_bfloat16": "bfloat16", "thaw_float16": "float16", "uint16_t": "uint16", "_Bool": "bool", "int8_t": "int8",
}  # fmt: skip
INTEGERS = ("int", "int32_t", "int64_t", "size_t", "uint8_t", "long", "unsigned int")
SPACE = st.sampled_from([" ", "\n", "\t", "  ", " \n ", " /* a, (comment); */ ", " // line\n", "\f\n"])


def expressions(names):
    """(text, tree) of sizes over these parameters; trees as dimensions.parse gives them, () for parentheses."""
    leaves = st.one_of(
        st.sampled_from(names).map(lambda name: (name, name)) if names else st.nothing(),
        st.integers(0, 2**31).map(lambda number: (str(number), number)),
        st.integers(0, 255).map(lambda number: (f"{number:#x}u", number)),
    )

    def joined(parts):
        (left, right), sign = parts
        return f"({left[0]}) {sign} ({right[0]})", (sign, left[1], right[1])

    return st.recursive(
        leaves, lambda inner: st.tuples(st.tuples(inner, inner), st.sampled_from("+-*/")).map(joined), max_leaves=4
    )


@st.composite
def parameters(draw, name, integers):
    """(words of C, expected JSON) of an array with annotations."""
    element = draw(st.sampled_from(sorted(ELEMENTS)))
    constant = draw(st.booleans()) or element == "void"
    words, shapes = [], []
    for _ in range(draw(st.integers(0, 2))):
        sizes = draw(st.lists(expressions(integers), max_size=3))
        words.append(f"THAW_SHAPE({', '.join(text for text, _ in sizes)})")
        shapes.append([tree for _, tree in sizes])
    nullable, inout = draw(st.booleans()), not constant and draw(st.booleans())
    words += ["THAW_NULLABLE"] * nullable + ["THAW_INOUT"] * inout
    order = draw(st.permutations(range(len(words))))
    shapes = [shapes[each] for each in order if each < len(shapes)]
    text = [*(["const"] * constant), element, "*", name, *(words[each] for each in order)]
    expected = {
        "name": name, "ctype": f"{'const ' * constant}{_spelled(element)} *", "kind": "array",
        "dtype": ELEMENTS[element], "written": not constant, "inout": inout, "nullable": nullable, "shapes": shapes,
        "aliases": [],
    }  # fmt: skip
    if element == "int64_t" and constant and not shapes:
        expected["kind"] = "sizes"  # which no shape names
        expected["source"] = None
    return text, expected


def _spelled(element):
    return {"thaw_bfloat16": "uint16_t", "thaw_float16": "uint16_t"}.get(element, element)


@st.composite
def functions(draw, name):
    """(list of words, expected JSON): a prototype and what is known of it."""
    integers = [f"n{index}" for index in range(draw(st.integers(0, 3)))]
    texts, expected = [], []
    for integer in integers:
        ctype = draw(st.sampled_from(INTEGERS))
        texts.append([ctype, integer])
        expected.append({"name": integer, "ctype": ctype, "kind": "integer"})
    for index in range(draw(st.integers(0, 4))):
        text, known = draw(parameters(f"a{index}", integers))
        texts.append(text)
        expected.append(known)
    order = draw(st.permutations(range(len(texts))))
    texts, expected = [texts[each] for each in order], [expected[each] for each in order]
    result = draw(st.sampled_from(["void", "int", "float"]))
    status = result == "int" and draw(st.booleans())
    before = ["THAW_STATUS"] * status
    annotated = bool(before) or any(word.startswith("THAW_") for text in texts for word in text)
    if annotated:
        for parameter in expected:
            if parameter["kind"] == "integer":
                parameter["source"] = _source(parameter["name"], expected)
    words = [*draw(st.permutations(before)), result, name, "("]
    for index, text in enumerate(texts):
        words += [","] * bool(index) + text
    words += ["void"] * (not texts) + [")", ";"]
    known = {
        "name": name, "operator": name, "result": result, "status": status, "backward_of": None, "device": "cpu",
        "annotated": annotated, "parameters": expected,
    }  # fmt: skip
    return words, known


def _source(name, expected):
    """The first array that is read and not NULL, and the number of its dimension, that is the integer ``name``."""
    for parameter in expected:
        if parameter["kind"] == "array" and not parameter["nullable"]:
            if not parameter["written"] or parameter["inout"]:
                for shape in parameter["shapes"]:
                    if name in shape:
                        return [parameter["name"], shape.index(name)]
    return None


@st.composite
def headers(draw):
    """(text, expected JSON by function, line of each)"""
    text, known, lines = "", {}, {}
    for index in range(draw(st.integers(1, 3))):
        words, expected = draw(functions(f"f{index}"))
        for word in words:
            text += draw(SPACE)
            if word == expected["result"] and expected["name"] not in lines:
                lines[expected["name"]] = text.count("\n") + 1
            text += word
        known[expected["name"]] = expected
    return text + "\n", known, lines


@given(headers())
def generated(case):
    """What is read is what the header was made of."""
    text, known, lines = case
    found, declared = read({"input.h": text.encode()})
    if [each["name"] for each in found["functions"]] != sorted(known):
        raise guided.Broken(f"expected the functions {sorted(known)}, got {found['functions']}")
    for function in found["functions"]:
        _compare(function, known[function["name"]], text)
        prototype = declared.annotated.get(function["name"])
        line = lines[function["name"]] + PROLOGUE.count("\n")
        if prototype and prototype.line != line:
            raise guided.Broken(f"expected {function['name']} in line {line}, got {prototype.line} of\n{text}")


def _compare(found, expected, text):
    for key, value in expected.items():
        if key == "parameters":
            if len(found[key]) != len(value):
                raise guided.Broken(f"expected {len(value)} parameters, got {found[key]} of\n{text}")
            for got, wanted in zip(found[key], value):
                shapes = got.get("shapes", [])
                if len(shapes) != len(wanted.get("shapes", [])):
                    raise guided.Broken(f"expected the shapes of {wanted}, got {got} of\n{text}")
                for shape, trees in zip(shapes, wanted.get("shapes", [])):
                    if [dimensions.parse(each) for each in shape["dims"]] != [_folded(tree) for tree in trees]:
                        raise guided.Broken(f"expected the sizes {trees}, got {shape} of\n{text}")
                _compare({k: got.get(k) for k in got if k != "shapes"},
                         {k: wanted[k] for k in wanted if k != "shapes"}, text)  # fmt: skip
        elif found.get(key) != value:
            raise guided.Broken(f"{found.get('name')}: {key}: expected {value!r}, got {found.get(key)!r} of\n{text}")


def _folded(tree):
    """A tree as parsing its own text gives it."""
    return dimensions.parse(ast.unparse(ast.parse(_python(tree), mode="eval"))) if isinstance(tree, tuple) else tree


def _python(tree):
    if not isinstance(tree, tuple):
        return str(tree)
    return f"({_python(tree[1])}) {tree[0]} ({_python(tree[2])})"


if __name__ == "__main__":
    sys.exit(guided.main(__file__))
