"""tests/build/test_load_again.py: torchthaw.load after a change, in several processes, and after a failed build: what is
built again, and by whom."""

import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from support.load_project import LOAD, apply, compiler, forget, load, python, rewrite
from torchthaw.extension import BuildError, ninja


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


@pytest.mark.slow
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


@pytest.mark.slow
def test_changed_flags_are_built(project):
    (project / "factor.h").write_text("")
    assert apply(load(extra_cflags=["-DFACTOR=3"])) == [3, 3, 3]
    forget()
    assert apply(load(extra_cflags=["-DFACTOR=4"], build_directory="elsewhere")) == [4, 4, 4]
    assert python(LOAD.replace(".h')", ".h', ['-DFACTOR=5'])"), project).communicate()[0] == "5\n"


@pytest.mark.slow
def test_another_compiler_builds(project, compiled):
    load()
    assert compiled() == ["_scaling.c", "scaling.c"]
    forget()
    with open(os.environ["CC"], "a") as file:
        file.write("# a newer one in the same place\n")
    load()
    assert compiled() == ["_scaling.c", "scaling.c"]


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
@pytest.mark.parametrize("variable", ["CPATH", "C_INCLUDE_PATH"])
def test_another_folder_of_headers_in_the_environment_builds(project, monkeypatch, variable):
    rewrite(project / "scaling.c", '"factor.h"', "<factor.h>")
    for factor in (3, 4):
        (project / str(factor)).mkdir()
        (project / str(factor) / "factor.h").write_text(f"#define FACTOR {factor}\n")
        monkeypatch.setenv(variable, str(project / str(factor)))
        assert python(LOAD, project).communicate()[0] == f"{factor}\n"


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
def test_a_source_that_changes_while_it_is_built(project, tmp_path, monkeypatch):
    """What the compiler did not see is built the next time."""
    compiler(tmp_path, tmp_path / "log", monkeypatch)
    other, script = project / "other.h", Path(os.environ["CC"])
    other.write_text("#define FACTOR 5\n")
    script.write_text(script.read_text().replace("exit $status", f"mv {other} {project / 'factor.h'}\nexit $status"))
    assert apply(load()) == [2, 2, 2]
    forget()
    assert python(LOAD, project).communicate()[0] == "5\n"


@pytest.mark.slow
def test_a_lost_product_comes_back(project):
    Path(load().__file__).unlink()
    forget()
    assert python(LOAD, project).communicate()[0] == "2\n"


@pytest.mark.slow
def test_a_broken_record_is_no_loss(project, compiled):
    Path(load().__file__).with_suffix(".json").write_text("{")
    compiled()
    assert python(LOAD, project).communicate()[0] == "2\n"
    assert compiled() == ["_scaling.c", "scaling.c"]


# Several processes


@pytest.mark.slow
def test_builders_at_the_same_time(project, tmp_path, monkeypatch):
    """One builds, the others wait, and find it built."""
    log = tmp_path / "log"
    compiler(tmp_path, log, monkeypatch, seconds=0.3)
    processes = [python(LOAD, project) for _ in range(4)]
    assert [process.communicate()[0] for process in processes] == ["2\n"] * 4
    assert sorted(log.read_text().split()[1::3]) == ["_scaling.c"] * 2 + ["scaling.c"] * 2


@pytest.mark.slow
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


@pytest.mark.slow
def test_a_failed_version_is_none(project):
    load()
    text = (project / "scaling.c").read_text()
    (project / "scaling.c").write_text("#error not yet\n")
    with pytest.raises(BuildError):
        load()
    (project / "scaling.c").write_text(text.replace("FACTOR *", "9 *"))
    module = load()
    assert module.__name__ == "scaling_v1" and apply(module) == [9, 9, 9]


@pytest.mark.slow
def test_an_undefined_symbol_can_be_mended(project):
    text = (project / "scaling.c").read_text()
    (project / "scaling.c").write_text("int unrelated;\n")
    with pytest.raises(BuildError, match="undefined symbols: scaled[.]"):
        load()
    (project / "scaling.c").write_text(text)
    assert apply(load()) == [2, 2, 2]
