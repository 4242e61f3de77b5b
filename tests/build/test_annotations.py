"""tests/build/test_annotations.py: the words of torchthaw/annotate.h: what is made of them, and wrong ones."""

import ctypes
import json
import re
import subprocess

import pytest

import torchthaw
from support import ROOT
from support.messages import names
from torchthaw.base import toolchain
from torchthaw.extension.create import LIMITED_API
from torchthaw.header import annotations, cdef, dimensions

PROLOGUE = "#pragma once\n#include <stddef.h>\n#include <stdint.h>\n#include <torchthaw/annotate.h>\n"  # four lines


def extension(folder, text, name="_ext.words", **files):
    """An extension of words.h, which has ``text`` below the prologue; files: other headers beside it."""
    for other, content in files.items():
        (folder / f"{other}.h").write_text(PROLOGUE + content)
    (folder / "words.h").write_text(PROLOGUE + text)
    return torchthaw.create_extension(name, "words.h", relative_to=folder / "build.py")


def described(folder, text, **files):
    """name -> function, of the JSON that the extension has."""
    _, _, module = extension(folder, text, **files).interface()
    return {function["name"]: function for function in json.loads(module.json())["functions"]}


def parameters(function):
    return {parameter["name"]: parameter for parameter in function["parameters"]}


# What is said of a parameter

ALL = """
size_t mix_size(int64_t batch, int32_t features);
THAW_STATUS
int mix(const float *input THAW_SHAPE(batch, features), const int64_t *target THAW_SHAPE(batch),
        const double *bias THAW_SHAPE(2 * features) THAW_NULLABLE, int64_t batch, int32_t features, double scale,
        float *state THAW_SHAPE(count) THAW_INOUT, size_t count, float *output THAW_SHAPE(batch, features)
        THAW_NULLABLE THAW_ALIAS(input, state), void *scratch THAW_WORKSPACE(bytes, mix_size(batch, features)),
        size_t bytes);
void like(const float *a THAW_LIKE(shape1, ndim1), const int64_t *shape1, int64_t ndim1,
          const float *b THAW_LIKE(shape2, ndim2), const int64_t *shape2, int ndim2,
          float *out THAW_BROADCAST(shape1, ndim1, shape2, ndim2), int8_t *flag THAW_SHAPE());
"""


def test_parameters_say_what_is_annotated(tmp_path):
    mix = described(tmp_path, ALL)["mix"]
    found = parameters(mix)
    assert found["input"] == {
        "name": "input", "ctype": "const float *", "kind": "array", "dtype": "float32", "written": False,
        "inout": False, "nullable": False, "shapes": [{"dims": ["batch", "features"]}], "aliases": [],
    }  # fmt: skip
    assert (found["target"]["kind"], found["target"]["dtype"]) == ("array", "int64")
    assert (found["bias"]["nullable"], found["bias"]["shapes"]) == (True, [{"dims": ["2 * features"]}])
    assert found["scale"] == {"name": "scale", "ctype": "double", "kind": "float"}
    assert (found["state"]["written"], found["state"]["inout"]) == (True, True)
    assert (found["output"]["nullable"], found["output"]["aliases"]) == (True, ["input", "state"])
    assert found["scratch"] == {
        "name": "scratch", "ctype": "void *", "kind": "workspace", "size": "bytes",
        "call": ["mix_size", ["batch", "features"]],
    }  # fmt: skip
    assert found["bytes"]["kind"] == "workspace_size"
    assert (mix["status"], mix["backward_of"], mix["annotated"], mix["callable"]) == (True, None, True, True)


def test_shapes_that_parameters_say(tmp_path):
    like = described(tmp_path, ALL)["like"]
    found = parameters(like)
    assert found["a"]["shapes"] == [{"like": ["shape1", "ndim1"]}]
    assert found["out"]["shapes"] == [{"broadcast": ["shape1", "ndim1", "shape2", "ndim2"]}]
    assert found["flag"]["shapes"] == [{"dims": []}]
    assert (found["shape1"]["kind"], found["shape1"]["shapes"]) == ("sizes", [{"dims": ["ndim1"]}])
    assert (like["status"], like["backward_of"]) == (False, None)


