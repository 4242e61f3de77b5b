"""tests/bridge/test_bridge_allocations.py: the short form of tests/support/allocations.py, and that it can fail.

`make harden parts=allocations` runs all of it.
"""

import json
import subprocess

import pytest

from support import TESTS, allocation_first, failing, th_probe

GROUP = "th"


@pytest.mark.slow
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


@pytest.mark.parametrize("got, lack", [
    (("MemoryError", ""), True), (("FatalError", "std::bad_alloc"), True),
    (("SystemError", "<function f at 0x1> returned NULL without setting an exception"), True),
    (("TypeError", "value: expected a tensor, got Tensor"), False), (("FatalError", ""), False), (("returned", 4), False),
])  # fmt: skip
def test_what_says_that_there_is_no_memory(got, lack):
    assert allocation_first.is_lack(got, ("returned", 3)) == lack
