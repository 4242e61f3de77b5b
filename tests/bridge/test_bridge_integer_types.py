"""tests/bridge/test_bridge_integer_types.py: a size of each C integer type: found by the shape, checked, too large.

And a workspace whose size no memory has.
"""

import pytest
import torch

import torchthaw
from support.messages import names

TYPES = [f"{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64)]
FUNCTION = """
double sum_{0}(const double *x THAW_SHAPE(count), {0} count) {{
    double sum = 0;
    for ({0} i = 0; i < count; i++) sum += x[i];
    return sum;
}}
"""


@pytest.fixture(scope="module")
def sums(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sums")
    text = "".join(map(FUNCTION.format, TYPES))
    declared = "".join(FUNCTION.format(each).partition(" {")[0] + ";" for each in TYPES)
    (folder / "sums.h").write_text(f"#include <stdint.h>\n#include <torchthaw/annotate.h>\n{declared}\n")
    (folder / "sums.c").write_text(f'#include "sums.h"\n{text}')
    return torchthaw.load("sums_of_integer_types", headers=folder / "sums.h", sources=[folder / "sums.c"])


@pytest.mark.parametrize("type", TYPES)
def test_a_size_that_the_shape_says(sums, type):
    function = getattr(sums, f"sum_{type}")
    assert function(x=torch.ones(100, dtype=torch.float64)) == 100
    assert function(x=torch.ones(100, dtype=torch.float64), count=100) == 100
    with pytest.raises(ValueError) as raised:
        function(x=torch.ones(100, dtype=torch.float64), count=7)
    assert names(str(raised.value), "x", "count=7", "(100,)")


@pytest.mark.parametrize(
    "type, least_too_large", [("int8_t", 128), ("uint8_t", 256), ("int16_t", 32768), ("uint16_t", 65536)]
)
def test_a_size_that_the_type_cannot_say(sums, type, least_too_large):
    function = getattr(sums, f"sum_{type}")
    assert function(x=torch.ones(least_too_large - 1, dtype=torch.float64)) == least_too_large - 1
    with pytest.raises(OverflowError) as raised:
        function(x=torch.ones(least_too_large, dtype=torch.float64))
    assert names(str(raised.value), "count", type, str(least_too_large))


WORKSPACE = """
#include <stddef.h>
#include <stdint.h>
#include <torchthaw/annotate.h>
void sum(const float *x THAW_SHAPE(count), int64_t count, float *output THAW_SHAPE(),
         void *workspace THAW_WORKSPACE(workspace_size, sum_workspace_size(count)), size_t workspace_size) {
    *output = 0;
    for (int64_t i = 0; i < count; i++) *output += x[i];
}
size_t sum_workspace_size(int64_t count) { return count > 100 ? SIZE_MAX : 8; }
"""


def test_a_workspace_that_no_memory_has():
    module = torchthaw.load_inline("sum_with_workspace", c_sources=WORKSPACE, functions=["sum", "sum_workspace_size"])
    output = torch.zeros(())
    module.sum(x=torch.ones(100), output=output)
    with pytest.raises(ValueError) as raised:
        module.sum(x=torch.ones(101), output=output)
    assert names(str(raised.value), "sum", "SIZE_MAX") and output == 100
