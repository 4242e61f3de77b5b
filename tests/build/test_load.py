"""tests/build/test_load.py: torchthaw.load and load_inline: what is built, when it is built again, and by whom."""

import ctypes
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch

import torchthaw
from support import SRC
from support.messages import names
from torchthaw.extension import BuildError, cuda, jit, ninja
from torchthaw.header import prototypes

HEADER = "int scaled(const float *input, long count, float *output);\n"
SOURCE = """
#include "factor.h"
#include "scaling.h"
int scaled(const float *input, long count, float *output) {
    for (long i = 0; i < count; ++i) output[i] = FACTOR * input[i];
    return FACTOR;
}
"""
# A compiler that notes what it compiles: when it begins and, a while later, when it ends.
COMPILER = """#!/bin/sh
case "$*" in *" -c "*) ;; *) exec {compiler} "$@" ;; esac
for word; do case "$word" in *.c|*.cpp) file=$(basename "$word") ;; esac; done
echo "begin $file $$" >> {log}
sleep {seconds}
{compiler} "$@"
status=$?
echo "end $file $$" >> {log}
exit $status
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A folder with sources, which is the current one; a cache and a memory of what was loaded of its own."""
    monkeypatch.setenv("TORCHTHAW_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("TORCH_EXTENSIONS_DIR", raising=False)
    monkeypatch.setattr(jit, "_loaded", {})
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "scaling.h").write_text(HEADER)
    (folder / "scaling.c").write_text(SOURCE)
    (folder / "factor.h").write_text("#define FACTOR 2\n")
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def compiled(tmp_path, monkeypatch):
    """compiled(): the names of the files that were compiled since the last time."""
    log = tmp_path / "log"
    compiler(tmp_path, log, monkeypatch)

    def taken():
        lines = log.read_text().splitlines() if log.exists() else []
        log.unlink(missing_ok=True)
        return sorted(line.split()[1] for line in lines if line.startswith("end"))

    return taken


def compiler(folder, log, monkeypatch, seconds=0):
    """Makes CC and CXX compilers that write ``log`` and take a while."""
    for variable, real in (("CC", "gcc"), ("CXX", "g++")):
        path = folder / real
        path.write_text(COMPILER.format(compiler=real, log=log, seconds=seconds))
        path.chmod(0o755)
        monkeypatch.setenv(variable, str(path))


def load(**options):
    return torchthaw.load(**{"name": "scaling", "sources": ["scaling.c"], "headers": ["scaling.h"], **options})


def forget():
    """As if another process went on."""
    jit._loaded.clear()


def apply(module):
    output = torch.empty(3)
    module.scaled(torch.ones(3), 3, output)
    return output.tolist()


def python(source, folder, **options):
    return subprocess.Popen(
        [sys.executable, "-c", source], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        env={**os.environ, "PYTHONPATH": str(SRC)}, **options,
    )  # fmt: skip


LOAD = "import torchthaw; print(torchthaw.load('scaling', 'scaling.c', 'scaling.h').scaled(None, 0, None))"


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


def test_verbose_shows_the_commands(project, capfd):
    load()
    assert capfd.readouterr() == ("", "")
    forget()
    (project / "factor.h").write_text("#define FACTOR 3\n")
    load(verbose=True)
    assert f"-c {project / 'scaling.c'}" in capfd.readouterr().out


# Building again


def test_the_same_again_is_the_same_module(project, monkeypatch):
    module = load()
    monkeypatch.setattr(ninja, "run", None)
    assert load() is module


def test_another_process_finds_it_built(project, compiled):
    load()
    assert compiled() == ["_scaling.c", "scaling.c"]
    for path in project.iterdir():
        os.utime(path)  # newer, with the same content
    assert python(LOAD, project).communicate()[0] == "2\n"
    assert compiled() == []


def rewrite(path, old, new):
    """Other content of an earlier time, as a tool that restores files leaves it."""
    path.write_text(path.read_text().replace(old, new))
    os.utime(path, (1, 1))


