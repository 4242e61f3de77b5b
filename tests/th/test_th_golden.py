"""tests/th/test_th_golden.py: libth does what the original TH did, case by case, on every instruction set."""

import json
import os
import subprocess
import sys

import pytest

from support import TESTS, instruction_sets, replay
from torchthaw.base import config

# Each set in a process of its own: libth chooses once.
SETS = ["portable", "avx2", "avx512"]

PROGRAM = """
import json, sys
from support import replay
library = replay.Library(sys.argv[1], unwind=sys.argv[3] == "unwind")
print(json.dumps(replay.failures(library, replay.load(sys.argv[2]))))
"""


def failures(family, instruction_set, leave="longjmp"):
    arguments = [sys.executable, "-c", PROGRAM, str(config.library("th")), family, leave]
    environment = os.environ | {"THAW_CPU": instruction_set}
    run = subprocess.run(arguments, env=environment, cwd=TESTS, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


@pytest.mark.slow
@pytest.mark.parametrize("instruction_set", SETS)
@pytest.mark.parametrize("family", replay.families())
def test_family(family, instruction_set):
    instruction_sets.require(instruction_set)
    assert failures(family, instruction_set) == []


@pytest.mark.slow
@pytest.mark.parametrize("family", ["errors", "misc2"])
def test_errors_leave_by_exception(family):
    assert failures(family, "", "unwind") == []


@pytest.mark.slow
def test_data_are_complete():
    cases = [case for family in replay.families() for case in replay.load(family)]
    assert len(cases) == 19706
    assert len({case["id"] for case in cases}) == len(cases)


def test_a_wrong_outcome_is_seen():
    """The checker itself: every kind of difference is found."""
    case = {
        "o": [["s", "Float", replay.encode(b"\0" * 8)]],
        "k": [["THFloatStorage_size", "i64", "@0"]],
        "x": {"r": [2]},
    }
    zeros, other = replay.encode(bytes(8)), replay.encode(b"\0\0\0\0\0\0\x80\x3f")
    for wrong in [
        {"r": [3]},
        {"r": []},
        {"r": [2], "a": {"0": [1, zeros]}},
        {"r": [2], "a": {"0": [2, other]}},
        {"err": ["E", 0, "text"]},
        {"crash": "status 11"},
        {"missing": "THFloatStorage_size"},
    ]:
        assert replay.Comparison(case, wrong).verdict()
    assert replay.Comparison(case, {"r": [2]}).verdict() is None
    assert replay.Comparison(case, {"r": [2], "a": {"0": [2, zeros]}}).verdict() is None
    expected = {"o": [], "k": [], "x": {"err": ["A", 2, "out of range"]}}
    for wrong in [["A", 3, "out of range"], ["E", 2, "out of range"], ["A", 2, "out of bounds"]]:
        assert replay.Comparison(expected, {"err": wrong}).verdict()
    assert replay.Comparison(expected, {"err": ["A", 2, "out of range"]}).verdict() is None
