"""tests/bindings/test_generated.py: what bindings/ takes from my_lib.h is what the generator makes of it now."""

import importlib.util
import re
import shutil

import pytest

from support import ROOT

specification = importlib.util.spec_from_file_location("generate", ROOT / "bindings" / "generate.py")
generate = importlib.util.module_from_spec(specification)
specification.loader.exec_module(generate)


@pytest.mark.slow
@pytest.mark.parametrize(
    "path, arguments", [pytest.param(*each, id=str(each[0].relative_to(ROOT))) for each in generate.files()]
)
def test_a_file_is_what_the_generator_makes(path, arguments):
    assert path.read_text() == generate.text(arguments), "run: python bindings/generate.py"


def test_every_generated_file_is_marked_as_generated():
    """Reviews of a change then fold it."""
    rows = [line.split() for line in (ROOT / ".gitattributes").read_text().splitlines()]
    marked = {path for path, *attributes in rows if "linguist-generated" in attributes and path.startswith("bindings/")}
    assert marked == {str(path.relative_to(ROOT)) for path, _ in generate.files()}


@pytest.mark.slow
def test_a_changed_prototype_makes_another_file(tmp_path, monkeypatch):
    header = tmp_path / "my_lib.h"
    header.write_text(generate.HEADER.read_text().replace("int64_t ndim1,", "int32_t ndim1,"))
    before = generate.text("rust")
    monkeypatch.setattr(generate, "HEADER", header)
    assert generate.text("rust") != before


@pytest.mark.parametrize(
    "path, target", [pytest.param(*each, id=str(each[0].relative_to(ROOT))) for each in generate.manifests()]
)
def test_a_manifest_has_the_version_of_the_library(path, target):
    assert path == target and path.read_text() == generate.with_version(path), "run: python bindings/generate.py"
    assert generate.version() in path.read_text()


def test_every_file_that_says_the_version_of_a_package_is_a_manifest():
    """A package's file is known by the beginning of the line; generated files and sources have none of these."""
    listed = {path for path, _ in generate.manifests()}
    said = re.compile(rf"^\W*(?:gem\.)?version\W+{re.escape(generate.version())}", re.IGNORECASE | re.MULTILINE)
    rows = [folder for folder, _ in generate.rows()]
    found = {path for folder in rows for depth in ("*", "*/*") for path in folder.glob(depth)
             if path.is_file() and said.search(path.read_text(errors="replace"))}  # fmt: skip
    assert found == listed and len(listed) >= 13


@pytest.mark.slow
def test_a_raised_version_is_written_into_every_manifest(tmp_path, monkeypatch, capsys):
    shutil.copytree(ROOT / "bindings", tmp_path / "bindings", ignore=shutil.ignore_patterns("vectors", "__pycache__"))
    header = tmp_path / "my_lib.h"
    header.write_text(re.sub(r"(VERSION_MINOR) \d+", r"\1 97", generate.HEADER.read_text()))
    before = generate.version()
    monkeypatch.setattr(generate, "HEADER", header)
    monkeypatch.setattr(generate, "BINDINGS", tmp_path / "bindings")
    monkeypatch.setattr("sys.argv", ["generate.py"])
    assert generate.main() == 0
    written = capsys.readouterr().out.splitlines()
    assert {f"bindings/{name}" for name in ("java/pom.xml", "luajit/my_lib-1.97.0-1.rockspec")} <= set(written)
    for path, target in generate.manifests():
        assert path == target and "1.97.0" in path.read_text() and before not in path.read_text()
    assert "<version>5.13.0</version>" in (tmp_path / "bindings" / "java" / "pom.xml").read_text()  # JNA's
    assert generate.main() == 0 and capsys.readouterr().out == ""
