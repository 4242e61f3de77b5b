"""tests/packaging/test_coverage.py: a file of which the tests run little stands on the page, with its reason or as without."""

import runpy
import subprocess
import sys

import pytest

from support import ROOT

SCRIPT = ROOT / ".ci" / "coverage.py"
pytestmark = pytest.mark.skipif(not SCRIPT.exists(), reason="a source distribution has no .ci")


@pytest.fixture(scope="module")
def coverage():
    """The names of the script, whose own name is that of a package."""
    sys.path.insert(0, str(SCRIPT.parent))
    yield runpy.run_path(SCRIPT)
    sys.path.remove(str(SCRIPT.parent))


def test_a_file_below_90_percent_is_listed(coverage):
    found = {"a.py": (9, 10, 0, 0), "b.py": (8, 9, 1, 2), "c.cpp": (0, 4, 0, 0)}
    known = coverage["reasons"]("# why\n\nb.py: errors: of the disk\n")
    unknown = coverage["UNKNOWN"]
    assert coverage["below"](found, known) == [
        ["`b.py`", "88.9 %", "errors: of the disk"],
        ["`c.cpp`", "0.0 %", unknown],
    ]


def test_each_reason_has_a_file(coverage):
    names = coverage["reasons"](coverage["REASONS"].read_text())
    assert names and [name for name in names if not (ROOT / name).is_file()] == []
    assert {*names} <= {*coverage["nets"].files("coverage")}


@pytest.mark.parametrize("name, part", [
    ("c_api/thc/memory/copy.cpp", "libthc"), ("src/torchthaw/cuda_on_cpu/runtime/memory/memory.cpp", "CUDA on the CPU"),
    ("c_api/new/kernel.cpp", "other C and C++"), ("new/module.py", "Python: others"),
    ("src/torchthaw/new/module.py", "Python: the rest of torchthaw"),
])  # fmt: skip
def test_a_file_of_a_new_folder_is_counted(coverage, name, part):
    assert coverage["part_of"](name) == part
    row = next(row for row in coverage["rows"]({name: (1, 2, 3, 4)}))
    assert row[:2] == [part, "1"]


def test_the_page_has_what_the_script_writes(coverage):
    for part in ("coverage", "files below 90 %"):
        assert coverage["page"].part(coverage["PAGE"], part).startswith("| ")


def test_a_copy_has_no_file_that_is_gone(coverage, tmp_path, monkeypatch):
    """What git ignores, such as a build, stays in it."""
    import copies

    root, copy = tmp_path / "root", copies.Copy(tmp_path / "copy")
    monkeypatch.setattr(copies, "ROOT", root)
    monkeypatch.setattr(copies.Copy, "_make_environment", lambda self: None)

    def git(*words):
        subprocess.run(["git", *words], cwd=root, check=True, capture_output=True)

    (root / "src").mkdir(parents=True)
    for name, text in {".gitignore": "build/\n", "src/old.cpp": "1", "kept.py": "2"}.items():
        (root / name).write_text(text)
    git("init", "--quiet")
    git("add", ".")
    copy.update()
    (copy.folder / "build").mkdir()
    (copy.folder / "build/made").write_text("")
    git("rm", "--quiet", "--force", "src/old.cpp")
    (root / "kept.py").write_text("3")
    copy.update()
    assert not (copy.folder / "src/old.cpp").exists() and (copy.folder / "build/made").exists()
    assert (copy.folder / "kept.py").read_text() == "3"
