"""tests/fuzz/test_fuzz_cuda_calls.py: a few lists of calls of cuda_calls.py, and faults that it must find."""

import ctypes

import cuda_calls
import pytest

from torchthaw.base import config


class Planted:
    """The runtime, with one function that never fails and does nothing where it would."""

    def __init__(self, name):
        self.library, self.name = ctypes.CDLL(str(config.library("cuda_on_cpu"))), name

    def __getattr__(self, name):
        function = getattr(self.library, name)
        return (lambda *arguments: function(*arguments) and 0) if name == self.name else function


@pytest.mark.parametrize("seed", range(10))
def test_calls(seed):
    cuda_calls.check(seed)


@pytest.mark.parametrize(
    "name",
    [
        "cudaFree",
        "cudaFreeHost",
        "cudaMemcpy",
        "cudaMemset",
        "cudaHostRegister",
        "cudaStreamDestroy",
        "cudaEventElapsedTime",
    ],
)
def test_a_planted_fault_is_found(name):
    with pytest.raises(cuda_calls.Broken, match=name):
        for seed in range(20):
            cuda_calls.check(seed, Planted(name))
