"""tests/bridge/test_bridge_integer_types.py: a size of each C integer type: found by the shape, checked, too large.

And a workspace whose size no memory has.
"""

import pytest
import torch

import torchthaw
from support.messages import names

TYPES = [f"{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64)]
FUNCTIONS = """
double sum_{0}(const double *x THAW_SHAPE(count), {0} count) {{
    double sum = 0;
    for ({0} i = 0; i < count; i++) sum += x[i];
    return sum;
}}
double last_{0}(const double *between THAW_SHAPE(count - 1), {0} count) {{ return between[count - 2]; }}
"""


@pytest.fixture(scope="module")
def sums():
    text = "#include <stdint.h>\n#include <torchthaw/annotate.h>\n" + "".join(map(FUNCTIONS.format, TYPES))
    functions = [f"{word}_{each}" for each in TYPES for word in ("sum", "last")]
    return torchthaw.load_inline("sums_of_integer_types", c_sources=text, functions=functions)


@pytest.mark.parametrize("type", TYPES)
def test_a_size_that_the_shape_says(sums, type):
    function, x = getattr(sums, f"sum_{type}"), torch.ones(100, dtype=torch.float64)
    assert function(x=x) == function(x=x, count=100) == 100
    with pytest.raises(ValueError, match=names("x", "(7,)", "(100,)")):
        function(x=x, count=7)


@pytest.mark.parametrize("type", TYPES)
def test_a_size_that_gives_no_shape(sums, type):
    function, x = getattr(sums, f"last_{type}"), torch.ones(6, dtype=torch.float64)
    assert function(x, 7) == 1
    with pytest.raises(ValueError, match=names("between", "shape", "count=0")):
        function(x, 0)


@pytest.mark.parametrize(
    "type, least_too_large", [("int8_t", 128), ("uint8_t", 256), ("int16_t", 32768), ("uint16_t", 65536)]
)
def test_a_size_that_the_type_cannot_say(sums, type, least_too_large):
    function = getattr(sums, f"sum_{type}")
    assert function(x=torch.ones(least_too_large - 1, dtype=torch.float64)) == least_too_large - 1
    with pytest.raises(OverflowError, match=names("count", type, least_too_large)):
        function(x=torch.ones(least_too_large, dtype=torch.float64))


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
    with pytest.raises(ValueError, match=names("sum", "SIZE_MAX")):
        module.sum(x=torch.ones(101), output=output)
    assert output == 100
