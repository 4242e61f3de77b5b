"""tests/build/test_load.py: torchthaw.load: what it gives, in one process, and what it refuses."""

import ctypes
import subprocess
import sys
from pathlib import Path

import pytest
import torch

import torchthaw
from support.load_project import KERNEL, LOAD, TAKEN, apply, forget, load, python
from support.messages import names

# The result


def test_a_module(project):
    module = load()
    assert apply(module) == [2, 2, 2]
    assert (module.__name__, module.__all__, module.scaled.__module__) == ("scaling", ["scaled"], "scaling")
    cache = project.parent / "cache" / "extensions" / sys.implementation.cache_tag
    assert Path(module.__file__) == cache / "scaling" / "scaling.so"


def test_torch_is_not_needed(project):
    process = python(f"{LOAD}; import sys; print('torch' in sys.modules)", project)
    assert process.communicate()[0].split() == ["2", "False"]


def test_no_module_is_replaced(project):
    import json

    assert load(name="json") is not json and sys.modules["json"] is json


def test_a_plain_library(project):
    path = load(headers=(), is_python_module=False)
    assert path in Path("/proc/self/maps").read_text()
    assert ctypes.CDLL(path).scaled(None, ctypes.c_long(0), None) == 2


def test_a_program(project):
    (project / "main.cpp").write_text("#include <cstdio>\nint main(int, char **v) { return std::puts(v[1]) < 0; }\n")
    path = torchthaw.load("program", "main.cpp", is_python_module=False, is_standalone=True)
    assert Path(path).name == "program"
    assert subprocess.run([path, "hello"], capture_output=True, text=True).stdout == "hello\n"


@pytest.mark.parametrize("variable", [True, False])
def test_the_build_directory(project, monkeypatch, variable):
    monkeypatch.setenv("TORCH_EXTENSIONS_DIR", str(project / "all"))
    module = load(build_directory=None if variable else "here/below")
    folder = project / ("all/scaling" if variable else "here/below")
    assert Path(module.__file__) == folder / "scaling.so"
    assert not (project.parent / "cache").exists()


@pytest.mark.parametrize("keep", [True, False])
def test_intermediates(project, compiled, keep):
    load(build_directory="made", keep_intermediates=keep)
    assert bool(list((project / "made").rglob("*.o"))) == keep
    compiled()
    forget()
    assert apply(load(build_directory="made", keep_intermediates=keep)) == [2, 2, 2] and compiled() == []


def test_flags(project):
    (project / "include").mkdir()
    (project / "include" / "other.h").write_text("#define LETTERS ABC\n")
    (project / "more.cpp").write_text("""
#include <other.h>
extern "C" double sqrt(double);
extern "C" int more() { static_assert(__cplusplus == 202002L, ""); enum { ABC = 5 }; return LETTERS + N; }
""")
    (project / "more.h").write_text("int more(void);\n")
    module = load(
        sources=["scaling.c", project / "more.cpp"], headers=["scaling.h", "more.h"], extra_include_paths=["include"],
        extra_cflags=["-DN=3", "-std=c++20", "-std=c99", "-Werror"], extra_ldflags=["-Wl,--defsym=here=0", "-lm"],
    )  # fmt: skip
    assert module.more() == 8
    dynamic = subprocess.run(["nm", "-D", module.__file__], capture_output=True, text=True, check=True).stdout
    assert " A here" in dynamic


