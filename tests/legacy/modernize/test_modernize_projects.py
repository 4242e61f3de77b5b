"""tests/legacy/modernize/test_modernize_projects.py: a whole project of 2017 whose Functions take any number of
arguments and keywords: modernized, built, compared and tested, and what is left to a person is what its tests fail for."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support import SRC
from support.modernize import state
from torchthaw.cli import main

pytest.importorskip("libcst")
pytestmark = pytest.mark.timeout(1200)
PROJECT = Path(__file__).parent / "projects" / "resampling"
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(SRC), "CUDA_VISIBLE_DEVICES": ""}
# The lines of functional.py that modernize leaves: each with why, and what a person makes of it by that advice.
LEFT = {
    3: ["RepeatFunction is handed on; what calls it must use RepeatFunction.apply(inputs, constants)",
        "ShiftFunction is handed on; what calls it must use ShiftFunction.apply(inputs, constants)"],
    23: ["ShiftFunction: the arguments come as **keywords; apply takes them by place alone"],
}  # fmt: skip
EDITS = {
    "    return BY_NAME[name](*arguments)(input)\n":
        '    return BY_NAME[name].apply(input, *[arguments] if name == "repeat" else arguments)\n',
    "ShiftFunction(**options)(ShiftFunction.apply(input, -1))":
        'ShiftFunction.apply(ShiftFunction.apply(input, -1), options.pop("by", 1), options)',
}  # fmt: skip


def python(folder, *words):
    """(exit status, what it printed) of a Python in the folder of the result."""
    done = subprocess.run([sys.executable, *words], cwd=folder, env=ENVIRONMENT, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


@pytest.fixture(scope="module")
def modernized(tmp_path_factory):
    """(the result, built; the report as JSON)"""
    folder = tmp_path_factory.mktemp("resampling")
    shutil.copytree(PROJECT, folder / "old")
    before, report = state(folder / "old"), folder / "report.json"
    with open(report, "w") as printed, pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdout", printed)
        patch.setenv("CUDA_VISIBLE_DEVICES", "")
        assert main(["modernize", str(folder / "old"), "--output", str(folder / "new"), "--json"]) == 0
    assert state(folder / "old") == before
    status, printed = python(folder / "new", "setup.py", "-q", "build_ext", "--inplace")
    assert status == 0, printed
    return folder / "new", json.loads(report.read_text())


@pytest.mark.slow
def test_old_and_new_compute_the_same(modernized):
    rows = modernized[1]["comparison"]
    assert {row["function"] for row in rows} == {"RepeatFunction", "ShiftFunction", "WeightedFunction"}
    assert all(row["outcome"] == "equal" and "outputs and gradients" in row["detail"] for row in rows)


@pytest.mark.slow
def test_what_init_took_is_behind_the_inputs(modernized):
    found = {each["name"]: (each["tensors"], each["constants"]) for each in modernized[1]["functions"]}
    assert found == {
        "RepeatFunction": (["input"], ["*times", "**options"]), "WeightedFunction": (["*inputs"], ["*weights"]),
        "ShiftFunction": (["input"], ["by", "**kwargs"]),
    }  # fmt: skip


@pytest.mark.slow
def test_the_old_tests_pass(modernized):
    """With those that modernize wrote."""
    status, printed = python(modernized[0], "-m", "pytest", "-q", "-p", "no:cacheprovider", "--deselect",
                             "tests/test_by_name.py")  # fmt: skip
    assert status == 0 and " passed" in printed, printed


@pytest.mark.slow
def test_what_is_left_to_a_person(modernized, tmp_path):
    """Lines of functional.py alone, listed in MODERNIZED.md; their tests pass with the edits, and not without."""
    result, report = modernized
    looks = [each for each in report["remarks"] if each["kind"] == "look"]
    assert {each["path"] for each in looks} == {"resampling/functional.py"}
    assert sorted((each["line"], each["message"]) for each in looks) == [
        (line, message) for line, messages in LEFT.items() for message in messages
    ]
    page, functional = (result / "MODERNIZED.md").read_text(), result / "resampling" / "functional.py"
    text = functional.read_text()
    for line, messages in LEFT.items():
        for message in messages:
            assert f"- `resampling/functional.py:{line}`: {message}" in page
            assert f"# modernize: function-call: {message}\n" in text
    status, printed = python(result, "-m", "unittest", "tests.test_by_name")
    assert status != 0 and "errors=2" in printed, printed
    shutil.copytree(result, tmp_path / "edited")
    for old, new in EDITS.items():
        assert text.count(old) == 1
        text = text.replace(old, new)
    (tmp_path / "edited" / "resampling" / "functional.py").write_text(text)
    status, printed = python(tmp_path / "edited", "-m", "unittest", "tests.test_by_name")
    assert status == 0 and "Ran 2 tests" in printed, printed
