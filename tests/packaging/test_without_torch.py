"""tests/packaging/test_without_torch.py: torchthaw in an environment that has NumPy and cffi, and no PyTorch."""

import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from support import ROOT
from support.messages import names

# What is installed there, as files of this environment.
PACKAGES = "cffi", "_cffi_backend*.so", "pycparser", "numpy", "numpy.libs"

# A forward and its backward. The last step of an output is a result, and what backward reads alone is none.
PAIRS = {
    "pairs.h": """\
#include <torchthaw/annotate.h>
void walk_forward(const float *x THAW_SHAPE(steps, n), int64_t steps, int64_t n, double by, float *y THAW_SAVED THAW_SHAPE(steps, n),
                  float *total THAW_SHAPE(n), float *kept THAW_SAVED THAW_SHAPE(n));
THAW_VARIANT_OF(walk_forward)
void walk_forward_f64(const double *x THAW_SHAPE(steps, n), int64_t steps, int64_t n, double by,
                      double *y THAW_SAVED THAW_SHAPE(steps, n), double *total THAW_SHAPE(n), double *kept THAW_SAVED THAW_SHAPE(n));
THAW_BACKWARD_OF(walk_forward)
void walk_backward(const float *grad_last_y THAW_GRADIENT_OF(y[steps - 1]) THAW_SHAPE(n),
                   const float *grad_total THAW_SHAPE(n), const float *kept THAW_SHAPE(n), int64_t steps, int64_t n,
                   double by, float *grad_x THAW_SHAPE(steps, n));
""",
    "pairs.c": r"""
#include "pairs.h"
#define WALK(name, T)                                                                                              \
    void name(const T *x, int64_t steps, int64_t n, double by, T *y, T *total, T *kept) {                         \
        for (int64_t j = 0; j < n; ++j) total[j] = 0, kept[j] = 1;                                                 \
        for (int64_t i = 0; i < steps * n; ++i) y[i] = x[i], total[i % n] += (T)by * x[i];                         \
    }
WALK(walk_forward, float)
WALK(walk_forward_f64, double)
void walk_backward(const float *grad_last_y, const float *grad_total, const float *kept, int64_t steps, int64_t n, double by,
                   float *grad_x) {
    for (int64_t i = 0; i < steps * n; ++i) grad_x[i] = (float)by * grad_total[i % n] + (i >= (steps - 1) * n) * grad_last_y[i % n];
}
""",
}

SCRIPT = """
import sys
import numpy as np
import torchthaw

source = '''
#include <torchthaw/annotate.h>
void scale(const float *x THAW_SHAPE(n), int64_t n, double by, float *y THAW_SHAPE(n)) {
    for (int64_t i = 0; i < n; ++i) y[i] = (float)(by * x[i]);
}
'''
inline = torchthaw.load_inline("inline", c_sources=source, functions=["scale"])
open("pack.c", "w").write('#include "pack.h"' + source)
open("pack.h", "w").write(
    "#include <torchthaw/annotate.h>\\nvoid scale(const float *x THAW_SHAPE(n), int64_t n, double by, "
    "float *y THAW_SHAPE(n));"
)
torchthaw.create_extension("_ext.pack", "pack.h", ["pack.c"], relative_to="build.py").build()
torchthaw.create_extension("_ext.pairs", "pairs.h", ["pairs.c"], relative_to="build.py").build()
sys.path.insert(0, ".")
from _ext import pack

x, y = np.arange(4, dtype=np.float32), np.zeros(4, np.float32)
for module in (inline, pack):
    module.scale(x, 4, 2.0, y)
    assert (y == 2 * x).all() and (module.scale(x, by=3.0) == 3 * x).all()
    for wrong in (lambda: module.scale(x, 3, 2.0, y), lambda: module.scale(x.astype(int), 4, 2.0, y)):
        try:
            wrong()
        except (TypeError, ValueError) as error:
            print(error)
from _ext.pairs import functions

a, b = np.arange(6.0, dtype=np.float32).reshape(2, 3), np.ones((2, 3), np.float32)
total, last = functions.walk(a, by=2.0)
assert last.tolist() == [3.0, 4.0, 5.0] and total.tolist() == [6.0, 10.0, 14.0] and dir(functions) == ["walk"]
total, last = functions.walk(a.astype(float), 2.0)
assert total.dtype == np.float64 and total.tolist() == [6.0, 10.0, 14.0]
for wrong in (lambda: functions.walk(a), lambda: functions.walk(a.astype(int), 2.0)):
    try:
        wrong()
    except (TypeError, ValueError) as error:
        print(error)
assert "torch" not in sys.modules
try:
    import torch
except ImportError:
    print("without torch")
"""


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    folder = tmp_path_factory.mktemp("without_torch")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], check=True)
    (site,) = (folder / "venv" / "lib").glob("python*/site-packages")
    found = {path.name: path for entry in sys.path for name in PACKAGES for path in Path(entry or ".").glob(name)}
    assert "numpy" in found and "cffi" in found
    for name, path in found.items():
        (site / name).symlink_to(path)
    (site / "torchthaw.pth").write_text(f"{ROOT / 'src'}\n")
    return folder / "venv" / "bin" / "python"


def test_numpy_alone(python, tmp_path):
    path = os.pathsep.join([sysconfig.get_path("scripts"), os.environ["PATH"]])  # ninja
    environment = {**os.environ, "PATH": path, "TORCHTHAW_CACHE": str(tmp_path / "cache")}
    environment.pop("PYTHONPATH", None)
    for name, text in PAIRS.items():
        (tmp_path / name).write_text(text)
    done = subprocess.run([python, "-c", SCRIPT], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    *lines, last = done.stdout.splitlines()
    assert last == "without torch" and len(lines) == 6
    assert re.search(names("walk", "x", "by", "missing"), lines[4]) and re.search(
        names("x", "float32", "int64"), lines[5]
    )
    for line, parts in zip(lines[:4], 2 * [("x", "(3,)", "(4,)"), ("x", "float32", "array", "int64")], strict=True):
        assert re.search(names(*parts), line) and "tensor" not in line
