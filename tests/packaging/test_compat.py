"""tests/packaging/test_compat.py: make compat without PyTorch's packages, and what README claims from its table."""

import json
import os
import re
import shlex
import subprocess
import sys
import time

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


def test_rows_stand_in_the_order_of_versions():
    assert (
        table.render([ROW, NONE, OLD])
        == """\
| PyTorch | Python | passed   | failed | skipped | degraded patches | date       |
| ------- | ------ | -------- | ------ | ------- | ---------------- | ---------- |
| 2.4.1   | 3.10   | 9        | 3      | 1       | 2                | 2026-01-02 |
| 2.4.1   | 3.13   | no wheel |        |         |                  | 2026-01-02 |
| 2.10.0  | 3.12   | 9        | 0      | 1       | 2                | 2026-01-02 |"""
    )


def test_publishing_replaces_the_cells_that_were_run(tmp_path):
    document = tmp_path / "compatibility.md"
    document.write_text(f"Before.\n{table.BEGIN}\n{table.render([])}\n{table.END}\nAfter.\n")
    table.publish(document, [OLD, NONE])
    newer = {**OLD, "failed": 0, "date": "2026-02-03"}
    table.publish(document, [ROW, {**newer, "failures": [], "seconds": 5}])
    assert table.parse(document.read_text()) == [newer, NONE, ROW]
    assert document.read_text().startswith("Before.\n") and document.read_text().endswith(f"{table.END}\nAfter.\n")


# What README claims


def test_readme_claims_no_more_than_the_table():
    assert table.unfounded(README, table.parse(DOCUMENT.read_text())) == []


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
    rows = [row for row in table.parse(DOCUMENT.read_text()) if row["passed"] != table.NO_WHEEL]
    (least,) = set(re.findall(r"PyTorch from (\d+\.\d+) on", README))
    assert f'torch = ["torch>={least}"]' in (ROOT / "pyproject.toml").read_text()
    assert min(table.numbers(row["torch"]) for row in rows)[:2] == table.numbers(least)
    assert f"Python from {min((row['python'] for row in rows), key=table.numbers)} on" in README


def test_the_versions_that_make_installs_fail_nothing():
    pinned = re.search(r"^torch==(.*)$", (ROOT / ".ci" / "requirements" / "torch.txt").read_text(), re.MULTILINE)[1]
    rows = table.parse(DOCUMENT.read_text())
    for version in (pinned, compat.recorded()):
        failed = [row["failed"] for row in rows if row["torch"] == version and row["passed"] != table.NO_WHEEL]
        assert failed and not any(failed), version


# Which versions


def answering(folder, text, status=0):
    """Stands for a Python whose pip prints this."""
    path = folder / f"python{len(list(folder.iterdir()))}"
    path.write_text(f"#!/bin/sh\ncat <<'END'\n{text}\nEND\nexit {status}\n")
    path.chmod(0o755)
    return path


def test_newest_is_the_newest_for_any_python(tmp_path):
    reports = [json.dumps({"install": [{"metadata": {"version": v}}]}) for v in ("2.9.1", "2.15.0+cpu", "2.14.1")]
    pythons = [answering(tmp_path, report) for report in reports]
    assert compat.newest([*pythons, answering(tmp_path, "", 1)]) == "2.15.0"
    with pytest.raises(compat.CellError, match="newest: the package index names no torch"):
        compat.newest([answering(tmp_path, "", 1)])


SEEN_BY_PIP = "ERROR: Could not find a version that satisfies the requirement torch==2.4.1 (from versions: {})\n"


@pytest.mark.parametrize("text, expected", [
    (SEEN_BY_PIP.format("2.5.0, 2.5.1") + "ERROR: No matching distribution found for torch==2.4.1\n", True),
    (SEEN_BY_PIP.format("none") + "ERROR: No matching distribution found for torch==2.4.1\n", False),  # no network
    ("WARNING: Retrying (Retry(total=4)) after connection broken by 'NewConnectionError'\n"
     + SEEN_BY_PIP.format("2.5.0, 2.5.1") + "ERROR: No matching distribution found for torch==2.4.1\n", False),
    ("ERROR: No matching distribution found for torchthaw==9\n", False),
    ("ERROR: No matching distribution found for triton==3\n", False),
    ("ERROR: Could not install packages due to an OSError: No space left on device\n", False),
])  # fmt: skip
def test_no_wheel_is_told_from_other_failures(tmp_path, text, expected):
    (tmp_path / "log").write_text(text)
    assert compat.no_wheel(tmp_path / "log") is expected


def script(*arguments):
    done = subprocess.run([sys.executable, ROOT / ".ci" / "compat.py", *arguments], capture_output=True, text=True)
    assert done.returncode
    return done.stdout + done.stderr


