"""tests/packaging/test_compat.py: what README claims from the table of make compat, and that a cell counts every failure."""

import json
import re
import subprocess
import sys

import pytest

from support import ROOT, SRC

sys.path.insert(0, str(ROOT / ".ci"))
import compat  # noqa: E402
import compat_table as table  # noqa: E402

DOCUMENT = ROOT / "docs" / "reference" / "compatibility.md"
README = (ROOT / "README.md").read_text()
ROW = {"torch": "2.10.0", "python": "3.12", "passed": 9, "failed": 0, "skipped": 1, "degraded": 2, "date": "2026-01-02"}
OLD = {**ROW, "torch": "2.4.1", "python": "3.10", "failed": 3}
NONE = {"torch": "2.4.1", "python": "3.13", "passed": table.NO_WHEEL, "date": "2026-01-02"}


# The table


def test_publishing_replaces_the_cells_that_were_run(tmp_path):
    document = tmp_path / "compatibility.md"
    document.write_text(f"Before.\n<!-- compat: begin -->\n{table.render([])}\n<!-- compat: end -->\nAfter.\n")
    table.publish(document, [OLD, NONE])
    newer = {**OLD, "failed": 0, "date": "2026-02-03"}
    table.publish(document, [ROW, {**newer, "failures": []}])
    assert table.parse(document) == [newer, NONE, ROW]
    assert document.read_text().startswith("Before.\n") and document.read_text().endswith(
        "<!-- compat: end -->\nAfter.\n"
    )


# What README claims


def test_readme_claims_no_more_than_the_table():
    assert table.unfounded(README, table.parse(DOCUMENT)) == []


def readme(versions="2.4.1 and 2.10.0", pythons="3.10\nand 3.12", more=""):
    return f"Fast. Tested with PyTorch {versions}, on\nPython {pythons}: [table](x).{more}\n\nMore 2.99.9.\n"


@pytest.mark.parametrize("text, found", [
    (readme(versions="2.10.0"), []),
    (readme(), ["PyTorch 2.4.1 on Python 3.10 failed 3"]),
    (readme(more=" Known failures: three of PyTorch 2.4.1."), []),
    (readme(more=" Known failures: PyTorch 2.10.0.\n\n2.4.1"), ["PyTorch 2.4.1 on Python 3.10 failed 3"]),
    (readme(versions="2.10.0 and 2.15.0"), ["PyTorch 2.15.0 is in no row"]),
    (readme(versions="2.10.0", pythons="3.12 and 3.13"), ["Python 3.13 is in no row"]),  # there is no wheel
])  # fmt: skip
def test_a_claim_without_a_row_is_seen(text, found):
    assert table.unfounded(text, [ROW, OLD, NONE]) == found


def test_the_oldest_version_that_is_named_is_in_the_table():
    rows = [row for row in table.parse(DOCUMENT) if row["passed"] != table.NO_WHEEL]
    (least,) = set(re.findall(r"PyTorch from (\d+\.\d+) on", README))
    assert f'torch = ["torch>={least}"]' in (ROOT / "pyproject.toml").read_text()
    assert min(table.numbers(row["torch"]) for row in rows)[:2] == table.numbers(least)
    assert f"Python from {min((row['python'] for row in rows), key=table.numbers)} on" in README


def test_the_versions_that_make_installs_fail_nothing():
    pinned = re.search(r"^torch==(.*)$", (ROOT / ".ci" / "requirements" / "torch.txt").read_text(), re.MULTILINE)[1]
    rows = table.parse(DOCUMENT)
    for version in (pinned, compat.recorded()):
        failed = [row["failed"] for row in rows if row["torch"] == version and row["passed"] != table.NO_WHEEL]
        assert failed and not any(failed), version


# A cell


def make_environment(prefix, *packages):
    """An environment that sees the packages of this one behind its own, which are empty."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", prefix], check=True)
    (site,) = prefix.glob("lib/python*/site-packages")
    for name in packages:
        (site / name).mkdir()
        (site / name / "__init__.py").touch()
    (site / "others.pth").write_text("\n".join(path for path in sys.path if path.endswith("site-packages")))
    return True


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    return compat.copy_repository(tmp_path_factory.mktemp("repository") / "copy")


@pytest.mark.slow
def test_the_copy_lacks_the_package_alone(copy):
    assert not (copy / "torchthaw").exists()
    for name in ("tests/conftest.py", "tests/th/errors.txt", "examples/legacy/script/build.py", "pyproject.toml"):
        assert (copy / name).is_file(), name
    linked = [path for path in (copy / "c_api").rglob("*") if path.is_symlink()]
    assert linked and all(path.exists() for path in linked)


@pytest.mark.slow
@pytest.mark.parametrize("part", compat.PARTS)
def test_each_name_of_the_table_is_a_test(copy, part):
    for name in compat.PARTS[part]:
        assert list((copy / "tests").glob(name)), name


@pytest.mark.slow
def test_the_checkout_is_refused(copy, tmp_path):
    """A torchthaw that is not the installed one ends the run before the first test."""
    make_environment(tmp_path / "env", "torchthaw")
    (copy / "tests" / "test_trivial.py").write_text("def test_trivial(): pass\n")
    python, variables = tmp_path / "env" / "bin" / "python", compat.environment_of(tmp_path / "env", copy)

    def run(**more):
        command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/test_trivial.py"]
        return subprocess.run(command, cwd=copy, env={**variables, **more}, capture_output=True, text=True)

    done = run()
    assert done.returncode == 0 and "1 passed" in done.stdout, done.stdout + done.stderr
    refused = run(PYTHONPATH=str(SRC))
    message = f"torchthaw: expected the one installed in {tmp_path / 'env'}, got {SRC / 'torchthaw' / '__init__.py'}"
    assert refused.returncode == 3 and "passed" not in refused.stdout
    assert message in refused.stdout + refused.stderr


RESULTS = """
import pytest

