"""tests/cuda/host/test_bridge_thc.py: THC structs without a GPU: pretended CUDA tensors, libthc and kernels on the
CPU."""

import pytest

from support import thc_probe

pytestmark = pytest.mark.timeout(900)  # the first test waits for a build


@pytest.mark.slow
@pytest.mark.parametrize("exact, dlpack", [(True, False), (False, True)], ids=["exact-attributes", "partial-dlpack"])
def test_structs(exact, dlpack):
    assert len(thc_probe.passed(exact, dlpack)) > 40
