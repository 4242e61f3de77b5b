"""tests/bridge/test_bridge_modes.py: a call that a dispatch mode of PyTorch has to see goes to the operator.

Each test is a process of its own, in which torchthaw.library.redirect notes the calls.
"""

import os
import subprocess
import sys

import pytest

from support import SRC, TESTS

PRELUDE = """
import sys
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch._subclasses import FakeTensorMode
from support import checks_probe
from torchthaw import library as operators
from torchthaw.bridge import private_names
from torchthaw.bridge import _bridge

calls = []


def redirect(*arguments):
    calls.append(arguments)
    return "redirected"


operators.redirect = redirect


class Idle(TorchDispatchMode):
    def __torch_dispatch__(self, function, types, arguments=(), keywords=None):
        return function(*arguments, **(keywords or {}))


find = private_names.find
"""
USE = """
probe = checks_probe.probe()
x, output = torch.ones(2, 3), torch.zeros(2, 3)
"""

# Name -> what happens before the extension is built and the bridge meets PyTorch.
WAYS = {
    "symbol": "",
    "without-symbol": """
path = private_names.NAMES["mode_count_in_c"].path
private_names.find = lambda asked: private_names._ABSENT if asked == path else find(asked)
""",
    "wrong-symbol": """
path = private_names.NAMES["mode_count_in_c"].path
private_names.find = lambda asked: (lambda: 7) if asked == path else find(asked)
""",
}


def run(script, way="symbol", **environment):
    done = subprocess.run(
        [sys.executable, "-c", PRELUDE + WAYS[way] + USE + script], capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": f"{SRC}:{TESTS}", **environment},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("way, dlpack", [("symbol", 1), ("symbol", 0), ("without-symbol", 1), ("wrong-symbol", 1)])
def test_under_a_mode_the_operator_is_called(way, dlpack):
    run(
        """
assert probe.scale(x, x.shape, 2, 2.0, output) == 1 and calls == []
with Idle():
    assert probe.scale(x, x.shape, 2, factor=2.0, output=output) == "redirected"
    with Idle():
        assert probe.scale(input=x, factor=2.0, output=output) == "redirected"
    (first, second) = calls
    assert first[0] is sys.modules["_ext.checks._checks"].lib.scale and first[1] == "scale"
    assert first[2][0] is x and first[2][1:] == (x.shape, 2) and set(first[3]) == {"factor", "output"}
    assert first[3]["output"] is output and second[2] == () and list(second[3]) == ["input", "factor", "output"]
assert output._version == 1 and probe.scale(x, x.shape, 2, 2.0, output) == 1 and len(calls) == 2
assert private_names.has("mode_count_in_c") is (%r == "symbol")
"""
        % way,
        way,
        TORCHTHAW_NO_DLPACK=str(1 - dlpack),
    )


@pytest.mark.slow
def test_without_either_name_only_fake_tensors_are_noticed():
    run("""
names = {private_names.NAMES[name].path for name in ("mode_count_in_c", "mode_count")}
private_names.find = lambda asked: private_names._ABSENT if asked in names else find(asked)
with Idle():
    assert probe.scale(x, x.shape, 2, 2.0, output) == 1 and calls == []
with FakeTensorMode():
    assert probe.scale(torch.ones(2, 3), (2, 3), 2, 2.0, output) == "redirected"
""")


@pytest.mark.slow
def test_which_calls_go_where():
    """The functions of OTHERS, in one process."""
    run(
        OTHERS
        + """
for name, function in list(globals().items()):
    if name.startswith("test_"):
        calls.clear()
        output.zero_()
        operators.redirect = redirect
        function()
        print(name)
"""
    )


OTHERS = """
import threading
from torch._subclasses.functional_tensor import FunctionalTensor, FunctionalTensorMode


def raised(error, function, *arguments):
    try:
        function(*arguments)
    except error as caught:
        return str(caught)
    raise AssertionError(f"{error.__name__} was not raised")


def test_a_call_without_a_tensor_goes_to_c():
    with Idle():
        assert probe.fail(0) == 1 and probe.checks_count() >= 1
        assert probe.scale([1.0], (1,), 1, 2.0, probe._extension.ffi.new("float[1]")) == 1
    assert calls == []


def test_errors_of_the_operator_are_the_calls():
    def fail(*arguments):
        raise KeyError("no operator")

    operators.redirect = fail
    with Idle():
        assert raised(KeyError, probe.scale, x, x.shape, 2, 2.0, output) == "'no operator'"


def test_a_fake_or_functional_tensor_goes_to_the_operator_without_a_mode():
    with FakeTensorMode():
        fake = torch.ones(2, 3)
    with FunctionalTensorMode():
        functional = FunctionalTensor.to_functional(torch.ones(2, 3))
    versions = output._version, x._version
    for tensor in (fake, functional):
        assert probe.scale(tensor, (2, 3), 2, 2.0, output) == "redirected"
        assert calls[-1][2][0] is tensor
        assert probe.scale(x, factor=2.0, output=tensor) == "redirected"
        assert calls[-1][2] == (x,) and calls[-1][3]["output"] is tensor
    assert (output._version, x._version) == versions
    message = raised(TypeError, _bridge.call_below_modes, probe.scale, fake, (2, 3), 2, 2.0, output)
    assert message == "input: expected a contiguous float32 CPU tensor, got a fake tensor"


def test_other_refusals_stay():
    for wrong, error in ((x.double(), TypeError), (x.to("meta"), TypeError), (x.t(), ValueError)):
        assert raised(error, probe.scale, wrong, (2, 3), 2, 2.0, output).startswith("input: expected a contiguous")
    vmapped = torch.vmap(lambda y: probe.scale(y, (3,), 1, 2.0, output))
    assert "a tensor inside torch.vmap" in raised(TypeError, vmapped, x)
    assert calls == []


def test_a_kernel_calls_c_below_the_modes():
    with Idle():
        assert _bridge.call_below_modes(probe.scale, x, (2, 3), 2, 2.0, output) == 1
        assert calls == [] and output.sum() == 12
        assert probe.scale(x, (2, 3), 2, 2.0, output) == "redirected", "and only there"
        message = raised(ValueError, _bridge.call_below_modes, probe.scale, x, (2, 3), 2, 2.0, output[0])
        assert message == "output: expected shape (2, 3), got (3,)"
        assert probe.scale(x, (2, 3), 2, 2.0, output) == "redirected"
    message = raised(TypeError, _bridge.call_below_modes)
    assert message == "call_below_modes: expected a function, got no argument"


def test_a_mode_is_active_in_its_own_thread_only():
    results = []
    with Idle():
        thread = threading.Thread(target=lambda: results.append(probe.scale(x, x.shape, 2, 2.0, output)))
        thread.start()
        thread.join()
    assert results == [1] and calls == []
"""