def test_passes(): pass
def test_fails(): assert 1 == 2
@pytest.mark.skip
def test_skipped(): pass
@pytest.fixture
def broken(): raise ValueError("set-up")
def test_error(broken): pass
"""


@pytest.fixture
def cells(tmp_path, tmp_path_factory, monkeypatch):
    """Runs a cell of two parts, whose tests have these texts, in a folder of its own."""

    repository = tmp_path_factory.mktemp("repository")

    def run(first, second="def test_second(): pass", short=False):
        (repository / "tests").mkdir(parents=True)
        (repository / "tests" / "test_first.py").write_text(first)
        (repository / "tests" / "test_second.py").write_text(second)
        (repository / "conftest.py").write_text(compat.CONFTEST)
        (repository / "pytest.ini").write_text("[pytest]\n")  # names of tests start here, whatever lies in /tmp
        monkeypatch.setattr(compat, "FOLDER", tmp_path)
        monkeypatch.setattr(compat, "PARTS", {"first": ["test_first.py"], "second": ["test_sec*.py"]})
        monkeypatch.setattr(compat, "install", lambda base, prefix, *rest: make_environment(prefix, "torchthaw"))
        monkeypatch.setattr(compat, "EXTENSION", "")
        monkeypatch.setattr(compat, "degraded", lambda *arguments: 2)
        return compat.cell("2.4.1", "3.10", sys.executable, "torchthaw.whl", repository, short)

    return run


@pytest.mark.slow
def test_a_cell_counts_what_its_tests_came_to(cells, tmp_path):
    row = cells(RESULTS)
    assert {name: row[name] for name in table.COUNTS} == {"passed": 2, "failed": 2, "skipped": 1, "degraded": 2}
    assert [failure.partition(":")[0] for failure in row["failures"]] == ["tests.test_first"] * 2
    assert "1 == 2" in "".join(row["failures"]) and "set-up" in "".join(row["failures"])
    assert json.loads((tmp_path / "2.4.1-3.10.json").read_text()) == row
    assert "test_fails" in (tmp_path / "2.4.1-3.10-first.log").read_text()
    assert not [path for path in tmp_path.iterdir() if path.is_dir()]  # neither environment nor copy stays


@pytest.mark.slow
@pytest.mark.parametrize("text, ending", [
    ("import os\ndef test_dies(): os._exit(7)\n", "7"),
    ("import os\ndef test_dies(): os.kill(os.getpid(), 11)\n", "-11"),
    ("", "5"),  # pytest's word for no tests
])  # fmt: skip
def test_a_part_that_dies_is_a_failure(cells, text, ending):
    row = cells(text)
    assert (row["passed"], row["failed"], row["failures"]) == (1, 1, [f"first: pytest ended with {ending}"])


@pytest.mark.slow
def test_the_short_form_leaves_out_slow_tests(cells, monkeypatch):
    text = "import pytest\n@pytest.mark.slow\ndef test_slow(): pass\ndef test_quick(): pass\n"
    monkeypatch.setattr(compat, "SLOW_PARTS", ("second",))
    assert cells(text, text, short=True)["passed"] == 3


def test_the_short_form_is_not_published(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["compat.py", "--short", "--publish"])
    with pytest.raises(SystemExit):
        compat.options()


# Which cells


@pytest.fixture
def cells_of(monkeypatch):
    """{Python: its PyTorch versions} for the words of a command, on a machine with three Pythons."""
    have = {"3.10": "/a/3.10", "3.12": "/a/3.12", "3.13": "/a/3.13"}
    monkeypatch.setattr(compat.wheel_builder, "interpreter", have.get)
    monkeypatch.setattr(compat, "newest", lambda pythons: "2.99.0")

    def run(*words):
        monkeypatch.setattr(sys, "argv", ["compat.py", *words])
        return [(torch, python) for torch, python, base in compat.cells_of(compat.options()) if base == have[python]]

    return run


def test_the_default_has_each_pytorch_and_each_python_once(cells_of):
    cells = cells_of()
    assert len({torch for torch, _ in cells}) == len(cells) == len(compat.PYTHON)
    assert {python for _, python in cells} == {"3.10", "3.12", "3.13"} and ("2.99.0", "3.12") in cells


@pytest.mark.parametrize("words, found", [
    (["--torch", "2.4.1"], [("2.4.1", "3.10")]),
    (["--torch", "2.6.0"], [("2.6.0", "3.12")]),
    (["--torch", "2.99.0 newest", "--python", "3.10 3.13"], [("2.99.0", "3.10"), ("2.99.0", "3.13")]),
    (["--torch", "2.4.1", "--python", "3.9 3.12"], [("2.4.1", "3.12")]),
])  # fmt: skip
def test_cells_are_those_that_were_asked_for(cells_of, words, found):
    assert cells_of(*words) == found


def test_no_python_of_those_asked_for(cells_of):
    with pytest.raises(compat.CellError, match="Pythons"):
        cells_of("--python", "3.9")
