"""tests/legacy/modernize/test_modernize_command.py: what the command prints, its exit status, and what it hands on."""

import os
import subprocess
import sys

import pytest

from support import SRC
from support.modernize import SCRIPT, command, names, parts, state, write  # noqa: F401
from torchthaw.modernize.comparison import Comparison, Row
from torchthaw.modernize.python import convert
from torchthaw.modernize.remarks import FunctionClass, Remark
from torchthaw.modernize.result import Result


@pytest.fixture
def project(tmp_path):
    return write(tmp_path / "project", SCRIPT)


def test_the_parts_get_the_result(command, project, parts):
    """In the order of the contract, after everything is written; their remarks are in the report."""
    order = []
    function = FunctionClass("twice.functions.double", "Double", ("x",), ("by",), ("twice",), "functions/double.py", 3)

    def python(texts, modules, resized):
        order.append(("python", sorted(texts)))
        return *convert(texts, modules)[:1], [Remark("functions/double.py", 4, "self", "look here", "look")], [function]

    def tests(result):
        assert isinstance(result, Result) and (result.folder / "setup.py").exists()
        assert result.project == project.resolve() and result.functions == [function]
        order.append("tests")
        return [Remark("functions/double.py", 0, "test", "no arguments were found", "look")]

    def compare(result):
        order.append("compare")
        return Comparison([Row("Double", "equal", "bit for bit"), Row("Other", "not compared", "no shapes | found")])

    def hints(result):
        order.append("hints")
        return [Remark("functions/double.py", 3, "replacement", "torch.mul(x, 2)", "hint")]

    parts["python"].convert, parts["generated_tests"].write = python, tests
    parts["comparison"].compare, parts["replacements"].hints = compare, hints
    done = command(project)
    assert order == [("python", ["functions/__init__.py", "functions/double.py"]), "tests", "compare", "hints"]
    assert done.status == 0
    for text in (
        "functions/double.py -> twice/functions/double.py: 1 line becomes 1", "setup.py: new",
        "  functions/double.py:4: self: look here",
        "  functions/double.py: test: no arguments were found", "  functions/double.py:3: replacement: torch.mul(x, 2)",
        "  Double: equal: bit for bit", "MODERNIZED.md",
        "package twice: 1 line in 1 file changed, 2 to look at, 2 hints",
    ):  # fmt: skip
        assert text in done.out, text
    page = (done.result / "MODERNIZED.md").read_text()
    for text in (
        "- `functions/double.py:4`: look here (self)", "| `Double` | equal | bit for bit |", "no shapes \\| found",
        "| `functions/double.py` | `twice/functions/double.py` |", "pip install --no-build-isolation --editable .",
        'pip install "setuptools>=77.0.3"\n',
        "- `functions/double.py:3`: torch.mul(x, 2) (replacement)", "replaced by setup.py and pyproject.toml",
    ):  # fmt: skip
        assert text in page, text


@pytest.mark.parametrize("outcome, status", [("equal", 0), ("not compared", 0), ("different", 1)])
def test_the_exit_status_is_that_of_the_comparison(command, project, parts, outcome, status):
    parts["comparison"].compare = lambda result: Comparison([Row("Double", outcome, "")])
    done = command(project, "--json")
    assert done.status == done.json["exit_status"] == status
    assert done.json["comparison"] == [{"function": "Double", "outcome": outcome, "detail": ""}]


def test_no_compare(command, project, parts):
    """Neither project is built: arguments for tests are found by calls of the new one."""
    parts["comparison"].compare = parts["generated_tests"].write = lambda result: pytest.fail("it was called")
    done = command(project, "--no-compare")
    assert done.status == 0 and "on the same inputs" not in done.out


def test_json(command, project):
    found = command(project, "--json").json
    assert found["files"] == {
        "functions/__init__.py": "twice/functions/__init__.py", "functions/double.py": "twice/functions/double.py",
        "src/twice.c": "src/twice.c", "src/twice.h": "src/twice.h",
    }  # fmt: skip
    assert sorted(found["added"]) == [
        "MANIFEST.in",
        "pyproject.toml",
        "setup.py",
        "twice/__init__.py",
        "twice/_ext/__init__.py",
    ]
    assert found["changed"] == {"functions/double.py": [1, 1]}
    assert found["counts"]["look"] == 0 and found["folder"].endswith("result") and found["build_files"] == ["build.py"]


def test_check(command, project, parts):
    """Nothing is written; the exit status says whether a person must look at something."""
    before = state(project.parent)
    parts["generated_tests"].write = parts["comparison"].compare = lambda result: pytest.fail("it was called")
    parts["replacements"].hints = lambda result: [Remark("build.py", 0, "replacement", "torch.mul", "hint")]
    done = command(project, "--check")
    assert (
        done.status == 0
        and "hints:\n  build.py: licence" not in done.out
        and "build.py: replacement: torch.mul" in done.out
    )
    assert "next:" not in done.out
    assert command(project, "--check", "--json").json["folder"] is None
    parts["python"].convert = lambda texts, modules, resized: (texts, [Remark("a.py", 1, "self", "look", "look")], [])
    done = command(project, "--check")
    assert done.status == 1 and "to look at:\n  a.py:1: self: look\n" in done.out
    assert state(project.parent) == before


def test_check_and_diff(command, project):
    before = state(project.parent)
    done = command(project, "--check", "--diff")
    assert done.status == 0
    assert (
        "-from _ext import twice\n+from twice._ext import twice\n" in done.out
        and "deleted file mode 100644" in done.out
    )
    assert "package twice" not in done.out
    assert state(project.parent) == before


def test_the_help_names_every_option():
    words = [sys.executable, "-m", "torchthaw", "modernize", "--help"]
    done = subprocess.run(words, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(SRC)})
    assert done.returncode == 0
    for option in ("PROJECT", "--output", "--check", "--diff", "--json", "--no-compare", "--build", "--time-limit"):
        assert option in done.stdout


def test_a_name_that_is_no_text(command, project):
    """Names of files are bytes: the report prints them as any terminal takes them."""
    os.symlink("gone", os.fsencode(project) + b"/M\xfcller.txt")
    write(project, {"data.txt": ""})
    done = command(project)
    assert done.status == 0 and "ller.txt" in done.out


def test_the_old_build_is_named_where_the_readme_has_it(command, project):
    write(
        project, {"README.md": "# Twice\n\nRun `sh make.sh`, then `python build.py`.\n", "make.sh": "python build.py\n"}
    )
    done = command(project, "--json")
    assert [(path, line, kind) for path, line, _, kind in done.remarks("old-commands")] == [("README.md", 3, "look")]


def test_the_page_says_when_nothing_was_compared(command, project, parts):
    parts["comparison"].compare = lambda result: Comparison([Row("Double", "not compared", "needs a GPU")])
    page = (command(project).result / "MODERNIZED.md").read_text()
    assert "Both projects were built" not in page and "No function was compared" in page
