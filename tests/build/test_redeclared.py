"""tests/build/test_redeclared.py: a function that one header declares gets its words in another one."""

import os
import subprocess
import sys

import pytest

import torchthaw
from support import SRC
from support.messages import names
from torchthaw.header import cdef

FOREIGN = """
typedef double real;
typedef struct state { int n; } state;
typedef state *handle;
int open_state(handle state, int (*progress)(int done));
void scale(const real *, long, real factor, real y[]);
static inline int twice(int n) {
    if (n) { n *= 2; }
    return n;
}
int unused(const float *x);
"""
WORDS = """
void scale(const double *x THAW_SHAPE(n), long int n, double factor, double *y THAW_SHAPE(n));
"""
SOURCE = """#include "foreign.h"
int open_state(state *state, int (*progress)(int done)) { return progress(state->n); }
void scale(const double *x, long n, double factor, double *y) { for (long i = 0; i < n; i++) y[i] = factor * x[i]; }
int unused(const float *x) { return *x > 0; }
"""


def write(folder, words, foreign=FOREIGN, includes=False):
    """The paths of both headers."""
    include = '#include "foreign.h"\n' if includes else ""
    (folder / "foreign.h").write_text(f"#pragma once\n{foreign}")
    (folder / "words.h").write_text(f"#include <torchthaw/annotate.h>\n{include}{words}")
    return [folder / "foreign.h", folder / "words.h"]


def declared(folder, words, **options):
    """The names that the headers declare, and the prototypes."""
    found = cdef.parse(write(folder, words, **options))
    return sorted(cdef.signatures(found.text)), found.annotated


EVERY = ["open_state", "scale", "twice", "unused"]


@pytest.mark.parametrize("includes", [False, True])
@pytest.mark.parametrize("order", [1, -1])
def test_words_for_a_function_of_another_header(tmp_path, includes, order):
    found = cdef.parse(write(tmp_path, WORDS, includes=includes)[::order])
    signatures = cdef.signatures(found.text)
    assert sorted(signatures) == EVERY
    assert signatures["scale"].names == ["x", "n", "factor", "y"]
    assert found.annotated["scale"].is_annotated and len(found.annotated["scale"].others) == 1


def test_a_header_that_is_included_alone(tmp_path):
    headers = write(tmp_path, WORDS, includes=True)
    assert list(cdef.signatures(cdef.parse(headers[1:]).text)) == ["scale"]


def test_a_function_that_the_foreign_header_defines(tmp_path):
    every, annotated = declared(tmp_path, "THAW_STATUS int twice(int n);")
    assert every == EVERY and [word.name for word in annotated["twice"].words] == ["THAW_STATUS"]


def test_a_header_without_a_guard(tmp_path):
    headers = write(tmp_path, WORDS, includes=True)
    headers[0].write_text("void scale(const double *, long, double, double *);\nint unused(const float *x);\n")
    assert sorted(cdef.signatures(cdef.parse(headers).text)) == ["scale", "unused"]


# Words -> what the error names: line of words.h, function, parameter, expected and given type.
DIFFERENT = {
    "void scale(const float *x THAW_SHAPE(n), long n, double factor, double *y);":
        ("words.h:2", "scale", "x", "const real *", "foreign.h:7", "const float *"),
    "void scale(const double *x THAW_SHAPE(n), int n, double factor, double *y);": ("scale", "n", "long", "int"),
    "void scale(const double *x THAW_SHAPE(n), unsigned long n, double factor, double *y);":
        ("scale", "n", "long", "unsigned long"),
    "void scale(const double *x THAW_SHAPE(n), long n, double factor, const double *y);":
        ("scale", "y", "real []", "const double *"),
    "void scale(const double **x, long n, double factor, double *y THAW_NULLABLE);":
        ("scale", "x", "const real *", "const double **"),
    "void scale(const double *x THAW_SHAPE(n), long n, double *y);": ("scale", "4 parameters", "3"),
    "THAW_STATUS int scale(const double *x, long n, double factor, double *y);":
        ("scale", "returns void", "foreign.h:7", "int"),
    "THAW_STATUS int open_state(struct other *state, int (*progress)(int));":
        ("open_state", "state", "handle", "struct other *"),
    "typedef float real;\nvoid scale(const real *x THAW_SHAPE(n), long n, double factor, double *y);":
        ("words.h:2", "real", "double", "foreign.h:3", "float"),
}  # fmt: skip


