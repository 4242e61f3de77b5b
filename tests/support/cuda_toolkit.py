# tests/support/cuda_toolkit.py: what the tests of CUDA builds share: they run where nvcc is, and compile for one card
# plus PTX.
import pytest

from torchthaw.extension import cuda

ARCHITECTURES = "7.5+PTX"


def toolkit_or_skip():
    """The toolkit; without one the whole file is skipped, with one line."""
    try:
        return cuda.toolkit()
    except FileNotFoundError:
        pytest.skip("no nvcc on this machine", allow_module_level=True)
