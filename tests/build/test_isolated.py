"""tests/build/test_isolated.py: programs that stand before compilers import nothing of the project in whose folder they run."""

import os
import subprocess
import sys

import pytest

from support import SRC
from torchthaw.base import isolated

NAMES = ("shutil", "subprocess", "os", "re", "json", "hashlib", "tempfile", "importlib", "torchthaw")


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "o'brien's project"
    folder.mkdir()
    for name in NAMES:
        (folder / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'a').write('{name} ')\n")
    return folder


def run(folder, module, *words, **environment):
    program = folder.parent / "program"
    program.write_text(isolated.launcher(module))
    program.chmod(0o755)
    return subprocess.run(
        [program, *words], cwd=folder, capture_output=True, text=True, env={**os.environ, **environment}, timeout=60
    )


@pytest.mark.parametrize("given", ["", ".", ":", "/nowhere", "../o'brien's project"])
def test_modules_of_the_current_folder_are_not_imported(project, given):
    done = run(project, "legacy.cpp.cxx", "true", PYTHONPATH=given)
    assert (done.returncode, done.stderr) == (0, "")
    assert not (project.parent / "ran").exists()


def test_python_s_own_modules_come_before_what_pythonpath_names(project):
    done = run(project, "legacy.cpp.cxx", "true", PYTHONPATH=str(project))
    assert (done.returncode, done.stderr) == (0, "")
    assert not (project.parent / "ran").exists()


def test_packages_that_pythonpath_names_are_found(tmp_path):
    """As in an isolated build: pip gives its packages by a sitecustomize in PYTHONPATH."""
    packages, given = tmp_path / "packages", tmp_path / "given"
    for folder in (packages, given):
        folder.mkdir()
    (packages / "needed_by_the_build.py").write_text("VALUE = 3\n")
    (given / "sitecustomize.py").write_text(f"import site; site.addsitedir({str(packages)!r})\n")
    program = (
        "import sys; sys.argv[0] = 'x'; from torchthaw.base import isolated; isolated.add_given();"
        "import needed_by_the_build; print(needed_by_the_build.VALUE)"
    )
    code = f"import sys; sys.path.append({str(SRC)!r}); {program}"
    done = subprocess.run(
        [sys.executable, "-I", "-c", code], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(given)}
    )
    assert done.stdout == "3\n", done.stderr


def test_the_program_s_status_and_words_pass_through(tmp_path):
    done = run(tmp_path, "legacy.cpp.cxx", "sh", "-c", 'echo "$1"; exit 7', "sh", "it's $HOME and \\ this")
    assert (done.returncode, done.stdout) == (7, "it's $HOME and \\ this\n")