@pytest.mark.parametrize("words", DIFFERENT)
@pytest.mark.parametrize("includes", [False, True])
def test_another_prototype_is_an_error(tmp_path, words, includes):
    expected = [each.replace("words.h:2", "words.h:3") if includes else each for each in DIFFERENT[words]]
    with pytest.raises(torchthaw.BuildError, match=names(*expected)):
        declared(tmp_path, words, includes=includes)


ALIKE = [
    "void scale(const double *x THAW_SHAPE(n), signed long int n, const double factor, double *restrict y);",
    "void scale(const double x[] THAW_SHAPE(n), long n, real factor, real y[static 3]);",
    "THAW_STATUS int open_state(struct state *state, int (*progress)(int));",
    "typedef double real;\nTHAW_STATUS int open_state(handle, int (*)(int));",
    "THAW_STATUS int unused(const float *);\nTHAW_STATUS int unused(const float *);",
]


@pytest.mark.parametrize("words", ALIKE)
@pytest.mark.parametrize("includes", [False, True])
def test_types_that_are_the_same(tmp_path, words, includes):
    assert declared(tmp_path, words, includes=includes)[0] == EVERY


def test_two_types_of_one_name(tmp_path):
    with pytest.raises(torchthaw.BuildError, match=names("words.h:2", "reals", "foreign.h:2")):
        declared(tmp_path, f"typedef float *reals;\n{WORDS}", foreign=f"typedef double *reals;\n{FOREIGN}")


def test_what_only_a_compiler_knows(tmp_path):
    words = "THAW_STATUS int open_state(state *state, double (*progress)(int));"
    headers = write(tmp_path, words)
    (tmp_path / "foreign.c").write_text(SOURCE)
    with pytest.raises(torchthaw.BuildError, match=names("conflicting types", "open_state", "words.h:2")):
        torchthaw.load("conflicting", sources=[tmp_path / "foreign.c"], headers=headers)


@pytest.mark.slow
def test_a_function_that_is_not_there(tmp_path):
    headers = write(tmp_path, WORDS.replace("scale", "skale"))
    (tmp_path / "foreign.c").write_text(SOURCE)
    with pytest.raises(torchthaw.BuildError, match=names("skale", "words.h:3")):
        torchthaw.load("misspelled", sources=[tmp_path / "foreign.c"], headers=headers)


ENVIRONMENT = {**os.environ, "PYTHONPATH": str(SRC)}
USE = """
import torch
from {package} import native
assert native.scale(torch.ones(2).double(), 2, 3.0, y := torch.empty(2).double()) is None and y.tolist() == [3, 3]
assert torch.equal(torch.ops.{ops}.scale(y, 2.0), 2 * y) and native.twice(4) == 8
"""
SETUP = """
import torchthaw
from setuptools import setup

setup(
    name="wrapped",
    version="1.0",
    packages=["wrapped"],
    ext_modules=[torchthaw.FFIExtension("wrapped.native", headers=["foreign.h", "words.h"], sources=["foreign.c"])],
    cmdclass={"build_ext": torchthaw.BuildExtension},
)
"""


def run(folder, *words):
    done = subprocess.run([sys.executable, *words], cwd=folder, capture_output=True, text=True, env=ENVIRONMENT)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_create_extension_and_setuptools(tmp_path):
    write(tmp_path, WORDS)
    (tmp_path / "foreign.c").write_text(SOURCE)
    made = torchthaw.create_extension(
        "made.native", ["foreign.h", "words.h"], ["foreign.c"], relative_to=tmp_path / "build.py"
    )
    made.build()
    run(tmp_path, "-c", USE.format(package="made", ops="made_native"))
    (tmp_path / "wrapped").mkdir()
    (tmp_path / "wrapped" / "__init__.py").touch()
    (tmp_path / "setup.py").write_text(SETUP)
    run(tmp_path, "setup.py", "-q", "build_ext", "--inplace")
    run(tmp_path, "-c", USE.format(package="wrapped", ops="wrapped_native"))


def test_load_inline(tmp_path):
    write(tmp_path, "")
    words = f'#include <torchthaw/annotate.h>\n#include "foreign.h"\n{WORDS}'
    made = torchthaw.load_inline("inlined", c_sources=SOURCE, headers=words, extra_include_paths=[tmp_path])
    assert made.__all__ == ["scale"]