def test_which_array_determines_a_number(tmp_path):
    """The first that is read and cannot be NULL; an expression determines nothing."""
    functions = described(
        tmp_path,
        ALL
        + """
void other(const float *a THAW_SHAPE(n) THAW_NULLABLE, const float *b THAW_SHAPE(2 * n, (m)), float *c THAW_SHAPE(k),
           const float *d THAW_SHAPE(7, n), int64_t n, int64_t m, int64_t k);
""",
    )

    def sources(name):
        return {p["name"]: p["source"] for p in functions[name]["parameters"] if "source" in p}

    assert sources("mix") == {"batch": ["input", 0], "features": ["input", 1], "count": ["state", 0]}
    assert sources("other") == {"n": ["d", 1], "m": ["b", 1], "k": None}
    assert sources("like") == {
        "shape1": ["a", "shape"], "ndim1": ["a", "ndim"], "shape2": ["b", "shape"], "ndim2": ["b", "ndim"]
    }  # fmt: skip


@pytest.mark.parametrize("prototype, forms", [
    ("void f(const float *x THAW_SHAPE(n), float *y THAW_SHAPE(n), int64_t n)", ["out", "default"]),
    ("void f(float *y THAW_SHAPE(n) THAW_INOUT, int64_t n)", ["out", "default"]),
    ("THAW_STATUS int f(const float *x, float *y)", ["out"]),  # nobody knows how large y is
    ("void f(float *y THAW_SHAPE(n), int64_t n)", ["out"]),  # nor where
    ("void f(const float *x THAW_SHAPE(n) THAW_NULLABLE, float *y THAW_SHAPE(n), int64_t n)", ["out"]),
    ("void f(const float *x THAW_SHAPE(n), int64_t n)", ["out"]),
    ("void f(const float *x, float *y, int64_t n)", ["out"]),
    ("int f(const float *x, float *y, int64_t n)", ["out"]),
    ("float f(const float *x THAW_SHAPE(n), float *y THAW_SHAPE(n), int64_t n)", []),
    ("THAW_STATUS int f(int n)", []),
    ("void f(const float *x, FILE *file)", []),
    ("void f(const char *name, const float *x)", []),
    ("void f(const float *x, ...)", []),
])  # fmt: skip
def test_which_forms_an_operator_has(tmp_path, prototype, forms):
    assert described(tmp_path, f"typedef struct file FILE;\n{prototype};")["f"]["forms"] == forms


def test_elements_of_16_bits(tmp_path):
    text = "void f(const thaw_bfloat16 *a, thaw_float16 *b, const uint16_t *c, uint16_t d);"
    function = described(tmp_path, text)["f"]
    assert [p.get("dtype") for p in function["parameters"]] == ["bfloat16", "float16", "uint16", None]
    assert function["annotated"] is False


# Variants

BASE = """
size_t f_size(int64_t n);
size_t f_size_f64(int64_t n);
void g(const float *x THAW_SHAPE(n), int32_t *largest THAW_SHAPE(), int64_t n);
/* Doubles. */
THAW_STATUS THAW_BACKWARD_OF(g)
int f(const float *x THAW_SHAPE(n), float *y THAW_SHAPE(n) THAW_ALIAS(x) THAW_GRADIENT_OF(x), int64_t n,
      void *scratch THAW_WORKSPACE(bytes, f_size(n)), size_t bytes);
"""
VARIANTS = """
THAW_VARIANT_OF(f)
int f_f64(const double *x, double *y, int64_t n, void *scratch THAW_WORKSPACE(bytes, f_size_f64(n)), size_t bytes);
THAW_VARIANT_OF(f)
int f_bf16(const thaw_bfloat16 *x, thaw_bfloat16 *y, int64_t n, void *scratch, size_t bytes);
THAW_VARIANT_OF(f)
int f_f64_cuda(const double *x, double *y, int64_t n, void *scratch, size_t bytes, void *stream);
"""


@pytest.mark.parametrize("is_included", [False, True])
def test_a_variant_has_the_words_of_its_base(tmp_path, is_included):
    if is_included:
        functions = described(tmp_path, '#include "base.h"\n' + VARIANTS, base=BASE)
    else:
        functions = described(tmp_path, BASE + VARIANTS)
    for name, dtype in (("f_f64", "float64"), ("f_bf16", "bfloat16"), ("f_f64_cuda", "float64")):
        function = functions[name]
        found = parameters(function)
        assert (function["operator"], function["status"], function["backward_of"]) == ("f", True, "g")
        assert found["y"]["shapes"] == [{"dims": ["n"]}] and found["y"]["aliases"] == ["x"]
        assert found["x"]["dtype"] == dtype
        assert "Doubles." in function["doc"]
    assert parameters(functions["f_f64"])["scratch"]["call"] == ["f_size_f64", ["n"]], "its own word"
    assert parameters(functions["f_bf16"])["scratch"]["call"] == ["f_size", ["n"]]
    cuda = functions["f_f64_cuda"]
    assert (cuda["device"], parameters(cuda)["stream"]["kind"]) == ("cuda", "stream")
    assert functions["f_f64"]["device"] == "cpu"
    with_kernels = [name for name, function in functions.items() if function["forms"]]
    assert with_kernels == ["f_bf16"] if is_included else ["f", "g"], "one function stands for the operator"


