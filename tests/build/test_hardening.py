"""tests/build/test_hardening.py: RELRO, BIND_NOW, stacks and text, as the ELF files of libraries and extensions have
them."""

import os
import re
import subprocess
import sys

import pytest

import torchthaw
from support import SRC, elf
from torchthaw.base import config, toolchain
from torchthaw.extension import symbols
from torchthaw.legacy.ffi.create import create_extension as legacy

LIBRARIES = ("my_lib", "my_lib_cuda", "th", "thc")


def library(name):
    try:
        return config.library(name)
    except FileNotFoundError:
        pytest.skip(f"lib{name} was not built")


def bridge():
    from torchthaw.bridge import _bridge

    return _bridge.__file__


@pytest.mark.parametrize("name", LIBRARIES)
def test_libraries(name):
    assert elf.unprotected(library(name)) == []


def test_the_bridge():
    assert elf.unprotected(bridge()) == []


@pytest.mark.parametrize(
    "name, checks_stack", [("my_lib", True), ("my_lib_cuda", True), ("th", True), ("thc", True), ("bridge", False)]
)
def test_buffers_are_checked(name, checks_stack):
    """The bridge leaves out the check of the stack, which its calls would take longer by."""
    found = elf.undefined(bridge() if name == "bridge" else library(name))
    assert "__stack_chk_fail" in found or not checks_stack
    assert {each for each in found if re.fullmatch(r"__\w+_chk", each)}


def test_nobody_waits_for_a_static_variable():
    """A forked child would wait for the thread that was setting one: base/once.h is for those."""
    assert "__cxa_guard_acquire" not in elf.undefined(library("th"))


@pytest.fixture
def project(tmp_path, monkeypatch):
    """The current folder, with one.h and one.c."""
    monkeypatch.setenv("TORCHTHAW_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("TORCH_EXTENSIONS_DIR", raising=False)
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "one.h").write_text("int one(void);\n")
    (folder / "one.c").write_text("int one(void) { return 1; }\n")
    monkeypatch.chdir(folder)
    return folder


SETUP = """
from setuptools import setup
import torchthaw
build_ext = torchthaw.BuildExtension.with_options(use_ninja={})
setup(name="x", ext_modules=[torchthaw.FFIExtension("one", ["one.h"], ["one.c"])], cmdclass={{"build_ext": build_ext}})
"""


def setup(folder, use_ninja):
    (folder / "setup.py").write_text(SETUP.format(use_ninja))
    words = [sys.executable, "setup.py", "-q", "build_ext", "--inplace"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": str(SRC)})  # fmt: skip
    assert done.returncode == 0, done.stderr


BUILDS = {
    "create_extension": lambda folder: torchthaw.create_extension("one", "one.h", ["one.c"], folder / "x.py").build(),
    "legacy": lambda folder: legacy("one", "one.h", ["one.c"], False, relative_to=str(folder / "x.py")).build(),
    "FFIExtension": lambda folder: setup(folder, True),
    "FFIExtension without ninja": lambda folder: setup(folder, False),
    "load": lambda folder: torchthaw.load(
        "one", ["one.c"], headers=["one.h"], is_python_module=False, build_directory=folder
    ),
}


@pytest.mark.parametrize("how", BUILDS)
def test_extensions(project, how):
    BUILDS[how](project)
    (made,) = (path for path in project.rglob("*one*.so") if "build" not in str(path.relative_to(project)))
    assert elf.unprotected(made) == []


@pytest.mark.slow
def test_symbols_that_a_build_leaves_open_may_come_late(project):
    """Old code calls what its process lacks at import, or never calls it: with RTLD_LAZY it was loaded and still is."""
    (project / "one.c").write_text("int later(void); int two(void) { return later(); } int one(void) { return 1; }\n")
    legacy("one", "one.h", ["one.c"], False, extra_link_args=[symbols.LEFT_OPEN]).build()
    assert elf.unprotected(project / "one" / "_one.so") == ["has no BIND_NOW"]
    code = "import os, sys, torchthaw; sys.setdlopenflags(os.RTLD_LAZY); import one; print(one.one())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": str(SRC)})  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "1\n"), done.stderr


def test_python_looks_for_every_symbol_at_once_anyway():
    """Why BIND_NOW is nothing new for an extension that Python imports."""
    assert sys.getdlopenflags() & os.RTLD_NOW


GOOD = ["-Wl,-z,relro", "-Wl,-z,now", "-Wl,-z,noexecstack"]
ADDRESS_IN_TEXT = 'int f(void) { return 1; }\n__asm__(".text\\n.quad f");'


@pytest.mark.parametrize("flags, text, complaints", [
    (GOOD, "", []),
    ([*GOOD, "-Wl,-z,norelro"], "", ["has no RELRO"]),
    ([*GOOD, "-Wl,-z,lazy"], "", ["has no BIND_NOW"]),
    ([*GOOD, "-Wl,-z,execstack"], "", ["has an executable stack"]),
    ([*GOOD, "-Wl,-z,notext"], ADDRESS_IN_TEXT, ["has text relocations"]),
])  # fmt: skip
def test_what_is_missing_is_found(tmp_path, flags, text, complaints):
    """Of a library that is linked without it."""
    (tmp_path / "x.c").write_text(text or "int x = 1, *y = &x; int f(void) { return *y; }\n")
    words = [*toolchain.c_compiler(), "-shared", "-fPIC", "x.c", *flags, "-o", "x.so"]
    subprocess.run(words, cwd=tmp_path, check=True, capture_output=True)
    assert elf.unprotected(tmp_path / "x.so") == complaints
