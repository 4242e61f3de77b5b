"""tests/legacy/create_extension/test_run_pip.py: run pip … and run python …, which people type."""

import os
import sys

import pytest

from support import SRC, legacy_project
from torchthaw.legacy.run import command_run

SETUP = """
from setuptools import setup
from torch.utils.ffi import create_extension

ffi = create_extension("thawed_six", headers=["six.h"], sources=["six.c"], relative_to=__file__)
setup(name="thawed-six", version="1", ext_modules=[ffi.distutils_extension()])
"""
PROJECT = {"setup.py": SETUP, "six.h": "int six(void);\n", "six.c": "int six(void) { return 6; }\n"}
ISOLATION = "--no-build-isolation"


@pytest.fixture
def project(tmp_path):
    """The folder of a project whose setup.py imports PyTorch, as those of all C extensions do."""
    return legacy_project.files(tmp_path / "project", PROJECT)


def run(project, *words, **variables):
    offline = {"PIP_NO_INDEX": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    return legacy_project.python(project, *words, **offline, **variables)


def told(done):
    assert done.returncode == 0, done.stdout + done.stderr
    return [line for line in done.stderr.splitlines() if line.startswith("torchthaw:")]


@pytest.mark.slow
def test_pip_builds_a_project_that_imports_pytorch(project):
    lines = told(run(project, "pip", "install", "--no-deps", "--target", "../there", "."))
    assert len(lines) == 1 and ISOLATION in lines[0]
    there = os.pathsep.join([str(SRC), str(project.parent / "there")])
    used = run(project, "-c", "import _thawed_six; print(_thawed_six.lib.six())", PYTHONPATH=there)
    assert used.stdout == "6\n", used.stderr


@pytest.mark.slow
def test_a_wheel_from_a_script(project):
    """The word pip of a shell script is this Python's; with the option its builds find torch.utils.ffi."""
    (project / "wheel.sh").write_text(f"pip wheel --no-deps -w ../wheels {ISOLATION} .\n")
    assert told(run(project, "wheel.sh")) == []
    assert [*(project.parent / "wheels").glob("thawed_six-1-*.whl")]


def test_python_and_its_options(project):
    done = run(project, "python3", "-O", "-c", "import sys; print(sys.flags.optimize, sys.argv)", "-u")
    assert done.stdout == "1 ['-c', '-u']\n", done.stderr


@pytest.mark.parametrize("word", ["pip", "python"])
def test_a_file_of_that_name_is_a_file(project, word):
    (project / word).write_text('#!/bin/sh\necho own "$1"\n')
    assert run(project, word, "install").stdout == "own install\n"


HERE = f"python3.{sys.version_info.minor}"


@pytest.mark.parametrize("words, expected", [
    (["pip", "install", "."], ["-m", "pip", "install", ISOLATION, "."]),
    (["pip3", "-v", "wheel", "./[extra]"], ["-m", "pip", "-v", "wheel", ISOLATION, "./[extra]"]),
    (["pip", "install", "-e."], ["-m", "pip", "install", ISOLATION, "-e."]),
    (["pip", "install", "x @ git+https://e.org/x"], ["-m", "pip", "install", ISOLATION, "x @ git+https://e.org/x"]),
    (["python", "-u", "-m", "pip", "install", "."], ["-u", "-m", "pip", "install", ISOLATION, "."]),
    ([HERE, "-m", "pip", "install", "x.tar.gz"], ["-m", "pip", "install", ISOLATION, "x.tar.gz"]),
    (["pip", "install", ISOLATION, "."], ["-m", "pip", "install", ISOLATION, "."]),
    (["pip", "install", "--target", "empty", "numpy"], ["-m", "pip", "install", "--target", "empty", "numpy"]),
    (["pip", "download", "."], ["-m", "pip", "download", "."]),
    (["-m", "build", "."], ["-m", "build", "."]),
    (["-m", "pip", "wheel", "."], ["-m", "pip", "wheel", ISOLATION, "."]),
    (["pip", "install", "numpy"], ["-m", "pip", "install", "numpy"]),
    (["python", "x.py", "-m", "pip", "install", "."], ["x.py", "-m", "pip", "install", "."]),
    (["python", "setup.py", "install"], ["setup.py", "install"]),
    (["python"], []),
])  # fmt: skip
def test_words_for_python(project, monkeypatch, words, expected):
    monkeypatch.chdir(project)
    (project / "empty").mkdir()
    monkeypatch.setattr(sys, "orig_argv", [sys.executable, "-m", "torchthaw", "run", *words])
    monkeypatch.setattr(sys, "argv", ["torchthaw", "run", *words])
    assert command_run.command(words) == [sys.executable, *expected]


def test_another_python_is_no_word_for_this_one(project):
    done = run(project, "python3.4", "setup.py")
    assert done.returncode == 1 and "'python3.4'" in done.stderr
