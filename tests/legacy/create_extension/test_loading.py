"""tests/legacy/create_extension/test_loading.py: what a built extension of an old project needs when it is loaded, and
what it may not meet."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from support import ROOT, SRC
from torchthaw.base import config, toolchain


def files(folder, contents):
    for name, text in contents.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def thawed(folder, *words):
    """What ``python -m torchthaw run WORDS…`` prints in ``folder``."""
    result = subprocess.run(
        [sys.executable, "-m", "torchthaw", "run", *words], cwd=folder, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(SRC)},
    )  # fmt: skip
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def dynamic(library):
    """What the dynamic section of a shared object says: {tag: [values]}."""
    text = subprocess.run(["readelf", "-dW", library], capture_output=True, text=True, check=True).stdout
    found = {}
    for tag, value in re.findall(r"\((\w+)\)\s+.*?\[(.*)\]", text):
        found.setdefault(tag, []).append(value)
    return found


# A library of plain functions and globals, of which there may be several in a process.

SAME_H = "int value(void);\nvoid set(int number);\nint size(THFloatTensor *tensor);\nextern int number;\n"
SAME_C = """
#include <TH/TH.h>
int number = NUMBER;
int helper(void) { return number; }
int value(void) { return helper(); }
void set(int other) { number = other; }
int size(THFloatTensor *tensor) { return NUMBER * (int)THFloatTensor_nElement(tensor); }
"""
SAME_PY = """
from torch.utils.ffi import create_extension
ffi = create_extension("_ext.same", "same.h", ["same.c"], relative_to=__file__, verbose=False)
if __name__ == "__main__":
    ffi.build()
"""
USE_BOTH = """
import importlib.util, os, sys
import torch
sys.setdlopenflags(os.FLAGS)

def same(name):
    spec = importlib.util.spec_from_file_location(name, name + "/_ext/same/__init__.py")
    sys.modules[name] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module

one, two = same("one"), same("two")
values = [module.value() for module in (one, two)]
one.set(5)
x = torch.ones(2)
print(*values, *[module.value() for module in (one, two)], one.size(x), two.size(x), one.number, two.number)
"""


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    """Two projects whose extensions have one name, and the same functions and globals with other values."""
    folder = tmp_path_factory.mktemp("both")
    for number, name in enumerate(("one", "two"), 1):
        project = {"same.h": SAME_H, "same.c": SAME_C.replace("NUMBER", str(number)), "build.py": SAME_PY}
        thawed(files(folder / name, project), "build.py")
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("flags", ["RTLD_NOW", "RTLD_NOW | os.RTLD_GLOBAL"])
def test_the_same_symbols_in_two_extensions(both, flags):
    """Each sees its own, also in a process that makes the symbols of what it loads global."""
    files(both, {"use.py": USE_BOTH.replace("FLAGS", flags)})
    assert thawed(both, "use.py").split() == ["1", "2", "5", "2", "2", "4", "5", "2"]


@pytest.mark.slow
def test_an_extension_names_libth_and_no_place(both):
    entries = dynamic(both / "one" / "_ext" / "same" / "_same.so")
    assert "libth.so.1" in entries["NEEDED"] and not any("/" in name for name in entries["NEEDED"])
    assert "RPATH" not in entries and "RUNPATH" not in entries


# A project whose CMake builds its kernels, and whose setup.py the extension.

BY_CMAKE = {
    "CMakeLists.txt": """
cmake_minimum_required(VERSION 3.10)
project(kernels C)
find_path(TH_INCLUDE_DIR TH/TH.h HINTS ${TORCH_ROOT}/lib/include ${TH_HINT_INCLUDE})
find_library(TH_LIBRARY NAMES th TH HINTS ${TORCH_ROOT}/lib ${TH_HINT_LIB})
message(STATUS "library ${TH_LIBRARY}")
include_directories(${TH_INCLUDE_DIR} ${TH_INCLUDE_DIR}/TH)
add_library(kernels SHARED kernels.c)
target_link_libraries(kernels ${TH_LIBRARY})
""",
    "kernels.c": """
#include "TH.h"
double kernel(THFloatTensor *tensor) { return THFloatTensor_sumall(tensor); }
""",
    "total.h": "double total(THFloatTensor *tensor);\n",
    "total.c": """
#include <TH/TH.h>
double kernel(THFloatTensor *tensor);
double total(THFloatTensor *tensor) { return kernel(tensor); }
""",
    "totals/__init__.py": "",
    "build.py": """
import os
from torch.utils.ffi import create_extension
this = os.path.dirname(os.path.realpath(__file__))
ffi = create_extension(
    "totals._ext.total", "total.h", ["total.c"], package=True, relative_to=__file__, libraries=["kernels"],
    library_dirs=[os.path.join(this, "made")], runtime_library_dirs=[os.path.join(this, "made")])
""",
    "setup.py": """
from setuptools import setup
setup(name="totals", version="0.1", packages=["totals"], setup_requires=["cffi"], cffi_modules=["build.py:ffi"])
""",
    "test.py": """
import torch
from totals._ext import total
print(total.total(torch.ones(5)))
print(*{line.split()[-1] for line in open("/proc/self/maps") if "/libth.so" in line})
""",
}  # fmt: skip


@pytest.mark.slow
def test_cmake_finds_what_config_prints(tmp_path):
    """What CMake links is what the process has loaded, once."""
    import torch

    project, cmake = files(tmp_path / "project", BY_CMAKE), toolchain.tool("cmake")
    printed = subprocess.run(
        [sys.executable, "-m", "torchthaw", "config", "--includes", "--libdir"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    ).stdout.splitlines()
    hints = [f"-DTH_HINT_INCLUDE={printed[0]}", f"-DTH_HINT_LIB={printed[1]}"]
    hints.append(f"-DTORCH_ROOT={os.path.dirname(torch.__file__)}")
    configure = [cmake, "-S", project, "-B", project / "made", *hints]
    shown = subprocess.run(configure, capture_output=True, text=True, check=True).stdout
    subprocess.run([cmake, "--build", project / "made"], capture_output=True, check=True)
    thawed(project, "setup.py", "-q", "build_ext", "--inplace")
    total, *loaded = thawed(project, "test.py").split()
    linked = re.search(r"-- library (.*)", shown)[1]
    assert total == "5.0" and loaded == [os.path.realpath(config.library("th"))]
    linked = Path(linked)  # in a wheel, which has no symbolic links, a file with the same content
    assert linked.parent == config.libdir() and linked.read_bytes() == Path(loaded[0]).read_bytes()
