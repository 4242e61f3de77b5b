"""tests/fuzz/test_fuzz_cuda_calls.py: a few lists of calls of cuda_calls.py, and faults that it must find.

They run in processes of their own: the runtime keeps what it was asked, and needs memory of threads from its start on.
"""

import os
import subprocess
import sys

import pytest

from support import SRC, TESTS
from torchthaw.base import config

PLANTED = """
class Planted:
    '''The runtime, with one function that never fails and does nothing where it would.'''

    def __init__(self, name):
        self.library, self.name = ctypes.CDLL(str(config.library("cuda_on_cpu"))), name

    def __getattr__(self, name):
        function = getattr(self.library, name)
        return (lambda *arguments: function(*arguments) and 0) if name == self.name else function


for name in {names!r}:
    try:
        for seed in range(20):
            cuda_calls.check(seed, Planted(name))
    except cuda_calls.Broken as error:
        print(name, name in str(error))
"""
NAMES = "cudaFree cudaFreeHost cudaMemcpy cudaMemset cudaHostRegister cudaStreamDestroy cudaEventElapsedTime".split()

pytestmark = pytest.mark.skipif(
    not config.library_path("cuda_on_cpu").exists(), reason="libcuda_on_cpu is not built here"
)


def run(code):
    begin = "import ctypes\nimport cuda_calls\nfrom torchthaw.base import config\n"
    path = os.pathsep.join(map(str, (SRC, TESTS, TESTS / "fuzz")))
    done = subprocess.run(
        [sys.executable, "-c", begin + code], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path}
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_calls():
    assert run("for seed in range(10): cuda_calls.check(seed)\nprint('held')") == "held\n"


def test_planted_faults_are_found():
    assert run(PLANTED.format(names=NAMES)).splitlines() == [f"{name} True" for name in NAMES]
