"""tests/legacy/test_reading.py: doctor and modernize --check read a project and run nothing of it, from any folder."""

import os
import subprocess
import sys

import pytest

from support import SRC
from support.modernize import SCRIPT, write

# What Python imports by itself when it starts, what both commands import, and what projects have.
STARTED = ("sitecustomize", "usercustomize", "torchthaw/__init__")
IMPORTED = (
    "torch", "cffi", "fissix", "pycparser", "libcst", "yaml", "numpy", "setuptools", "appdirs", "argparse", "ast",
    "json", "difflib", "dataclasses", "tokenize", "shlex", "tempfile", "subprocess", "lib2to3", "gettext",
    "concurrent/__init__", "setup", "conftest", "models/__init__", "functions/__init__",
)  # fmt: skip
# Of these Python imports some for -m, before it runs a line of torchthaw.
STANDARD = [name for name in sorted(sys.stdlib_module_names) if not name.startswith("_")]
COMMANDS = {
    "doctor": ["doctor", "."], "modernize": ["modernize", ".", "--check"],
    "modernize --diff": ["modernize", ".", "--check", "--diff"],
}  # fmt: skip


@pytest.fixture
def project(tmp_path):
    """project(names): a folder with a build file, and with modules of these names; each that runs writes to ``ran``."""

    def project(names):
        trap = f"open({str(tmp_path / 'ran')!r}, 'a').write(__file__)\n"
        files = {f"{name}.py": trap for name in names}
        folder = write(tmp_path / "project", {**SCRIPT, **files, "build.py": trap + SCRIPT["build.py"]})
        return folder, lambda: (tmp_path / "ran").read_text() if (tmp_path / "ran").exists() else ""

    return project


def read(folder, command, *options, **environment):
    given = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    words = [sys.executable, *options, "-m", "torchthaw", *COMMANDS[command]]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, env={**given, **environment})
    assert done.returncode in (0, 1) and done.stdout and "Traceback" not in done.stderr, done.stderr


@pytest.mark.parametrize("words", [
    ("config", "--includes"), ("run", "-c", "print(1)"), ("nvcc", "--help"), ("bindings", "--help"), ("export", "--help"),
])  # fmt: skip
def test_no_command_imports_what_lies_in_the_current_folder(project, words):
    folder, ran = project(["argparse", "gettext", "shlex", "shutil", "subprocess", "tempfile", "hashlib", "json"])
    given = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [sys.executable, "-m", "torchthaw", *words], cwd=folder, capture_output=True, text=True,
        env={**given, "PYTHONPATH": str(SRC)},
    )  # fmt: skip
    assert done.returncode == 0 and done.stdout, done.stderr
    assert ran() == ""


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_in_the_project_and_with_it_in_pythonpath(project, command):
    """An empty word in PYTHONPATH, as ``PYTHONPATH=$PYTHONPATH:…`` often leaves, is the current folder as well."""
    code = "import runpy, sys; print(*sys.modules)"
    started = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    folder, ran = project([name for name in IMPORTED if name.partition("/")[0] not in started])
    (folder / "lib").mkdir()
    for name in ("difflib", "libcst"):
        (folder / f"{name}.py").rename(folder / "lib" / f"{name}.py")
    read(folder, command, PYTHONPATH=os.pathsep.join([str(SRC), "", str(folder), str(folder / "lib")]))
    assert ran() == ""


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_a_project_that_is_not_trusted(project, command):
    """With -I, Python itself takes nothing from the current folder and from PYTHONPATH either."""
    folder, ran = project([*STARTED, *IMPORTED, *STANDARD])
    read(folder, command, "-I", PYTHONPATH=str(folder))
    assert ran() == ""


@pytest.mark.slow
def test_the_traps_are_there(project):
    folder, ran = project([])
    subprocess.run([sys.executable, "build.py"], cwd=folder, capture_output=True, env={**os.environ, "PYTHONPATH": ""})
    assert ran().endswith("build.py")
