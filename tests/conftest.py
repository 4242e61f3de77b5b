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


def pytest_collection_finish():
    """A collection of garbage in a test looks at what tests made, not at all that PyTorch has imported: .2 s each."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def seeded():
    """Random tensors are the same whichever tests ran before."""
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(0)
