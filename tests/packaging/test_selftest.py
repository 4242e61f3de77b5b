"""tests/packaging/test_selftest.py: `python -m torchthaw selftest` holds here, and finds what is broken."""

import os
import re
import subprocess
import sys

import pytest

from support import SRC
from support.messages import names
from torchthaw import selftest
from torchthaw.selftest import checks


def run(*words, **environment):
    return subprocess.run(
        [sys.executable, "-m", "torchthaw", "selftest", *words], capture_output=True, text=True, timeout=280,
        env={**os.environ, "PYTHONPATH": str(SRC), **environment},
    )  # fmt: skip


@pytest.mark.slow
def test_it_holds_and_says_what_a_report_needs():
    done = run("--seed", "7", "c", "old_c", "cuda")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "seed: 7\n" in done.stdout and "3 of 3 held" in done.stdout
    for word in ("torchthaw: ", "Python: ", "torch: ", "C compiler: ", "my_lib: my_lib ", "system: "):
        assert re.search(f"^{word}", done.stdout, re.MULTILINE), word


@pytest.mark.slow
def test_a_broken_compiler_fails_and_is_shown(tmp_path):
    broken = tmp_path / "gcc"
    broken.write_text('#!/bin/sh\ncase "$*" in *\' -c \'*) echo planted >&2; exit 1 ;; *) exec gcc "$@" ;; esac\n')
    broken.chmod(0o755)
    done = run("c", CC=str(broken))
    assert done.returncode == 1 and "c: FAILED" in done.stdout and "    " in done.stdout and "planted" in done.stdout
    assert "0 of 1 held; failed: c" in done.stdout and f"CC={broken}" in done.stdout


@pytest.mark.slow
def test_a_wrong_value_fails(monkeypatch, tmp_path):
    """As a planted fault of C shows."""
    monkeypatch.setattr(checks, "SOURCE", checks.SOURCE.replace("b * x[i] * x[i]", "b * x[i]"))
    monkeypatch.setenv("TORCHTHAW_CACHE", str(tmp_path / "cache"))
    with pytest.raises(AssertionError, match="curve"):
        checks.run("c", 1)


def test_what_is_not_there_is_not_run(monkeypatch, tmp_path, capsys):
    from torchthaw.base import config

    monkeypatch.setattr(config, "library_path", lambda name: tmp_path / name)
    with pytest.raises(SystemExit) as ended:
        checks.run("old_c", 1)
    assert ended.value.code == selftest.LACKS and "libth" in capsys.readouterr().out


def test_an_unknown_check_is_an_error():
    done = run("nope")
    assert done.returncode == 1 and re.search(names("CHECK", "old_c", "nope"), done.stderr)
