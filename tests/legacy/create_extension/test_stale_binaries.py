"""tests/legacy/create_extension/test_stale_binaries.py: extensions that projects committed, built for PyTorch 0.4 and
older."""

import importlib
import os
import subprocess
import sys

import pytest

from support import SRC
from torchthaw.legacy.ffi import old_binaries

HEADER = "int count(THFloatTensor *tensor);\n"
SOURCE = '#include <TH/TH.h>\n#include "old.h"\nint count(THFloatTensor *t) { return THFloatTensor_nElement(t); }\n'
BUILD = """
from torch.utils.ffi import create_extension
create_extension("old", "old.h", ["old.c"], relative_to=__file__).build()
"""
# As cffi alone builds it: TH's symbols are for PyTorch to provide, which it does no more.
BUILD_OLD = """
import cffi
ffi = cffi.FFI()
ffi.cdef("typedef struct THFloatTensor THFloatTensor; int count(THFloatTensor *tensor);")
ffi.set_source("_old", '''
    typedef struct THFloatTensor THFloatTensor;
    long THFloatTensor_nElement(THFloatTensor *);
    static int count(THFloatTensor *tensor) { return (int)THFloatTensor_nElement(tensor); }
''')
ffi.compile(tmpdir="old", verbose=False)
"""
WRAPPER = """
from torch.utils.ffi import _wrap_function
from ._old import lib as _lib, ffi as _ffi
count = _wrap_function(_lib.count, _ffi)
"""
USE = "import torch\nimport old\nprint(old.count(torch.ones(5)))\n"


@pytest.fixture
def project(tmp_path):
    (tmp_path / "old").mkdir()
    for name, text in {
        "old.h": HEADER, "old.c": SOURCE, "build.py": BUILD, "make.py": BUILD_OLD, "use.py": USE,
        "old/__init__.py": WRAPPER,
    }.items():  # fmt: skip
        (tmp_path / name).write_text(text)
    return tmp_path


def run(project, script, status=0):
    done = subprocess.run(
        [sys.executable, "-m", "torchthaw", "run", script], cwd=project, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(SRC)},
    )  # fmt: skip
    assert done.returncode == status, done.stderr
    return done.stdout + done.stderr


@pytest.mark.slow
def test_a_binary_with_symbols_of_th_is_named(project):
    run(project, "make.py")
    file = next((project / "old").glob("_old*.so"))
    printed = run(project, "use.py", status=1)
    message = f"ImportError: {file} was built for PyTorch 0.4 or older; remove it and run the project's build file"
    assert message in printed
    run(project, "build.py")
    assert run(project, "use.py") == "5\n", "the build put its own in the place of the old one"


@pytest.mark.slow
def test_a_binary_of_another_python_is_named(project):
    (project / "old" / "_old.so").write_bytes(b"\x7fELF ... init_old _cffi_backend THCudaTensor_data ...")
    assert "_old.so was built for PyTorch 0.4 or older" in run(project, "use.py", status=1)


@pytest.mark.slow
def test_a_binary_of_something_else_is_python_s_business(project):
    (project / "old" / "_old.so").write_bytes(b"\x7fELF ... PyInit__old ...")
    assert "ImportError" in (printed := run(project, "use.py", status=1)) and "PyTorch 0.4" not in printed


def test_a_reloaded_finder_is_registered_once(monkeypatch):
    monkeypatch.setattr(sys, "meta_path", sys.meta_path[:])
    for _ in range(2):
        old_binaries.register()
        importlib.reload(old_binaries)
    old_binaries.register()
    found = [each for each in sys.meta_path if getattr(each, "__module__", "") == old_binaries.__name__]
    assert len(found) == 1 and sys.meta_path[0] is found[0]
