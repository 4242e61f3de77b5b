# tests/conftest.py: the checkout and tests/ on the path, and every run of a test like the one before.
import gc
import os
import re
import statistics
import sys
import zlib
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT), str(ROOT / "tests")]

# Extensions that tests build leave nothing in the user's cache.
os.environ.setdefault("TORCHTHAW_CACHE", str(ROOT / "build" / "cache"))

# Shared machines stall: a slow example is no failure. CI looks at the same examples each time, a developer at new ones.
settings.register_profile("torchthaw", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("torchthaw")


# `make test` leaves out tests with the mark `slow`: those that, alone, take more than LIMIT seconds of processor time, their
# fixtures and processes included. In each file the cheapest may stay without it. `make test-all record=1` measures, and names
# the functions whose mark is not what they take.
LIMIT = 0.5
_fixtures = {}  # (name, the folder or file that has it) -> seconds of its last set-up
_setting_up = [0.0]  # seconds that fixtures took during the test that runs


def pytest_configure(config):
    config.addinivalue_line("markers", "slow: takes more than half a second of processor time")


def pytest_addoption(parser):
    parser.addoption("--record-times", metavar="FILE", help="write the seconds of each test and fixture there")
    parser.addoption(
        "--share",
        metavar="K/N",
        default="1/1",
        help="the slow tests of one of N parts of the files, and all that are quick",
    )


def pytest_collection_modifyitems(config, items):
    part, parts = share_of(config.getoption("share"))
    kept, left_out = [], []
    for item in items:
        is_slow = item.get_closest_marker("slow")
        of_another = is_slow and zlib.crc32(item.path.name.encode()) % parts != part
        (left_out if of_another else kept).append(item)
    items[:] = kept
    if left_out:
        config.hook.pytest_deselected(items=left_out)


def share_of(text):
    """(which part, from 0; of how many)"""
    found = re.fullmatch(r"(\d+)/(\d+)", text)
    if not found or not 1 <= int(found[1]) <= int(found[2]):
        raise pytest.UsageError(f"--share: expected K/N with 1 <= K <= N, got {text!r}")
    return int(found[1]) - 1, int(found[2])


def _seconds():
    return sum(os.times()[:4])


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef):
    before, inner = _seconds(), _setting_up[0]
    try:
        return (yield)
    finally:
        taken = _seconds() - before
        _fixtures[fixturedef.argname, fixturedef.baseid] = taken
        _setting_up[0] = inner + taken  # with the fixtures that this one asked for while it was set up


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    before, _setting_up[0] = _seconds(), 0.0
    try:
        return (yield)
    finally:
        file = item.config.getoption("record_times")
        if file:
            seconds = (
                _seconds() - before - _setting_up[0] + sum(_fixture_seconds(item, name) for name in item.fixturenames)
            )
            mark = "slow" if item.get_closest_marker("slow") else "quick"
            with open(item.config.rootpath / file, "a") as times:  # the test may have left the folder
                times.write(f"{seconds:.2f} {mark} {item.nodeid}\n")


def _fixture_seconds(item, name):
    """What the fixture that ``item`` means by ``name`` took, also where an earlier test of its module set it up."""
    places = [place for each, place in _fixtures if each == name and item.nodeid.startswith(place)]
    return _fixtures[name, max(places, key=len)] if places else 0.0


def pytest_terminal_summary(terminalreporter, config):
    file = config.getoption("record_times")
    if file and (config.rootpath / file).exists():
        rows = [line.split(" ", 2) for line in (config.rootpath / file).read_text().splitlines()]
        for line in wrong_marks([(float(seconds), mark, name) for seconds, mark, name in rows]):
            terminalreporter.write_line(line)


def wrong_marks(rows):
    """Lines on the functions whose mark is not what their tests take, from rows (seconds, mark, name of a test).

    The median of a function's tests counts. Between LIMIT / 2 and 2 * LIMIT either is right; the cheapest of a file may be quick.
    """
    tests, cheapest = {}, {}
    for seconds, mark, name in sorted(rows):
        function = name.partition("[")[0]
        tests.setdefault(function, (mark, []))[1].append(seconds)
        cheapest.setdefault(name.partition("::")[0], function)
    for function, (mark, seconds) in sorted(tests.items()):
        takes = statistics.median(seconds)
        if mark == "quick" and takes > 2 * LIMIT and function not in cheapest.values():
            yield f"{function}: takes {takes:.2f} s: expected the mark slow, got none"
        if mark == "slow" and takes <= LIMIT / 2:
            yield f"{function}: takes {takes:.2f} s: expected no mark slow, got one"


def pytest_collection_finish():
    """A collection of garbage in a test looks at what tests made, not at all that PyTorch has imported: .2 s each."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def seeded():
    """Random tensors are the same whichever tests ran before."""
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(0)