@pytest.mark.parametrize("file, old, new, expected", [
    ("scaling.c", "FACTOR * input", "7 * input", ["scaling.c"]),
    ("factor.h", "2", "7", ["scaling.c"]),
    ("scaling.h", "int scaled", "/* one more */ int scaled", ["_scaling.c", "scaling.c"]),
])  # fmt: skip
def test_changed_content_is_built(project, compiled, file, old, new, expected):
    (project / "other.c").write_text("int other;\n")
    load(sources=["scaling.c", "other.c"])
    compiled()
    forget()
    rewrite(project / file, old, new)
    load(sources=["scaling.c", "other.c"])
    assert compiled() == expected
    result = python(LOAD.replace("'scaling.c'", "['scaling.c', 'other.c']"), project).communicate()[0]
    assert result == ("7\n" if file == "factor.h" else "2\n") and compiled() == []


def test_changed_flags_are_built(project):
    (project / "factor.h").write_text("")
    assert apply(load(extra_cflags=["-DFACTOR=3"])) == [3, 3, 3]
    forget()
    assert apply(load(extra_cflags=["-DFACTOR=4"], build_directory="elsewhere")) == [4, 4, 4]
    assert python(LOAD.replace(".h')", ".h', ['-DFACTOR=5'])"), project).communicate()[0] == "5\n"


def test_another_compiler_builds(project, compiled):
    load()
    assert compiled() == ["_scaling.c", "scaling.c"]
    forget()
    with open(os.environ["CC"], "a") as file:
        file.write("# a newer one in the same place\n")
    load()
    assert compiled() == ["_scaling.c", "scaling.c"]


def test_a_compiler_is_known_by_its_content(project, compiled):
    load()
    compiled()
    path = Path(os.environ["CC"])
    status = path.stat()
    os.utime(path, (1, 1))
    forget()
    load()
    assert compiled() == [], "the same program, of another time"
    path.write_text(path.read_text().replace("begin", "start"))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert path.stat().st_size == status.st_size
    forget()
    load()
    assert compiled() == ["_scaling.c", "scaling.c"], "another program, of the same time and size"


def test_a_compiler_behind_a_launcher_is_known_too(project, compiled, monkeypatch):
    monkeypatch.setenv("CC", f"env {os.environ['CC']}")
    load()
    compiled()
    with Path(os.environ["CC"].split()[1]).open("a") as file:
        file.write("# another one\n")
    forget()
    load()
    assert compiled() == ["_scaling.c", "scaling.c"]


def test_a_compiler_behind_a_link_of_its_name_is_known_too(project, compiled, monkeypatch, tmp_path):
    """As a compiler cache puts them on PATH: each starts the next one of its name."""
    links, folder = tmp_path / "links", tmp_path / "compiler"
    links.mkdir(), folder.mkdir()
    real = (tmp_path / "gcc").rename(folder / "gcc")
    (links / "gcc").write_text(f'#!/bin/sh\nPATH={os.environ["PATH"]} exec {real} "$@"\n')
    (links / "gcc").chmod(0o755)
    monkeypatch.setenv("CC", "gcc")
    monkeypatch.setenv("PATH", f"{links}:{folder}:{os.environ['PATH']}")
    load()
    assert compiled() == ["_scaling.c", "scaling.c"]
    with real.open("a") as file:
        file.write("# another one\n")
    forget()
    load()
    assert compiled() == ["_scaling.c", "scaling.c"]


@pytest.mark.parametrize("variable", ["CPATH", "C_INCLUDE_PATH"])
def test_another_folder_of_headers_in_the_environment_builds(project, monkeypatch, variable):
    rewrite(project / "scaling.c", '"factor.h"', "<factor.h>")
    for factor in (3, 4):
        (project / str(factor)).mkdir()
        (project / str(factor) / "factor.h").write_text(f"#define FACTOR {factor}\n")
        monkeypatch.setenv(variable, str(project / str(factor)))
        assert python(LOAD, project).communicate()[0] == f"{factor}\n"


