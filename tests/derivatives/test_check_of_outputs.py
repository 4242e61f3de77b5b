"""tests/derivatives/test_check_of_outputs.py: check() finds outputs that C reads, or does not write as a whole."""

import pytest
import torch

import torchthaw
from support.messages import names

FORWARD = """
THAW_STATUS
int {name}_forward(const double *a THAW_SHAPE(n), const double *b THAW_SHAPE(n), int64_t n, double *y THAW_SHAPE(n),
                   int32_t *which THAW_SHAPE(n)) {{
    for (int64_t i = 0; i < n; ++i) {{
        {forward}
    }}
    return 1;
}}
THAW_STATUS THAW_BACKWARD_OF({name}_forward)
int {name}_backward(const double *grad_y THAW_SHAPE(n), const double *a THAW_SHAPE(n), const double *b THAW_SHAPE(n),
                    const int32_t *which THAW_SHAPE(n), int64_t n, double *grad_a THAW_SHAPE(n){null},
                    double *grad_b THAW_SHAPE(n){null}) {{
    for (int64_t i = 0; i < n; ++i) {{
        {backward}
    }}
    return 1;
}}
"""
RIGHT = "y[i] = a[i] * b[i]; which[i] = 7;", "grad_a[i] = grad_y[i] * b[i]; grad_b[i] = grad_y[i] * a[i];"
NULL = "if (grad_a) grad_a[i] = grad_y[i] * b[i]; if (grad_b) grad_b[i] = grad_y[i] * a[i];"
# Name -> (lines of the forward, lines of the backward, the words after its gradients, what the error names).
FUNCTIONS = {
    "right": (*RIGHT, "", None),
    "right_with_null": (RIGHT[0], NULL, " THAW_NULLABLE", None),
    "adds": (RIGHT[0], "grad_a[i] += grad_y[i] * b[i]; grad_b[i] = grad_y[i] * a[i];", "",
             ("adds_backward", "grad_a", "+=", "4 of 4")),
    "adds_to_second": (RIGHT[0], "grad_a[i] = grad_y[i] * b[i]; grad_b[i] += grad_y[i] * a[i];", "",
                       ("adds_to_second_backward", "grad_b", "+=")),
    "adds_with_null": (RIGHT[0], NULL.replace("] = ", "] += "), " THAW_NULLABLE", ("adds_with_null_backward", "grad_a", "+=")),
    "leaves_some": (RIGHT[0], "if (i % 2) grad_a[i] = grad_y[i] * b[i]; grad_b[i] = grad_y[i] * a[i];", "",
                    ("leaves_some_backward", "grad_a", "2 of 4", "before")),
    "leaves_forward": ("if (i) y[i] = a[i] * b[i]; which[i] = 7;", RIGHT[1], "", ("leaves_forward_forward", "y", "1 of 4")),
    "adds_forward": ("y[i] += a[i] * b[i]; which[i] = 7;", RIGHT[1], "", ("adds_forward_forward", "y", "+=")),
    "leaves_integers": ("y[i] = a[i] * b[i]; if (i) which[i] = 7;", RIGHT[1], "",
                        ("leaves_integers_forward", "which", "1 of 4")),
    "reads_integers": ("y[i] = a[i] * b[i]; which[i] |= 7;", RIGHT[1], "", ("reads_integers_forward", "which")),
}  # fmt: skip


@pytest.fixture(scope="module")
def functions():
    source = "#include <stdint.h>\n#include <torchthaw/annotate.h>\n" + "".join(
        FORWARD.format(name=name, forward=forward, backward=backward, null=null)
        for name, (forward, backward, null, _) in FUNCTIONS.items()
    )
    listed = [f"{name}_{part}" for name in FUNCTIONS for part in ("forward", "backward")]
    return torchthaw.load_inline("check_of_outputs", c_sources=source, functions=listed).functions


@pytest.mark.parametrize("name", FUNCTIONS)
def test_check(functions, name):
    given, expected = [torch.rand(4, dtype=torch.float64) for _ in range(2)], FUNCTIONS[name][3]
    if expected is None:
        getattr(functions, name).check(*given)
        return
    with pytest.raises(AssertionError, match=names(name, *expected)):
        getattr(functions, name).check(*given)