# Wrong words: line (of words.h without its prologue, from 1), the header, what the message names

X = "const float *x THAW_SHAPE(n)"
WRONG = [
    (1, "void f(float *x THAW_SHAPE(n));", names("f", "x", "THAW_SHAPE", "integer", "n")),
    (2, "void f(float *x\n  THAW_SHAPE(y), double y);", names("f", "x", "THAW_SHAPE", "integer", "y", "double")),
    (1, "void f(float *x THAW_SHAPE(n % 2), int n);", names("f", "x", "THAW_SHAPE", "integer", "n % 2")),
    (1, "void f(float *x THAW_SHAPE(n +), int n);", names("f", "x", "THAW_SHAPE", "integer", "n +")),
    (1, "void f(float *x THAW_SHAPE(99999999999999999999));",
     names("f", "x", "THAW_SHAPE", "int64_t", "99999999999999999999")),
    (1, "void f(float *x THAW_SHAPE);", names("f", "x", "THAW_SHAPE", "parentheses", "(...)", "none")),
    (1, "void f(float *x THAW_SHAPE(n,), int n);", names("f", "x", "THAW_SHAPE", "parentheses", "(...)", "(n, )")),
    (1, f"void f(float *x THAW_SHAPE({', '.join('1' * 65)}));", names("f", "x", "THAW_SHAPE", "64", "65")),
    (1, "void f(int n THAW_SHAPE(3));", names("f", "n", "THAW_SHAPE", "int")),
    (1, "void f(const char *x THAW_NULLABLE);", names("f", "x", "THAW_NULLABLE", "const char *")),
    (1, "void f(float *x THAW_LIKE(s), const int64_t *s);", names("f", "x", "THAW_LIKE", "(shape, ndim)", "(s)")),
    (1, "void f(float *x THAW_LIKE(s, n), const int64_t *s);", names("f", "x", "THAW_LIKE", "integer", "n")),
    (1, "void f(float *x THAW_LIKE(s, n), const int32_t *s, int n);",
     names("f", "x", "THAW_LIKE", "const int64_t *", "s", "const int32_t *")),
    (1, "void f(float *x THAW_BROADCAST(s, n, t, m), const int64_t *s, int n, int m);",
     names("f", "x", "THAW_BROADCAST", "const int64_t *", "t")),
    (1, "void f(const float *x THAW_INOUT);", names("f", "x", "THAW_INOUT", "const", "const float *")),
    (1, f"void f({X} THAW_ALIAS(y), float *y, int n);", names("f", "x", "THAW_ALIAS", "const", "const float *")),
    (1, "void f(float *x THAW_ALIAS(y), int y);", names("f", "x", "THAW_ALIAS", "y")),
    (1, "void f(float *x THAW_ALIAS(x));", names("f", "x", "THAW_ALIAS")),
    (1, "void f(float *x THAW_ALIAS());", names("f", "x", "THAW_ALIAS", "arrays", "parentheses", "none")),
    (1, "void f(float *x THAW_WORKSPACE(n, g()), int n);", names("f", "x", "THAW_WORKSPACE", "void *", "float *")),
    (1, "void f(void *x THAW_WORKSPACE(m, g()), int n);", names("f", "x", "THAW_WORKSPACE", "integer", "m")),
    (1, "void f(void *x THAW_WORKSPACE(n, g()), int n);", names("f", "x", "THAW_WORKSPACE", "g")),
    (1, "void f(void *x THAW_WORKSPACE(n, 3 * n), int n);",
     names("f", "x", "THAW_WORKSPACE", "f_workspace_size(batch)", "3 * n")),
    (2, "size_t g(int64_t n);\nvoid f(void *x THAW_WORKSPACE(m, g()), int m, int n);",
     names("f", "x", "THAW_WORKSPACE", "size_t", "0", "size_t g(n)")),
    (2, "int g(int64_t n);\nvoid f(void *x THAW_WORKSPACE(m, g(n)), int m, int n);",
     names("f", "x", "THAW_WORKSPACE", "size_t", "1", "int g(n)")),
    (2, "size_t g(int64_t n);\nvoid f(void *x THAW_WORKSPACE(m, g(m)), int m);",
     names("f", "x", "THAW_WORKSPACE", "workspace", "m")),
    (1, "THAW_STATUS void f(int n);", names("f", "THAW_STATUS", "int", "void")),
    (1, "THAW_BACKWARD_OF(g) void f(int n);", names("f", "THAW_BACKWARD_OF", "g")),
    (1, "THAW_VARIANT_OF(g) void f(int n);", names("f", "THAW_VARIANT_OF", "g")),
    (1, "THAW_VARIANT_OF() void f(int n);", names("f", "THAW_VARIANT_OF", "(base)", "none")),
    (1, "THAW_VARIANT_OF(f) void f(int n);", names("f", "THAW_VARIANT_OF", "variant")),
    (1, "THAW_VARIANT_OF(g) void f(int n);\nTHAW_VARIANT_OF(f) void g(int n);",
     names("f", "THAW_VARIANT_OF", "variant", "g")),
    (2, "void f(const float *x, int n);\nTHAW_VARIANT_OF(f) void g(const double *y, int n);",
     names("g", "THAW_VARIANT_OF", "f", "(x, n)", "void *stream", "(y, n)")),
    (2, "void f(const float *x, int n);\nTHAW_VARIANT_OF(f) void g(const double *x, long n);",
     names("g", "THAW_VARIANT_OF", "f", "(x, n)", "void *stream", "others")),
    (2, "void f(const float *x);\nTHAW_VARIANT_OF(f) void g(double *x);",
     names("g", "THAW_VARIANT_OF", "f", "(x)", "void *stream", "others")),
    (2, "void f(const float *x);\nTHAW_VARIANT_OF(f) void g(const double *x, void *stream);",
     names("g", "THAW_VARIANT_OF", "_cuda", "stream")),
    (2, "void f(const float *x);\nTHAW_VARIANT_OF(f) int g(const double *x);",
     names("g", "THAW_VARIANT_OF", "void", "int")),
    (1, "THAW_ERROR_MESSAGE int f(void);", names("f", "THAW_ERROR_MESSAGE", "const char *f(void)", "int f(void)")),
    (1, "THAW_NUM_THREADS int f(void);", names("f", "THAW_NUM_THREADS", "int f(int)", "int f(void)")),
    (1, "THAW_NUM_THREADS void f(int n);", names("f", "THAW_NUM_THREADS", "int f(int)", "void f(n)")),
    (1, "THAW_ERROR_CODE(1, WHAT) int f(void);", names("f", "THAW_ERROR_CODE", "integer", "constants", "WHAT")),
    (2, "THAW_ERROR_CODE(1) int f(void);\nTHAW_ERROR_CODE(2) int g(void);", names("g", "THAW_ERROR_CODE", "f")),
    (1, "THAW_NULLABLE void f(float *x);", names("f", "THAW_NULLABLE", "place")),
    (1, "void f(float *x THAW_STATUS);", names("f", "THAW_STATUS", "place")),
    (1, "void f(void (*g)(float *x THAW_NULLABLE));", names("f", "THAW_NULLABLE", "place")),
    (1, "typedef void (*f)(float *x THAW_NULLABLE);", names("THAW_NULLABLE", "parameter", "place")),
    (1, "struct s { float *x THAW_NULLABLE; };", names("THAW_NULLABLE", "parameter", "place")),
    (1, "void f(float *x) THAW_STATUS;", names("f", "THAW_STATUS", "place")),
    (2, "void f(float *x THAW_NULLABLE);\nvoid f(float *x THAW_INOUT);", names("f", "annotations", "words.h:5")),
    (1, f"void f(float *a0 THAW_NULLABLE, {', '.join(f'int a{i}' for i in range(1, 65))});", names("f", "64", "65")),
    (1, f"void f(float *x THAW_SHAPE({' + '.join('n' * 101)}), int n);",
     names("f", "x", "THAW_SHAPE", "200", ' + '.join('n' * 101))),
]  # fmt: skip


