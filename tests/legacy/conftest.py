# tests/legacy/conftest.py: create_extension, a folder to use it in, and the module that most tests call, built once.
import importlib
import os
import sys

import pytest

from support import legacy_project
from torchthaw.legacy.ffi.create import create_extension
from torchthaw.legacy.run import finder, patches


@pytest.fixture(scope="session")
def create():
    return create_extension


@pytest.fixture
def utils_ffi(monkeypatch):
    """torch.utils.ffi can be imported, and importing it patches PyTorch; both end with the test."""
    monkeypatch.setattr(sys, "meta_path", [finder.Finder, *sys.meta_path])
    monkeypatch.setenv("CPATH", os.environ.get("CPATH", ""))
    monkeypatch.delitem(sys.modules, finder.FFI, raising=False)
    yield
    patches.uninstall()


@pytest.fixture
def legacy():
    """PyTorch is patched while a test runs."""
    patches.install()
    yield
    patches.uninstall()


@pytest.fixture(scope="session")
def calls(create, tmp_path_factory):
    folder = legacy_project.write(tmp_path_factory.mktemp("legacy"))
    create(
        "legacy_calls.calls", "src/calls.h", ["src/calls.c", "src/throwing.cpp"], False,
        relative_to=str(folder / "build.py"),
    ).build()  # fmt: skip
    sys.path.insert(0, str(folder))
    yield importlib.import_module("legacy_calls.calls")
    sys.path.remove(str(folder))


@pytest.fixture
def project(tmp_path, monkeypatch):
    """The current folder, with src/twice.h and src/twice.c; what is built below it can be imported."""
    legacy_project.files(tmp_path, {"src/twice.h": legacy_project.TWICE_H, "src/twice.c": legacy_project.TWICE_C})
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The current folder of all tests of a file, for what is built once; what lies below it can be imported."""
    before, path = os.getcwd(), tmp_path_factory.mktemp("shared")
    os.chdir(path)
    sys.path.insert(0, str(path))
    yield path
    sys.path.remove(str(path))
    os.chdir(before)
