# tests/operators/test_absent_private_names.py: functions/ in a PyTorch without one of the private names that they use.
import os
import subprocess
import sys

import pytest

from support import ROOT, SRC

# In a process of its own, because a name is looked up once.
WITHOUT = """
import sys
import pytest
from torchthaw.bridge import private_names

path, find = private_names.NAMES[sys.argv[1]].path, private_names.find
private_names.find = lambda asked: private_names._ABSENT if asked == path else find(asked)
assert not private_names.has(sys.argv[1])
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", *sys.argv[2:]]))
"""
PATHS = {
    "gradients": "test_derivatives.py", "vmap": "test_vmap.py", "autocast": "test_autocast.py",
    "graph": "test_compiled.py::test_forward_and_backward_in_one_graph",
}  # fmt: skip
# What each name is for. Results are the same; where PyTorch's operators compute them, C is not called.
CASES = {
    "transforms_active": ("gradients", "vmap"), "autocast_active": ("autocast",), "dual_level": ("gradients",),
    "is_batched_gradient": ("gradients",), "direct_call": ("graph", "vmap"),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_without(name):
    files = [str(ROOT / "tests" / "operators" / PATHS[path]) for path in CASES[name]]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(SRC), str(ROOT), str(ROOT / "tests")])}
    chosen = ["-k", "(lltm or cube or add) and not sequence"]
    done = subprocess.run([sys.executable, "-c", WITHOUT, name, *files, *chosen], cwd=ROOT, env=environment,
                          capture_output=True, text=True)  # fmt: skip
    assert done.returncode == 0 and " passed" in done.stdout, done.stdout + done.stderr