@pytest.mark.parametrize("line, text, message", WRONG, ids=range(len(WRONG)))
def test_wrong_words_are_named_with_their_place(tmp_path, line, text, message):
    path = tmp_path / "words.h"
    with pytest.raises(annotations.AnnotationError, match=message + re.escape(f"{path}:{line + 4}: ")) as error:
        extension(tmp_path, text).interface()
    assert isinstance(error.value, (ValueError, torchthaw.extension.BuildError))


def test_a_wrong_word_leaves_the_previous_build(tmp_path, monkeypatch):
    monkeypatch.setenv("TORCHTHAW_CACHE", str(tmp_path / "cache"))
    text = "static inline int f(const float *x THAW_SHAPE(n), int n) { return x[0] > n; }"
    extension(tmp_path, text).build()
    product = tmp_path / "_ext" / "words" / "_words.so"
    before = product.read_bytes()
    with pytest.raises(torchthaw.extension.BuildError, match=names("words.h:5", "f", "x", "THAW_SHAPE", "m")):
        extension(tmp_path, text.replace("(n)", "(m)")).build()
    assert product.read_bytes() == before


def test_words_in_an_included_header_are_noticed(tmp_path, monkeypatch):
    """A build looks at the headers that a header includes, too: variants take over what stands there."""
    made = extension(tmp_path, '#include "base.h"\n' + VARIANTS, base=BASE)
    before = made.facts()
    (tmp_path / "base.h").write_text(PROLOGUE + BASE.replace("THAW_ALIAS(x)", ""))
    assert made.facts() != before