def test_a_python_that_is_not_there_is_named():
    assert "no Python 3.99 on this machine: left out" in script("--python", "3.99")


@pytest.mark.parametrize("option, value, message", [
    ("--torch", "2.4.1 latest", "expected versions such as '2.4.1 newest', got 'latest'"),
    ("--torch", "", "expected versions such as '2.4.1 newest', got ''"),
    ("--python", "3.12 2.7", "expected versions such as '3.10 3.12', got '2.7'"),
])  # fmt: skip
def test_words_that_are_no_versions(option, value, message):
    assert f"argument {option}: {message}" in script(option, value)


@pytest.fixture
def short(monkeypatch, tmp_path):
    """The rows of make compat-short, of which the cells come to these."""

    def run(*outcomes):
        cells = iter(outcomes)
        monkeypatch.setattr(compat, "FOLDER", tmp_path)
        monkeypatch.setattr(compat, "interpreters", lambda wanted: {"3.98": "a", "3.99": "b"})
        monkeypatch.setattr(compat.wheel_builder, "build", lambda folder, settings: "torchthaw.whl")
        monkeypatch.setattr(compat, "cell", lambda torch, python, *rest: {**next(cells), "python": python})
        monkeypatch.setattr(sys, "argv", ["compat.py", "--short"])
        return [row if isinstance(row, compat.CellError) else row["python"] for row in compat.rows_of(compat.options())]

    return run


def test_short_takes_the_first_python_that_has_a_wheel(short):
    assert short(ROW) == ["{}.{}".format(*sys.version_info)]
    assert short(NONE, NONE, ROW)[1:] == ["3.98", "3.99"]
    *_, error = short(NONE, NONE, NONE)
    assert re.fullmatch(r"PyTorch [\d.]+ has no wheel for Python 3.\d+, 3.98, 3.99", str(error))


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


def test_the_copy_lacks_the_package_alone(copy):
    assert not (copy / "torchthaw").exists()
    for name in ("tests/conftest.py", "tests/th/errors.txt", "examples/legacy/script/build.py", "pyproject.toml"):
        assert (copy / name).is_file(), name
    linked = [path for path in (copy / "c_api").rglob("*") if path.is_symlink()]
    assert linked and all(path.exists() for path in linked)


@pytest.mark.parametrize("part", compat.PARTS)
def test_each_name_of_the_table_is_a_test(copy, part):
    for name in compat.PARTS[part]:
        assert list((copy / "tests").glob(name)), name


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


def test_degraded_patches_are_those_that_the_doctor_names(tmp_path):
    """With one class of PyTorch gone, one patch at least is not available."""
    (tmp_path / "sitecustomize.py").write_text("import torch\ntorch.autograd.Function.apply = None\n")
    variables = {**os.environ, "PYTHONPATH": str(SRC)}
    assert compat.degraded(sys.executable, tmp_path, variables) == 0
    variables["PYTHONPATH"] += os.pathsep + str(tmp_path)
    assert compat.degraded(sys.executable, tmp_path, variables) > 0


def test_variables_of_the_caller_stay_outside(monkeypatch, tmp_path):
    monkeypatch.setenv("PYTHONPATH", str(SRC))
    monkeypatch.setenv("TORCHTHAW_NO_PATCH", "all")
    variables = compat.environment_of(tmp_path / "env", tmp_path / "copy")
    assert variables["TORCHTHAW_CACHE"].startswith(str(tmp_path / "copy"))
    assert not {"PYTHONPATH", "TORCHTHAW_NO_PATCH", "VIRTUAL_ENV"} & set(variables)
    assert variables["PATH"].split(os.pathsep)[0] == str(tmp_path / "env" / "bin")


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

    def run(first, second="def test_second(): pass"):
        (repository / "tests").mkdir(parents=True)
        (repository / "tests" / "test_first.py").write_text(first)
        (repository / "tests" / "test_second.py").write_text(second)
        (repository / "conftest.py").write_text(compat.CONFTEST)
        monkeypatch.setattr(compat, "FOLDER", tmp_path)
        monkeypatch.setattr(compat, "PARTS", {"first": ["test_first.py"], "second": ["test_sec*.py"]})
        monkeypatch.setattr(compat, "install", lambda base, prefix, *rest: make_environment(prefix, "torchthaw"))
        monkeypatch.setattr(compat, "EXTENSION", "")
        monkeypatch.setattr(compat, "degraded", lambda *arguments: 2)
        return compat.cell("2.4.1", "3.10", sys.executable, "torchthaw.whl", repository)

    return run


