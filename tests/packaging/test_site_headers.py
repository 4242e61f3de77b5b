# tests/packaging/test_site_headers.py: the site's pages of C headers have every function, with its comment; no Sphinx.
import re
import sys

import pytest

from support import ROOT
from torchthaw.header import annotations

sys.path.insert(0, str(ROOT / "docs"))
from _site import c_header, pages, prose  # noqa: E402

KNOWN = {"add_forward": "func", "TOO_BIG": "enumerator"}


def signatures(text):
    """The functions that a page declares, in order."""
    found = re.findall(r"^ *(?:\.\. c:function::)? +([\w *]+?\w+\([^()]*\))$", text, re.MULTILINE)
    return [re.search(r"(\w+)\(", each)[1] for each in found]


def page(tmp_path, code, known=None):
    """The page of a header with this text."""
    path = tmp_path / "given.h"
    head = "#ifndef GIVEN_H\n#define GIVEN_H\n\n#include <stdint.h>\n#include <torchthaw/annotate.h>"
    path.write_text(f"{head}\n\n{code}\n\n#endif\n")
    header = c_header.Header(path)
    return c_header.page(header, header.names() if known is None else known)


@pytest.mark.slow
@pytest.mark.parametrize("library, number", [("my_lib", 78), ("my_lib_cuda", 46)])
def test_every_exported_function_is_there(library, number):
    kept = (ROOT / "tests" / "abi" / f"lib{library}.txt").read_text()
    exported = re.findall(r"^\w[\w *]*?(\w+)\(", kept, re.MULTILINE)
    shown = signatures(pages.c_page(f"{library}.h"))
    kinds = ["_f64_cuda"] if "cuda" in library else ["_f64", "_bf16", "_f16"]
    assert len(exported) >= number and all(any(each.endswith(kind) for each in exported) for kind in kinds)
    assert sorted(shown) == sorted(exported)  # each once


def test_every_word_of_annotations_and_every_error_is_there():
    words = set(re.findall(r"^\.\. c:macro:: (\w+)", pages.c_page("torchthaw/annotate.h"), re.MULTILINE))
    assert words == set(annotations.ARGUMENTS)
    text = pages.c_page("my_lib.h")
    rows = re.findall(r'X\((\w+), (\d+), "(.*)"\)', (ROOT / "c_api/include/my_lib.h").read_text())
    assert len(rows) >= 11
    for name, number, meaning in rows:
        assert f".. c:enumerator:: {name} = {number}\n\n      {meaning}\n" in text


def test_an_operator_has_its_comment_its_shapes_and_its_variants():
    text = pages.c_page("my_lib.h")
    start = text.index(".. c:function:: int my_lib_linear_backward(")
    entry = text[start : text.index("## Batch")]
    assert "grad_weight = grad_output^T input\n" in entry
    assert "The gradient of :c:func:`my_lib_linear_forward`." in entry
    assert ":param weight: ``(out_features, in_features)``, read, may be NULL\n" in entry
    assert entry.index("backward_f64(const double *grad_output") < entry.index("_bf16(const thaw_bfloat16")
    assert "A variant of :c:func:`my_lib_linear_backward`." in entry


def test_both_signatures_below_one_comment(tmp_path):
    declared = "int plus(int x);\nint plus_f64(double x);\n\nvoid bare(void);"
    text = page(tmp_path, f"/* Adds `x` to y_. Since 1. */\n{declared}")
    assert signatures(text) == ["plus", "plus_f64", "bare"]
    assert "   Adds ``x`` to y\\_. Since 1.\n" in text


def test_what_the_page_would_lack_is_an_error(tmp_path):
    with pytest.raises(ValueError, match=r"given.h: expected every function in a block, got none with \['hidden'\]"):
        page(tmp_path, "#define DECLARE(name) int name(int x)\n\nDECLARE(hidden);")
    with pytest.raises(ValueError, match="given.h: expected functions that can be described, got .*variable number"):
        page(tmp_path, "int printed(const char *format, ...);")


@pytest.mark.parametrize("text, expected", [
    ("output = input * 2. Since 1.", ".. code-block:: text\n\n   output = input * 2\n\nSince 1."),
    ("a = b, each computed as a whole. Then.", "a = b, each computed as a whole. Then."),
    ("With n:\n  mean = sum / n\n  x    = 1\nAll are needed.",
     "With n:\n\n.. code-block:: text\n\n   mean = sum / n\n   x    = 1\n\nAll are needed."),
    ("Types      `float` is one,\n           more.\nEmpty      May be 0.",
     "Types\n   ``float`` is one, more.\n\nEmpty\n   May be 0."),
    ("See add_forward() and `add_forward`: TOO_BIG, add_forward(a, b).",
     "See \\ :c:func:`add_forward`\\  and :c:func:`add_forward`: \\ :c:enumerator:`TOO_BIG`\\ , "
     "\\ :c:func:`add_forward <add_forward>`\\ (a, b)."),
    ("a|b, x_ and *p are `*p`.", "a\\|b, x\\_ and \\*p are ``*p``."),
])  # fmt: skip
def test_comments_as_rest(text, expected):
    assert prose.rest(text, KNOWN) == expected


def test_docstrings_get_lists_of_their_arguments():
    lines = ["Builds.", "", "name: a text,", "    dotted.", "one, *more: others.", "``x`` ends it.", "", "last: here"]
    assert prose.docstring(lines) == [
        "Builds.", "", "``name``", "    a text,", "    dotted.", "``one``, ``*more``", "    others.", "",
        "``x`` ends it.", "", "``last``", "    here",
    ]  # fmt: skip
