"""tests/build/test_build.py: torchthaw.create_extension, from headers to a package on disk."""

import contextlib
import json
import multiprocessing
import os
import shutil
import subprocess
import sys

import pytest

import torchthaw
from support import ROOT, SRC, bridge_probe
from support.messages import names
from torchthaw.base import toolchain
from torchthaw.extension import BuildError, symbols
from torchthaw.header import cdef

HEADER = "int64_t count(const float *values, int64_t n);\n"
SOURCE = """
#include <stdint.h>
#include "counting.h"
int64_t count(const float *values, int64_t n) { (void)values; return n; }
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A folder with counting.h and counting.c, and a cache of its own."""
    monkeypatch.setenv("TORCHTHAW_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "counting.h").write_text(HEADER.replace("int64_t", "long"))
    (folder / "counting.c").write_text(SOURCE.replace("int64_t", "long"))
    return folder


def extension(project, name="_ext.counting", headers="counting.h", sources=("counting.c",), **options):
    return torchthaw.create_extension(
        name, headers=headers, sources=sources, relative_to=project / "build.py", **options
    )


def python(folder, source, **environment):
    """What a fresh interpreter in ``folder`` prints."""
    result = subprocess.run(
        [sys.executable, "-c", source], capture_output=True, text=True, cwd=folder,
        env={**os.environ, "PYTHONPATH": str(SRC), **environment},
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


def fails(folder):
    """What CALL prints to stderr in a fresh interpreter where it fails."""
    result = subprocess.run(
        [sys.executable, "-c", CALL], capture_output=True, text=True, cwd=folder, env={"PYTHONPATH": str(SRC)}
    )
    assert result.returncode != 0
    return result.stderr


CALL = "from _ext import counting; print(counting.count(None, 3))"


def files(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


# What is made


def test_the_product(project):
    ext = extension(project)
    assert files(project) == ["counting.c", "counting.h"], "nothing is written before build()"
    ext.build()
    assert files(project) == [
        "_ext/__init__.py", "_ext/counting/__init__.py", "_ext/counting/__init__.pyi", "_ext/counting/_counting.so",
        "counting.c", "counting.h",
    ]  # fmt: skip
    assert ext.target == project / "_ext" / "counting" / "_counting.so"
    assert python(project, CALL) == "3"


def test_torch_is_not_imported(project):
    extension(project).build()
    assert python(project, CALL + "; import sys; print('torch' in sys.modules)").split() == ["3", "False"]


@pytest.mark.slow
def test_torch_may_come_later(project):
    extension(project).build()
    source = CALL + "; import torch; print(counting.count(torch.ones(3), 4))"
    assert python(project, source).split() == ["3", "4"]


@pytest.mark.parametrize("name, path", [("plain", "plain/_plain.so"), ("a.b.c", "a/b/c/_c.so")])
def test_names(project, name, path):
    extension(project, name).build()
    assert (project / path).is_file()
    assert python(project, f"import {name} as m; print(m.count(None, 3), m.count.__module__)") == f"3 {name}"


def test_existing_init_files_are_kept(project):
    (project / "_ext").mkdir()
    (project / "_ext" / "__init__.py").write_text("kept = 1\n")
    extension(project).build()
    assert (project / "_ext" / "__init__.py").read_text() == "kept = 1\n"


def test_a_moved_project_still_works(project, tmp_path):
    library = project / "lib"
    library.mkdir()
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", "lib/libcounting.so", "counting.c"], cwd=project, check=True)
    extension(project, sources=(), libraries=["counting"], library_dirs=["lib"], runtime_library_dirs=["lib"]).build()
    moved = tmp_path / "moved"
    project.rename(moved)
    assert python(moved, CALL) == "3"


def test_the_extension_serves_every_python():
    """abi3: nothing that it wants of Python is private or newer than the limited API of 3.10."""
    import torchthaw.bridge

    for path in (bridge_probe.folder() / "_ext" / "probe" / "_probe.so", torchthaw.bridge._bridge.__file__):
        command = ["nm", "-D", "--undefined-only", path]
        symbols = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        names = {line.split()[-1] for line in symbols.splitlines()}
        assert "PyObject_Vectorcall" not in names
        stable = {"_PyObject_New", "_Py_Dealloc", "_Py_NoneStruct", "_Py_TrueStruct", "_Py_FalseStruct"}
        assert {name for name in names if name.startswith("_Py")} <= stable


# Building again


def test_nothing_changed(project):
    ext = extension(project)
    ext.build()
    before = ext.target.stat().st_mtime_ns, ext.target.stat().st_ino
    extension(project).build()
    assert (ext.target.stat().st_mtime_ns, ext.target.stat().st_ino) == before


def test_nothing_changed_runs_no_compiler(project, monkeypatch):
    extension(project).build()
    monkeypatch.setattr(cdef, "parse", None)
    extension(project).build()


def test_a_changed_source(project):
    extension(project).build()
    source = project / "counting.c"
    source.write_text(source.read_text().replace("return n", "return 2 * n"))
    extension(project).build()
    assert python(project, CALL) == "6"


@pytest.mark.slow
def test_a_changed_header(project):
    extension(project).build()
    for name in ("counting.h", "counting.c"):
        text = (project / name).read_text().replace("count(const float", "counted(const float")
        (project / name).write_text(text)
    extension(project).build()
    assert python(project, CALL.replace("counting.count", "counting.counted")) == "3"


@pytest.mark.slow
def test_a_changed_header_of_a_header(project):
    (project / "inner.h").write_text("#define FACTOR 2\n")
    source = project / "counting.c"
    source.write_text('#include "inner.h"\n' + source.read_text().replace("return n", "return FACTOR * n"))
    extension(project).build()
    assert python(project, CALL) == "6"
    (project / "inner.h").write_text("#define FACTOR 5\n")
    extension(project).build()
    assert python(project, CALL) == "15"


@pytest.mark.slow
def test_another_torchthaw_compiles_anew(project):
    ext = extension(project)
    ext.build()
    (object,) = ext.state.glob("*-counting.o")
    compiled = object.stat().st_mtime_ns
    ext.build()
    assert object.stat().st_mtime_ns == compiled
    stamp = ext.state / "generated.json"
    facts = json.loads(stamp.read_text())
    facts["torchthaw"][0] = "0.0"
    stamp.write_text(json.dumps(facts))
    ext.build()
    assert object.stat().st_mtime_ns > compiled


@pytest.mark.slow
@pytest.mark.parametrize("left", ['{"torchthaw": ["1.', "{}", "[]", "\0"])
def test_facts_that_were_not_written_to_their_end(project, left):
    """A full disk, or the end of the process: they count as those of another torchthaw."""
    ext = extension(project)
    ext.build()
    stamp, made = ext.state / "generated.json", ext.target.stat().st_mtime_ns
    whole = stamp.read_text()
    stamp.write_text(left)
    ext.build()
    assert stamp.read_text() == whole and ext.target.stat().st_mtime_ns > made
    assert python(project, CALL) == "3"


@pytest.mark.slow
def test_changed_options(project):
    source = project / "counting.c"
    source.write_text(source.read_text().replace("return n", "return N * n"))
    extension(project, define_macros=[("N", 2)]).build()
    assert python(project, CALL) == "6"
    extension(project, define_macros=[("N", "3")]).build()
    assert python(project, CALL) == "9"


def test_a_lost_product_comes_back(project):
    ext = extension(project)
    ext.build()
    shutil.rmtree(ext.package)
    extension(project).build()
    assert python(project, CALL) == "3"


@pytest.mark.slow
def test_a_lost_cache_is_no_loss(project, tmp_path):
    extension(project).build()
    shutil.rmtree(tmp_path / "cache")
    assert python(project, CALL) == "3"
    extension(project).build()
    assert python(project, CALL) == "3"


def _build(project):
    extension(project).build()


@pytest.mark.slow
def test_files_of_another_version_with_older_times(project):
    """As unpacked, copied or moved there: what was built of the others is none of theirs."""
    header, source = project / "inner.h", project / "counting.c"
    header.write_text("#define FACTOR 2\n")
    source.write_text('#include "inner.h"\n' + source.read_text().replace("return n", "return FACTOR * n"))
    extension(project).build()
    shutil.rmtree(project / "_ext")
    for file, old, new, expected in ((source, "* n", "* n + 1", "7"), (header, "2", "5", "16")):
        file.write_text(file.read_text().replace(old, new))
        os.utime(file, (1, 1))
        extension(project).build()
        assert python(project, CALL) == expected


@pytest.mark.slow
@pytest.mark.parametrize("way", ["libraries", "extra_link_args", "extra_objects"])
def test_another_archive_is_linked(project, way):
    """With an older time, too."""
    source, archive = project / "counting.c", project / "libfactor.a"
    source.write_text("long factor(void);" + source.read_text().replace("return n", "return factor() * n"))
    given = {
        "libraries": {"libraries": ["factor"], "library_dirs": ["."]},
        "extra_link_args": {"extra_link_args": [str(archive)]},
        "extra_objects": {"extra_objects": ["libfactor.a"]},
    }[way]
    for factor in (2, 3):
        text = f"long factor(void) {{ return {factor}; }}"
        compile = [*toolchain.c_compiler(), "-x", "c", "-c", "-fPIC", "-", "-o", "factor.o"]
        subprocess.run(compile, input=text, text=True, cwd=project, check=True)
        archive.unlink(missing_ok=True)
        subprocess.run(["ar", "rc", archive, "factor.o"], cwd=project, check=True)
        os.utime(archive, (factor, factor))
        extension(project, **given).build()
        assert python(project, CALL) == str(3 * factor)


@pytest.mark.slow
def test_a_compiler_that_leaves_a_process_behind(project, tmp_path, monkeypatch):
    """Such as the server of a cache: it inherits the lock, which the next build must get."""
    compiler = tmp_path / "compiler"
    compiler.write_text(
        f'#!/bin/sh\nsleep 100 > /dev/null 2>&1 &\necho $! >> {tmp_path}/left\nexec {" ".join(toolchain.c_compiler())} "$@"\n'
    )
    compiler.chmod(0o755)
    monkeypatch.setenv("CC", str(compiler))
    try:
        extension(project).build()
        source = project / "counting.c"
        for text in ("nonsense", source.read_text().replace("return n", "return 4 * n")):
            source.write_text(text)
            build = "import torchthaw; torchthaw.create_extension('_ext.counting', 'counting.h', 'counting.c').build()"
            done = subprocess.run(
                [sys.executable, "-c", build], cwd=project, env={**os.environ, "PYTHONPATH": str(SRC)}, timeout=60,
                capture_output=True,
            )  # fmt: skip
            assert (done.returncode == 0) == (text != "nonsense"), done.stderr
        assert python(project, CALL) == "12"
    finally:
        for left in (tmp_path / "left").read_text().split():
            with contextlib.suppress(ProcessLookupError):  # what a compiler left that was only asked something
                os.kill(int(left), 9)


@pytest.mark.slow
def test_builds_at_the_same_time(project):
    processes = [multiprocessing.get_context("fork").Process(target=_build, args=(project,)) for _ in range(4)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0] * 4
    assert python(project, CALL) == "3"


# Failing


def test_a_failed_build_leaves_the_good_one(project, capfd):
    ext = extension(project)
    ext.build()
    good = ext.target.read_bytes()
    source = project / "counting.c"
    text = source.read_text()
    source.write_text(text + "int broken(void) { return missing_name; }\n")
    with pytest.raises(BuildError, match="failed") as raised:
        extension(project).build()
    words = str(raised.value)
    assert f"{source}:" in words and "error:" in words and "missing_name" in words
    assert capfd.readouterr() == ("", ""), "the error has the compiler's words; they are not printed twice"
    assert ext.target.read_bytes() == good and python(project, CALL) == "3"
    source.write_text(text)
    extension(project).build()


def test_a_first_build_that_fails_leaves_no_package(project):
    (project / "counting.c").write_text("#error no\n")
    with pytest.raises(BuildError):
        extension(project).build()
    assert not (project / "_ext").exists()


def test_a_successful_build_is_silent(project, capfd):
    extension(project).build()
    assert capfd.readouterr() == ("", "")


def test_verbose_shows_the_commands(project, capfd):
    extension(project, verbose=True).build()
    assert "-fexceptions -c" in capfd.readouterr().out


# Arguments


@pytest.mark.parametrize("options, error, match", [
    ({"name": "a-b"}, ValueError, names("name", "dotted", "module", "'a-b'")),
    ({"name": "_ext..x"}, ValueError, "^name: "),
    ({"name": ""}, ValueError, "^name: "),
    ({"headers": "missing.h"}, FileNotFoundError, names("headers", "file", "missing.h")),
    ({"sources": ["missing.c"]}, FileNotFoundError, names("sources", "file", "missing.c")),
    ({"sources": ["counting.h"]}, ValueError, "^sources: expected C or C[+][+] files"),
    ({"extra_compile_args": {"gcc": []}}, ValueError, "^extra_compile_args: expected the keys 'cxx', "),
], ids=str)  # fmt: skip
def test_bad_arguments(project, options, error, match):
    with pytest.raises(error, match=match):
        extension(project, **options).build()


def test_a_misspelt_option(project):
    with pytest.raises(TypeError, match="include_dir"):
        extension(project, include_dir=["x"])


def test_no_headers_and_no_sources(project):
    extension(project, "empty", headers=[], sources=[]).build()
    assert python(project, "import empty; print(empty.__all__)") == "[]"


def test_two_sources_of_one_name(project):
    for folder, name in (("a", "one"), ("b", "two")):
        (project / folder).mkdir()
        (project / folder / "same.c").write_text(f"long {name}(void) {{ return {len(name)}; }}\n")
    (project / "both.h").write_text("long one(void);\nlong two(void);\n")
    extension(project, "both", headers=["both.h"], sources=["a/same.c", "b/same.c"]).build()
    assert python(project, "import both; print(both.one(), both.two())") == "3 3"


@pytest.mark.slow
def test_cxx_sources_flags_and_objects(project):
    (project / "include").mkdir()
    (project / "include" / "factor.h").write_text("#define FACTOR 3\n")
    (project / "more.cpp").write_text("""
#include "factor.h"
#include <string>
extern "C" long more() { return FACTOR * (long)std::string(LETTERS).size(); }
""")
    (project / "object.c").write_text("long object(void) { return 11; }\n")
    subprocess.run(["gcc", "-c", "-fPIC", "object.c", "-o", "object.o"], cwd=project, check=True)
    (project / "more.h").write_text("long more(void);\nlong object(void);\n")
    extension(
        project, "mixed", headers=["counting.h", "more.h"], sources=["counting.c", project / "more.cpp"],
        include_dirs=["include"], define_macros=[("LETTERS", '"a b$c"'), ("FLAG", None)], extra_objects=["object.o"],
        extra_compile_args=["-Werror", "-DX=1"], extra_link_args=["-Wl,-z,now"],
    ).build()  # fmt: skip
    assert python(project, "import mixed; print(mixed.count(None, 2), mixed.more(), mixed.object())") == "2 15 11"


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["a|b", "a||b", "a$b", "a:b", "a b", " a", "a$|b", "a#b", "a'b", 'a"b', "${pipe}", "a\\b", "é"]
)
def test_a_source_of_any_name(project, name):
    os.rename(project / "counting.c", project / f"{name}.c")
    extension(project, sources=[f"{name}.c"]).build()
    extension(project, sources=[f"{name}.c"]).build()
    assert python(project, CALL) == "3"


@pytest.mark.parametrize("name", ["a\nb.c", "a\rb.c"])
def test_a_source_whose_name_has_an_end_of_a_line(project, name):
    os.rename(project / "counting.c", project / name)
    with pytest.raises((ValueError, BuildError), match=names(repr(name)[1:-1])):
        extension(project, sources=[name]).build()


def test_a_folder_with_spaces_and_dollars(project, tmp_path):
    odd = tmp_path / "a folder: $x 'y'"
    shutil.copytree(project, odd)
    extension(odd).build()
    assert python(odd, CALL) == "3"


def test_the_compiler_of_the_environment(project, monkeypatch, capfd):
    compiler = project / "my compiler"
    compiler.write_text('#!/bin/sh\necho "chosen" >> "$(dirname "$0")/log"\nexec gcc "$@"\n')
    compiler.chmod(0o755)
    monkeypatch.setenv("CC", f"'{compiler}' -DCHOSEN")
    extension(project).build()
    assert (project / "log").read_text().count("chosen") >= 3
    monkeypatch.setenv("CC", "no-such-compiler")
    with pytest.raises(FileNotFoundError, match=names("CC", "compiler", "PATH", "'no-such-compiler'")):
        extension(project).build()


def test_no_compiler(monkeypatch):
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("CC", raising=False)
    with pytest.raises(FileNotFoundError, match=names("C", "compiler", "gcc", "cc", "clang")):
        toolchain.c_compiler()
    with pytest.raises(FileNotFoundError, match=names("nothing", "pip install nothing")):
        toolchain.tool("nothing")


@pytest.mark.parametrize("jobs", ["0", "-1", "x"])
def test_max_jobs(project, monkeypatch, jobs):
    monkeypatch.setenv("MAX_JOBS", jobs)
    with pytest.raises(ValueError, match=names("MAX_JOBS", "positive", "integer", f"'{jobs}'")):
        extension(project).build()
    monkeypatch.setenv("MAX_JOBS", "1")
    extension(project).build()


@pytest.mark.slow
def test_what_is_generated_compiles_without_warnings(tmp_path, monkeypatch):
    monkeypatch.setenv("TORCHTHAW_CACHE", str(tmp_path / "cache"))
    shutil.copy(ROOT / "c_api" / "include" / "my_lib.h", tmp_path)
    torchthaw.create_extension(
        "strict", headers="my_lib.h", relative_to=tmp_path / "x", extra_compile_args=["-Wall", "-Wextra", "-Werror"],
        extra_link_args=[symbols.LEFT_OPEN],
    ).build()  # fmt: skip


# Headers


def parse(tmp_path, text, *more, **options):
    paths = []
    for index, content in enumerate((text, *more)):
        paths.append(tmp_path / f"header{index}.h")
        paths[-1].write_text(content)
    declared = cdef.parse(paths, **options)
    return declared.ffi, {name: each[:2] for name, each in cdef.signatures(declared.text).items()}


def test_a_header_of_declarations_alone(tmp_path):
    text = "typedef float real;\n/* c */ int f(const real *x, int64_t n); // d\n#define N 3\nvoid g(int [4]);"
    found = parse(tmp_path, text)[1]
    assert found == {"f": ("int f(const real *x, int64_t n)", ["x", "n"]), "g": ("void g(int [4])", [None])}


@pytest.mark.parametrize("text, expected", [
    ("#include <stdint.h>\n#include <math.h>\nint f(int64_t n);", {"f"}),
    ("#ifndef H\n#define H\nint f(int n);\n#endif", {"f"}),
    ('#ifdef __cplusplus\nextern "C" {\n#endif\nint f(int n);\n#ifdef __cplusplus\n}\n#endif', {"f"}),
    ("#define API __attribute__((visibility(\"default\")))\nAPI int f(int n) __attribute__((nonnull));", {"f"}),
    ("#include <stdbool.h>\nbool f(bool n); int h(void);\n"
     "static inline bool g(void) { if (1) { return '}'; } return \"}{\"[0]; }", {"f", "g", "h"}),
    ("#define LIST(X) X(a) X(b)\n#define ROW(name) int f_##name(int);\nLIST(ROW)", {"f_a", "f_b"}),
    ("#include <stddef.h>\n#pragma once\nint f(const char *__restrict a, size_t n);", {"f"}),
    ("#include <stdint.h>\nstruct s { int a; struct { int c; } b; };\n"
     "static const int table[2] = {1, 2};\nint f(struct s *p);", {"f"}),
], ids=["include", "guard", "extern-C", "attribute", "inline", "x-macro", "restrict", "struct"])  # fmt: skip
def test_headers_with_more_in_them(tmp_path, text, expected):
    assert set(parse(tmp_path, text)[1]) == expected


def test_what_a_header_includes_is_not_taken(tmp_path):
    (tmp_path / "inner.h").write_text("int inner(void);\ntypedef int number;\n")
    outer = '#include "inner.h"\nint outer(void);'
    assert set(parse(tmp_path, outer)[1]) == {"outer"}
    ffi, found = parse(tmp_path, "#pragma once\ntypedef int number;\n", '#include "header0.h"\nnumber outer(number n);')
    assert set(found) == {"outer"}


def test_a_header_that_another_one_includes_by_another_path(tmp_path):
    """Its declarations count, although the guard makes the second inclusion empty."""
    for name, text in (("one/a.h", '#include "../two/b.h"\nint first(int n);'), ("two/b.h", "int second(int n);")):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(f"#pragma once\n{text}\n")
    found = cdef.signatures(cdef.parse([tmp_path / "one" / "a.h", tmp_path / "two" / "b.h"]).text)
    assert set(found) == {"first", "second"} and found["second"].place == f"{tmp_path}/two/b.h:2"


def test_a_macro_that_is_undefined_again(tmp_path):
    (tmp_path / "a.h").write_text("#pragma once\n#define N 3\n#define M 4\nint f(int values[N]);\n#undef N\n")
    declared = cdef.parse([tmp_path / "a.h"]).text
    assert "#define M ..." in declared and "#define N" not in declared


def test_integer_macros(tmp_path):
    text = """#include <stdint.h>
    #define A 1
    #define B (A << 3)
    #define C 0x10u
    #define D -1
    #define E "text"
    #define F(x) x
    #define G 1.5
    #define H
    #define I INT32_MAX
    #define J ~B
    """
    ffi, _ = parse(tmp_path, text)
    names = {key.split()[1] for key in ffi._parser._declarations if key.startswith("macro")}
    assert names == {"A", "B", "C", "D", "J"}


def test_a_broken_header(tmp_path):
    with pytest.raises(ValueError, match="(?s)^headers: the C preprocessor failed.*missing.h"):
        parse(tmp_path, '#include "missing.h"\n')
    with pytest.raises(Exception, match="unknown_t"):
        parse(tmp_path, "#pragma once\nunknown_t f(unknown_t x);\n")


# Extensions of torch.utils.ffi are built by the same core

OLD = """
import torchthaw.base.cache, torchthaw.legacy
from pathlib import Path
torchthaw.legacy.install()
from torch.utils.ffi import create_extension
def build():
    create_extension("old", "counting.h", ["counting.c"], False, relative_to="build.py").build()
    (state,) = [path for path in Path(torchthaw.base.cache.root(), "build").iterdir() if path.is_dir()]
    files = state / "_old.c", state / "build.ninja", Path("old/_old.so")
    return [path.stat().st_mtime_ns for path in files]
"""


@pytest.mark.slow
def test_an_old_extension_has_one_state_and_is_built_once(project):
    assert python(project, OLD + "print(build() == build())") == "True"
    header = project / "counting.h"
    header.write_text(header.read_text() + "#define TEN 10\n")
    assert python(project, OLD + "build()\nimport old; print(old.count([1.0], 3), old.TEN)") == "3 10"


@pytest.mark.slow
def test_an_old_extension_is_linked_again_when_libth_comes(project, tmp_path):
    def linked():
        (rules,) = (tmp_path / "cache" / "build").glob("*/build.ninja")
        return "libth.so.1" in rules.read_text()

    python(project, OLD + "torchthaw.base.config.libdir = lambda: Path('nowhere')\nbuild()")
    assert not linked()
    python(project, OLD + "build()")
    assert linked()
