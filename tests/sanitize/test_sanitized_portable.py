"""tests/sanitize/test_sanitized_portable.py: portable extensions and their runtime, under AddressSanitizer and UBSan."""

import pytest

from support import TESTS
from support.sanitized import RUN

pytestmark = pytest.mark.timeout(1800)

# Those that are left out look at what is linked, or are of Python alone.
CALLS = "test_calls_give or test_the_same_by_python or gradients_without or memory_of_others or each_function"
PLANTED = """
import os, sys
from pathlib import Path
del os.environ["LD_PRELOAD"]
import torch
from torchthaw import portable
source = '''
void fill(at::Tensor x) {
    float *data = x.data_ptr<float>();
    for (int64_t i = 0; i <= x.numel(); ++i) data[i] = 1;
}
'''
module = portable.load_inline("planted", source, functions=["fill"], extra_cflags=["-O1", "-g1"])
module.fill(torch.zeros(3))
"""


def test_no_sanitizer_speaks_up_about_tensors(run):
    done = run(RUN, TESTS / "portable" / "test_portable_calls.py", "-k", CALLS, THAW_HOST_PRELOAD=run.preload)
    assert done.returncode == 0 and " passed" in done.stdout, done.stdout + done.stderr


def test_no_sanitizer_speaks_up_about_what_pybind11_has(run):
    done = run(RUN, TESTS / "portable" / "python")
    assert done.returncode == 0 and " passed" in done.stdout, done.stdout + done.stderr


def test_planted_faults_are_reported(run):
    done = run(PLANTED)
    assert done.returncode and "heap-buffer-overflow" in done.stderr and "fill" in done.stderr, done.stderr
