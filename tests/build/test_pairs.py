"""tests/build/test_pairs.py: a function and its backward: how their parameters match, and what cannot be matched."""

import json
import re

import pytest

import torchthaw
from _ext.my_lib import _my_lib
from support import ROOT
from support.messages import names
from torchthaw.header.annotations import AnnotationError

PROLOGUE = "#pragma once\n#include <stddef.h>\n#include <stdint.h>\n#include <torchthaw/annotate.h>\n"  # four lines


def extension(folder, text, name="_ext.words", ops=None):
    (folder / "words.h").write_text(PROLOGUE + text)
    return torchthaw.create_extension(name, "words.h", relative_to=folder / "build.py", ops=ops)


def description(made):
    return json.loads(made.interface()[2].json())


def pairs(folder, text, **options):
    """name -> row of the JSON."""
    return {each["name"]: each for each in description(extension(folder, text, **options)).get("pairs", [])}


# One word or name of it, changed, is an error of the table below. Its lines are counted from 1.
HEADER = """\
THAW_BATCH(m) THAW_AUTOCAST(lower)
void f_forward(const float *x THAW_SHAPE(n, m),
               const int32_t *where THAW_SHAPE(n), double c, int64_t k, int64_t n, int64_t m,
               float *y THAW_SHAPE(n, m),
               float *h THAW_SHAPE(n, m) THAW_NULLABLE THAW_SAVED,
               int32_t *count THAW_SHAPE(n));
THAW_BACKWARD_OF(f_forward)
void f_backward(const float *grad_y THAW_SHAPE(n, m),
                const float *last THAW_SHAPE(m) THAW_GRADIENT_OF(h[n - 1]),
                const float *x THAW_SHAPE(n, m) THAW_NULLABLE,
                const float *h THAW_SHAPE(n, m),
                const int32_t *count THAW_SHAPE(n), double c, int64_t k, int64_t n, int64_t m,
                float *d_x THAW_SHAPE(n, m));
THAW_TANGENT_OF(f_forward)
void f_tangent(const float *tangent_x THAW_SHAPE(n, m),
               const float *h THAW_SHAPE(n, m), double c, int64_t n, int64_t m,
               float *tangent_y THAW_SHAPE(n, m),
               float *tangent_h THAW_SHAPE(n, m));
THAW_ELEMENTWISE
void square(const float *x THAW_LIKE(s, k), const int64_t *s, int64_t k,
            float *y THAW_LIKE(s, k));
THAW_BACKWARD_OF(square)
void square_backward(const float *grad_y THAW_LIKE(s, k), const float *x THAW_LIKE(s, k), const int64_t *s, int64_t k,
                     float *grad_x THAW_LIKE(s, k));
THAW_BACKWARD_OF(square_backward)
void square_second(const float *grad_grad_x THAW_LIKE(s, k), const float *grad_y THAW_LIKE(s, k),
                   const float *x THAW_LIKE(s, k), const int64_t *s, int64_t k,
                   float *grad_grad_y THAW_LIKE(s, k),
                   float *d_x THAW_LIKE(s, k));
"""


def test_of_saved_outputs_entries_and_numbers(tmp_path):
    assert pairs(tmp_path, HEADER)["f"] == {
        "name": "f", "operator": "f", "forward": "f_forward", "backward": "f_backward", "second": None,
        "is_second": False, "tangent": "f_tangent",
        "results": [["y", None], ["count", None], ["h", "n - 1"]], "saved": ["h"],
        "given": [
            ["grad_y", "gradient", 0], ["last", "gradient", 2], ["x", "input", "x"], ["h", "output", "h"],
            ["count", "output", "count"], ["c", "number", "c"], ["k", "number", "k"],
        ],
        "gradients": {"x": "d_x"}, "equals": {},
        "tangents": {
            "given": [["tangent_x", "tangent", "x"], ["h", "output", "h"], ["c", "number", "c"]],
            "results": ["tangent_y", None, "tangent_h"],
        },
        "autocast": "lower",
    }  # fmt: skip


