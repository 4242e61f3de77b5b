"""tests/bridge/test_bridge_allocations.py: the short form of tests/support/allocations.py, and that it can fail.

`make harden parts=allocations` runs all of it.
"""

import json
import subprocess

import pytest

from support import TESTS, allocations, failing, th_probe

GROUP = "th"


@pytest.mark.timeout(600)
def test_a_call_whose_allocation_fails_is_an_error_and_the_next_one_works(tmp_path):
    module = th_probe.probe()
    places = {GROUP: (str(th_probe.folder() / "th_probe"), module.__name__)}
    given = {"short": True, "groups": [GROUP], "places": places}
    done = failing.run(
        failing.library(tmp_path), TESTS / "support" / "allocations.py", ["--child", json.dumps(given)],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    failed = int(done.stdout.rstrip().rpartition("\n")[2].partition(" ")[0])
    assert failed > 100, done.stdout


def test_an_outcome_that_is_no_lack_of_memory_is_one_that_the_trial_names():
    trial = allocations.Trial(None, "", None, "malloc")
    trial.normal = "returned", 3
    assert trial.is_lack(("MemoryError", "")) and trial.is_lack(("FatalError", "std::bad_alloc"))
    assert not trial.is_lack(("TypeError", "value: expected a tensor, got Tensor"))
    assert not trial.is_lack(("FatalError", "")) and not trial.is_lack(("returned", 4))
