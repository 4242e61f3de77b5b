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
    done = subprocess.run([python, "-c", SCRIPT], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    *lines, last = done.stdout.splitlines()
    assert last == "without torch" and len(lines) == 4
    for line, parts in zip(lines, 2 * [("x", "(3,)", "(4,)"), ("x", "float32", "array", "int64")], strict=True):
        assert re.search(names(*parts), line) and "tensor" not in line
