# tests/bridge/test_bridge_without_bodies.py: calls where PyTorch lacks one of the C++ functions that they use.
import os
import subprocess
import sys

import pytest

from support import SRC, TESTS

SCRIPT = """
import sys
import torch
from support import checks_probe
from torchthaw.bridge import private_names
from torchthaw.bridge import pytorch

name, how = sys.argv[1:]
path, find = private_names.NAMES[name].path if name else None, private_names.find
other = private_names._ABSENT if how == "deleted" else (lambda *arguments: 7)
private_names.find = lambda asked: other if asked == path else find(asked)
probe = checks_probe.probe()
x, output = torch.ones(2, 3), torch.zeros(2, 3)

assert probe.scale(x, (2, 3), 2, 2.0, output) == 1
assert output.tolist() == [[2.0] * 3] * 2 and (x._version, output._version) == (0, 1)
assert probe.scale(**{"in" + "put": x, "factor": 3.0, "output": output.data}) == 1  # a name that is not interned
assert output.tolist() == [[3.0] * 3] * 2

found = pytorch.body_functions()
if not name:
    assert all(found), found
elif name == "body":
    assert not any(found), found
else:
    assert found.count(0) == 1 and found[0] > 0, found


def raised(error, *arguments):
    before = output.clone(), output._version
    try:
        probe.scale(*arguments)
    except error as caught:
        assert torch.equal(output, before[0]) and output._version == before[1]
        return str(caught)
    raise AssertionError("nothing was raised")


leaf = torch.zeros(2, 3, requires_grad=True)
assert "requires grad" in raised(RuntimeError, x, (2, 3), 2, 2.0, leaf)
with torch.no_grad():
    assert probe.scale(x, (2, 3), 2, 2.0, leaf) == 1 and leaf._version == 1
assert "a sparse tensor" in raised(TypeError, x.to_sparse(), (2, 3), 2, 2.0, output)
with torch.inference_mode():
    frozen = torch.zeros(2, 3)
assert probe.scale(x, (2, 3), 2, 2.0, frozen) == 1 and frozen.sum() == 12  # it has no version to count
"""


@pytest.mark.slow
@pytest.mark.parametrize("how", ["deleted", "replaced"])
@pytest.mark.parametrize("name", ["body", "read_in_c", "requires_grad_in_c", "bump_version_in_c", "resize_in_c"])
def test_calls_without(name, how):
    run(SCRIPT, name, how)


@pytest.mark.slow
def test_calls_with_all_of_them():
    run(SCRIPT, "", "deleted")


def run(script, *arguments):
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments], capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": f"{SRC}:{TESTS}"},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


# The first call of a process chooses the functions: what they are tried on must not depend on where it is made.
FIRST = """
import sys
import torch
from support import checks_probe
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx
from torchthaw.bridge import pytorch

probe = checks_probe.probe()


def call(x):
    output = torch.zeros(2, 3, dtype=torch.float32)
    probe.scale(x, (2, 3), 2, 2.0, output)
    return output


x = torch.ones(2, 3)
where = sys.argv[1]
if where == "inference mode":
    with torch.inference_mode():
        call(x)
elif where == "fake tensors":
    with FakeTensorMode(allow_non_fake_inputs=True):
        call(x)
elif where == "a traced graph of any size":
    make_fx(call, tracing_mode="symbolic")(x)
else:
    torch.set_default_dtype(torch.float64)
    call(x)
torch.set_default_dtype(torch.float32)
assert all(pytorch.body_functions()), pytorch.body_functions()
assert call(x).sum() == 12
"""


@pytest.mark.slow
@pytest.mark.parametrize("where", ["inference mode", "fake tensors", "a traced graph of any size", "doubles"])
def test_a_first_call_in_a_mode_finds_all_of_them(where):
    run(FIRST, where)