def test_another_folder_of_libraries_in_the_environment_builds(project, monkeypatch):
    rewrite(project / "scaling.c", '#include "factor.h"', "int factor(void);\n#define FACTOR factor()")
    for factor in (3, 4):
        folder = project / str(factor)
        folder.mkdir()
        (folder / "factor.c").write_text(f"int factor(void) {{ return {factor}; }}\n")
        subprocess.run(["gcc", "-fPIC", "-c", "factor.c"], cwd=folder, check=True)
        subprocess.run(["ar", "rc", "libfactor.a", "factor.o"], cwd=folder, check=True)
        monkeypatch.setenv("LIBRARY_PATH", str(folder))
        text = LOAD.replace("'scaling.h')", "'scaling.h', extra_ldflags=['-lfactor'])")
        assert python(text, project).communicate()[0] == f"{factor}\n"


@pytest.mark.parametrize("way", ["extra_include_paths", "extra_cflags", "CPATH", "beside"])
def test_a_header_that_comes_before_another_is_built(project, compiled, monkeypatch, way):
    """It was not there, so that no compiler read it."""
    for name in ("first", "second"):
        (project / name / "sub").mkdir(parents=True)
    (project / "scaling.c").rename(project / "first" / "scaling.c")
    name = "sub/factor.h" if way == "beside" else "factor.h"
    rewrite(project / "first" / "scaling.c", "factor.h", name)
    (project / "factor.h").rename(project / "second" / name)
    options = {"sources": ["first/scaling.c"], "extra_include_paths": ["second", "."]}
    if way == "extra_include_paths":
        rewrite(project / "first" / "scaling.c", '"factor.h"', "<factor.h>")
        options["extra_include_paths"] = ["first", "second", "."]
    elif way != "beside":
        rewrite(project / "first" / "scaling.c", '"factor.h"', "<factor.h>")
        folders = [project / "first", project / "second"]
        options["extra_include_paths"] = ["."]
        if way == "CPATH":
            monkeypatch.setenv("CPATH", ":".join(map(str, folders)))
        else:
            options["extra_cflags"] = [f"-I{folder}" for folder in folders]
    assert apply(load(**options)) == [2, 2, 2]
    compiled()
    forget()
    load(**options)
    assert compiled() == []
    (project / "first" / name).write_text("#define FACTOR 5\n")
    text = f"import torchthaw; print(torchthaw.load('scaling', headers='scaling.h', **{options}).scaled(None, 0, None))"
    assert python(text, project).communicate()[0] == "5\n"
    assert compiled() == ["scaling.c"]


@pytest.mark.skipif(shutil.which("ccache") is None, reason="not installed: ccache")
def test_a_header_that_comes_before_another_is_built_behind_ccache(project, compiled, monkeypatch, tmp_path):
    links = tmp_path / "links"
    links.mkdir()
    for name in ("gcc", "g++"):
        (links / name).symlink_to(shutil.which("ccache"))
    monkeypatch.setenv("PATH", f"{links}:{os.environ['PATH']}")
    monkeypatch.setenv("CCACHE_DIR", str(tmp_path / "cache"))
    test_a_header_that_comes_before_another_is_built(project, compiled, monkeypatch, "beside")


def test_the_record_grows_with_headers_and_folders_not_with_their_product(project, tmp_path):
    """Each folder is looked at before each header, and most of them have none of that name."""
    folders, names = [f"folder{i}" for i in range(20)], [f"{i}.h" for i in range(15)]
    for folder in folders:
        (project / folder / "sub").mkdir(parents=True)
        for name in names:
            (project / folder / "sub" / f"{folder}_{name}").write_text("")
    lines = [f"#include <sub/{folder}_{name}>\n" for folder in folders for name in names]
    (project / "factor.h").write_text("".join(lines) + "#define FACTOR 2\n")
    load(extra_include_paths=[*folders, *(f"absent{i}" for i in range(20))])
    [stamp] = (tmp_path / "cache").rglob("scaling.json")

    def count(value):
        values = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        return 1 + sum(map(count, values))

    made_of = json.loads(stamp.read_text())
    [files] = [
        files for name, files in made_of["objects"].items() if name.endswith("scaling.o") and "_scaling" not in name
    ]
    read = [path for path, digest in files.items() if digest]
    assert len(read) > 300 and count(made_of) < 10 * (len(read) + 60), count(made_of)


