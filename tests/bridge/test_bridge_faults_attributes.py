"""tests/bridge/test_bridge_faults_attributes.py: the TH half of the bridge where DLPack's exchange API is missing."""

import os
import subprocess
import sys

import pytest

from support import ROOT, TESTS

# How tensors are read makes no difference to these.
LEFT_OUT = "not leave_nothing_behind and not recursion_budget and not printed and not until_the_end"


@pytest.mark.slow
@pytest.mark.parametrize("files", [
    ["legacy/create_extension/test_arguments_and_results.py"],
    ["bridge/test_bridge_faults_errors.py", "bridge/test_bridge_faults_memory.py",
     "bridge/test_bridge_faults_refusals.py", "bridge/test_bridge_faults_threads.py"],
], ids=["arguments", "faults"])  # fmt: skip
def test_all_of_this_through_attributes(files):
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-k", LEFT_OUT,
         *[TESTS / file for file in files]],
        env={**os.environ, "TORCHTHAW_NO_DLPACK": "1"}, capture_output=True, text=True, cwd=ROOT,
    )  # fmt: skip
    assert done.returncode == 0 and " passed" in done.stdout, done.stdout
