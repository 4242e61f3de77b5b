"""tests/bridge/test_bridge_outputs.py: a call by keywords that leaves out its outputs makes them: arrays for arrays, tensors
for tensors."""

import json
import re
import subprocess
import sys

import numpy as np
import pytest
import torch

import torchthaw
from support import checks_probe
from support.graphs import captured
from support.messages import names
from torchthaw.bridge import outputs

checks = checks_probe.probe()
made = torchthaw.load_inline("making", c_sources="""
#include <torchthaw/annotate.h>

void both(const double *x THAW_SHAPE(m, n), int64_t m, int64_t n, int32_t *rows THAW_SHAPE(m),
          double *doubled THAW_SHAPE(m, 2 * n)) {
    for (int64_t i = 0; i < m; ++i) {
        rows[i] = (int32_t)i;
        for (int64_t k = 0; k < 2 * n; ++k) doubled[i * 2 * n + k] = x[i * n + k / 2];
    }
}
int64_t counted(const double *x THAW_SHAPE(n), int64_t n, double *y THAW_SHAPE(n)) { return n; }
void filled(int64_t n, double *y THAW_SHAPE(n)) { }
THAW_STATUS int failing(const double *x THAW_SHAPE(n), int64_t n, double *y THAW_SHAPE(n)) { return x[0] == 0; }
void halved(const double *x THAW_SHAPE(n), int64_t n, int64_t twice, double *y THAW_SHAPE(n / 2) THAW_SHAPE(twice - n / 2)) {
    for (int64_t i = 0; i < n / 2; ++i) y[i] = x[i];
}
""", functions=["both", "counted", "filled", "failing", "halved"])  # fmt: skip


def test_arrays_for_arrays():
    x = np.full((2, 3), 2, np.float32)
    y = checks.scale(x, factor=2.5)
    assert type(y) is np.ndarray and y.dtype == np.float32 and y.shape == (2, 3) and (y == 5).all()
    assert (checks.scale(input=x[0], factor=1) == 2).all() and checks.scale(np.float32([])[:0], factor=1).shape == (0,)
    assert checks.scale(np.array(3, np.float32), factor=2).shape == ()
    assert checks.scale(memoryview(x), factor=1).shape == (2, 3)


def test_tensors_for_tensors():
    x = torch.full((2, 3), 2.0)
    y = checks.scale(x, factor=2.5)
    assert type(y) is torch.Tensor and y.tolist() == [[5.0] * 3] * 2
    with pytest.raises(RuntimeError, match="derivative"):  # else the gradient would be lost
        checks.scale(x.requires_grad_(), factor=2.5)
    with pytest.raises(TypeError, match=names("input2", "tensor", "ndarray")):
        checks.add(input1=x, input2=np.ones(3, np.float32))


def test_several_come_as_a_tuple():
    rows, doubled = made.both(x=np.arange(6.0).reshape(2, 3))
    assert rows.dtype == np.int32 and rows.tolist() == [0, 1]
    assert doubled.tolist() == [[0, 0, 1, 1, 2, 2], [3, 3, 4, 4, 5, 5]]
    rows, doubled = made.both(x=torch.ones(2, 3, dtype=torch.float64))
    assert rows.tolist() == [0, 1] and doubled.shape == (2, 6)


def test_one_of_two_shapes_has_both():
    x, operator = torch.arange(4, dtype=torch.float64), torch.ops.making.halved
    for y in (made.halved(x=x, twice=4), operator(x, 4), torch.from_numpy(made.halved(x=x.numpy(), twice=4))):
        assert y.tolist() == [0, 1]
    for call in (lambda: made.halved(x=x, twice=5), lambda: operator(x, 5)):
        with pytest.raises(ValueError, match=names("y", "(3,)", "(2,)")):
            call()


def test_broadcast_workspace_and_optional_arrays():
    assert checks.add(input1=np.ones((2, 1), np.float32), input2=np.ones(3, np.float32)).tolist() == [[2] * 3] * 2
    output, sums = checks.outer(rows=np.ones(2, np.float32), columns=np.ones(3, np.float32), bias=None)
    assert output.tolist() == [[1] * 3] * 2 and sums.tolist() == [3, 3]


