# tests/contract/conftest.py: the module that most rows of section 1 call, built once.
import importlib
import sys

import legacy_project
import pytest

import torchthaw  # noqa: F401


@pytest.fixture(scope="session")
def calls(tmp_path_factory):
    from torch.utils.ffi import create_extension

    from torchthaw.legacy import patches

    patches.uninstall()
    folder = legacy_project.write(tmp_path_factory.mktemp("legacy"))
    create_extension(
        "legacy_calls.calls", "src/calls.h", ["src/calls.c", "src/throwing.cpp"], False,
        relative_to=str(folder / "build.py"),
    ).build()  # fmt: skip
    sys.path.insert(0, str(folder))
    yield importlib.import_module("legacy_calls.calls")
    sys.path.remove(str(folder))
