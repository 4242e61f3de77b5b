"""tests/build/test_load_inline.py: torchthaw.load_inline: functions and headers as text, and what it says of wrong ones."""

import ctypes
import re

import pytest
import torch

import torchthaw
from support.load_project import KERNEL, TAKEN, forget
from support.messages import names
from torchthaw.header import prototypes

TOTAL = """
#include <numeric>
double total(const double *values, int64_t count) { return std::accumulate(values, values + count, 0.0); }
"""


@pytest.mark.slow
def test_inline(project):
    docs = {"total": 'The "sum" of all: é, 😀, a \\ and a ??/ too.', "two": "Two."}
    cpp_sources, c_sources = [TOTAL, "static int unused;"], "int two(void) { return 2; }"
    module = torchthaw.load_inline(
        "inline", cpp_sources, functions=docs, c_sources=c_sources, extra_cflags=["-std=c99", "-std=c++17"]
    )
    assert module.total(torch.ones(5, dtype=torch.float64), 5) == 5 and module.two() == 2
    assert module.__all__ == ["total", "two"]
    declaration = "double total(const double *values, int64_t count)"
    assert module.total.__doc__ == f"{declaration}\n\n{docs['total']}"


@pytest.mark.parametrize("functions", ["two", ["two"], ("two",), {"two": None}], ids=str)
def test_functions_by_name(project, functions):
    c_sources = ["int two(void) { return 2; }", "int three(void) { return 3; }"]
    module = torchthaw.load_inline("inline", c_sources=c_sources, functions=functions)
    assert module.__all__ == ["two"] and module.two.__doc__ == "int two(void)"


@pytest.mark.slow
def test_inline_again(project, compiled):
    def load_text(text):
        return torchthaw.load_inline("inline", c_sources=text, functions=["two"])

    first = load_text("int two(void) { return 2; }")
    assert load_text("int two(void) { return 2; }") is first
    second = load_text("int two(void) { return 22; }")
    assert (second.__name__, first.two(), second.two()) == ("inline_v1", 2, 22)
    compiled()
    forget()
    load_text("int two(void) { return 22; }")
    assert compiled() == ["inline.c"]


def test_inline_with_headers(project):
    source = "double norm(const struct point *p) { return p->x * p->x + p->y * p->y; }"
    header = "struct point { double x, y; };\ndouble norm(const struct point *p);"
    module = torchthaw.load_inline("inline", c_sources=source, headers=header, functions={"norm": "Squared."})
    assert "Squared." in module.norm.__doc__
    with pytest.raises(ValueError, match=names("functions", "declare", "'size'")):
        torchthaw.load_inline("inline", c_sources=source, headers=header, functions=["size"])


def test_an_inline_library(project):
    path = torchthaw.load_inline("inline", c_sources="int two(void) { return 2; }", is_python_module=False)
    assert ctypes.CDLL(path).two() == 2


@pytest.mark.parametrize("options, error, match", [
    ({}, ValueError, names("cpp_sources", "c_sources", "cuda_sources", "none")),
    ({"c_sources": "int x;"}, ValueError, names("functions", "names", "none")),
    ({"c_sources": "int x;", "functions": 3}, TypeError, names("functions", "list", "dict", "3")),
    ({"c_sources": "int g(void);", "functions": ["f"]}, ValueError, "^functions: expected functions that the sources"),
    ({"c_sources": "static int f(void) { return 1; }", "functions": ["f"]}, ValueError, "got static f$"),
    ({"cpp_sources": "void f(int &x) {}", "functions": "f"}, ValueError, "(?s)^functions: .*int &x"),
    ({"cpp_sources": "typedef int word; void f(word x) {}", "functions": "f"}, ValueError, "(?s)^functions: .*word"),
    ({"cpp_sources": "int f();", "functions": "f", "extra_cflags": "-O3"}, TypeError, "^extra_cflags: expected a list"),
    *(({"cpp_sources": "int f();", "functions": "f", "ops": name}, ValueError, "^ops: .*torch.ops") for name in TAKEN),
    *(({"cpp_sources": "int f();", "functions": "f", "name": name}, ValueError, "^name: .*torch.ops") for name in TAKEN),
], ids=str)  # fmt: skip
def test_bad_inline_arguments(project, options, error, match):
    with pytest.raises(error, match=match):
        torchthaw.load_inline(**{"name": "inline", **options})


@pytest.mark.parametrize("text, what, written", [
    ("torch::Tensor f(torch::Tensor x) { return x; }", "a name with ::", "torch::Tensor f(torch::Tensor x)"),
    ("int f(at::Tensor x) { return 1; }", "a name with ::", "int f(at::Tensor x)"),
    ("std::vector<float> f(const std::vector<float>& x) { return x; }", "a name with ::", "std::vector<float> f"),
    ("template <typename T> T f(T x) { return x; }", "a template", "template <typename T> T f(T x)"),
    ("auto f(int x) -> int { return x; }", "auto", "auto f(int x) -> int"),
    ("int f(int &x) { return x; }", "a reference", "int f(int &x)"),
], ids=str)  # fmt: skip
def test_a_signature_of_cpp_is_named(project, text, what, written):
    match = names("functions", "f", what) + f".*{re.escape(written)}.*pointers.*const float \\*.*sizes"
    with pytest.raises(ValueError, match=match):
        torchthaw.load_inline("inline", text, functions="f")