# Sizes


@pytest.mark.parametrize("text, normal", [
    ("n", "n"), (" ( n ) ", "n"), ("3*n+m", "3 * n + m"), ("3*(n+m)", "3 * (n + m)"), ("n-(m-1)", "n - (m - 1)"),
    ("n-m-1", "n - m - 1"), ("n/(m*2)", "n / (m * 2)"), ("n/m*2", "n / m * 2"),
    ("(n+2*p-k)/s+1", "(n + 2 * p - k) / s + 1"),
    ("-n + 1", "-n + 1"), ("-(n + 1)", "-(n + 1)"), ("0x10u", "16"), ("010", "8"), ("7ULL", "7"),
])  # fmt: skip
def test_sizes_are_written_alike(text, normal):
    parsed = dimensions.parse(text)
    assert dimensions.text(parsed) == normal
    assert dimensions.parse(normal) == parsed


@pytest.mark.parametrize("text", [
    "", "n n", "n ** 2", "f(n)", "sizeof(n)", "(n", "n)", "1.5", "n ? 1 : 2", "3x", "n[0]",
])  # fmt: skip
def test_what_is_no_size(text):
    with pytest.raises(ValueError, match="an integer expression"):
        dimensions.parse(text)


# The records, as an extension has them


class Parameter(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p), ("kind", ctypes.c_int), ("flags", ctypes.c_int), ("offset", ctypes.c_int),
        ("code", ctypes.c_int), ("bits", ctypes.c_int), ("reserved", ctypes.c_int), ("source", ctypes.c_int),
        ("source_dim", ctypes.c_int), ("aliases", ctypes.c_uint64),
    ]  # fmt: skip


SIZES = ctypes.POINTER(ctypes.c_int64)
SHAPE = ctypes.CFUNCTYPE(SIZES, ctypes.c_void_p, ctypes.c_int, ctypes.c_int, SIZES, SIZES)
WORKSPACE = ctypes.CFUNCTYPE(ctypes.c_size_t, ctypes.c_void_p)


class Function(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p), ("doc", ctypes.c_char_p), ("trampoline", ctypes.c_void_p), ("run", ctypes.c_void_p),
        ("parameters", ctypes.POINTER(Parameter)), ("parameter_count", ctypes.c_int), ("variadic", ctypes.c_int),
        ("result", ctypes.c_int), ("result_offset", ctypes.c_int), ("result_code", ctypes.c_int),
        ("result_bits", ctypes.c_int), ("status", ctypes.c_int), ("operator_base", ctypes.c_int), ("shape", SHAPE),
        ("workspace", WORKSPACE), ("workspace_parameter", ctypes.c_int), ("workspace_size_parameter", ctypes.c_int),
        ("kernel", ctypes.c_void_p), ("kernel_out", ctypes.c_void_p),
    ]  # fmt: skip

    def shapes(self, parameter, **numbers):
        """The shapes of a parameter as tuples, None for one that there is not; numbers: of the frame."""
        frame, kept = ctypes.create_string_buffer(1024), []
        index = None
        for i in range(self.parameter_count):
            each = self.parameters[i]
            name = each.name.decode()
            index = i if name == parameter else index
            value = numbers.get(name, 0)
            if isinstance(value, tuple):
                kept.append((ctypes.c_int64 * len(value))(*value))
                value = ctypes.addressof(kept[-1])
            width = {"n32": 4}.get(name, 8)
            frame[each.offset : each.offset + width] = (value % 2 ** (8 * width)).to_bytes(width, "little")
        room, ndim, found = (ctypes.c_int64 * 64)(), ctypes.c_int64(), []
        while True:
            sizes = self.shape(ctypes.addressof(frame), index, len(found), room, ctypes.byref(ndim))
            if not sizes and ndim.value == 0:
                return found
            assert bool(sizes) == (ndim.value >= 0)
            found.append(tuple(sizes[: ndim.value]) if sizes else None)


