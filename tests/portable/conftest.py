# tests/portable/conftest.py: a source of this folder as a portable extension, and what its calls give in a process of its own.
import json
import subprocess
import sys

import pytest
from record import HERE, SCRIPTS

from support import SRC, table_host
from torchthaw import portable


def pytest_collection_modifyitems(items):
    """The first test of a folder waits for the runtime library, which is compiled with whatever else the machine does."""
    for item in items:
        if HERE in item.path.parents and not item.get_closest_marker("timeout"):
            item.add_marker(pytest.mark.timeout(1500))


@pytest.fixture(scope="session")
def binary():
    """binary("tensors") -> the path of the extension that tensors.cpp becomes."""
    paths = {}

    def binary(name):
        if name not in paths:
            paths[name] = portable.load(name, [HERE / f"{name}.cpp"], extra_cflags=["-O1"], is_python_module=False)
        return paths[name]

    return binary


@pytest.fixture(scope="session")
def given(binary):
    """given("tensors", NAME=value) -> {call: what it gives}, with these environment variables."""

    def given(name, **variables):
        environment = {**table_host.of_a_host(SRC), **variables}
        command = [sys.executable, HERE / SCRIPTS[name], binary(name)]
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return given