def test_a_gradient_that_equals_another(tmp_path):
    equal = HEADER.replace("*d_x THAW_SHAPE(n, m));", "*d_x THAW_SHAPE(n, m) THAW_EQUALS(grad_y));")
    assert pairs(tmp_path, equal)["f"]["equals"] == {"d_x": 0}


def test_second_derivative(tmp_path):
    """It is a pair, with the words of the first function, and is not offered in Python."""
    found = pairs(tmp_path, HEADER)
    assert list(found) == ["f", "square", "square_backward_differentiable"]
    square, second = found["square"], found["square_backward_differentiable"]
    assert (square["operator"], square["second"], square["is_second"]) == (
        "square_differentiable",
        "square_second",
        False,
    )
    assert (second["forward"], second["backward"]) == ("square_backward", "square_second")
    assert (second["operator"], second["is_second"]) == ("square_backward_differentiable", True)
    assert second["given"] == [["grad_grad_x", "gradient", 0], ["grad_y", "input", "grad_y"], ["x", "input", "x"]]
    assert second["gradients"] == {"grad_y": "grad_grad_y", "x": "d_x"}
    folds = {each["name"]: each["fold"] for each in description(extension(tmp_path, HEADER))["functions"]}
    assert folds["square"] is folds["square_backward"] is folds["square_second"] is True


# Shapes of f(x) and its backward, in their order -> how one call of each serves a batch.
FOLDS = {
    "THAW_BATCH(m): x(n, m) y(n, m) grad_y(n, m) grad_x(n, m)": ({"x": 1, "y": 1}, {"grad_y": 1, "grad_x": 1}),
    "THAW_BATCH(m): x(m) y(n) grad_y(n) grad_x(m)": ({"x": 0}, None),  # no array of the backward determines m
    "THAW_BATCH(n): x(m) y(n, m) grad_y(n, m) grad_x(m)": (None, {"grad_y": 0}),
    "THAW_ELEMENTWISE: x(n, m) y(n, m) grad_y(n, m) grad_x(n, m)": ({"x": 0, "y": 0}, {"grad_y": 0, "grad_x": 0}),
    "THAW_ELEMENTWISE: x(n, n) y(n, n) grad_y(n, n) grad_x(n, n)": (None, None),
    "THAW_ELEMENTWISE: x(n, 2 * n) y(n, 2 * n) grad_y(n, 2 * n) grad_x(n, 2 * n)": (None, None),
    ": x(n) y(n) grad_y(n) grad_x(n)": (None, None),
}


@pytest.mark.parametrize("case", FOLDS)
def test_how_one_call_serves_a_batch(tmp_path, case):
    word, _, arrays = case.partition(":")
    x, y, grad_y, grad_x = (f"{name} THAW_SHAPE{shape}" for name, shape in re.findall(r"(\w+)(\(.*?\))", arrays))
    sizes = "int64_t n, int64_t m"
    header = (
        f"{word} void f(const float *{x}, {sizes}, float *{y});\n"
        f"THAW_BACKWARD_OF(f) void f_backward(const float *{grad_y}, {sizes}, float *{grad_x});\n"
    )
    found = {each["name"]: each["fold"] for each in description(extension(tmp_path, header))["functions"]}
    assert (found["f"], found["f_backward"]) == FOLDS[case]


@pytest.mark.parametrize("forward, package, ops, name, operator", [
    ("my_lib_add_forward", "_ext.my_lib", None, "add", "add"),
    ("other_add_forward", "_ext.my_lib", "other", "add", "add"),
    ("lltm_forward", "_ext.my_lib", None, "lltm", "lltm"),
    ("my_lib_forward", "_ext.my_lib", None, "my_lib", "my_lib"),
    ("my_lib_square", "_ext.my_lib", None, "square", "square"),
    ("square", "_ext.my_lib", None, "square", "square_differentiable"),
])  # fmt: skip
def test_the_name_in_python(tmp_path, forward, package, ops, name, operator):
    (found,) = pairs(tmp_path, pair(forward), name=package, ops=ops).values()
    assert (found["name"], found["operator"], found["forward"]) == (name, operator, forward)


