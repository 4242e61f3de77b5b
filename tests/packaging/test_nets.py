"""tests/packaging/test_nets.py: a new file is in every net; what is left out has a reason that is printed."""

import importlib
import subprocess

import pytest
import tomlkit

from support import ROOT


@pytest.fixture(scope="module")
def nets():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / ".ci"))
        yield importlib.import_module("nets")


@pytest.fixture
def checkout(tmp_path):
    """A repository with one file of each language in a folder that no list names."""
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    for name, text in {
        "added/new.py": "", "added/new.cpp": "", "added/new.c": "", "added/new.h": "", "added/new.cuh": "", "added/new.sh": "",
        "added/script": "#!/usr/bin/env bash\n", "added/tool": "#!/usr/bin/python3\n", "added/text": "text\n",
        "tests/new.py": "", "data.bin": "",
    }.items():  # fmt: skip
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "added" / "link.py").symlink_to("new.py")
    subprocess.run(["git", "add", "-A"], cwd=tmp_path, check=True)
    return tmp_path


def test_a_new_folder_is_in_every_net(nets, checkout, monkeypatch):
    monkeypatch.setattr(nets, "rows", list)
    found = {net: nets.split(net, checkout)[0] for net in nets.NETS}
    assert {"added/new.py", "added/tool", "tests/new.py"} == {*found["checks"]} == {*found["types"]}
    assert {"added/new.sh", "added/script"} == {*found["shell"]}
    assert {"added/new.c", "added/new.cpp"} == {*found["tidy"]}
    assert {"added/new.h", "added/new.cuh"} <= {*found["coverage"]}


def test_what_is_left_out_is_said_with_its_reason(nets, checkout, monkeypatch):
    row = nets.Row(("checks",), "tests/*", "they are tests")
    monkeypatch.setattr(nets, "rows", lambda: [row])
    files, left = nets.split("checks", checkout)
    assert "tests/new.py" not in files and left == [(row, ["tests/new.py"])]


def test_an_exception_without_files_is_an_error(nets, checkout, monkeypatch):
    monkeypatch.setattr(nets, "rows", lambda: [nets.Row(("checks",), "gone/*", "no longer there")])
    with pytest.raises(ValueError, match=r"checks.*gone/\*"):
        nets.split("checks", checkout)


@pytest.mark.parametrize("line", ["checks tests/*", "unknown tests/* why", "checks"])
def test_a_line_without_a_reason_is_an_error(nets, tmp_path, monkeypatch, line):
    monkeypatch.setattr(nets, "EXCEPTIONS", tmp_path / "exceptions.txt")
    nets.EXCEPTIONS.write_text(f"# comment\n\n{line}\n")
    with pytest.raises(ValueError, match="exceptions.txt:3"):
        nets.rows()


@pytest.mark.slow
def test_every_net_of_this_repository_has_files_and_no_useless_exception(nets):
    for net in nets.NETS:
        assert len(nets.files(net)) > 5, net
    tidied = nets.files("tidy")
    for folder in ("c_api/thc/", "src/torchthaw/cuda_on_cpu/runtime/", "src/torchthaw/bridge/"):
        assert any(name.startswith(folder) for name in tidied)


def test_ruff_in_an_editor_leaves_out_the_same(nets):
    """`ruff format` would edit samples of old code; it knows of no file but pyproject.toml."""
    listed = tomlkit.parse((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["ruff"]["extend-exclude"]
    excepted = {row.pattern.removesuffix("/*") for row in nets.rows() if "format" in row.nets}
    without_python = {"*.md", "tests/fuzz/found", "tests/legacy/doctor/cases"}  # ruff knows more languages
    assert {*listed} == excepted | without_python


def test_scripts_in_strings_are_checked(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / ".ci"))
    scripts_in_text = importlib.import_module("scripts_in_text")
    source, folder = tmp_path / "test_it.py", tmp_path / "found"
    folder.mkdir()
    source.write_text(
        'A = """\n    import torchthaw.moved\n    from torchthaw.base import cache, gone\n    home.home()\n"""\n'
        'B = """\nimport json\njson.x\n"""\nC = "import torchthaw"\n'
    )
    absent = scripts_in_text.write(folder, source)
    assert [message.rpartition(":")[2].strip() for message in absent] == [
        "no module in torchthaw.moved",
        "no gone in torchthaw.base",
    ]
    assert "home.home()" in next(folder.iterdir()).read_text() and len([*folder.iterdir()]) == 1