def test_a_source_that_changes_while_it_is_built(project, tmp_path, monkeypatch):
    """What the compiler did not see is built the next time."""
    compiler(tmp_path, tmp_path / "log", monkeypatch)
    other, script = project / "other.h", Path(os.environ["CC"])
    other.write_text("#define FACTOR 5\n")
    script.write_text(script.read_text().replace("exit $status", f"mv {other} {project / 'factor.h'}\nexit $status"))
    assert apply(load()) == [2, 2, 2]
    forget()
    assert python(LOAD, project).communicate()[0] == "5\n"


def test_a_lost_product_comes_back(project):
    Path(load().__file__).unlink()
    forget()
    assert python(LOAD, project).communicate()[0] == "2\n"


def test_a_broken_record_is_no_loss(project, compiled):
    Path(load().__file__).with_suffix(".json").write_text("{")
    compiled()
    assert python(LOAD, project).communicate()[0] == "2\n"
    assert compiled() == ["_scaling.c", "scaling.c"]


# Versions in one process


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


# Several processes


def test_builders_at_the_same_time(project, tmp_path, monkeypatch):
    """One builds, the others wait, and find it built."""
    log = tmp_path / "log"
    compiler(tmp_path, log, monkeypatch, seconds=0.3)
    processes = [python(LOAD, project) for _ in range(4)]
    assert [process.communicate()[0] for process in processes] == ["2\n"] * 4
    assert sorted(log.read_text().split()[1::3]) == ["_scaling.c"] * 2 + ["scaling.c"] * 2


@pytest.mark.parametrize("everything", [False, True], ids=["python alone", "with its compilers"])
def test_a_builder_that_is_killed(project, tmp_path, monkeypatch, everything):
    """The next one waits for the compilers that are left, builds what is not finished, and gets the right result."""
    log = tmp_path / "log"
    compiler(tmp_path, log, monkeypatch, seconds=1)
    monkeypatch.setenv("MAX_JOBS", "1")
    killed = python(LOAD, project)
    deadline = time.monotonic() + 60
    while not (log.exists() and log.read_text().endswith("\n")) and time.monotonic() < deadline:
        time.sleep(0.01)
    os.kill(killed.pid, signal.SIGKILL)
    if everything:
        os.kill(int(log.read_text().split()[2]), signal.SIGKILL)
    killed.wait()
    others = [python(LOAD, project) for _ in range(2)]
    assert [process.communicate()[0] for process in others] == ["2\n"] * 2
    events = [line.split() for line in log.read_text().splitlines()]
    first, events = events[0], events[1 if everything else 0 :]
    assert first[0] == "begin" and len(events) % 2 == 0
    for begin, end in zip(events[::2], events[1::2]):
        assert (begin[0], end[0]) == ("begin", "end") and begin[1:] == end[1:], "two builders at once"


# Failing


def test_a_failed_build_leaves_the_good_one(project, capfd):
    good = Path(load().__file__)
    before = good.read_bytes()
    text = (project / "scaling.c").read_text()
    (project / "scaling.c").write_text(text + "#error not yet\n")
    forget()
    with pytest.raises(BuildError, match=r"(?s)scaling\.c:.*not yet"):
        load()
    assert capfd.readouterr().err == ""
    assert good.read_bytes() == before
    (project / "scaling.c").write_text(text)
    assert apply(load()) == [2, 2, 2]