@pytest.mark.parametrize("flags", [
    ["-DOF_DOUBLES", "-I{folder}"],
    ["-D", "OF_DOUBLES", "-isystem", "{folder}"],
    ["-include", "{folder}/of_doubles.h", "-I", "{folder}"],
], ids="{0[0]}".format)  # fmt: skip
def test_flags_that_change_what_a_header_declares(project, tmp_path, flags):
    """Without them, C would get an array of another type than it takes."""
    (tmp_path / "types").mkdir()
    (tmp_path / "types" / "real.h").write_text(
        "#ifdef OF_DOUBLES\n#define REAL double\n#else\n#define REAL float\n#endif\n"
    )
    (tmp_path / "types" / "of_doubles.h").write_text("#define OF_DOUBLES 1\n")
    (project / "fill.h").write_text('#include "real.h"\nvoid fill(REAL *to, long count);\n')
    (project / "fill.c").write_text('#include "fill.h"\nvoid fill(REAL *to, long n) { while (n--) to[n] = 1.5; }\n')
    flags = [flag.format(folder=tmp_path / "types") for flag in flags]
    module = torchthaw.load("filling", "fill.c", "fill.h", extra_cflags=[*flags, "-std=gnu99"])
    module.fill(to := torch.zeros(3, dtype=torch.float64), 3)
    assert to.tolist() == [1.5, 1.5, 1.5]
    with pytest.raises(TypeError, match="float64"):
        module.fill(torch.zeros(3), 3)


@pytest.mark.slow
def test_verbose_shows_the_commands(project, capfd):
    load()
    assert capfd.readouterr() == ("", "")
    forget()
    (project / "factor.h").write_text("#define FACTOR 3\n")
    load(verbose=True)
    assert f"-c {project / 'scaling.c'}" in capfd.readouterr().out


# Versions in one process


@pytest.mark.slow
def test_other_content_is_another_version(project):
    first = load()
    (project / "factor.h").write_text("#define FACTOR 3\n")
    second = load()
    assert load() is second
    (project / "factor.h").write_text("#define FACTOR 2\n")
    third = load()
    assert [module.__name__ for module in (first, second, third)] == ["scaling", "scaling_v1", "scaling_v2"]
    assert [apply(module)[0] for module in (first, second, third)] == [2, 3, 2]
    assert python(LOAD, project).communicate()[0] == "2\n"


@pytest.mark.slow
def test_names_do_not_meet(project):
    first, other = load(), load(name="other")
    assert (first.__name__, other.__name__) == ("scaling", "other") and load() is first


def test_the_version_of_a_library(project):
    options = {"headers": (), "is_python_module": False}
    first = load(**options)
    assert load(**options) == first
    (project / "factor.h").write_text("#define FACTOR 3\n")
    second = load(**options)
    assert [Path(path).name for path in (first, second)] == ["scaling.so", "scaling_v1.so"]
    assert ctypes.CDLL(second).scaled(None, ctypes.c_long(0), None) == 3


# Bad input


FREE = ("streams", "sparse", "export", "profiler", "onnx", "quantized")


@pytest.mark.parametrize("name", FREE)
def test_a_namespace_in_which_pytorch_has_other_operators(project, name):
    source = "void twice(const float *x, long n, float *y) { for (long i = 0; i < n; ++i) y[i] = 2 * x[i]; }"
    header = "#include <torchthaw/annotate.h>\n"
    header += "void twice(const float *x THAW_SHAPE(n), long n, float *y THAW_SHAPE(n));"
    module = torchthaw.load_inline(name, c_sources=source, headers=header)
    module.twice(torch.ones(2), 2, out := torch.empty(2))
    assert out.tolist() == getattr(torch.ops, name).twice(torch.ones(2)).tolist() == [2, 2]


@pytest.mark.parametrize("name", TAKEN)
def test_what_makes_no_operators_may_have_any_name(project, name):
    path = torchthaw.load_inline(name, c_sources="int two(void) { return 2; }", is_python_module=False)
    assert ctypes.CDLL(path).two() == 2


def test_a_library_of_the_system_needs_a_header_alone(tmp_path, monkeypatch):
    monkeypatch.setenv("TORCH_EXTENSIONS_DIR", str(tmp_path))
    (tmp_path / "roots.h").write_text("double hypot(double x, double y);\n")
    roots = torchthaw.load("roots", [], tmp_path / "roots.h", extra_ldflags=["-lm"])
    assert roots.hypot(3.0, 4.0) == 5.0
    with pytest.raises(ValueError, match=names("sources", "none", "extra_ldflags")):
        torchthaw.load("others", [], tmp_path / "roots.h")
    with pytest.raises(ValueError, match=names("sources", "none")):
        torchthaw.load("others", [], extra_ldflags=["-lm"], is_python_module=False)