RECORDS = """
enum { TWO = 2, NINE = 9 };
THAW_ERROR_MESSAGE
const char *last_message(void);
THAW_ERROR_CODE(TWO, 7)
int last_code(void);
void plain(const float *x, const int64_t *shape, float *y, int64_t n);
void sums(const float *x THAW_SHAPE(n + m, n - m, n * m, n / m), const float *wide THAW_SHAPE(big),
          const float *narrow THAW_SHAPE(3 * n32), const float *scalar THAW_SHAPE(),
          const float *two THAW_SHAPE(n, m) THAW_SHAPE(m, n), int64_t n, int64_t m, size_t big, int32_t n32);
"""
CODE = """
#include "words.h"
size_t mix_size(int64_t batch, int32_t features) { return (size_t)(1000 * batch + features); }
const char *last_message(void) { return "wrong"; }
int last_code(void) { return NINE; }
size_t f_size(int64_t n) { return (size_t)n; }
size_t f_size_f64(int64_t n) { return 2 * (size_t)n; }
"""
# Nothing of it is called.
STUBS = """
#define EMPTY(name) void name(void) { }
EMPTY(mix) EMPTY(like) EMPTY(plain) EMPTY(sums) EMPTY(f) EMPTY(g) EMPTY(f_f64) EMPTY(f_bf16) EMPTY(f_f64_cuda)
"""
ACCESS = """
#define SHOWN __attribute__((visibility("default")))
SHOWN const thaw_function *shown_functions(void) { return thaw_functions; }
SHOWN const thaw_module *shown_module(void) { return &thaw_this_module; }
SHOWN int shown_codes(int i) { return i < 0 ? (int)thaw_this_module.runtime_code_count : thaw_runtime_codes[i]; }
SHOWN int shown_error(void) { return thaw_this_module.error_code(); }
SHOWN const char *shown_message(void) { return thaw_this_module.error_message(); }
SHOWN size_t shown_table_size(void) { return thaw_this_module.table_size; }
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """The extension's library, which shows its records; (library, {name: Function})."""
    folder = tmp_path_factory.mktemp("records")
    made = extension(folder, ALL + RECORDS + BASE + VARIANTS)
    (folder / "_words.c").write_text(made.c_text() + ACCESS)
    (folder / "code.c").write_text(CODE)
    (folder / "stubs.c").write_text(STUBS)
    flags = ["-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", f"-D{'='.join(LIMITED_API)}"]
    command = [*toolchain.c_compiler(), *flags, f"-I{toolchain.python_include()}", *cdef.annotate_flags()]
    sources = [folder / "_words.c", folder / "code.c", folder / "stubs.c"]
    subprocess.run([*command, *sources, "-o", folder / "words.so"], check=True, cwd=folder)
    shown = ctypes.CDLL(folder / "words.so")
    shown.shown_functions.restype = ctypes.POINTER(Function)
    shown.shown_message.restype = ctypes.c_char_p
    shown.shown_table_size.restype = ctypes.c_size_t
    functions, found = shown.shown_functions(), {}
    while functions[len(found)].name:
        found[functions[len(found)].name.decode()] = functions[len(found)]
    return shown, found


CHECKED, MAY_BE_NULL, READ_TOO, SCRATCH, WRITTEN, IS_SIZES = 8, 16, 32, 64, 1, 2


@pytest.mark.slow
def test_records_of_parameters(library):
    _, functions = library
    mix = {p.name.decode(): p for p in functions["mix"].parameters[: functions["mix"].parameter_count]}
    assert {name: p.flags for name, p in mix.items()} == {
        "input": CHECKED, "target": CHECKED, "bias": CHECKED | MAY_BE_NULL, "batch": 0, "features": 0, "scale": 0,
        "state": WRITTEN | CHECKED | READ_TOO, "count": 0, "output": WRITTEN | CHECKED | MAY_BE_NULL,
        "scratch": WRITTEN | CHECKED | SCRATCH, "bytes": 0,
    }  # fmt: skip
    sources = {name: (p.source, p.source_dim) for name, p in mix.items() if p.source}
    assert sources == {"batch": (1, 0), "features": (1, 1), "count": (7, 0)}
    assert {name: p.aliases for name, p in mix.items() if p.aliases} == {"output": 1 << 0 | 1 << 6}
    like = {p.name.decode(): p for p in functions["like"].parameters[: functions["like"].parameter_count]}
    sources = {name: (p.source, p.source_dim) for name, p in like.items() if p.source}
    assert sources == {"shape1": (1, -1), "ndim1": (1, -2), "shape2": (4, -1), "ndim2": (4, -2)}
    assert like["shape1"].flags == IS_SIZES | CHECKED
    halves = functions["f_bf16"].parameters[0]
    assert (halves.code, halves.bits) == (4, 16)


