# tests/graph/conftest.py: every test compiles anew.
import sys

import pytest


@pytest.fixture(autouse=True)
def nothing_compiled():
    if "torch._dynamo" in sys.modules:
        sys.modules["torch._dynamo"].reset()
