"""tests/packaging/test_harden.py: the report of `make harden`, with parts that fail or do not end."""

import importlib
import re
import sys

import pytest

from support import ROOT


@pytest.fixture(scope="module")
def harden():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / ".ci"))
        yield importlib.import_module("harden")


def prints(text, status=0):
    return sys.executable, "-c", f"print({text!r}); raise SystemExit({status})"


CHILD = "import subprocess; print('3 cases', flush=True); subprocess.run(['sleep', '600'])"
ENDS = {
    "held": ([prints("1,200 cases of a"), prints("7 passed, 2 skipped")], "1,207", "min"),
    "failed": ([prints("5 passed"), prints("1 failed, 4 passed", 1), prints("8 passed")], "9", "exit status 1: "),
    "silent": ([prints("nothing")], "0", "no command said how many cases it tried"),
    "absent": ([("no-such-program", "-v")], "0", "No such file or directory: 'no-such-program': no-such-program -v"),
    "endless": ([(sys.executable, "-c", CHILD)], "3", "ended by the limit: "),
}


@pytest.mark.parametrize("end", ENDS)
def test_ends_of_a_part(harden, end):
    """A child of a command that the limit ends does not hold up the others."""
    commands, cases, words = ENDS[end]
    limit = 0.1 if end == "endless" else 10
    part = harden.Part(end, "", needs=(), commands=tuple(commands), short=(), limit=limit)
    row, held = harden.try_part(part, short=False)
    assert (row[2], held) == (cases, end == "held")
    assert words in row[3], row


def test_a_part_that_fails_is_in_the_report(harden, monkeypatch, tmp_path, capsys):
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- hardening: begin -->\na former table\n<!-- hardening: end -->\nbehind\n")
    parts = [
        harden.Part(name, "faults", (), commands=(prints("4 cases", status),), short=(prints("1 cases"),), limit=10)
        for name, status in (("first", 1), ("second", 0))
    ]
    monkeypatch.setattr(harden, "PARTS", parts)
    monkeypatch.setattr(harden, "REPORT", page)
    monkeypatch.setattr(sys, "argv", ["harden.py", "--publish"])
    assert harden.main()
    text = page.read_text()
    assert text.startswith("before\n") and text.endswith("behind\n") and "a former table" not in text
    assert "| first " in text and "exit status 1" in text and "| second " in text
    assert "whole" in text and "| second | faults    | 4     |" in capsys.readouterr().out
    # The second again, alone: the first keeps its row.
    monkeypatch.setattr(sys, "argv", ["harden.py", "--publish", "--short", "second"])
    assert not harden.main()
    first, second = (re.search(f"^[|] {name} .*", page.read_text(), re.M)[0] for name in ("first", "second"))
    assert first in text and "whole" in first and "short" in second
