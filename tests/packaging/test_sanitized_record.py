"""tests/packaging/test_sanitized_record.py: which sources `make sanitize` counts as compiled with the sanitizers."""

import os
import subprocess
from pathlib import Path

import pytest

from support import SRC, sanitized

NINJA = """rule run
  command = $words
build a.o: run
  words = cc -fsanitize=address -c /src/a.c -o a.o
build b.o: run
  words = cc -c /src/b.c -o b.o
build c.o: run
  words = cc -fsanitize=address -fno-sanitize=all -c /src/c.cpp -o c.o
build d.o: run
  words = nvcc -Xcompiler=-fsanitize=address,-O1 -c /src/d.cu -o d.o
build e.o: run
  words = cc -fsanitize=address -c /src/e.c -o e.o
build all: phony a.o b.o c.o d.o
"""


@pytest.fixture
def record(tmp_path, monkeypatch):
    path = tmp_path / "compiled.txt"
    monkeypatch.setattr(sanitized, "record", lambda preset: path)
    return path


def test_of_cmake_count_sources_of_all_that_have_the_sanitizers(tmp_path):
    (tmp_path / "build.ninja").write_text(NINJA)
    assert sanitized.by_cmake(tmp_path) == {Path("/src/a.c"), Path("/src/d.cu")}


@pytest.mark.parametrize("name", ["cc", "gcc", "c++", "CXX"])
def test_a_compiler_of_any_name_adds_the_sanitizers_and_writes_down_its_source(tmp_path, record, name):
    variables = sanitized.compilers(tmp_path, ["-fsanitize=undefined"], "none")
    suffix = "c" if name in ("cc", "gcc") else "cpp"
    (tmp_path / f"part.{suffix}").write_text("int shifts(int by) { return 1 << by; }\n")
    command = [variables.get(name, name), "-c", f"part.{suffix}", "-o", "part.o"]
    subprocess.run(command, check=True, cwd=tmp_path, env={**os.environ, **variables})
    copy = tmp_path / f"copy.{suffix}"
    copy.write_bytes((tmp_path / f"part.{suffix}").read_bytes())
    assert sanitized.by_tests("none", [copy, Path(__file__)]) == {copy}
    assert b"__ubsan_handle_shift" in (tmp_path / "part.o").read_bytes()


def test_a_generated_file_stands_for_the_part_that_it_has(record):
    record.write_text("0  /somewhere/my_lib_jax.c\n1  /somewhere/table.c\n")
    files = [SRC / "torchthaw" / "export" / name for name in ("jax.c", "table.c")]
    assert sanitized.by_tests("none", files) == {*files[:1]}