@pytest.mark.slow
def test_records_of_functions(library):
    _, functions = library
    names = sorted(functions)
    mix, like, plain = functions["mix"], functions["like"], functions["plain"]
    assert (mix.status, mix.workspace_parameter, mix.workspace_size_parameter) == (1, 10, 11)
    assert (like.status, like.workspace_parameter, like.workspace_size_parameter) == (0, 0, 0)
    assert like.shape and not like.workspace
    assert like.kernel and like.kernel_out and like.kernel != like.kernel_out
    assert functions["f"].operator_base == 0 and functions["f"].kernel
    for name in ("f_f64", "f_bf16", "f_f64_cuda"):
        assert functions[name].operator_base == 1 + names.index("f"), name
        assert not functions[name].kernel and not functions[name].kernel_out
    assert not plain.shape and plain.kernel_out and not plain.kernel
    assert not functions["mix_size"].kernel_out, "no operator"


@pytest.mark.slow
def test_records_without_annotations_are_as_before(library):
    """Zero in each new field, but for the kernel and the description."""
    plain = library[1]["plain"]
    assert [plain.parameters[i].flags for i in range(4)] == [0, IS_SIZES, WRITTEN, 0]
    assert all((p.source, p.source_dim, p.aliases) == (0, 0, 0) for p in plain.parameters[:4])
    assert (plain.status, plain.operator_base, plain.workspace_parameter) == (0, 0, 0)


@pytest.mark.slow
def test_how_the_module_reports_failures(library):
    shown, _ = library
    assert (shown.shown_codes(-1), shown.shown_codes(0), shown.shown_codes(1)) == (2, 2, 7)
    assert (shown.shown_error(), shown.shown_message()) == (9, b"wrong")
    assert shown.shown_table_size() == 80, "up to kernel"


BIG = 2**62


@pytest.mark.slow
@pytest.mark.parametrize("parameter, numbers, shapes", [
    ("x", {"n": 7, "m": 2}, [(9, 5, 14, 3)]),
    ("x", {"n": 2, "m": 7}, [None]),  # a negative size
    ("x", {"n": 7, "m": 0}, [None]),  # divided by zero
    ("x", {"n": BIG, "m": 4}, [None]),  # overflow
    ("wide", {"big": 5}, [(5,)]),
    ("wide", {"big": 2**63}, [None]),
    ("narrow", {"n32": 7}, [(21,)]),
    ("narrow", {"n32": -7}, [None]),
    ("scalar", {}, [()]),
    ("two", {"n": 3, "m": 4}, [(3, 4), (4, 3)]),
    ("n", {}, []),
])  # fmt: skip
def test_shapes_that_are_computed(library, parameter, numbers, shapes):
    assert library[1]["sums"].shapes(parameter, **numbers) == shapes


@pytest.mark.slow
@pytest.mark.parametrize("shape1, shape2, together", [
    ((2, 3), (2, 3), (2, 3)), ((2, 1), (3,), (2, 3)), ((), (4, 5), (4, 5)), ((1,), (0,), (0,)),
    ((5, 1, 3), (4, 1), (5, 4, 3)),
    ((2,), (3,), None), ((2, 3), (3, 2), None), ((), (), ()), ((-1,), (1,), None),
])  # fmt: skip
def test_shapes_that_broadcast(library, shape1, shape2, together):
    like = library[1]["like"]
    numbers = {"shape1": shape1, "ndim1": len(shape1), "shape2": shape2, "ndim2": len(shape2)}
    assert like.shapes("out", **numbers) == [together]
    assert like.shapes("shape1", **numbers) == [(len(shape1),)]
    assert like.shapes("flag", **numbers) == [()]


@pytest.mark.slow
@pytest.mark.parametrize("shape, ndim, expected", [
    ((2, 3), 2, (2, 3)), ((2, 3), 1, (2,)), (0, 0, ()), ((2, -3), 2, None), ((2,), -1, None), (0, 1, None),
    ((1,) * 64, 64, (1,) * 64), ((1,) * 65, 65, None),
])  # fmt: skip
def test_shapes_that_parameters_give(library, shape, ndim, expected):
    """``shape`` 0 is NULL."""
    assert library[1]["like"].shapes("a", shape1=shape, ndim1=ndim) == [expected]