@pytest.mark.parametrize("options, error, match", [
    ({"name": "a.b"}, ValueError, names("name", "identifier", "'a.b'")),
    ({"name": 3}, ValueError, names("name", "identifier", "3")),
    ({"sources": []}, ValueError, names("sources", "files", "none")),
    ({"sources": "missing.c"}, FileNotFoundError, names("sources", "file", "missing.c")),
    ({"sources": "factor.h"}, ValueError, "^sources: expected C or C[+][+] files"),
    ({"headers": ()}, ValueError, "^headers: expected one or more C headers that declare the module's functions"),
    ({"headers": "missing.h"}, FileNotFoundError, names("headers", "file", "missing.h")),
    ({"is_standalone": True}, ValueError, "^is_standalone: expected is_python_module=False with it"),
    ({"extra_cflags": "-O3"}, TypeError, names("extra_cflags", "list", "'-O3'")),
    ({"extra_ldflags": "-lm"}, TypeError, names("extra_ldflags", "list", "'-lm'")),
    ({"extra_include_paths": "include"}, TypeError, names("extra_include_paths", "list", "'include'")),
    ({"sources": "x.cu", "with_cuda": False}, ValueError, "^with_cuda: expected True or None"),
    *(({"name": name}, ValueError, names("name", "namespace", "torch.ops", f"'{name}'")) for name in TAKEN),
    *(({"ops": name}, ValueError, names("ops", "namespace", "torch.ops", f"'{name}'")) for name in TAKEN),
], ids=str)  # fmt: skip
def test_bad_arguments(project, options, error, match):
    with pytest.raises(error, match=match):
        load(**options)


def test_a_header_of_tensors_of_the_old_kind(project):
    (project / "old.h").write_text("int f(THFloatTensor *x);\n")
    with pytest.raises(ValueError, match=names("headers", "THFloatTensor")):
        load(headers="old.h")


def test_max_jobs(project, monkeypatch):
    monkeypatch.setenv("MAX_JOBS", "many")
    with pytest.raises(ValueError, match=names("MAX_JOBS", "positive", "integer", "'many'")):
        load()


@pytest.mark.parametrize("name", ["TORCH_EXTENSIONS_DIR", "TORCHTHAW_CACHE", "XDG_CACHE_HOME", "build_directory"])
def test_a_folder_that_cannot_be_written_is_named(project, monkeypatch, name):
    (project / "file").touch()
    place = str(project / "file" / "cache")
    for variable in ("TORCH_EXTENSIONS_DIR", "TORCHTHAW_CACHE"):
        monkeypatch.delenv(variable, raising=False)
    options = {name: place} if name == "build_directory" else {}
    if not options:
        monkeypatch.setenv(name, place)
    with pytest.raises(NotADirectoryError, match=names(name, "folder", place)):
        load(**options)


def test_without_cuda(project, monkeypatch):
    (project / "kernel.cu").write_text('extern "C" int one() { return 1; }\n')
    (project / "one.h").write_text("int one(void);\n")
    monkeypatch.setenv("CUDA_HOME", str(project))
    with pytest.raises(FileNotFoundError, match="^CUDA_HOME: expected a CUDA toolkit"):
        load(headers="one.h", sources=["kernel.cu"])


# CUDA

RUNTIME = """
#include <cuda_runtime.h>
int answer(int n) { int version = 0; return cudaRuntimeGetVersion(&version) == 0 && version > 0 ? 40 + n : 0; }
"""


@pytest.mark.slow
@pytest.mark.parametrize("file, text, options", [
    ("kernel.cu", KERNEL, {"extra_cuda_cflags": ["-DN=40"]}), ("runtime.c", RUNTIME, {"with_cuda": True})
], ids=["kernel", "runtime"])  # fmt: skip
def test_cuda(project, cuda_home, file, text, options):
    (project / file).write_text(text)
    (project / "answer.h").write_text("int answer(int n);\n")
    assert load(headers="answer.h", sources=file, **options).answer(2) == 42
