"""tests/test_bridge_faults_attributes.py: the TH half of the bridge where DLPack's exchange API is missing."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parent

# How tensors are read makes no difference to these.
LEFT_OUT = "not leave_nothing_behind and not recursion_budget and not printed and not until_the_end"


@pytest.mark.parametrize("files", [
    ["contract/test_section_1_6.py"],
    ["test_bridge_faults_errors.py", "test_bridge_faults_memory.py", "test_bridge_faults_refusals.py",
     "test_bridge_faults_threads.py"],
], ids=["contract", "faults"])  # fmt: skip
def test_all_of_this_through_attributes(files):
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-k", LEFT_OUT,
         *[TESTS / file for file in files]],
        env={**os.environ, "TORCHTHAW_NO_DLPACK": "1"}, capture_output=True, text=True, cwd=TESTS.parent,
    )  # fmt: skip
    assert done.returncode == 0 and " passed" in done.stdout, done.stdout