def test_a_failed_version_is_none(project):
    load()
    text = (project / "scaling.c").read_text()
    (project / "scaling.c").write_text("#error not yet\n")
    with pytest.raises(BuildError):
        load()
    (project / "scaling.c").write_text(text.replace("FACTOR *", "9 *"))
    module = load()
    assert module.__name__ == "scaling_v1" and apply(module) == [9, 9, 9]


def test_an_undefined_symbol_can_be_mended(project):
    text = (project / "scaling.c").read_text()
    (project / "scaling.c").write_text("int unrelated;\n")
    with pytest.raises(BuildError, match="undefined symbols: scaled[.]"):
        load()
    (project / "scaling.c").write_text(text)
    assert apply(load()) == [2, 2, 2]


TAKEN = ("torch", "aten", "prim", "prims", "torchthaw", "load_library", "higher_order", "my_lib")
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


@pytest.fixture
def cuda_home(project, monkeypatch):
    try:
        root = cuda.toolkit().root
    except FileNotFoundError:
        pytest.skip("no nvcc on this machine")
    monkeypatch.setenv("CUDA_HOME", str(root))
    monkeypatch.setenv("TORCH_CUDA_ARCH_LIST", "7.5+PTX")


KERNEL = """
#include <cuda_runtime.h>
__global__ void kernel(float *x) { *x = N; }
extern "C" int answer(int n) { return __CUDACC_VER_MAJOR__ > 0 ? N + n : 0; }
"""
RUNTIME = """
#include <cuda_runtime.h>
int answer(int n) { int version = 0; return cudaRuntimeGetVersion(&version) == 0 && version > 0 ? 40 + n : 0; }
"""


@pytest.mark.parametrize("file, text, options", [
    ("kernel.cu", KERNEL, {"extra_cuda_cflags": ["-DN=40"]}), ("runtime.c", RUNTIME, {"with_cuda": True})
], ids=["kernel", "runtime"])  # fmt: skip
def test_cuda(project, cuda_home, file, text, options):
    (project / file).write_text(text)
    (project / "answer.h").write_text("int answer(int n);\n")
    assert load(headers="answer.h", sources=file, **options).answer(2) == 42


def test_inline_cuda(project, cuda_home):
    module = torchthaw.load_inline("inline", cuda_sources=KERNEL, functions="answer", extra_cuda_cflags=["-DN=40"])
    assert module.answer(2) == 42


# load_inline

TOTAL = """
#include <numeric>
double total(const double *values, int64_t count) { return std::accumulate(values, values + count, 0.0); }
"""


def test_inline(project):
    docs = {"total": 'The "sum" of all: é, 😀, a \\ and a ??/ too.', "two": "Two."}
    cpp_sources, c_sources = [TOTAL, "static int unused;"], "int two(void) { return 2; }"
    module = torchthaw.load_inline(
        "inline", cpp_sources, functions=docs, c_sources=c_sources, extra_cflags=["-std=c99", "-std=c++17"]
    )
    assert module.total(torch.ones(5, dtype=torch.float64), 5) == 5 and module.two() == 2
    assert module.__all__ == ["total", "two"]
    declaration = "double total(const double *values, int64_t count)"
    assert module.total.__doc__ == f"{declaration}\n\n{docs['total']}"


@pytest.mark.parametrize("functions", ["two", ["two"], ("two",), {"two": None}], ids=str)
def test_functions_by_name(project, functions):
    c_sources = ["int two(void) { return 2; }", "int three(void) { return 3; }"]
    module = torchthaw.load_inline("inline", c_sources=c_sources, functions=functions)
    assert module.__all__ == ["two"] and module.two.__doc__ == "int two(void)"


def test_inline_again(project, compiled):
    def load_text(text):
        return torchthaw.load_inline("inline", c_sources=text, functions=["two"])

    first = load_text("int two(void) { return 2; }")
    assert load_text("int two(void) { return 2; }") is first
    second = load_text("int two(void) { return 22; }")
    assert (second.__name__, first.two(), second.two()) == ("inline_v1", 2, 22)
    compiled()
    forget()
    load_text("int two(void) { return 22; }")
    assert compiled() == ["inline.c"]