def test_a_cell_counts_what_its_tests_came_to(cells, tmp_path):
    row = cells(RESULTS)
    assert {name: row[name] for name in table.COUNTS} == {"passed": 2, "failed": 2, "skipped": 1, "degraded": 2}
    assert [failure.partition(":")[0] for failure in row["failures"]] == ["tests.test_first"] * 2
    assert "1 == 2" in "".join(row["failures"]) and "set-up" in "".join(row["failures"])
    assert json.loads((tmp_path / "2.4.1-3.10.json").read_text()) == row
    assert "test_fails" in (tmp_path / "2.4.1-3.10-first.log").read_text()
    assert not [path for path in tmp_path.iterdir() if path.is_dir()]  # neither environment nor copy stays


@pytest.mark.parametrize("text, ending", [
    ("import os\ndef test_dies(): os._exit(7)\n", "7"),
    ("import os\ndef test_dies(): os.kill(os.getpid(), 11)\n", "-11"),
    ("", "5"),  # pytest's word for no tests
])  # fmt: skip
def test_a_part_that_dies_is_a_failure(cells, text, ending):
    row = cells(text)
    assert (row["passed"], row["failed"], row["failures"]) == (1, 1, [f"first: pytest ended with {ending}"])


HANGS = """
import subprocess, sys
def test_hangs():
    code = "import time, os; open('child', 'w').write(str(os.getpid())); time.sleep(99)"
    subprocess.Popen([sys.executable, "-c", code]).wait()
"""


def test_a_part_that_hangs_is_a_failure(cells, monkeypatch, tmp_path):
    """It ends with all that it started."""
    monkeypatch.setattr(compat, "LIMIT", 15)
    monkeypatch.setattr(compat, "remove", lambda *paths: None)
    row = cells(HANGS, second="")
    assert row["failed"] == 2 and "first: pytest ended with the limit of 15 s" in row["failures"]
    assert ended(tmp_path / "2.4.1-3.10.copy" / "child")


def ended(file):
    """Whether the process of that number is gone, or soon."""
    child = int(file.read_text())
    for _ in range(200):  # until init has taken note of it
        try:
            os.kill(child, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


INTERRUPTED = """
import os, sys
from pathlib import Path
import compat

compat.set_signals()
compat.PARTS = {"first": ["test_first.py"]}
compat.run_parts(sys.executable, Path.cwd(), dict(os.environ), Path("log"))
"""


def test_an_interrupt_ends_what_was_started(tmp_path):
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_first.py").write_text(HANGS)
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED], cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT / ".ci")}
    )
    child = tmp_path / "child"
    end = time.monotonic() + 60
    while not (child.exists() and child.read_text()) and time.monotonic() < end:
        time.sleep(0.05)
    process.terminate()
    assert process.wait(30) == 143
    assert ended(child)


IGNORES = "import signal, sys; sys.exit(signal.getsignal(signal.SIGINT) is signal.SIG_IGN)"


def test_a_background_job_s_tests_can_be_interrupted(tmp_path):
    code = f"import sys, compat; compat.set_signals(); sys.exit(compat.run([sys.executable, '-c', {IGNORES!r}], 'log'))"
    background = ["sh", "-c", 'trap "" INT; exec "$@"', "sh", sys.executable, "-c"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / ".ci")}
    assert subprocess.run([*background, IGNORES], cwd=tmp_path, env=environment).returncode == 1
    assert subprocess.run([*background, code], cwd=tmp_path, env=environment).returncode == 0


def test_no_wheel_is_a_row_without_counts(cells, monkeypatch, tmp_path):
    def install(base, prefix, *rest):
        prefix.mkdir()
        return False

    cells(RESULTS)
    monkeypatch.setattr(compat, "install", install)
    row = compat.cell("2.4.1", "3.13", sys.executable, "torchthaw.whl", tmp_path)
    assert row["passed"] == table.NO_WHEEL and "failed" not in row
    assert not (tmp_path / "2.4.1-3.13.env").exists()


# make


def test_the_makefile_hands_on_its_variables():
    def commands(*words):
        outside = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
        return subprocess.run(
            ["make", "--dry-run", *words], cwd=ROOT, capture_output=True, text=True, check=True, env=outside
        ).stdout.replace("\\\n", "")

    words = commands("compat", "torch=2.4.1 newest", "python=3.10 3.12", "publish=1")
    (given,) = re.findall(r"^\.venv/bin/python \.ci/compat\.py (.*)", words, re.MULTILINE)
    assert shlex.split(given, comments=True) == ["--torch", "2.4.1 newest", "--publish", "--python", "3.10 3.12"]
    assert "--" not in commands("compat").partition("compat.py")[2]
    assert ".venv/bin/python .ci/compat.py --short" in commands("compat-short")
    assert "make compat-short\n" in (ROOT / ".ci" / "run").read_text()
