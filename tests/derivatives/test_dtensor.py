"""tests/derivatives/test_dtensor.py: the words of a header say how DTensor may shard its operators."""

import os
import subprocess
import sys

import pytest

from support import ROOT

pytest.importorskip("torch.distributed.tensor.experimental", reason="PyTorch 2.4 has no public way to say so")
if not hasattr(sys.modules["torch.distributed.tensor.experimental"], "register_sharding"):
    pytest.skip("this PyTorch has no register_sharding", allow_module_level=True)


@pytest.mark.slow
@pytest.mark.timeout(1000)  # beside other work, each process may need a minute to load PyTorch's CUDA libraries
def test_two_processes(tmp_path):
    command = [sys.executable, ROOT / "tests" / "derivatives" / "sharded.py", f"file://{tmp_path / 'meeting'}"]
    paths = f"{ROOT / 'src'}:{ROOT}:{ROOT / 'tests'}"
    processes = [
        subprocess.Popen(
            [*command, str(rank)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env={**os.environ, "PYTHONPATH": paths, "OMP_NUM_THREADS": "1"},
        ) for rank in range(2)
    ]  # fmt: skip
    try:
        texts = [process.communicate(timeout=900)[0] for process in processes]
    finally:
        for process in processes:
            process.kill()
    assert all("sharded results and gradients are those of whole tensors" in text for text in texts), texts
