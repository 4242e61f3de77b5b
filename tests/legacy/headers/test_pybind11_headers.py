"""tests/legacy/headers/test_pybind11_headers.py: a project's own pybind11 that this Python is too new for."""

import os
import re
import subprocess
import sys
import sysconfig

import pytest

from support import ROOT, SRC
from torchthaw.base import installed_torch
from torchthaw.legacy.cpp import cpp_extension, pybind11_headers

pytestmark = pytest.mark.skipif(sys.version_info < pybind11_headers.PYTHON, reason="frames are not hidden yet")

VERSION = "#define PYBIND11_VERSION_MAJOR 2\n#define PYBIND11_VERSION_MINOR {}\n"
# What reads a frame, as the pybind11 of that time did.
READS = "#include <Python.h>\ninline PyObject *name(PyFrameObject *frame) { return frame->f_code->co_name; }\n"
SOURCE = '#include <pybind11/pybind11.h>\nPYBIND11_MODULE(a, m) { m.attr("x") = 1; }\n'
RUN = "import sys; from torchthaw.legacy.cpp import cxx; cxx.run(sys.argv[1:])"


@pytest.fixture
def copy(tmp_path):
    """A function: the folder of a pybind11 2.N."""

    def make(minor, file="detail/common.h"):
        own = tmp_path / "own" / "pybind11"
        (own / "detail").mkdir(parents=True)
        (own / file).write_text(VERSION.format(minor))
        (own / "pybind11.h").write_text(READS)
        return own.parent

    return make


@pytest.mark.parametrize("minor, file, replaced", [
    (3, "detail/common.h", True), (1, "common.h", True), (9, "detail/common.h", True), (10, "detail/common.h", False),
])  # fmt: skip
def test_a_copy_for_an_older_python_is_replaced(copy, tmp_path, minor, file, replaced):
    own = copy(minor, file)
    first, changes = pybind11_headers.before([tmp_path, own])
    assert len(first) == len(changes) == replaced
    if replaced:
        assert f"{own}: pybind11 2.{minor} " in changes[0]
        assert pybind11_headers.of(first[0]) >= pybind11_headers.NEEDED


def test_the_first_pybind11_counts(copy, tmp_path):
    newer = pybind11_headers.before([copy(3)])[0][0]
    assert pybind11_headers.before([newer, tmp_path / "own"]) == pybind11_headers.before([tmp_path]) == ([], [])


def test_a_pytorch_that_has_none_replaces_nothing(copy, monkeypatch):
    own = copy(3)
    monkeypatch.setattr(installed_torch, "folder", lambda: None)
    assert pybind11_headers.before([own]) == ([], [])


@pytest.mark.slow
def test_cmake_and_setup_compile_it(copy, tmp_path, capsys):
    own = copy(3)
    (tmp_path / "a.cpp").write_text(SOURCE)
    command = [os.environ.get("CXX", "c++"), "-fsyntax-only", "-std=c++17", f"-I{sysconfig.get_path('include')}"]
    words = [*command, f"-I{own}", "a.cpp"]
    environment = {**os.environ, "PYTHONPATH": str(SRC), "LC_ALL": "C"}

    def compiled(words):
        return subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, env=environment)

    message = re.search(r"error: [\w ]+'PyFrameObject'", compiled(words).stderr)
    assert message and f"## `{message[0]}`\n" in (ROOT / "docs" / "build-stops.md").read_text()
    done = compiled([sys.executable, "-c", RUN, *words])
    assert done.returncode == 0 and "pybind11 2.3" in done.stderr, done.stderr
    folders = cpp_extension.include_dirs([str(own)], "native")
    assert "native: " in capsys.readouterr().err
    assert compiled([*command, *(f"-I{folder}" for folder in folders), "a.cpp"]).returncode == 0
