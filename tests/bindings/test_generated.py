"""tests/bindings/test_generated.py: what bindings/generate.py writes: declarations, which git ignores, and the version."""

import re
import shutil
import subprocess
import sys

import pytest

from support import ROOT
from torchthaw.declarations import interface, render
from torchthaw.declarations.languages import LANGUAGES

sys.path.insert(0, str(ROOT / "bindings"))
import generate  # noqa: E402
from tools import is_there  # noqa: E402

FOLDERS = [(generate.BINDINGS / language, row) for language, row in generate.rows().items()]
FILES = {path.relative_to(ROOT) for folder, row in FOLDERS for path, _ in generate.files(folder, row)}
MANIFESTS = [each for folder, row in FOLDERS for each in generate.manifests(folder, row)]


# The declarations


@pytest.fixture(scope="module")
def my_lib():
    return interface.read(generate.HEADER)


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    """The repository as git has it, as far as the command needs it."""
    folder = tmp_path_factory.mktemp("clone")
    for name in ("src", "c_api"):
        (folder / name).symlink_to(ROOT / name)
    shutil.copytree(ROOT / "bindings", folder / "bindings", ignore=shutil.ignore_patterns("vectors", "__pycache__"))
    for path in FILES:
        (folder / path).unlink(missing_ok=True)
        if (folder / path).parent.exists() and not any((folder / path).parent.iterdir()):
            (folder / path).parent.rmdir()  # git has no empty folders
    return folder


def command(clone, *languages):
    return subprocess.run([sys.executable, clone / "bindings/generate.py", *languages], capture_output=True, text=True)


@pytest.mark.slow
def test_one_command_writes_the_declarations_of_a_language(clone):
    done = command(clone, "luajit", "rust")
    written = {"bindings/luajit/my_lib_c.lua", "bindings/rust/my-lib-sys/src/lib.rs"}
    assert (done.returncode, {*done.stdout.splitlines()}) == (0, written), done.stderr
    assert {str(path) for path in FILES if (clone / path).exists()} == written
    (clone / "bindings/luajit/my_lib_c.lua").write_text("old")
    assert command(clone, "luajit", "rust").stdout == "bindings/luajit/my_lib_c.lua\n"


@pytest.mark.slow
def test_without_a_name_it_writes_those_of_every_language(clone):
    done = command(clone)
    assert done.returncode == 0, done.stderr
    assert {path for path in FILES if not (clone / path).exists()} == set() and len(FILES) >= 9


def test_an_unknown_language_is_an_error(clone):
    done = command(clone, "cobol")
    assert done.returncode == 2 and "cobol" in done.stderr and "zig" in done.stderr


def test_git_ignores_the_declarations_and_nothing_else_of_them():
    rows = (ROOT / ".gitignore").read_text().splitlines()
    assert {row for row in rows if row.startswith("/bindings/")} == {f"/{path}" for path in FILES}


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_function_and_no_constant_of_my_lib_is_left_out(my_lib, language):
    text = render.text(LANGUAGES[language], my_lib, "a command")
    assert "Left out: " not in text
    assert len(my_lib.functions) > 40 and [each.name for each in my_lib.functions if each.name not in text] == []


@pytest.mark.slow
def test_a_changed_prototype_makes_another_file(tmp_path, monkeypatch):
    header = tmp_path / "my_lib.h"
    header.write_text(generate.HEADER.read_text().replace("int64_t ndim1,", "int32_t ndim1,"))
    before = generate.text("rust")
    monkeypatch.setattr(generate, "HEADER", header)
    assert generate.text("rust") != before


def test_a_package_of_cargo_has_the_file_that_git_ignores(tmp_path):
    if not is_there("cargo"):
        pytest.skip("needs cargo")
    folder = tmp_path / "bindings" / "rust"
    shutil.copytree(ROOT / "bindings" / "rust", folder)
    (folder / "my-lib-sys" / "src").mkdir(exist_ok=True)
    (folder / "my-lib-sys" / "src" / "lib.rs").touch()
    shutil.copy(ROOT / ".gitignore", tmp_path)
    for words in (["init", "--quiet"], ["add", "."]):
        subprocess.run(["git", *words], cwd=tmp_path, check=True)
    listed = subprocess.run(["cargo", "package", "--list", "--allow-dirty", "--offline"], cwd=folder / "my-lib-sys",
                            capture_output=True, text=True)  # fmt: skip
    assert {"build.rs", "src/lib.rs"} <= {*listed.stdout.split()}, listed.stderr


# The version


@pytest.mark.parametrize("path, target", [pytest.param(*each, id=str(each[0].relative_to(ROOT))) for each in MANIFESTS])
def test_a_manifest_has_the_version_of_the_library(path, target):
    assert path == target and path.read_text() == generate.with_version(path), "run: python bindings/generate.py"
    assert generate.version() in path.read_text()


def test_every_file_that_says_the_version_of_a_package_is_a_manifest():
    """A package's file is known by the beginning of the line; generated files and sources have none of these."""
    said = re.compile(rf"^\W*(?:gem\.)?version\W+{re.escape(generate.version())}", re.IGNORECASE | re.MULTILINE)
    found = {path for folder, _ in FOLDERS for depth in ("*", "*/*") for path in folder.glob(depth)
             if path.is_file() and said.search(path.read_text(errors="replace"))}  # fmt: skip
    assert found == {path for path, _ in MANIFESTS} and len(found) >= 13


def test_a_raised_version_is_written_into_every_manifest(tmp_path, monkeypatch):
    shutil.copytree(ROOT / "bindings", tmp_path / "bindings", ignore=shutil.ignore_patterns("vectors", "__pycache__"))
    header = tmp_path / "my_lib.h"
    header.write_text(re.sub(r"(VERSION_MINOR) \d+", r"\1 97", generate.HEADER.read_text()))
    before = generate.version()
    monkeypatch.setattr(generate, "HEADER", header)
    copied = [(tmp_path / "bindings" / folder.name, row) for folder, row in FOLDERS]
    written = {path.relative_to(tmp_path).as_posix() for each in copied for path in generate.write_versions(*each)}
    assert {"bindings/java/pom.xml", "bindings/luajit/my_lib-1.97.0-1.rockspec"} <= written
    for path, target in (each for folder, row in copied for each in generate.manifests(folder, row)):
        assert path == target and "1.97.0" in path.read_text() and before not in path.read_text()
    assert "<version>5.13.0</version>" in (tmp_path / "bindings" / "java" / "pom.xml").read_text()  # JNA's
    assert [path for each in copied for path in generate.write_versions(*each)] == []
