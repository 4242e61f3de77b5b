"""tests/packaging/test_operator_places.py: the table "Add an operator to this repository" names every place that has all
operators of the C library, and each operator is in all of them."""

import importlib.util
import re
import shutil
import subprocess

import pytest

from support import ROOT
from torchthaw.base import toolchain

SECTION = "## Add an operator to this repository"
EXAMPLE = "linear"  # the operator of the table
TEXTS = {".c", ".cmake", ".cpp", ".cu", ".h", ".py", ".txt"}
FOLDERS = "c_api", "functions", "modules", "tests", "bindings", "cmake", "examples"


def table():
    """The paths of each row."""
    section = (ROOT / "docs" / "write-an-operator.md").read_text().partition(SECTION)[2].partition("\n## ")[0]
    rows = [line.split(" | ")[-1] for line in section.splitlines() if line.startswith("| ")]
    return [paths for row in rows if (paths := re.findall(r"`([\w/]+\.\w+)`", row))]


def operators():
    """{operator: whether it is elementwise} of the C library."""
    text = (ROOT / "c_api" / "my_lib" / "sources.cmake").read_text()
    lists = dict(re.findall(r"^set\((\w*operators) (.*)\)$", text, re.MULTILINE))
    elementwise = lists["elementwise_operators"].split()
    own = re.sub(r"\$\{(\w+)\}", lambda name: lists[name[1]], lists["operators"]).split()
    return {name: name in elementwise for name in own}


def words(operator):
    """The operator's own name, and its classes in functions/ and modules/."""
    found = {operator}
    for folder in ("functions", "modules"):
        text = (ROOT / folder / "__init__.py").read_text()
        found |= {
            name for line in re.findall(rf"^from \.{operator} import (.*)", text, re.M) for name in line.split(", ")
        }
    return found


def names(text, operator):
    """Whether a text names the operator, and not only one that has its name within another."""
    for other in operators():
        if operator in other and operator != other:
            text = text.replace(other, "")
    return any(re.search(rf"(?<![A-Za-z0-9]){word}(?![A-Za-z0-9])", text) for word in words(operator))


def places(operator, is_elementwise):
    """The paths that the table gives for an operator: elementwise ones share their tests of C."""
    for row in table():
        of_own_tests = any(path.endswith("reference.h") for path in row)
        of_shared_tests = any("test_elementwise" in path for path in row)
        if not (of_own_tests if is_elementwise else of_shared_tests):
            yield from ((path, path.replace(EXAMPLE, operator)) for path in row)


@pytest.mark.parametrize("operator, is_elementwise", operators().items())
def test_an_operator_is_in_every_place_of_the_table(operator, is_elementwise):
    found = list(places(operator, is_elementwise))
    assert len(found) > 20
    missing = [path for _, path in found if not (ROOT / path).exists()]
    shared = [path for given, path in found if given == path and path not in missing]
    lacking = [*missing, *(path for path in shared if not names((ROOT / path).read_text(), operator))]
    assert not lacking, f"{operator} is not in {len(lacking)} of {len(found)} places: {' '.join(lacking)}"


@pytest.mark.parametrize("lost", [["cube.cu"], ["cube.cpp"], ["cube.cu", "linear.cpp"], []])
def test_cmake_names_every_kernel_that_is_missing(tmp_path, lost):
    shutil.copy(ROOT / "c_api" / "my_lib" / "sources.cmake", tmp_path)
    for operator in operators():
        (tmp_path / operator).mkdir()
        for file in (f"{operator}.cpp", f"{operator}.cu"):
            if file not in lost:
                (tmp_path / operator / file).touch()
    done = subprocess.run(
        [toolchain.tool("cmake"), "-P", tmp_path / "sources.cmake"], capture_output=True, text=True, cwd=tmp_path
    )
    assert bool(done.returncode) == bool(lost)
    said = " ".join(done.stderr.split())
    assert all(f"{file.partition('.')[0]}/{file}" in said for file in lost) and ("write-an-operator" in said) == bool(
        lost
    )


@pytest.mark.slow
def test_the_table_has_every_file_that_names_all_operators():
    specification = importlib.util.spec_from_file_location("generate", ROOT / "bindings" / "generate.py")
    generate = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(generate)
    rows = generate.rows().items()
    generated = {path for language, row in rows for path, _ in generate.files(generate.BINDINGS / language, row)}
    files = {path for folder in FOLDERS for path in (ROOT / folder).rglob("*")
             if path.suffix in TEXTS and path.is_file()} - generated  # fmt: skip
    found = set()
    for path in files:
        text = path.read_text(errors="replace")
        if all(names(text, operator) for operator in operators()):
            found.add(path.relative_to(ROOT).as_posix())
    assert len(operators()) >= 8 and {"c_api/include/my_lib.h", "tests/support/references.py"} <= found
    assert found - {path for row in table() for path in row} == set()


def test_a_name_within_another_is_none():
    assert names("x = my_lib_add_forward(a)", "add") and names("modules.Cube()", "cube")
    assert not names("my_lib_scale_add_forward, lltm_sequence_forward", "add")
    assert not names("lltm_sequence_forward LLTMLayer", "lltm") and names("lltm_forward", "lltm")
