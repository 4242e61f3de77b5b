"""tests/packaging/test_shares.py: --share runs the slow tests of one of several parts of the files, which together have
every test once, and the quick ones always."""

import subprocess
import sys

import pytest

from support import ROOT
from support.messages import names

FOLDER = "tests/abi"


def collected(*words):
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "--collect-only", "-p", "no:cacheprovider", FOLDER, *words],
        cwd=ROOT, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return {line for line in done.stdout.splitlines() if line.startswith(FOLDER)}


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