@pytest.mark.slow
def test_the_bytes_of_a_workspace(library):
    mix = library[1]["mix"]
    frame = ctypes.create_string_buffer(1024)
    offsets = {p.name.decode(): p.offset for p in mix.parameters[: mix.parameter_count]}
    frame[offsets["batch"] : offsets["batch"] + 8] = (3).to_bytes(8, "little")
    frame[offsets["features"] : offsets["features"] + 4] = (7).to_bytes(4, "little")
    assert mix.workspace(ctypes.addressof(frame)) == 3007


# Headers without words, and ours


@pytest.mark.parametrize("text", [
    "#include <stdint.h>\n#ifndef H\n#define H\n#define N (3 << 2)\nint f(const float *x, int64_t n);\n#endif\n",
    "int f(const float *x, long n);\n",
])  # fmt: skip
def test_a_header_without_words_is_read_as_before(tmp_path, text, monkeypatch):
    """The declarations are the same as without this reader, which finds nothing."""
    path = tmp_path / "plain.h"
    path.write_text(text)
    declared = cdef.parse([path])
    assert (declared.annotated, declared.preprocessed) == ({}, "")
    monkeypatch.setattr(annotations, "take", lambda lines: (lines, {}))
    assert cdef.parse([path]).text == declared.text
    _, _, module = torchthaw.create_extension("plain", "plain.h", relative_to=tmp_path / "x").interface()
    function = json.loads(module.json())["functions"][0]
    assert (function["annotated"], function["status"], function["forms"]) == (False, False, ["out"])


HEADERS = ROOT / "c_api" / "include"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["my_lib", "my_lib_cuda"])
def test_our_headers_are_annotated_throughout(name):
    """Every array of an operator has a shape, every operator a status; all but the base is a variant."""
    made = torchthaw.create_extension(
        name, HEADERS / f"{name}.h", include_dirs=[HEADERS], relative_to=HEADERS, ops="my_lib"
    )
    _, _, module = made.interface()
    found = json.loads(module.json())
    assert found["namespace"] == "my_lib"
    operators = set()
    for function in found["functions"]:
        arrays = [p for p in function["parameters"] if p["kind"] in ("array", "sizes")]
        if not arrays:
            continue
        operators.add(function["operator"])
        assert function["status"], function["name"]
        assert re.sub(r"_f64|_f16|_bf16|_cuda", "", function["name"]) == function["operator"]
        for parameter in arrays:
            assert parameter["shapes"], (function["name"], parameter["name"])
        assert (function["backward_of"] is not None) == ("_backward" in function["name"])
        assert ("default" in function["forms"]) == (function["name"] in leading(found)), function["name"]
        assert not any(p["name"] == "workspace" and p["kind"] != "workspace" for p in function["parameters"])
        assert "Since 1." in function["doc"], function["name"]
    assert len(operators) == 16
    assert module.error_message == "my_lib_last_error_message" and module.error_code == "my_lib_last_error_code"
    codes = {f"MY_LIB_ERROR_{name}" for name in ("NO_GPU", "CUDA", "NOT_PREPARED")}
    assert set(module.runtime_codes) == codes


def leading(found):
    """The first function of each operator, or the one that has its name."""
    first = {}
    for function in found["functions"]:
        if function["name"] == function["operator"]:
            first[function["operator"]] = function["name"]
    for function in found["functions"]:
        first.setdefault(function["operator"], function["name"])
    return set(first.values())


# Options


def test_the_namespace_of_operators(tmp_path):
    made = extension(tmp_path, "void f(float *x);", name="_ext.words")
    assert json.loads(made.interface()[2].json())["namespace"] == "_ext_words"
    given = torchthaw.create_extension("a.words", "words.h", relative_to=tmp_path / "x", ops="mine")
    assert json.loads(given.interface()[2].json())["namespace"] == "mine"
    for wrong in ("a.b", "", 3):
        with pytest.raises(ValueError, match=names("ops", "identifier", repr(wrong))):
            torchthaw.create_extension("a.words", "words.h", relative_to=tmp_path / "x", ops=wrong)


def test_the_extension_has_its_description():
    from _ext.my_lib import _my_lib

    found = json.loads(_my_lib.description)
    assert (found["version"], found["namespace"], found["headers"]) == (1, "my_lib", ["my_lib.h"])
    assert {"lltm_forward", "my_lib_version"} <= {function["name"] for function in found["functions"]}
