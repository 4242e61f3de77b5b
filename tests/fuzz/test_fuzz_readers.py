"""tests/fuzz/test_fuzz_readers.py: the saved inputs of the Python targets, and a few that are right, for their properties.

`make harden parts=fuzzing` tries new inputs; see docs/internals/hardening.md.
"""

import os
import subprocess
import sys

import doctor_reader
import guided
import header_reader
import modernize_reader
import nvcc_arguments
import pytest
from hypothesis import HealthCheck, settings

TARGETS = {module.__name__: module for module in (header_reader, nvcc_arguments, doctor_reader, modernize_reader)}
SAVED = [(name, path) for name in TARGETS for path in guided.saved(name)]
# Words that a shell, or the launcher, might take for its own.
AWKWARD = ["", " ", "a b", "$HOME", "`true`", "'", '"', "\\", "*", "-c", "--", "a\nb", "é", "$@", ";", '-DA="b c"']


def test_every_target_has_seeds():
    assert {name for name, path in SAVED if path.parent.parent.name == "seeds"} == set(TARGETS)


@pytest.mark.parametrize("name, path", SAVED, ids=[f"{name}-{path.name}" for name, path in SAVED])
def test_saved_inputs(name, path, monkeypatch):
    monkeypatch.setenv("TORCH_CUDA_ARCH_LIST", "9.0")
    guided.replay(TARGETS[name], path)


@pytest.mark.slow
def test_blank_lines_take_time_in_proportion(tmp_path):
    """As a translated comment of thousands of lines leaves them: too long to be saved."""
    (tmp_path / "blank_lines").write_bytes(b"=== a.c\nint f(void);\n" + b"\n" * 19_999 + b"int g(void);\n")
    guided.replay(doctor_reader, tmp_path / "blank_lines")


@pytest.mark.slow
@pytest.mark.parametrize("name", TARGETS)
def test_what_is_right_is_read(name, monkeypatch):
    monkeypatch.setenv("TORCH_CUDA_ARCH_LIST", "9.0")
    few = settings(max_examples=25, deadline=None, derandomize=True, database=None,
                   suppress_health_check=list(HealthCheck))  # fmt: skip
    few(TARGETS[name].generated)()


def test_the_launcher_passes_arguments_on(tmp_path):
    assert nvcc_arguments.through_the_launcher(AWKWARD, tmp_path / "a 'b'") == AWKWARD


def test_the_launcher_runs_no_file_of_the_project(tmp_path, monkeypatch):
    """A module of Python's may have its name in the folder in which nvcc is called, or beside torchthaw."""
    for folder in (tmp_path / "project", tmp_path / "site"):
        folder.mkdir()
        for name in ("os", "shutil", "io", "re", "torchthaw"):
            if folder.name == "project" or name != "torchthaw":
                (folder / f"{name}.py").write_text("raise SystemExit('a file of the project')\n")
    monkeypatch.chdir(tmp_path / "project")
    assert nvcc_arguments.through_the_launcher(["-c", "x.cu"], tmp_path / "site") == ["-c", "x.cu"]


# What the targets would say of readers that are wrong


class Wrong:
    """A target whose reader is wrong."""

    __name__ = "wrong"

    def __init__(self, check):
        self.check = check


def test_a_reader_that_never_ends_is_found(tmp_path, monkeypatch):
    monkeypatch.setattr(guided, "SECONDS", 0.05)
    (tmp_path / "input").write_bytes(b"")

    def endless(data):
        while True:
            pass

    with pytest.raises(guided.Broken, match="expected an end within 0.05 s"):
        guided.replay(Wrong(endless), tmp_path / "input")


@pytest.mark.parametrize("wrong, message", [
    (lambda path: path.write_text("changed"), "was opened for writing"),
    (lambda path: path.unlink(), "os.remove of"),
    (lambda path: subprocess.run([sys.executable, "-c", ""]), "was started"),
    (lambda path: os.system("true"), "was started"),
    (lambda path: exec(compile(path.read_text(), path, "exec")), "was executed"),
])  # fmt: skip
def test_a_reader_that_does_more_is_found(wrong, message):
    with guided.project({"build.py": b"x = 1\n"}) as folder:
        with pytest.raises(guided.Broken, match=f"only read; .*{message}"):
            with guided.only_reads(folder):
                wrong(folder / "build.py")
        with guided.only_reads(folder.parent / "other"):
            pass  # what was found before is forgotten


def test_files_of_an_input():
    found = guided.files(b"first\n=== a/b.h\nsecond\n=== ../../c.h\nthird", "build.py")
    assert found == {"build.py": b"first\n", "a/b.h": b"second\n", "c.h": b"third"}
    assert guided.files(b"=== a\nx=== a\n\n=== a/b\ny", "none") == {"a": b"x=== a\n\n"}