def pair(forward, backward=None):
    """Two lines."""
    backward = backward or f"{forward.removesuffix('_forward')}_backward"
    return (
        f"void {forward}(const float *x THAW_SHAPE(n), int64_t n, float *y THAW_SHAPE(n));\n"
        f"THAW_BACKWARD_OF({forward}) void {backward}(const float *grad_y THAW_SHAPE(n), int64_t n, float *grad_x THAW_SHAPE(n));\n"
    )


def test_variants_are_no_pairs(tmp_path):
    variants = (
        "THAW_VARIANT_OF(f_forward) void f_forward_f64(const double *x, int64_t n, double *y);\n"
        "THAW_VARIANT_OF(f_backward) void f_backward_f64(const double *grad_y, int64_t n, double *grad_x);\n"
    )
    assert list(pairs(tmp_path, pair("f_forward") + variants)) == ["f"]
    (tmp_path / "base.h").write_text(PROLOGUE + pair("f_forward"))
    found = description(extension(tmp_path, f'#include "base.h"\n{variants}'))
    assert [each["backward_of"] for each in found["functions"]] == ["f_forward", None]
    assert "pairs" not in found, "they are of the module that has the base"


def test_a_backward_of_what_another_header_declares(tmp_path):
    """The function is not of this module, so that only the backward and its own backward are a pair."""
    first, backward = pair("f").splitlines()
    second = (
        "THAW_BACKWARD_OF(f_backward) void f_second(const float *grad_grad_x THAW_SHAPE(n), int64_t n, "
        "float *grad_grad_y THAW_SHAPE(n));"
    )
    (tmp_path / "base.h").write_text(f"{PROLOGUE}{first}\n")
    (found,) = pairs(tmp_path, f'#include "base.h"\n{backward}\n{second}').values()
    assert (found["name"], found["is_second"]) == ("f_backward", False)


def test_sizes_that_nullable_arrays_do_not_determine(tmp_path):
    """They are the forward's by the same name; others are those of the backward's own arrays."""
    text = """
void f_forward(const float *x THAW_SHAPE(n, m), const float *w THAW_SHAPE(m), int64_t n, int64_t m,
               float *y THAW_SHAPE(n));
THAW_BACKWARD_OF(f_forward)
void f_backward(const float *grad_y THAW_SHAPE(rows), const float *x THAW_SHAPE(rows, m) THAW_NULLABLE, int64_t rows,
                int64_t m, float *d_x THAW_SHAPE(rows, m), float *d_w THAW_SHAPE(m) THAW_NULLABLE);
"""
    given = pairs(tmp_path, text)["f"]["given"]
    assert given == [["grad_y", "gradient", 0], ["x", "input", "x"], ["m", "size", "m"]]


def test_of_my_lib():
    described = json.loads(_my_lib.description)
    found = {each["name"]: each for each in described["pairs"]}
    assert {name: each["autocast"] for name, each in found.items()} == {
        "add": "widest", "scale_add": "widest", "mul_constant": None, "cube": None, "linear": "lower",
        "batch_norm2d": None, "lltm": "lower", "lltm_sequence": "lower",
    }  # fmt: skip
    folds = {each["name"]: each["fold"] for each in described["functions"]}
    step = dict.fromkeys(("input", "old_h", "old_cell", "new_h", "new_cell", "gates"), 0)
    assert {name: folds[each["forward"]] for name, each in found.items()} == {
        "add": True, "scale_add": True, "mul_constant": True, "cube": True, "linear": {"input": 0, "output": 0},
        "batch_norm2d": {"input": 1, "output": 1, "mean": 0, "std": 0}, "lltm": step,
        "lltm_sequence": {"input": 1, "old_h": 0, "old_cell": 0, "h": 1, "cell": 1, "gates": 1},
    }  # fmt: skip
    assert {name: each["saved"] for name, each in found.items() if each["saved"]} == {
        "cube": ["derivative"], "batch_norm2d": ["mean", "std"], "lltm": ["gates"], "lltm_sequence": ["cell", "gates"],
    }  # fmt: skip
    assert found["lltm_sequence"]["results"] == [["h", None], ["h", "seq_len - 1"], ["cell", "seq_len - 1"]]
    assert found["linear"]["given"][-1] == ["in_features", "size", "in_features"]
    assert ["grad_derivative", "none", None] in found["cube"]["given"], "derivative is no result, and has no gradient"
    assert all(each["name"] == each["operator"] and not each["is_second"] for each in found.values())