def test_inline_with_headers(project):
    source = "double norm(const struct point *p) { return p->x * p->x + p->y * p->y; }"
    header = "struct point { double x, y; };\ndouble norm(const struct point *p);"
    module = torchthaw.load_inline("inline", c_sources=source, headers=header, functions={"norm": "Squared."})
    assert "Squared." in module.norm.__doc__
    with pytest.raises(ValueError, match=names("functions", "declare", "'size'")):
        torchthaw.load_inline("inline", c_sources=source, headers=header, functions=["size"])


def test_an_inline_library(project):
    path = torchthaw.load_inline("inline", c_sources="int two(void) { return 2; }", is_python_module=False)
    assert ctypes.CDLL(path).two() == 2


@pytest.mark.parametrize("options, error, match", [
    ({}, ValueError, names("cpp_sources", "c_sources", "cuda_sources", "none")),
    ({"c_sources": "int x;"}, ValueError, names("functions", "names", "none")),
    ({"c_sources": "int x;", "functions": 3}, TypeError, names("functions", "list", "dict", "3")),
    ({"c_sources": "int g(void);", "functions": ["f"]}, ValueError, "^functions: expected functions that the sources"),
    ({"c_sources": "static int f(void) { return 1; }", "functions": ["f"]}, ValueError, "got static f$"),
    ({"cpp_sources": "void f(int &x) {}", "functions": "f"}, ValueError, "(?s)^functions: .*int &x"),
    ({"cpp_sources": "typedef int word; void f(word x) {}", "functions": "f"}, ValueError, "(?s)^functions: .*word"),
    ({"cpp_sources": "int f();", "functions": "f", "extra_cflags": "-O3"}, TypeError, "^extra_cflags: expected a list"),
    *(({"cpp_sources": "int f();", "functions": "f", "ops": name}, ValueError, "^ops: .*torch.ops") for name in TAKEN),
    *(({"cpp_sources": "int f();", "functions": "f", "name": name}, ValueError, "^name: .*torch.ops") for name in TAKEN),
], ids=str)  # fmt: skip
def test_bad_inline_arguments(project, options, error, match):
    with pytest.raises(error, match=match):
        torchthaw.load_inline(**{"name": "inline", **options})


@pytest.mark.parametrize("text, what, written", [
    ("torch::Tensor f(torch::Tensor x) { return x; }", "a name with ::", "torch::Tensor f(torch::Tensor x)"),
    ("int f(at::Tensor x) { return 1; }", "a name with ::", "int f(at::Tensor x)"),
    ("std::vector<float> f(const std::vector<float>& x) { return x; }", "a name with ::", "std::vector<float> f"),
    ("template <typename T> T f(T x) { return x; }", "a template", "template <typename T> T f(T x)"),
    ("auto f(int x) -> int { return x; }", "auto", "auto f(int x) -> int"),
    ("int f(int &x) { return x; }", "a reference", "int f(int &x)"),
], ids=str)  # fmt: skip
def test_a_signature_of_cpp_is_named(project, text, what, written):
    match = names("functions", "f", what) + f".*{re.escape(written)}.*pointers.*const float \\*.*sizes"
    with pytest.raises(ValueError, match=match):
        torchthaw.load_inline("inline", text, functions="f")


def test_names_of_c_that_are_words_of_cpp(project):
    """Nor is an expression of C a reference."""
    words = "template class namespace using operator friend virtual typename explicit mutable constexpr".split()
    parameters = ", ".join(f"long {word}" for word in words)
    text = f"long f({parameters}) {{ return {' + '.join(words)}; }}"
    text += "\nlong g(const float *image, const float template[4 & 7], long n) { return n; }\nlong using(long x) { return x; }"
    module = torchthaw.load_inline("inline", c_sources=text, functions=["f", "g", "using"])
    ones = torch.ones(4)
    assert (module.f(*range(len(words))), module.g(ones, ones, 3), module.using(2)) == (sum(range(len(words))), 3, 2)


