"""tests/portable/build/test_portable_runtime_library.py: flags, stubs of PyTorch's libraries, the runtime, and what is checked."""

import os
import shutil
import subprocess

import pytest
import torch

from support.messages import names
from torchthaw import portable
from torchthaw.base.errors import BuildError
from torchthaw.portable import flags, runtime_library, symbols


def output(*words):
    return subprocess.run(list(map(str, words)), capture_output=True, text=True, check=True).stdout


def test_flags():
    assert {"-fPIC", "-fvisibility=hidden", "-DPy_LIMITED_API=0x030a0000", "-DTORCH_API_INCLUDE_EXTENSION_H"} <= {
        *flags.common()
    }
    assert "-fvisibility-inlines-hidden" in flags.cxx()
    assert flags.of_all(["-fsanitize=address", "-O3", "-D_GLIBCXX_ASSERTIONS", "-DMINE"]) == [
        "-fsanitize=address", "-D_GLIBCXX_ASSERTIONS"
    ]  # fmt: skip


@pytest.mark.parametrize("compiler", ["g++", "clang++"])
def test_flags_are_those_that_the_compiler_has(monkeypatch, compiler):
    if not shutil.which(compiler):
        pytest.skip(f"no {compiler} on this machine")
    monkeypatch.setenv("CXX", compiler)
    assert ("-fno-gnu-unique" in flags.cxx()) == (compiler == "g++")


def test_stubs_have_pytorch_s_names_and_nothing_else(small):
    folder = runtime_library.stubs()
    assert sorted(path.name for path in folder.iterdir()) == ["libc10.so", "libtorch_cpu.so", "libtorch_python.so"]
    for name in runtime_library.STUBS:
        assert f"[lib{name}.so]" in output("readelf", "-d", folder / f"lib{name}.so")
        assert output("nm", "-D", "--defined-only", folder / f"lib{name}.so") == ""
    assert runtime_library.stubs() == folder


@pytest.mark.slow
def test_the_runtime_is_made_once_for_its_flags_and_content(small, monkeypatch):
    made = runtime_library.runtime([])
    assert "runtime.o" in output("ar", "t", made) and [path.name for path in made.parent.iterdir()] == [made.name]
    monkeypatch.setattr(runtime_library.ninja, "run", lambda *_, **__: pytest.fail("compiled again"))
    assert runtime_library.runtime([]) == made
    monkeypatch.undo()


@pytest.mark.slow
def test_another_runtime(small):
    made = runtime_library.runtime([])
    assert runtime_library.runtime(["-D_GLIBCXX_ASSERTIONS"]) != made
    (small / "own" / "portable" / "runtime.h").write_text("namespace portable { long runtime(); } // changed\n")
    assert runtime_library.runtime([]) != made


@pytest.fixture
def shared(tmp_path):
    """shared(source): a shared object of C++."""

    def make(source, *words):
        path = tmp_path / "made.so"
        subprocess.run(
            ["g++", "-shared", "-fPIC", "-xc++", "-", "-o", path, *words], input=source, text=True, check=True
        )
        return path

    return make


HIDDEN = '#define SHOWN extern "C" __attribute__((visibility("default")))\n#pragma GCC visibility push(hidden)\n'
STRONG = {
    "namespace at { void zork(int); } SHOWN void PyInit_x() { at::zork(1); }": "at::zork(int)",
    "namespace c10 { struct Error { Error(); }; } SHOWN void PyInit_x() { c10::Error(); }": "c10::Error::Error()",
    'SHOWN void aoti_torch_get_dim(); SHOWN void PyInit_x() { aoti_torch_get_dim(); }': "aoti_torch_get_dim",
}  # fmt: skip


@pytest.mark.parametrize("source, name", STRONG.items())
def test_a_name_of_pytorch_that_must_be_there_is_an_error(shared, source, name):
    source = source.replace("namespace at {", "#pragma GCC visibility pop\nnamespace at {").replace(
        "namespace c10 {", "#pragma GCC visibility pop\nnamespace c10 {"
    )
    with pytest.raises(BuildError, match=names(name, "made.so")):
        symbols.check(shared(HIDDEN + source.replace("SHOWN void PyInit", "\nSHOWN void PyInit")))


@pytest.mark.parametrize("source", [
    "namespace at { __attribute__((weak)) void zork(int); }\nSHOWN void PyInit_x() { if (&at::zork) at::zork(1); }",
    "namespace attic { void mine(int); }\nSHOWN void PyInit_x() { attic::mine(1); }",
    "SHOWN void Py_IncRef(void *);\nSHOWN void PyInit_x() { Py_IncRef(0); }",
])  # fmt: skip
def test_other_names(shared, source):
    symbols.check(shared(f"{HIDDEN}#pragma GCC visibility pop\n{source}"))


def test_another_name_that_others_see_is_an_error(shared):
    with pytest.raises(BuildError, match=names("mine", "PyInit_")):
        symbols.check(shared('extern "C" void PyInit_x() {} extern "C" int mine() { return 1; }'))


@pytest.mark.skipif(not shutil.which("g++"), reason="needs g++")
def test_a_compiler_of_two_names_has_one_runtime(tmp_path, monkeypatch):
    """CMake calls by /usr/bin/c++ what is g++; ccache may be both, and more words, or another program, are another one."""
    monkeypatch.delenv("CXX", raising=False)
    place = runtime_library.archive([])
    real, other, wrapper = os.path.realpath(shutil.which("g++")), tmp_path / "c++", tmp_path / "ccache"
    other.symlink_to(real)
    wrapper.write_text(f'#!/bin/sh\nexec {real} "$@"\n')
    wrapper.chmod(0o755)
    for name, is_same in ((str(other), True), ("g++", True), ("g++ -m64", False), (str(wrapper), False)):
        monkeypatch.setenv("CXX", name)
        assert (runtime_library.archive([]) == place) == is_same, name
    monkeypatch.delenv("CXX")
    (tmp_path / "bin").mkdir()
    for name in ("g++", "c++"):
        (tmp_path / "bin" / name).symlink_to(wrapper)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    by_g = runtime_library.archive([])
    monkeypatch.setenv("CXX", "c++")
    assert runtime_library.archive([]) != by_g != place


@pytest.mark.slow
def test_a_small_extension_makes_a_small_file(tmp_path):
    source = "at::Tensor plus(at::Tensor x) { return x + 1; }"
    made = portable.load_inline("small_file", source, functions=["plus"], build_directory=tmp_path)
    assert made.plus(torch.ones(2)).tolist() == [2, 2]
    stripped = tmp_path / "stripped.so"
    subprocess.run(["strip", made.__file__, "-o", stripped], check=True)
    assert (
        stripped.stat().st_size < 160_000
    )  # 139,448 with g++ 12; 176,312 where all of the runtime is compiled for speed
