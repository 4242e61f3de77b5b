"""tests/build/test_symbols.py: symbols that nothing has stop a build, not an import; those that something has do
not."""

import ctypes
import os
import shutil
import subprocess
import sys
import textwrap

import pytest

from support import SRC
from torchthaw import create_extension
from torchthaw.base import toolchain
from torchthaw.extension import BuildError, symbols


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A folder whose sum.c calls square(), which is in no source; and a function to build it with options."""
    monkeypatch.setenv("TORCHTHAW_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "sum.h").write_text("double sum(double a, double b);\n")
    write(folder, "double square(double); double sum(double a, double b) { return sqrt(square(a) + square(b)); }")
    return folder


def write(folder, text, name="sum.c"):
    (folder / name).write_text(f"#include <math.h>\n{text}\n")


def build(folder, sources=("sum.c",), **options):
    create_extension("_ext.sum", "sum.h", sources, folder / "build.py", **options).build()


def library(folder, name, text, *flags):
    """Makes lib``name``.so of C."""
    write(folder, text, f"{name}.c")
    command = [*toolchain.c_compiler(), "-shared", "-fPIC", f"{name}.c", *flags, "-o", f"lib{name}.so"]
    subprocess.run(command, cwd=folder, check=True)


def call(folder, before=""):
    code = f"{before}\nfrom _ext import sum\nprint(sum.sum(3, 4))"
    environment = {**os.environ, "PYTHONPATH": str(SRC)}
    return subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, env=environment)


def test_they_are_named(project):
    with pytest.raises(BuildError, match=r"/_ext/sum/_sum.so: undefined symbols: square\. Expected .* libraries"):
        build(project)
    assert not (project / "_ext" / "sum" / "_sum.so").exists()


@pytest.mark.slow
def test_all_are_named_as_the_language_has_them(project):
    (project / "sum.cpp").write_text(
        textwrap.dedent("""
        #include "Python.h"
        #include <string>
        namespace own { int length(const std::string &text, double x); }
        extern "C" { double square(double); extern int table[3]; }
        extern "C" double sum(double a, double b) {
          return square(a) + table[1] + own::length(std::string(7, 'x'), b) + Py_IsInitialized();
        }
    """)
    )
    with pytest.raises(BuildError) as caught:
        build(project, ["sum.cpp"], include_dirs=[toolchain.python_include()])
    named = str(caught.value).partition("symbols: ")[2].partition(". Expected")[0]
    assert named.startswith("own::length(std::") and named.endswith(" const&, double), square, table")


@pytest.mark.slow
def test_the_good_extension_stays(project):
    write(project, "double sum(double a, double b) { return a + b; }")
    build(project)
    write(project, "double square(double); double sum(double a, double b) { return square(a); }")
    for _ in range(2):
        with pytest.raises(BuildError, match="undefined symbols: square[.]"):
            build(project)
    assert call(project).stdout == "7.0\n"
    write(project, "double sum(double a, double b) { return a * b; }")
    build(project)
    assert call(project).stdout == "12.0\n"


def test_a_library_that_the_build_names_has_them(project):
    library(project, "square", "double square(double x) { return x * x; }")
    build(project, libraries=["square"], library_dirs=["."], runtime_library_dirs=["."])
    assert call(project).stdout == "5.0\n"


def archive(folder, text):
    """Makes libother.a of C."""
    write(folder, text, "other.c")
    subprocess.run([*toolchain.c_compiler(), "-fPIC", "-c", "other.c"], cwd=folder, check=True)
    subprocess.run(["ar", "rcs", "libother.a", "other.o"], cwd=folder, check=True)


@pytest.mark.slow
def test_a_failed_build_is_not_linked_again(project):
    """ninja watches neither the archive nor the folders of the environment."""
    archive(project, "double other(double x) { return x; }")
    options = {"libraries": ["other"], "library_dirs": [project]}
    with pytest.raises(BuildError, match="undefined symbols: square"):
        build(project, **options)
    archive(project, "double square(double x) { return x * x; }")
    build(project, **options)
    assert call(project).stdout == "5.0\n"


@pytest.mark.slow
def test_a_failed_build_is_not_compiled_of_what_was_there(project, monkeypatch):
    """A header that another folder of the environment has by now."""
    for name, text in [("old", ""), ("new", "#define square(x) ((x) * (x))\n")]:
        (project / name).mkdir()
        (project / name / "other.h").write_text(text)
    write(project, "double sum(double a, double b) { return sqrt(square(a) + square(b)); }\n")
    (project / "sum.c").write_text("#include <other.h>\n" + (project / "sum.c").read_text())
    monkeypatch.setenv("CPATH", str(project / "old"))
    with pytest.raises(BuildError, match="undefined symbols: square|implicit declaration"):
        build(project)
    monkeypatch.setenv("CPATH", str(project / "new"))
    build(project)
    assert call(project).stdout == "5.0\n"


def test_an_object_of_the_build_has_them(project):
    library(project, "square", "double square(double x) { return x * x; }")
    build(project, extra_objects=["libsquare.so"])
    assert call(project).stdout == "5.0\n"


def test_weak_symbols_may_be_missing(project):
    write(project, "__attribute__((weak)) int have(void); double sum(double a, double b) { return have ? a : b; }")
    build(project)
    assert call(project).stdout == "4.0\n"


GLOBAL = "import ctypes\nctypes.CDLL('./libglobal.so', mode=ctypes.RTLD_GLOBAL)"


def test_they_can_be_left_to_what_the_program_opens(project):
    library(project, "global", "double square(double x) { return x * x; }")
    build(project, extra_link_args=[symbols.LEFT_OPEN])
    assert "undefined symbol: square" in call(project).stderr
    assert call(project, GLOBAL).stdout == "5.0\n"


@pytest.mark.slow
def test_what_this_process_sees_globally_is_known(project):
    """As PyTorch's own libraries are, and those that a build file opens itself."""
    name = f"square_{os.getpid()}"
    write(project, f"double {name}(double); double sum(double a, double b) {{ return {name}(a); }}")
    library(project, "global", f"double {name}(double x) {{ return x * x; }}")
    with pytest.raises(BuildError, match=f"undefined symbols: {name}[.]"):
        build(project)
    ctypes.CDLL(os.fspath(project / "libglobal.so"), mode=ctypes.RTLD_GLOBAL)
    build(project)
    assert call(project, GLOBAL).stdout == "9.0\n"


def test_without_the_tools_nothing_is_said(project, monkeypatch):
    which = shutil.which
    monkeypatch.setattr(shutil, "which", lambda name, **options: which(name, **options) if name != "nm" else None)
    build(project)