@pytest.mark.parametrize("header", [
    "void f(word template);", "void f(word n, float x[4 & 7]);", "struct s { word class; int operator, virtual; };",
])  # fmt: skip
def test_names_of_c_in_a_header_that_is_wrong(project, header):
    with pytest.raises(ValueError, match=names("inline.h:1", "word")):
        torchthaw.load_inline("inline", c_sources="int x;", headers=header)


def test_a_call_is_no_signature_of_cpp(project):
    match = names("functions", "sources", "define", "'f'")
    with pytest.raises(ValueError, match=match):
        torchthaw.load_inline("inline", c_sources="int x = sizeof(f(1 & 3));", functions="f")


@pytest.mark.parametrize("word, similar", [
    ("THAW_SHAP(n)", "THAW_SHAPE"), ("THAW_NULABLE", "THAW_NULLABLE"), ("THAW_LIKES(x, 1)", "THAW_LIKE"),
    ("THAW_SHAP2(n)", "THAW_SHAPE"), ("THAW_Shape(n)", "THAW_SHAPE"), ("THAW_inout", "THAW_INOUT"),
])  # fmt: skip
@pytest.mark.parametrize("way", ["functions", "headers"])
def test_a_misspelt_annotation(project, way, word, similar):
    """Without text that the user did not write."""
    name, text = word.partition("(")[0], f"void f(const float *x {word}, long n)"
    if way == "functions":
        options = {"c_sources": f"#include <torchthaw/annotate.h>\n{text} {{}}", "functions": "f"}
        place = "functions: f"
    else:
        options = {"c_sources": "int f;", "headers": f"#include <torchthaw/annotate.h>\n{text};"}
        place = r".*/inline.h:2: f"
    want = names(name, "torchthaw/annotate.h", "unknown", similar)
    with pytest.raises(ValueError, match=want + place):
        torchthaw.load_inline("inline", **options)


def test_a_misspelt_annotation_before_a_function(project):
    text = "#include <torchthaw/annotate.h>\nTHAW_STATU int f(const float *x THAW_SHAPE(n), long n)"
    for options in {"c_sources": text + "{}", "functions": "f"}, {"c_sources": "int f;", "headers": text + ";"}:
        with pytest.raises(ValueError, match=r": f: THAW_STATU: expected a word .*; did you mean THAW_STATUS\?$"):
            torchthaw.load_inline("inline", **options)


def test_annotations_without_their_header(project):
    match = names("inline.h:1", "f", "#include", "<torchthaw/annotate.h>", "none")
    with pytest.raises(ValueError, match=match):
        torchthaw.load_inline("inline", c_sources="int x;", headers="void f(const float *x THAW_SHAPE(n), long n);")


# Prototypes


@pytest.mark.parametrize("text, expected", [
    ("int f(void) { return g(1); }", "int f(void);"),
    ("int f(\n  int a, /* one */\n  int b)  // two\n{", "int f(int a, int b);"),
    ("const char *f(const char *x);\nint y;", "const char * f(const char *x);"),
    ('extern "C" {\nstruct s { int f; };\nunsigned long f(int x) {}\n}', "unsigned long f(int x);"),
    ('extern "C" inline int f(int x) noexcept {}', "int f(int x);"),
    ("#define f(x) x\nint\tf(int x) {}", "int f(int x);"),
    ("#define m \\\n  int f(int wrong);\nint f(int right) {}", "int f(int right);"),
    ("namespace n { int f(long x) { return 1; } }\nint f(int x) {}", "int f(int x);"),
    ('char *s = "int f(long) {"; char c = \'{\'; int f(int x) {}', "int f(int x);"),
    ("[[nodiscard]] __attribute__((noinline)) int f(int (*callback)(int)) {", "int f(int (*callback)(int));"),
    ("int ff(long x) {} int f(int x) {}", "int f(int x);"),
], ids=str)  # fmt: skip
def test_prototypes(text, expected):
    assert expected in prototypes.header(text, ["f"]).splitlines()