def test_the_examples_of_the_page(tmp_path):
    page = (ROOT / "docs" / "reference" / "annotations.md").read_text()
    examples = "".join(re.findall(r"^```c\n(.*?)^```", page, re.DOTALL | re.MULTILINE))
    found = pairs(tmp_path, examples)
    assert list(found) == ["scale", "square", "square_backward_differentiable", "sum", "walk"]
    assert (found["scale"]["tangent"], found["square"]["second"]) == ("scale_tangent", "square_second")
    assert found["walk"]["results"] == [["position", None], ["position", "steps - 1"]]


# What is wrong: the text of HEADER, what replaces it, the line of the error, and what its message names

WRONG = [
    # arrays that the backward reads
    ("*grad_y THAW_SHAPE(n, m),\n", "*g THAW_SHAPE(n, m),\n", 8,
     names("f_backward", "g", "f_forward", "grad_", "THAW_GRADIENT_OF(y or h)")),
    ("THAW_GRADIENT_OF(h[n - 1])", "THAW_GRADIENT_OF(z)", 9,
     names("f_backward", "last", "THAW_GRADIENT_OF", "output", "f_forward", "z")),
    ("THAW_GRADIENT_OF(h[n - 1])", "THAW_GRADIENT_OF(x)", 9,
     names("f_backward", "last", "THAW_GRADIENT_OF", "output", "x")),
    ("THAW_GRADIENT_OF(h[n - 1])", "THAW_GRADIENT_OF(h[n - 1)", 9, names("last", "THAW_GRADIENT_OF", "h[n - 1")),
    ("THAW_GRADIENT_OF(h[n - 1])", "THAW_GRADIENT_OF(h[n % 2])", 9,
     names("last", "THAW_GRADIENT_OF", "integer", "n % 2")),
    ("THAW_GRADIENT_OF(h[n - 1])", "THAW_GRADIENT_OF(h[c])", 9,
     names("last", "THAW_GRADIENT_OF", "integer", "f_forward", "c")),
    ("THAW_GRADIENT_OF(h[n - 1])", "THAW_GRADIENT_OF(h[rows])", 9,
     names("last", "THAW_GRADIENT_OF", "integer", "rows")),
    ("THAW_SHAPE(n, m) THAW_NULLABLE THAW_SAVED", "THAW_SHAPE() THAW_NULLABLE THAW_SAVED", 9,
     names("last", "THAW_GRADIENT_OF", "dimensions", "h ()")),
    ("THAW_GRADIENT_OF(h[n - 1])", "THAW_GRADIENT_OF(count[n - 1])", 8,
     names("f_backward", "last", "floating-point", "int32")),
    ("*x THAW_SHAPE(n, m) THAW_NULLABLE,", "*d_y THAW_SHAPE(n, m),", 8,
     names("f_backward", "d_y", "one", "y", "grad_y")),
    ("*x THAW_SHAPE(n, m) THAW_NULLABLE,", "*g THAW_SHAPE(n, m) THAW_GRADIENT_OF(y),", 10,
     names("f_backward", "g", "THAW_GRADIENT_OF", "one", "y", "grad_y")),
    ("THAW_SHAPE(m) THAW_GRADIENT_OF(h[n - 1])", "THAW_SHAPE(n, m) THAW_GRADIENT_OF(h)", 8,
     names("f_backward", "last", "THAW_NULLABLE", "h", "f_forward", "THAW_SAVED", "none")),
    ("*grad_y THAW_SHAPE(n, m),\n", "*grad_y THAW_SHAPE(m, n),\n", 8,
     names("f_backward", "grad_y", "(n, m)", "y", "f_forward", "(m, n)")),
    ("*grad_y THAW_SHAPE(n, m),\n", "*grad_y THAW_SHAPE(n),\n", 8, names("f_backward", "grad_y", "(n, m)", "(n)")),
    ("THAW_SHAPE(m) THAW_GRADIENT_OF", "THAW_SHAPE(n) THAW_GRADIENT_OF", 8,
     names("f_backward", "last", "(m)", "h[n - 1]", "(n)")),
    ("const float *last", "const double *last", 8, names("f_backward", "last", "float32", "h[n - 1]", "float64")),
    ("const float *h THAW_SHAPE(n, m),\n                const int32_t",
     "const float *h THAW_SHAPE(m),\n                const int32_t", 8, names("f_backward", "h", "(n, m)", "f_forward", "(m)")),
    # those that it writes
    ("*d_x THAW_SHAPE(n, m));", "*dx THAW_SHAPE(n, m));", 8,
     names("f_backward", "dx", "grad_", "input", "f_forward", "THAW_GRADIENT_OF(x)")),
    ("*d_x THAW_SHAPE(n, m));", "*x_ THAW_SHAPE(n, m) THAW_GRADIENT_OF(y));", 13,
     names("f_backward", "x_", "THAW_GRADIENT_OF", "input", "f_forward", "y")),
    ("*d_x THAW_SHAPE(n, m));", "*d_x THAW_SHAPE(n, m), float *grad_x THAW_SHAPE(n, m));", 8,
     names("f_backward", "grad_x", "one", "x", "d_x")),
    ("*d_x THAW_SHAPE(n, m));", "*d_x THAW_SHAPE(n, m), int32_t *d_where THAW_SHAPE(n));", 8,
     names("f_backward", "d_where", "floating-point", "int32")),
    ("*d_x THAW_SHAPE(n, m));", "*d_x THAW_SHAPE(n, n));", 8, names("f_backward", "d_x", "(n, m)", "(n, n)")),
    ("*d_x THAW_SHAPE(n, m));", "*d_x);", 7, names("f_backward", "THAW_BACKWARD_OF", "shapes", "d_x")),
    ("*d_x THAW_SHAPE(n, m));", "*d_x THAW_SHAPE(n, m) THAW_INOUT);", 7,
     names("f_backward", "THAW_BACKWARD_OF", "outputs", "d_x", "written")),
    # numbers
    ("double c, int64_t k, int64_t n, int64_t m,\n                float *d_x",
     "double d, int64_t n, int64_t m,\n                float *d_x", 8, names("f_backward", "d", "f_forward", "(double)", "THAW_SHAPE")),
    ("double c, int64_t k, int64_t n, int64_t m,\n                float *d_x",
     "int64_t c, int64_t n, int64_t m,\n                float *d_x", 8, names("f_backward", "c", "f_forward", "(int64_t)", "double")),
    # the forward
    ("*y THAW_SHAPE(n, m),\n               float *h", "*y,\n               float *h", 7,
     names("f_backward", "THAW_BACKWARD_OF", "f_forward", "shapes", "y")),
    ("*count THAW_SHAPE(n));", "*count THAW_SHAPE(n) THAW_INOUT);", 7,
     names("f_backward", "THAW_BACKWARD_OF", "f_forward", "count", "written")),
    ("void f_forward(", "float f_forward(", 7, names("f_backward", "THAW_BACKWARD_OF", "f_forward", "result", "float")),
    (" THAW_SAVED,", ",", 2,
     names("f_forward", "h", "THAW_SAVED", "f_backward", "grad_h", "THAW_GRADIENT_OF(h)", "none")),
    ("*count THAW_SHAPE(n));", "*count THAW_SHAPE(n), float *z THAW_SHAPE(n));", 2,
     names("f_forward", "z", "THAW_SAVED", "parameter", "f_backward", "grad_z", "THAW_GRADIENT_OF(z)", "THAW_WORKSPACE")),
    ("*count THAW_SHAPE(n));", "*count THAW_SHAPE(n), float *z THAW_SHAPE(n) THAW_SAVED);", 6,
     names("f_forward", "z", "THAW_SAVED", "parameter", "f_backward", "THAW_WORKSPACE")),
    # THAW_EQUALS
    ("*d_x THAW_SHAPE(n, m));", "*d_x THAW_SHAPE(n, m) THAW_EQUALS(x));", 13,
     names("f_backward", "d_x", "THAW_EQUALS", "gradient", "result", "x")),
    ("*d_x THAW_SHAPE(n, m));", "*d_x THAW_SHAPE(n, m) THAW_EQUALS(last));", 13,
     names("f_backward", "d_x", "THAW_EQUALS", "(m,)", "last", "(n, m)")),
    ("*y THAW_SHAPE(n, m),\n               float *h", "*y THAW_SHAPE(n, m) THAW_EQUALS(x),\n               float *h", 4,
     names("f_forward", "y", "THAW_EQUALS", "output", "THAW_BACKWARD_OF")),
    ("*grad_y THAW_SHAPE(n, m),", "*grad_y THAW_SHAPE(n, m) THAW_EQUALS(last),", 8,
     names("f_backward", "grad_y", "THAW_EQUALS", "output", "const float *")),
    # words where they do not belong
    ("*where THAW_SHAPE(n), double", "*where THAW_SHAPE(n) THAW_SAVED, double", 3,
     names("f_forward", "where", "THAW_SAVED", "output", "const int32_t *")),
    ("*tangent_h THAW_SHAPE(n, m)", "*tangent_h THAW_SHAPE(n, m) THAW_SAVED", 18,
     names("f_tangent", "tangent_h", "THAW_SAVED", "THAW_BACKWARD_OF(f_tangent)")),
    ("*tangent_h THAW_SHAPE(n, m)", "*tangent_h THAW_SHAPE(n, m) THAW_GRADIENT_OF(h)", 18,
     names("f_tangent", "tangent_h", "THAW_GRADIENT_OF", "THAW_BACKWARD_OF", "none")),
    ("int64_t k,\n                     float *grad_x",
     "int64_t k THAW_GRADIENT_OF(y),\n                     float *grad_x", 23,
     names("square_backward", "k", "THAW_GRADIENT_OF", "array", "int64_t")),
    ("const int64_t *s, int64_t k,\n                     float *grad_x",
     "const int64_t *s THAW_GRADIENT_OF(y), int64_t k,\n                     float *grad_x", 23,
     names("square_backward", "s", "THAW_GRADIENT_OF", "array", "sizes", "const int64_t *")),
    ("THAW_TANGENT_OF(f_forward)", "THAW_TANGENT_OF(f_forward) THAW_BATCH(m)", 14,
     names("f_tangent", "THAW_BATCH", "THAW_BACKWARD_OF(f_tangent)")),
    ("THAW_TANGENT_OF(f_forward)", "THAW_BATCH(c)", 14, names("f_tangent", "THAW_BATCH", "integer", "c")),
    ("THAW_TANGENT_OF(f_forward)", "THAW_AUTOCAST(lower)", 14,
     names("f_tangent", "THAW_AUTOCAST", "THAW_BACKWARD_OF(f_tangent)")),
    ("THAW_TANGENT_OF(f_forward)", "THAW_TANGENT_OF(f_forward) THAW_ELEMENTWISE", 14,
     names("f_tangent", "THAW_ELEMENTWISE", "THAW_BACKWARD_OF(f_tangent)")),
    ("THAW_TANGENT_OF(f_forward)", "THAW_AUTOCAST(lower)", 14,
     names("f_tangent", "THAW_AUTOCAST", "THAW_BACKWARD_OF(f_tangent)")),
    ("THAW_AUTOCAST(lower)", "THAW_AUTOCAST(half)", 1,
     names("f_forward", "THAW_AUTOCAST", "lower", "widest", "float32", "half")),
    ("THAW_AUTOCAST(lower)", "THAW_AUTOCAST(lower) THAW_AUTOCAST(widest)", 1,
     names("f_forward", "THAW_AUTOCAST", "one", "several")),
    ("THAW_BATCH(m)", "THAW_BATCH(m) THAW_ELEMENTWISE", 1,
     names("f_forward", "THAW_BATCH", "THAW_ELEMENTWISE", "both")),
    ("THAW_BATCH(m)", "THAW_BATCH(b)", 1, names("f_forward", "THAW_BATCH", "integer", "b")),
    ("THAW_BATCH(m)", "THAW_BATCH(c)", 1, names("f_forward", "THAW_BATCH", "integer", "c")),
    ("THAW_BATCH(m)", "THAW_BATCH(k)", 1, names("f_forward", "THAW_BATCH", "THAW_SHAPE", "k")),
    ("THAW_BATCH(m)", "THAW_BATCH(n)", 1, names("f_forward", "THAW_BATCH", "h[n - 1]", "n")),
    ("*where THAW_SHAPE(n), double", "*where THAW_SHAPE(m + 1), double", 1,
     names("f_forward", "THAW_BATCH", "m", "where", "(m + 1,)")),
    ("*where THAW_SHAPE(n), double", "*where THAW_SHAPE(m, m), double", 1,
     names("f_forward", "THAW_BATCH", "m", "where", "(m, m)")),
    ("THAW_BATCH(m)", "THAW_ELEMENTWISE", 1, names("f_forward", "THAW_ELEMENTWISE", "shape", "where", "(n,)")),
    # second derivatives, forward mode
    ("float *grad_x THAW_LIKE(s, k));", "float *grad_x THAW_LIKE(s, k) THAW_SAVED);", 24,
     names("square_backward", "grad_x", "THAW_SAVED", "result", "x")),
    ("THAW_BACKWARD_OF(square_backward)", "THAW_BACKWARD_OF(square)", 25,
     names("square_second", "THAW_BACKWARD_OF", "one", "square", "square_backward")),
    ("THAW_TANGENT_OF(f_forward)", "THAW_TANGENT_OF(g)", 14, names("f_tangent", "THAW_TANGENT_OF", "g")),
    ("THAW_TANGENT_OF(f_forward)", "THAW_TANGENT_OF(square_second)", 14,
     names("f_tangent", "THAW_TANGENT_OF", "THAW_BACKWARD_OF(square_second)")),
    ("*tangent_x THAW_SHAPE(n, m)", "*d_x THAW_SHAPE(n, m)", 15,
     names("f_tangent", "d_x", "f_forward", "tangent_", "input")),
    ("*tangent_x THAW_SHAPE(n, m)", "*tangent_x THAW_SHAPE(m, n)", 15,
     names("f_tangent", "tangent_x", "(n, m)", "x", "f_forward", "(m, n)")),
    ("*tangent_y THAW_SHAPE(n, m)", "*y THAW_SHAPE(n, m)", 15,
     names("f_tangent", "y", "tangent_", "output", "f_forward")),
    ("*tangent_h THAW_SHAPE(n, m)", "*tangent_count THAW_SHAPE(n)", 15,
     names("f_tangent", "tangent_count", "floating-point", "f_forward")),
    (",\n               float *tangent_h THAW_SHAPE(n, m));", ");", 14,
     names("f_tangent", "THAW_TANGENT_OF", "tangent_h", "h[n - 1]", "none")),
    ("double c, int64_t n, int64_t m,\n               float *tangent_y",
     "double c, int64_t e, int64_t n, int64_t m,\n               float *tangent_y", 15,
     names("f_tangent", "e", "f_forward", "(int64_t)")),
]  # fmt: skip


