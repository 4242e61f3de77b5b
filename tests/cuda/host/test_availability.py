"""tests/cuda/host/test_availability.py: TORCHTHAW_BUILD_CUDA=1: torch.cuda.is_available() is True for build scripts."""

import os
import subprocess
import sys

import pytest
import torch

from support import SRC

pytestmark = pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has a GPU")

BUILD = "from torch.utils.ffi import create_extension\n"
ASKS = "import torch\nprint(torch.cuda.is_available())\n"


@pytest.fixture
def python(tmp_path):
    """A function: what `python WORDS…` prints in a folder with these files; by default with the variable set to 1."""

    def python(*words, files=(), **variables):
        for name, text in dict(files).items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text)
        result = subprocess.run(
            [sys.executable, *words], cwd=tmp_path, capture_output=True, text=True, env={
                **os.environ, "PYTHONPATH": str(SRC), "TORCHTHAW_CACHE": str(tmp_path / "cache"),
                "TORCHTHAW_BUILD_CUDA": "1", **variables,
            },
        )  # fmt: skip
        assert result.returncode == 0, result.stderr
        return result.stdout.splitlines()

    return python


RUN = ("-m", "torchthaw", "run")
INSTALL = "import torchthaw.legacy; torchthaw.legacy.install()\n"

# Scripts, each with whether it builds. What is asked last is printed.
SCRIPTS = {
    "build.py": (BUILD + ASKS, True),
    "question_first.py": (ASKS + BUILD, True),
    "module.py": ("import torch\nimport torch.utils.ffi as ffi\ndef make(): ffi.create_extension\n" + ASKS, True),
    "setup.py": ("from setuptools import setup\n" + ASKS, True),
    "in_function.py": (BUILD + "import torch\ndef f():\n    print(torch.cuda.is_available())\nf()\n", True),
    "modern.py": ("import torchthaw\next = torchthaw.FFIExtension\n" + ASKS, True),
    "by_helper.py": (BUILD + "import helper\nhelper.ask()\n", True),
    "train.py": (ASKS, False),
    "versions.py": ("import setuptools\n" + ASKS, False),
    "of_pytorch.py": (BUILD + "import torch\ndef f():\n    return torch.cuda.is_available()\n"
                      "f = type(f)(f.__code__, {'torch': torch, '__name__': 'torch.random'})\nprint(f())\n", False),
}  # fmt: skip
HELPER = {"helper.py": "import torch\ndef ask():\n    print(torch.cuda.is_available())\n"}


@pytest.mark.slow
@pytest.mark.parametrize("name", SCRIPTS)
def test_who_hears_what(python, name):
    source, builds = SCRIPTS[name]
    assert python(*RUN, name, files={name: source, **HELPER}) == [str(builds)]


@pytest.mark.slow
@pytest.mark.parametrize("value", ["0", ""])
def test_off_by_default(python, value):
    assert python(*RUN, "build.py", files={"build.py": BUILD + ASKS}, TORCHTHAW_BUILD_CUDA=value) == ["False"]


@pytest.mark.slow
def test_a_shell_script_may_ask(python):
    """By a one-liner; its own programs are no builds."""
    script = 'python -c "import torch; print(torch.cuda.is_available())"\npython train.py\n'
    assert python(*RUN, "make.sh", files={"make.sh": script, "train.py": ASKS}) == ["True", "False"]
    assert python("-c", f"{INSTALL}import torch; print(torch.cuda.is_available())") == ["False"]


@pytest.mark.slow
def test_a_package_that_builds_when_imported(python):
    """The package's question is a build's; that of the program which imports it is not, before and after."""
    files = {"lib/__init__.py": BUILD + ASKS, "train.py": ASKS + "import lib\n" + "print(torch.cuda.is_available())\n"}
    assert python(*RUN, "train.py", files=files) == ["False", "True", "False"]


@pytest.mark.slow
def test_what_was_built_hears_the_truth(python):
    files = {
        "build.py": BUILD + "import torch\nname = 'gpu' if torch.cuda.is_available() else 'cpu'\n"
        "create_extension('_ext.' + name, [], []).build()\n",
        "train.py": "import torch\nfrom _ext import gpu\nprint(torch.cuda.is_available())\n",
    }
    python(*RUN, "build.py", files=files)
    assert python(*RUN, "train.py") == ["False"]


@pytest.mark.slow
def test_enabled_environment(python, tmp_path):
    """As the .pth file of `enable` does, at the start of Python."""
    start = {"sitecustomize.py": f"import runpy\nrunpy.run_path({str(SRC / 'torchthaw' / 'activate.py')!r})\n"}
    files = {**start, "build.py": BUILD + ASKS, "train.py": ASKS}
    path = str(tmp_path)
    assert python("build.py", files=files, PYTHONPATH=path) == ["True"]
    assert python("train.py", PYTHONPATH=path) == ["False"]
    assert python("-c", ASKS, PYTHONPATH=path) == ["False"]


@pytest.mark.slow
def test_setuptools_alone(python):
    """A setup.py that calls install(), before or after PyTorch is imported; no run, no enable."""
    end = "setup(name='x', version='1', script_args=['-q', 'clean'])\n"
    after = f"import torch\n{INSTALL}from setuptools import setup\nprint(torch.cuda.is_available())\n" + end
    before = f"{INSTALL}import torch\nfrom setuptools import setup\nprint(torch.cuda.is_available())\n" + end
    assert python("setup.py", files={"setup.py": after}) == ["True"]
    assert python("setup.py", files={"setup.py": before}) == ["True"]