def test_names_of_c_that_are_words_of_cpp(project):
    """Nor is an expression of C a reference."""
    words = "template class namespace using operator friend virtual typename explicit mutable constexpr".split()
    parameters = ", ".join(f"long {word}" for word in words)
    text = f"long f({parameters}) {{ return {' + '.join(words)}; }}"
    text += "\nlong g(const float *image, const float template[4 & 7], long n) { return n; }\nlong using(long x) { return x; }"
    module = torchthaw.load_inline("inline", c_sources=text, functions=["f", "g", "using"])
    ones = torch.ones(4)
    assert (module.f(*range(len(words))), module.g(ones, ones, 3), module.using(2)) == (sum(range(len(words))), 3, 2)


@pytest.mark.parametrize("header", [
    "void f(word template);", "void f(word n, float x[4 & 7]);", "struct s { word class; int operator, virtual; };",
])  # fmt: skip
def test_names_of_c_in_a_header_that_is_wrong(project, header):
    with pytest.raises(ValueError, match=names("inline.h:1", "word")):
        torchthaw.load_inline("inline", c_sources="int x;", headers=header)


def test_a_call_is_no_signature_of_cpp(project):
    match = names("functions", "sources", "define", "'f'")
    with pytest.raises(ValueError, match=match):
        torchthaw.load_inline("inline", c_sources="int x = sizeof(f(1 & 3));", functions="f")


@pytest.mark.parametrize("word, similar", [
    ("THAW_SHAP(n)", "THAW_SHAPE"), ("THAW_NULABLE", "THAW_NULLABLE"), ("THAW_LIKES(x, 1)", "THAW_LIKE"),
    ("THAW_SHAP2(n)", "THAW_SHAPE"), ("THAW_Shape(n)", "THAW_SHAPE"), ("THAW_inout", "THAW_INOUT"),
])  # fmt: skip
@pytest.mark.parametrize("way", ["functions", "headers"])
def test_a_misspelt_annotation(project, way, word, similar):
    """Without text that the user did not write."""
    name, text = word.partition("(")[0], f"void f(const float *x {word}, long n)"
    if way == "functions":
        options = {"c_sources": f"#include <torchthaw/annotate.h>\n{text} {{}}", "functions": "f"}
        place = "functions: f"
    else:
        options = {"c_sources": "int f;", "headers": f"#include <torchthaw/annotate.h>\n{text};"}
        place = r".*/inline.h:2: f"
    want = names(name, "torchthaw/annotate.h", "unknown", similar)
    with pytest.raises(ValueError, match=want + place):
        torchthaw.load_inline("inline", **options)


def test_a_misspelt_annotation_before_a_function(project):
    text = "#include <torchthaw/annotate.h>\nTHAW_STATU int f(const float *x THAW_SHAPE(n), long n)"
    for options in {"c_sources": text + "{}", "functions": "f"}, {"c_sources": "int f;", "headers": text + ";"}:
        with pytest.raises(ValueError, match=r": f: THAW_STATU: expected a word .*; did you mean THAW_STATUS\?$"):
            torchthaw.load_inline("inline", **options)


def test_annotations_without_their_header(project):
    match = names("inline.h:1", "f", "#include", "<torchthaw/annotate.h>", "none")
    with pytest.raises(ValueError, match=match):
        torchthaw.load_inline("inline", c_sources="int x;", headers="void f(const float *x THAW_SHAPE(n), long n);")


@pytest.mark.slow
def test_inline_cuda(project, cuda_home):
    module = torchthaw.load_inline("inline", cuda_sources=KERNEL, functions="answer", extra_cuda_cflags=["-DN=40"])
    assert module.answer(2) == 42


# Prototypes


@pytest.mark.parametrize("text, expected", [
    ("int f(void) { return g(1); }", "int f(void);"),
    ("int f(\n  int a, /* one */\n  int b)  // two\n{", "int f(int a, int b);"),
    ("const char *f(const char *x);\nint y;", "const char * f(const char *x);"),
    ('extern "C" {\nstruct s { int f; };\nunsigned long f(int x) {}\n}', "unsigned long f(int x);"),
    ('extern "C" inline int f(int x) noexcept {}', "int f(int x);"),
    ("#define f(x) x\nint\tf(int x) {}", "int f(int x);"),
    ("#define m \\\n  int f(int wrong);\nint f(int right) {}", "int f(int right);"),
    ("namespace n { int f(long x) { return 1; } }\nint f(int x) {}", "int f(int x);"),
    ('char *s = "int f(long) {"; char c = \'{\'; int f(int x) {}', "int f(int x);"),
    ("[[nodiscard]] __attribute__((noinline)) int f(int (*callback)(int)) {", "int f(int (*callback)(int));"),
    ("int ff(long x) {} int f(int x) {}", "int f(int x);"),
], ids=str)  # fmt: skip
def test_prototypes(text, expected):
    assert expected in prototypes.header(text, ["f"]).splitlines()
