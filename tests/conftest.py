# tests/conftest.py: the checkout and tests/ on the path, and every run of a test like the one before.
import gc
import os
import re
import sys
import zlib
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT), str(ROOT / "tests")]
from support import times  # noqa: E402

# Extensions that tests build leave nothing in the user's cache.
os.environ.setdefault("TORCHTHAW_CACHE", str(ROOT / "build" / "cache"))

# Shared machines stall: a slow example is no failure. CI looks at the same examples each time, a developer at new ones.
settings.register_profile("torchthaw", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("torchthaw")


def pytest_configure(config):
    config.addinivalue_line("markers", "slow: takes more than half a second of processor time")
    file = config.getoption("record_times")
    if file:
        config.pluginmanager.register(times.Recorder(config.rootpath / file))


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


def pytest_terminal_summary(terminalreporter, config):
    file = config.getoption("record_times")
    if file and (config.rootpath / file).exists():
        taken = times.Times((config.rootpath / file).read_text())
        for line in (*taken.dearest(), *taken.wrong_marks()):
            terminalreporter.write_line(line)


def pytest_collection_finish():
    """A collection of garbage in a test looks at what tests made, not at all that PyTorch has imported: .2 s each."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def seeded():
    """Random tensors are the same whichever tests ran before."""
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(0)