@pytest.mark.parametrize("old, new, line, message", WRONG, ids=range(len(WRONG)))
def test_what_does_not_match(tmp_path, old, new, line, message):
    assert HEADER.count(old) == 1
    refused(tmp_path, HEADER.replace(old, new), line, message)


def refused(folder, text, line, message, **options):
    place = re.escape(f"{folder / 'words.h'}:{line + 4}: ")
    with pytest.raises(AnnotationError, match=message + place):
        pairs(folder, text, **options)


GELU = """\
void f_forward(float *out THAW_SHAPE(n), {x}float *inp THAW_SHAPE(n), int64_t n);
THAW_BACKWARD_OF(f_forward)
void f_backward(float *dinp THAW_SHAPE(n) THAW_GRADIENT_OF(inp), const float *inp THAW_SHAPE(n),
                {y}float *dout{shape} THAW_GRADIENT_OF(out), int64_t n);
"""
WITHOUT_CONST = [
    (GELU.format(x="", y="const ", shape=" THAW_SHAPE(n)"), 2, names("f_backward", "f_forward", "out, inp", "written", "const")),
    (GELU.format(x="const ", y="", shape=" THAW_SHAPE(n)"), 4, names("f_backward", "dout", "written", "const")),
    (GELU.format(x="const ", y="", shape=""), 2, names("f_backward", "dout", "shape", "written", "const")),
]  # fmt: skip


