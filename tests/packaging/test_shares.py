"""tests/packaging/test_shares.py: --share runs the slow tests of one of several parts of the files, which together have
every test once, and the quick ones always."""

import re
import subprocess
import sys

import pytest

from support import ROOT, times
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


def test_a_wrong_mark_is_named():
    rows = [(9.0, "quick", "a.py::test_one"), (8.0, "quick", "a.py::test_two[x]"), (0.1, "slow", "a.py::test_three"),
            (7.0, "slow", "a.py::test_four"), (6.0, "quick", "b.py::test_alone")]  # fmt: skip
    text = "".join(f"test\t{taken}\t{mark}\t{name!r}\n" for taken, mark, name in rows)
    assert [line.partition(": takes")[0] for line in times.Times(text).wrong_marks()] == [
        "a.py::test_one", "a.py::test_three", "a.py::test_two",
    ]  # fmt: skip


RECORDED = """
import time
import pytest

@pytest.fixture(scope="session")
def built():
    end = time.process_time() + 0.4
    while time.process_time() < end: pass

@pytest.fixture(scope="module")
def loaded(built):
    return 1

@pytest.mark.parametrize("number", range(4))
def test_one(loaded, number): pass

@pytest.mark.slow
def test_own(request):
    end = time.process_time() + 0.2
    while time.process_time() < end: pass
"""


def test_a_shared_fixture_is_divided_among_its_tests(tmp_path):
    """It stands once in what was recorded, whatever asked for it."""
    (tmp_path / "conftest.py").write_text((ROOT / "tests/conftest.py").read_text().replace(
        "ROOT = Path(__file__).resolve().parents[1]", f"ROOT = Path({str(ROOT)!r})"))  # fmt: skip
    (tmp_path / "test_recorded.py").write_text(RECORDED)
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--rootdir", tmp_path,
                           "--record-times", "times.txt", "test_recorded.py"], cwd=tmp_path, capture_output=True, text=True)  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    taken = times.Times((tmp_path / "times.txt").read_text())
    built = next(seconds for name, seconds in taken.fixtures.items() if name.endswith("::built"))
    of_tests = {name.partition("::")[2]: seconds for seconds, _, name in taken.tests}
    assert built >= 0.3 and len(of_tests) == 5
    parts = [of_tests[f"test_one[{number}]"] for number in range(4)]
    assert built / 4 <= min(parts) < built <= sum(parts)
    assert of_tests["test_own"] >= 0.15
    assert re.search(names("s", "::built"), done.stdout)
