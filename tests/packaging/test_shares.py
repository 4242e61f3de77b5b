"""tests/packaging/test_shares.py: --share runs the slow tests of one of several parts of the files, which together have
every test once, and the quick ones always."""

import subprocess
import sys

import pytest

from support import ROOT
from support.messages import names

FOLDER = "tests/graph"


def collected(*words):
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "--collect-only", "-p", "no:cacheprovider", FOLDER, *words],
        cwd=ROOT, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return {line for line in done.stdout.splitlines() if line.startswith(FOLDER)}


@pytest.mark.slow
def test_the_parts_have_every_slow_test_once():
    every = collected("-m", "slow")
    parts = [collected("-m", "slow", "--share", f"{number}/2") for number in (1, 2)]
    assert all(parts) and parts[0] | parts[1] == every and not parts[0] & parts[1]
    files = [{name.split("::")[0] for name in part} for part in parts]
    assert not files[0] & files[1]
    assert collected("--share", "1/2") == collected() - parts[1]


@pytest.mark.parametrize("share", ["0/2", "3/2", "1", "a/b"])
def test_a_wrong_share_is_named(pytestconfig, share):
    conftest = pytestconfig.pluginmanager.get_plugin(str(ROOT / "tests" / "conftest.py"))
    with pytest.raises(pytest.UsageError, match=names("--share", "K/N", repr(share))):
        conftest.share_of(share)


def test_a_wrong_mark_is_named(pytestconfig):
    conftest = pytestconfig.pluginmanager.get_plugin(str(ROOT / "tests" / "conftest.py"))
    rows = [(9.0, "quick", "a.py::test_one"), (8.0, "quick", "a.py::test_two[x]"), (0.1, "slow", "a.py::test_three"),
            (7.0, "slow", "a.py::test_four"), (6.0, "quick", "b.py::test_alone")]  # fmt: skip
    assert [line.partition(": takes")[0] for line in conftest.wrong_marks(rows)] == [
        "a.py::test_one", "a.py::test_three", "a.py::test_two",
    ]  # fmt: skip