@pytest.mark.parametrize("text, line, message", WITHOUT_CONST, ids=["forward", "gradient", "no shape"])
def test_arrays_that_lack_const_count_as_written(tmp_path, text, line, message):
    refused(tmp_path, text, line, message)


X = "const float *x THAW_SHAPE(n), int64_t n"
SECOND = f"""\
void f({X}, float *y THAW_SHAPE(n), float *h THAW_SHAPE(n) THAW_SAVED);
THAW_BACKWARD_OF(f) void b(const float *grad_y THAW_SHAPE(n), const float *h THAW_SHAPE(n), int64_t n,
                           float *d_x THAW_SHAPE(n));
THAW_BACKWARD_OF(b) void c(const float *grad_d_x THAW_SHAPE(n), const float *grad_y THAW_SHAPE(n), int64_t n,
                           float *d_grad_y THAW_SHAPE(n), float *d_h THAW_SHAPE(n));
"""
OTHERS = [
    (SECOND, 4, names("c", "THAW_BACKWARD_OF", "formula", "b", "h", "THAW_SAVED")),
    (f"void f({X}, float *h THAW_SHAPE(n) THAW_SAVED);\n"
     f"THAW_BACKWARD_OF(f) void b(const float *h THAW_SHAPE(n), int64_t n, float *d_x THAW_SHAPE(n));", 1,
     names("f", "h", "THAW_SAVED", "output", "none")),
    (pair("f", "b") + "THAW_VARIANT_OF(f) void f_f64(const double *x, int64_t n, double *y);\nTHAW_BACKWARD_OF(f_f64)\n"
     "void b_f64(const double *grad_y THAW_SHAPE(n), int64_t n, double *grad_x THAW_SHAPE(n));\n", 4,
     names("b_f64", "THAW_BACKWARD_OF", "f", "f_f64", "THAW_VARIANT_OF")),
    (f"THAW_BACKWARD_OF(f) void f({X}, float *y THAW_SHAPE(n));", 1, names("f", "THAW_BACKWARD_OF", "itself")),
    (f"THAW_BACKWARD_OF(g) void f({X}, float *y THAW_SHAPE(n));\n"
     f"THAW_BACKWARD_OF(f) void g({X}, float *y THAW_SHAPE(n));", 1,
     names("THAW_BACKWARD_OF", "itself")),
    # names
    (pair("lambda_forward"), 1, names("lambda_forward", "lambda")),
    (pair("words_2d_forward"), 1, names("words_2d_forward", "2d")),
    (pair("add_forward") + pair("words_add_forward"), 3, names("words_add_forward", "add", "add_forward")),
    (pair("square") + "void square_differentiable(int n);", 1, names("square", "square_differentiable")),
    (pair("square") + pair("square_differentiable_forward"), 3, names("square_differentiable_forward", "square")),
    (pair("square") + "void functions(int n);", 3, names("functions", "name", "Python")),
    (pair("square") + "enum { functions = 3 };", 2, names("square_backward", "THAW_BACKWARD_OF", "functions")),
]  # fmt: skip


@pytest.mark.parametrize("text, line, message", OTHERS, ids=range(len(OTHERS)))
def test_what_is_no_pair(tmp_path, text, line, message):
    refused(tmp_path, text, line, message)


def test_a_function_called_functions_without_pairs(tmp_path):
    assert "pairs" not in description(extension(tmp_path, "void functions(const float *x THAW_NULLABLE, int n);"))
