# tests/build/test_progress.py: on a terminal a build says how far it is; what is piped stays plain.
import io
import sys

import pytest

from torchthaw.extension import BuildError, ninja
from torchthaw.extension.progress import ERASE, Progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def folder(tmp_path):
    """A build of three files: one by one, so that the counts are certain."""
    for name in "abc":
        (tmp_path / f"{name}.c").write_text(f"int {name};\n")
    (tmp_path / "build.ninja").write_text(
        ninja.shared_object(tmp_path / "made.so", {tmp_path / f"{name}.c": [] for name in "abc"}, ["-fPIC"], [])
    )
    return tmp_path


def test_a_terminal_sees_each_step_and_nothing_stays(folder, monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    ninja.run(folder)
    shown = terminal.getvalue().split(ERASE)
    steps = [f"torchthaw: compiling [{number}/4] " for number in range(1, 5)]
    assert shown == ["", "torchthaw: compiling", *steps, ""] and (folder / "made.so").exists()


def test_a_failure_erases_the_line_and_keeps_its_message(folder, monkeypatch):
    (folder / "b.c").write_text("int b\n")
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    with pytest.raises(BuildError, match=r"b\.c:1:\d+: error"):
        ninja.run(folder)
    assert terminal.getvalue().endswith(ERASE)


@pytest.mark.parametrize("stderr, verbose", [(io.StringIO(), False), (None, False), (Terminal(), True)])
def test_what_is_piped_or_verbose_has_no_progress(folder, monkeypatch, capsys, stderr, verbose):
    monkeypatch.setattr(sys, "stderr", stderr)
    ninja.run(folder, verbose=verbose)
    assert not stderr or stderr.getvalue() == ""
    assert ("[4/4]" in capsys.readouterr().out) == verbose


def test_lines_without_a_count_change_nothing(monkeypatch):
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    with Progress() as progress:
        progress.read("a.c:1:1: warning: [1/2] is no count\n")
    assert terminal.getvalue() == f"{ERASE}torchthaw: compiling{ERASE}"


@pytest.mark.parametrize("stream, shown", [
    (io.StringIO(), "modernize: building\n"),
    (Terminal(), f"{ERASE}torchthaw: modernize: building{ERASE}torchthaw: modernize: building [1/2] {ERASE}"),
])  # fmt: skip
def test_steps_that_a_pipe_is_told(monkeypatch, stream, shown):
    monkeypatch.setattr(sys, "stderr", stream)
    with Progress(text="modernize: building", tells_pipes=True) as progress:
        progress.read("[1/2] one\n")
    assert stream.getvalue() == shown
    monkeypatch.setattr(sys, "stderr", None)  # as under pythonw, or closed
    with Progress(text="modernize: building", tells_pipes=True):
        pass
