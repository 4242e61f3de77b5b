"""tests/legacy/headers/test_loaded_modules.py: what load() of torch.utils.cpp_extension gave can be imported by its name."""

import importlib
import importlib.machinery
import sys
import types

import pytest

from support import ROOT
from torchthaw.legacy.cpp import cpp_extension, loaded_modules


@pytest.fixture(autouse=True)
def as_before(monkeypatch):
    monkeypatch.setattr(loaded_modules.Finder, "modules", {})
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    monkeypatch.setattr(sys, "modules", dict(sys.modules))


@pytest.fixture
def load():
    """load(name): the module that PyTorch's function returns under the patch; as pybind11 3 makes it, not in sys.modules."""

    def of_pytorch(name, sources, extra_cflags=None, extra_cuda_cflags=None, extra_ldflags=None, extra_include_paths=None,
                   with_cuda=None, is_python_module=True):  # fmt: skip
        module = types.ModuleType(name)
        module.__spec__ = importlib.machinery.ModuleSpec(name, None, origin="its file")
        return module if is_python_module else None

    wrapped = cpp_extension._loading(of_pytorch)
    return lambda name, **options: wrapped(name, ["a.cpp"], **options)


def test_it_is_imported_by_its_name(load):
    made = load("own_plugin")
    assert importlib.import_module("own_plugin") is made is sys.modules["own_plugin"]
    assert made.__spec__.origin == "its file" and made.__loader__ is None
    again = load("own_plugin_2")
    assert importlib.import_module("own_plugin_2") is again and sys.meta_path.count(loaded_modules.Finder) == 1
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("own_plugin.part")


def test_without_it_the_message_is_that_of_the_page():
    with pytest.raises(ModuleNotFoundError) as caught:
        importlib.import_module("bias_act_plugin")
    assert f"\nModuleNotFoundError: {caught.value}\n" in (ROOT / "docs" / "build-stops.md").read_text()


def test_the_newest_of_a_name_is_taken(load):
    load("own_plugin")
    made = load("own_plugin")
    assert importlib.import_module("own_plugin") is made


def test_a_module_of_this_name_comes_first(load, tmp_path, monkeypatch):
    (tmp_path / "own_package.py").write_text("mine = True\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    load("own_package")
    assert importlib.import_module("own_package").mine
    assert load("json") is not importlib.import_module("json")


def test_what_is_no_module_is_not_kept(load):
    assert load("own_library", is_python_module=False) is None
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("own_library")


def test_in_a_folder_of_a_package_nothing_is_found(load, tmp_path, monkeypatch):
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack" / "__init__.py").touch()
    monkeypatch.syspath_prepend(str(tmp_path))
    load("inner")
    with pytest.raises(ImportError):
        importlib.import_module("pack.inner")
