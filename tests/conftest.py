# tests/conftest.py: the checkout and tests/ on the path, and every run of a test like the one before.
import gc
import os
import sys
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


# The tests that took more than LIMIT seconds of processor time, their fixtures and processes included, in one recorded
# run: `make test-all record=1` writes the list. `make test` leaves them out.
SLOW, LIMIT = Path(__file__).with_name("slow.txt"), 3


def pytest_addoption(parser):
    parser.addoption(
        "--record-times", metavar="FILE", help="write each test's seconds there, and tests/slow.txt from it"
    )


def pytest_collection_modifyitems(items):
    slow = {*SLOW.read_text().splitlines()}
    for item in items:
        if item.nodeid in slow:
            item.add_marker(pytest.mark.slow)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    file = item.config.getoption("record_times")
    before = sum(os.times()[:4])
    try:
        return (yield)
    finally:
        if file:
            with open(item.config.rootpath / file, "a") as times:  # the test may have left the folder
                times.write(f"{sum(os.times()[:4]) - before:.2f} {item.nodeid}\n")


def pytest_sessionfinish(session):
    file = session.config.getoption("record_times")
    if file and not hasattr(session.config, "workerinput"):
        rows = [line.split(" ", 1) for line in (session.config.rootpath / file).read_text().splitlines()]
        SLOW.write_text(
            "".join(f"{name}\n" for name in sorted(name for seconds, name in rows if float(seconds) > LIMIT))
        )


def pytest_collection_finish():
    """A collection of garbage in a test looks at what tests made, not at all that PyTorch has imported: .2 s each."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def seeded():
    """Random tensors are the same whichever tests ran before."""
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(0)
