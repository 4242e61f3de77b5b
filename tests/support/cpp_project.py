"""tests/support/cpp_project.py: projects of torch.utils.cpp_extension in folders of tests, with torchthaw on the path."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import torchthaw
from torchthaw.legacy.cpp import cpp_extension

INCLUDED = ["-include", str(cpp_extension.headers() / "removed.h")]
PACKAGES = str(Path(torchthaw.__file__).parents[1])
# Python's own flags ask for debug information, which takes half of the time that PyTorch's headers take.
QUICK = "-g0 -O0"


def python(folder, *arguments, **variables):
    environment = {**os.environ, "PYTHONPATH": PACKAGES, "MAX_JOBS": "2", "CFLAGS": QUICK, **variables}
    return subprocess.run([sys.executable, *arguments], cwd=folder, capture_output=True, text=True, env=environment)


def printed(folder, *arguments, **variables):
    done = python(folder, *arguments, **variables)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


SETUP = """
from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CppExtension

flags = {flags}
extensions = [CppExtension("{name}", ["{name}.cpp"], extra_compile_args=flags)]
setup(name="{name}", ext_modules=extensions, cmdclass={{"build_ext": BuildExtension}})
"""


def project(folder, name, source, flags=()):
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.cpp").write_text(source)
    (folder / "setup.py").write_text(SETUP.format(name=name, flags=list(flags)))


@pytest.fixture(autouse=True)
def tells_anew():
    """What torchthaw says once for each extension, it says in each test."""
    cpp_extension._tell.cache_clear()
