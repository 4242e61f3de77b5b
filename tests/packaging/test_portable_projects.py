"""tests/packaging/test_portable_projects.py: make portable-projects on two small repositories, and its records."""

import ast
import re
import subprocess
import sys

import pytest

from support import ROOT
from support.messages import names

sys.path.insert(0, str(ROOT / ".ci"))
import compat  # noqa: E402
import page as pages  # noqa: E402
import portable_projects as portable  # noqa: E402

import projects  # noqa: E402

pytestmark = pytest.mark.timeout(900)  # the first build with a compiler compiles the runtime
RECORDS = portable.records()
OWN = projects.described(sys.executable).torch.partition("+")[0]
SETUP = """
from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CppExtension
import small_tool

setup(name="small", version="1.0", ext_modules=[CppExtension("small", ["small.cpp"], include_dirs=["part"])],
      cmdclass={"build_ext": BuildExtension})
"""
SOURCE = """
#include <torch/extension.h>
#include "factor.h"
at::Tensor times(at::Tensor x) { return x * FACTOR; }
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("times", &times); }
"""
RECORD = """
repository = "someone/small"
commit = "{small}"
licence = "MIT"
compares = "a product"
builds_with = ["{tool}"]
beside = {{part = "someone/part@{part}"}}
code = "import torch, small; torch.testing.assert_close(small.times(torch.ones(2)), torch.full((2,), 7.0))"
"""


def commit_of(folder, files):
    """The commit of these files in a new repository there."""
    folder.mkdir(parents=True)
    for name, text in files.items():
        (folder / name).write_text(text)
    person = ["-c", "user.name=someone", "-c", "user.email=someone@example.org"]
    for words in (["init", "-q"], ["add", "."], [*person, "commit", "-q", "-m", "files"]):
        subprocess.run(["git", "-C", folder, *words], check=True)
    done = subprocess.run(["git", "-C", folder, "rev-parse", "HEAD"], check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture
def make(tmp_path, monkeypatch, capfd):
    """make(record): the exit status's words, what was printed, and the rows of the published table."""
    mirrors, tool, page = tmp_path / "mirrors", tmp_path / "tool", tmp_path / "projects.md"
    known = {
        "small": commit_of(mirrors / "someone+small", {"setup.py": SETUP, "small.cpp": SOURCE}),
        "part": commit_of(mirrors / "someone+part", {"factor.h": "#define FACTOR 7\n"}),
        "tool": tool,
    }
    tool.mkdir()
    (tool / "setup.py").write_text("from setuptools import setup; setup(name='small_tool', py_modules=['small_tool'])")
    (tool / "small_tool.py").write_text("")
    (tmp_path / "records").mkdir()
    page.write_text("<!-- portable: begin -->\n<!-- portable: end -->\n")
    monkeypatch.setattr(portable, "RECORDS", tmp_path / "records")
    monkeypatch.setattr(projects, "FOLDER", tmp_path / "built")
    monkeypatch.setattr(projects, "PAGE", page)
    monkeypatch.setattr(compat, "set_signals", lambda: None)
    monkeypatch.setenv("TORCHTHAW_PROJECTS", str(mirrors))
    monkeypatch.setenv("PIP_NO_BUILD_ISOLATION", "0")  # pip's spelling of --no-build-isolation

    def run(record):
        (tmp_path / "records/small.toml").write_text(record.format(**known))
        monkeypatch.setattr(sys, "argv", ["portable_projects.py", "--publish", "--torch", OWN])
        with pytest.raises(SystemExit) as ended:
            portable.main()
        return ended.value.code, capfd.readouterr().out, pages.cells(pages.part(page, "portable"))

    return run


@pytest.mark.slow
def test_a_project_that_needs_another_repository_and_a_tool(make):
    failed, out, rows = make(RECORD)
    assert not failed and re.search(names("small", "right on", OWN), out) and "-cp310-abi3-" in out
    ((project, compared, size, right, commit, beside, date),) = rows
    assert project == "[small](https://github.com/someone/small)" and size.endswith(" kB") and date
    assert (compared, right, len(commit), beside.partition("+")[0]) == ("a product", OWN, 8, OWN)


@pytest.mark.slow
def test_a_wrong_value_is_told_and_published(make):
    failed, out, rows = make(RECORD.replace("7.0", "8.0"))
    assert re.search(names("small", "none"), failed) and re.search(names("small", "wrong", OWN), out)
    assert rows[0][3] == ""


@pytest.mark.slow
def test_a_project_that_makes_no_wheel_names_its_log(make):
    failed, _, rows = make(re.sub("beside.*", "", RECORD))
    assert re.search(names("small", "cp310-abi3", "build.log"), failed) and not rows


@pytest.mark.parametrize("name", RECORDS)
def test_a_record_pins_what_it_builds_and_compares_values(name):
    record = RECORDS[name]
    for pinned in (f"{record.repository}@{record.commit}", *record.beside.values()):
        assert re.fullmatch(r"[\w.-]+/[\w.-]+@[0-9a-f]{40}", pinned)
    assert record.licence and record.compares
    calls = [ast.unparse(node.func) for node in ast.walk(ast.parse(record.code)) if isinstance(node, ast.Call)]
    asserts = [node for node in ast.walk(ast.parse(record.code)) if isinstance(node, ast.Assert)]
    assert asserts or "torch.testing.assert_close" in calls
