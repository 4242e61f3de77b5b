# tests/contract/test_section_1_1.py: what create_extension takes, writes and builds (sections 1.1 to 1.5).
import importlib
import os
import subprocess
import sys
from pathlib import Path

import cffi
import pytest

import torchthaw
from torchthaw.build import BuildError

ROOT = Path(torchthaw.__file__).parents[1]

HEADER = "int twice(int value);\n#define MAGIC 42\n"
SOURCE = "#include <TH/TH.h>\nint twice(int value) { return 2 * value; }\n"


@pytest.fixture
def create():
    from torch.utils.ffi import create_extension

    from torchthaw.legacy import patches

    patches.uninstall()
    return create_extension


@pytest.fixture
def project(tmp_path, monkeypatch):
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "twice.h").write_text(HEADER)
    (tmp_path / "src" / "twice.c").write_text(SOURCE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def made(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def twice(name, value=21):
    importlib.invalidate_caches()
    return importlib.import_module(name).twice(value)


def test_files_are_written_at_once_and_never_truncated(create, project):
    (project / "one").mkdir()
    (project / "one" / "__init__.py").write_text("kept = 1\n")
    ffi = create("one.two", ["src/twice.h"], ["src/twice.c"], False)
    assert isinstance(ffi, cffi.FFI)
    sources = ["src/twice.c", "src/twice.h"]
    assert made(project) == ["one/__init__.py", "one/two/__init__.py", *sources]
    assert (project / "one" / "__init__.py").read_text() == "kept = 1\n"
    assert "_wrap_function" in (project / "one" / "two" / "__init__.py").read_text()
    assert ffi.build() is None
    assert made(project) == ["one/__init__.py", "one/two/__init__.py", "one/two/_two.so", *sources]
    assert twice("one.two") == 42
    assert importlib.import_module("one.two").MAGIC == 42
    assert importlib.import_module("one.two").__all__ == ["MAGIC", "twice"]


@pytest.mark.parametrize("row, name, arguments", [
    pytest.param("plain", "plain_a", {}, id="row-plain-name"),
    pytest.param("string", "plain_b", {"headers": "src/twice.h"}, id="row-header-string"),
    pytest.param("package", "pkg_c.ext.lib", {"package": True}, id="row-package-build-in-place"),
    pytest.param("language", "plain_d", {"language": "c++"}, id="row-language"),
    pytest.param("extension", "plain_e", {"source_extension": ".c"}, id="row-source-extension"),
    pytest.param("std", "plain_f", {"extra_compile_args": ["-std=c99", "-fopenmp"]}, id="row-extra-compile-args"),
    pytest.param("TH", "plain_g", {"libraries": ["TH", "THC"]}, id="row-libraries-TH"),
    pytest.param("include", "plain_h", {"include_dirs": ["src"]}, id="row-include-dirs"),
])  # fmt: skip
def test_argument(create, project, row, name, arguments):
    given = {"headers": ["src/twice.h"], "sources": ["src/twice.c"], "verbose": False, **arguments}
    create(name, **given).build()
    assert twice(name) == 42


def test_absolute_source_and_relative_to(create, project, tmp_path, monkeypatch):
    (project / "elsewhere").mkdir()
    monkeypatch.chdir(project / "elsewhere")
    create(
        "moved.lib", "src/twice.h", [str(project / "src" / "twice.c")], False, relative_to=str(project / "build.py")
    ).build()
    assert (project / "moved" / "lib" / "_lib.so").exists()
    assert twice("moved.lib") == 42


def test_misspelt_argument_warns_and_builds(create, project):
    ffi = create("spelling", "src/twice.h", ["src/twice.c"], False, langauge="c++")
    with pytest.warns(UserWarning, match="Unknown Extension options: 'langauge'"):
        ffi.build()
    assert twice("spelling") == 42


def test_with_cuda_creates_and_only_build_complains(create, project):
    ffi = create("cuda_lib", "src/twice.h", ["src/twice.c"], False, with_cuda=True)
    assert (project / "cuda_lib" / "__init__.py").exists()
    with pytest.raises(BuildError, match="with_cuda"):
        ffi.build()


def test_nothing_at_all_is_an_empty_module(create, project):
    create("empty_lib", [], [], False).build()
    importlib.invalidate_caches()
    assert importlib.import_module("empty_lib").__all__ == []


def test_a_failed_build_leaves_the_good_one(create, project, capfd):
    create("lasting", "src/twice.h", ["src/twice.c"], False).build()
    good = (project / "lasting" / "_lasting.so").read_bytes()
    (project / "src" / "twice.c").write_text("int twice(int value) { return value + }\n")
    with pytest.raises(BuildError):
        create("lasting", "src/twice.h", ["src/twice.c"], False).build()
    assert "expected expression" in capfd.readouterr().err
    assert (project / "lasting" / "_lasting.so").read_bytes() == good


def test_tagged_siblings_are_removed(create, project):
    ffi = create("tagged", "src/twice.h", ["src/twice.c"], False)
    for tag in ("abi3", "cpython-311-x86_64-linux-gnu"):
        (project / "tagged" / f"_tagged.{tag}.so").write_bytes(b"stale")
    ffi.build()
    assert [path.name for path in (project / "tagged").glob("*.so")] == ["_tagged.so"]


def test_cuda_objects_are_left_out_on_the_cpu(create, project, capfd):
    (project / "src" / "stale.cu.o").write_bytes(b"\x7fELF __cudaRegisterFatBinary")
    objects = ["src/stale.cu.o", "src/missing.cu.o"]
    create("left_out", "src/twice.h", ["src/twice.c"], False, extra_objects=objects).build()
    lines = capfd.readouterr().err.splitlines()
    assert [line.partition(":")[2].split()[0] for line in lines] == objects
    assert twice("left_out") == 42


def test_missing_object_is_named(create, project):
    ffi = create("no_object", "src/twice.h", ["src/twice.c"], False, extra_objects=["src/gone.o"])
    with pytest.raises(BuildError, match="extra_objects: expected a file, got 'src/gone.o'"):
        ffi.build()


def test_the_same_header_twice(create, project):
    with pytest.raises(cffi.FFIError, match="multiple declarations of function twice"):
        create("double", ["src/twice.h", "src/twice.h"], ["src/twice.c"], False)


def test_half_and_thcstate_have_no_name(create, project):
    (project / "src" / "half.h").write_text("int f(THHalfTensor *tensor);\n")
    with pytest.raises((cffi.CDefError, cffi.FFIError)):
        create("half_lib", "src/half.h", [], False)


def test_needed_libth_by_soname_without_rpath(create, project):
    (project / "src" / "twice.c").write_text(SOURCE + "void *t(void) { return THFloatTensor_new(); }\n")
    create("linked", "src/twice.h", ["src/twice.c"], False).build()
    output = subprocess.run(
        ["readelf", "-d", project / "linked" / "_linked.so"], capture_output=True, text=True, check=True
    ).stdout
    assert "[libth.so.1]" in output and "PATH" not in output


def test_distutils_extension_with_another_name(create, project):
    ext = create("ext_lib", "src/twice.h", ["src/twice.c"], False, package=True).distutils_extension(verbose=False)
    ext.name = "pkg.ext_lib._ext_lib"
    assert Path(ext.sources[0]).exists() and any(source.endswith("twice.c") for source in ext.sources)


SETUP = """
from setuptools import setup
setup(name="p", version="1", packages=["p"], cffi_modules=["build.py:ffi"])
"""
BUILD = """
from torch.utils.ffi import create_extension
ffi = create_extension("p._ext.lib", headers=["src/twice.h"], sources=["src/twice.c"], package=True,
                       relative_to=__file__)
"""


def test_cffi_modules(project):
    (project / "p").mkdir()
    (project / "p" / "__init__.py").write_text("")
    (project / "setup.py").write_text(SETUP)
    (project / "build.py").write_text(BUILD)
    run = [sys.executable, "-m", "torchthaw", "run"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    result = subprocess.run(
        [*run, "setup.py", "-q", "build_ext", "--inplace"], capture_output=True, text=True, env=environment
    )
    assert result.returncode == 0, result.stderr
    assert (project / "p" / "_ext" / "lib" / "_lib.abi3.so").exists()
    (project / "test.py").write_text("from p._ext import lib; print(lib.twice(4))")
    result = subprocess.run([*run, "test.py"], capture_output=True, text=True, env=environment)
    assert result.stdout == "8\n", result.stderr