def test_wrong_sizes_are_refused_before_anything_is_made():
    x = np.ones(3, np.float32)
    with pytest.raises(ValueError, match=names("input", "(1000000000000,)", "(3,)")):
        checks.scale(x, (10**12,), 1, factor=2.0)
    with pytest.raises(ValueError, match=names("output", "n=3", "k=5")):
        checks.windows(input=x, k=5, step=1)


@pytest.mark.parametrize("call, parts", [
    (lambda x: checks.outer(rows=x, columns=x, bias=None, output=np.ones((3, 3), np.float32)), ("outer", "sums")),
    (lambda x: checks.accumulate(input=x), ("accumulate", "total")),
    (lambda x: made.counted(x=x.astype(float)), ("counted", "y")), (lambda x: made.filled(n=3), ("filled", "2")),
])  # fmt: skip
def test_what_is_not_made(call, parts):
    """Some of the outputs alone; what holds a value before; beside another result; without an array that is read."""
    with pytest.raises(TypeError, match=names(*parts)):
        call(np.ones(3, np.float32))


def test_a_failure_gives_no_output():
    assert made.failing(x=np.zeros(2)).shape == (2,)
    with pytest.raises(RuntimeError, match="failing"):
        made.failing(x=np.ones(2))


def described(module):
    """The rows of its functions in the description, which stubs and PyTorch's graphs go by."""
    inner = next(each for name, each in sys.modules.items() if re.fullmatch(rf"{module.__name__}\._\w+", name))
    return json.loads(inner.description)["functions"]


@pytest.mark.parametrize("module", [checks, made], ids=lambda module: module.__name__)
def test_the_description_says_which_calls_may_leave_out_their_outputs(module):
    seen = set()
    for row in described(module):
        outputs = [each["name"] for each in row["parameters"] if each["kind"] == "array" and each["written"]]
        if not outputs or not row["annotated"]:
            continue
        seen.add(row["makes_outputs"])
        given = {each["name"]: None for each in row["parameters"] if each["name"] not in outputs}
        with pytest.raises(TypeError) as raised:
            getattr(module, row["name"])(**given)
        is_missing = re.search(rf"(argument|missing).*\b{outputs[0]}\b", str(raised.value)) is not None
        assert is_missing is not row["makes_outputs"], (row["name"], str(raised.value))
    assert seen == {False, True}


@captured
def test_in_a_graph():
    def function(x):
        return checks.scale(x, factor=2.0) + 1

    compiled = torch.compile(function, fullgraph=True, backend="eager")
    assert compiled(torch.ones(3)).tolist() == [3, 3, 3]
    recorded = torch.fx.experimental.proxy_tensor.make_fx(function)(torch.ones(2))
    assert "scale" in recorded.code and recorded(torch.ones(2)).tolist() == [3, 3]
    several = torch.compile(lambda x: made.both(x=x)[1], fullgraph=True, backend="eager")
    assert several(torch.ones(1, 2, dtype=torch.float64)).tolist() == [[1] * 4]


def test_calls_leave_no_references():
    x = np.ones(3, np.float32)
    before = sys.getrefcount(x)
    for _ in range(100):
        assert sys.getrefcount(checks.scale(x, factor=1.0)) <= 2
    assert sys.getrefcount(x) == before


def test_without_numpy():
    """What has a buffer is read, and the message says what is missing."""
    source = f"""
import array, importlib.util, sys
sys.modules["numpy"] = None
spec = importlib.util.spec_from_file_location("checks", {checks.__file__!r}, submodule_search_locations=[])
spec.submodule_search_locations.append({checks.__file__.rpartition("/")[0]!r})
checks = importlib.util.module_from_spec(spec)
sys.modules["checks"] = checks
spec.loader.exec_module(checks)
x = array.array("f", [1, 2])
assert checks.scale(x, (2,), 1, 2.0, x) == 1 and x.tolist() == [2, 4]
try:
    checks.scale(x, factor=2.0)
except ImportError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True)
    assert done.stdout and re.search(names("output", "numpy"), done.stdout), done.stderr


def test_an_array_of_bfloat16_is_made_with_ml_dtypes():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    found = outputs.empty("output", 4, 16, (2, 3))
    assert found.dtype == ml_dtypes.bfloat16 and found.shape == (2, 3)
