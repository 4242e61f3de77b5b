"""tests/cuda/host/test_run_cuda.py: what `python -m torchthaw run` says about CUDA, and how it is built without a
GPU."""

import os
import re
import subprocess
import sys

import pytest
import torch

from support import SRC
from support.cuda_toolkit import toolkit_or_skip
from support.messages import names
from torchthaw.extension import cuda
from torchthaw.legacy.cpp import nvcc
from torchthaw.legacy.run import compiler_launchers

toolkit = toolkit_or_skip()
VARIABLES = ("CUDA_HOME", "CUDA_PATH", "TORCH_CUDA_ARCH_LIST", "TORCHTHAW_BUILD_CUDA")
HERE = torch.version.cuda is not None and bool(cuda.visible(toolkit))
no_card = pytest.mark.skipif(bool(cuda.visible(toolkit)), reason="this machine has a card")


@pytest.fixture
def run(tmp_path):
    """A function: what `run NAME` of this text prints, without the variables that choose anything."""

    def run(name, text, **variables):
        (tmp_path / name).write_text(text)
        given = {key: value for key, value in os.environ.items() if key not in VARIABLES}
        result = subprocess.run(
            [sys.executable, "-m", "torchthaw", "run", name], cwd=tmp_path, capture_output=True, text=True,
            env={**given, "PYTHONPATH": str(SRC), "TORCHTHAW_CACHE": str(tmp_path / "cache"), **variables},
        )  # fmt: skip
        assert result.returncode == 0, result.stderr
        return result

    return run


ASKS = "import os\nprint('CUDA_HOME' in os.environ, 'CUDA_PATH' in os.environ)\n"


@pytest.mark.slow
def test_cuda_home_only_where_a_cuda_build_is_wanted(run):
    assert run("build.py", ASKS).stdout == f"{HERE} {HERE}\n"
    assert run("build.py", ASKS, TORCHTHAW_BUILD_CUDA="1").stdout == "True True\n"
    assert run("build.py", ASKS, CUDA_HOME=str(toolkit.root)).stdout == f"True {HERE}\n"


def test_wanted_is_a_card_and_a_pytorch_for_it(monkeypatch):
    monkeypatch.delenv("TORCHTHAW_BUILD_CUDA", raising=False)
    for cards, version, expected in [([], "13.0", False), (["90"], None, False), (["90"], "13.0", True)]:
        monkeypatch.setattr(cuda, "visible", lambda toolkit: cards)
        monkeypatch.setattr(compiler_launchers.nvidia_packages, "cuda_of_pytorch", lambda: version)
        assert compiler_launchers.wanted(toolkit) is expected
    monkeypatch.undo()
    assert compiler_launchers.nvidia_packages.cuda_of_pytorch() == torch.version.cuda


# As old setup.py files find CUDA: the folder above that of nvcc, each part of which must be there.
LOCATE = """
import os, shutil, subprocess
nvcc = os.environ["CUDA_HOME"] + "/bin/nvcc" if "CUDA_HOME" in os.environ else shutil.which("nvcc")
home = os.path.dirname(os.path.dirname(nvcc))
for part in (nvcc, home + "/include", home + "/lib64", home + "/bin/ptxas"):
    assert os.path.exists(part), part
open("old.cu", "w").write("__global__ void f() { __syncthreads(); }\\n")
subprocess.run([nvcc, "-c", "-arch=sm_35", "old.cu", "-o", "old.o"], check=True)
open("host.cpp", "w").write("#include <cuda_runtime.h>\\nint main() { int n; return cudaGetDeviceCount(&n) == 0; }\\n")
subprocess.run(["g++", "host.cpp", "-I" + home + "/include", "-L" + home + "/lib64", "-lcudart_static", "-ldl", "-lrt",
                "-lpthread", "-o", "host"], check=True)
"""


@pytest.mark.slow
@pytest.mark.parametrize("variables", [
    {}, {"TORCHTHAW_BUILD_CUDA": "1"}, {"CUDA_HOME": os.fspath(toolkit.root)},
], ids=str)  # fmt: skip
def test_the_home_of_nvcc_is_that_of_a_toolkit(run, tmp_path, variables):
    printed = run("setup.py", LOCATE, TORCH_CUDA_ARCH_LIST="8.0", **variables).stderr
    assert "sm_35: nvcc" in printed and cuda.embedded(tmp_path / "old.o") == ["80"]


@pytest.mark.slow
def test_the_launcher_is_not_its_own_toolkit(run):
    """A script's own processes, and a run in a run, find what is behind it."""
    text = "from torchthaw.extension import cuda\nt = cuda.toolkit()\nprint(t.nvcc)\nprint(t.root)\n"
    expected = f"{toolkit.nvcc}\n{toolkit.root}\n"
    assert run("a.py", text).stdout == expected
    assert run("a.py", text, TORCHTHAW_BUILD_CUDA="1", CUDA_PATH=str(toolkit.root)).stdout.endswith(f"{toolkit.root}\n")
    assert run("b.sh", "python -m torchthaw run a.py\n").stdout == expected


def test_homes_of_toolkits_are_apart(monkeypatch, tmp_path):
    monkeypatch.setenv("TORCHTHAW_CACHE", str(tmp_path / "cache"))
    (tmp_path / "other").mkdir()
    made = (
        compiler_launchers.home(toolkit),
        compiler_launchers.home(toolkit),
        compiler_launchers.home(cuda.Toolkit(toolkit.nvcc, tmp_path / "other")),
    )
    assert made[0] == made[1] != made[2]
    assert {path.name for path in made[2].iterdir()} == {"bin", "include", "lib64"}


# What is built for where nothing says it


@no_card
def test_one_architecture_without_a_card(monkeypatch):
    monkeypatch.delenv("TORCH_CUDA_ARCH_LIST", raising=False)
    oldest = toolkit.architectures[0]
    arguments, changes = nvcc.rewrite(["-c", "x.cu", "-gencode", "arch=compute_35,code=sm_35"], toolkit)
    wanted = [f"-gencode=arch=compute_{oldest},code={kind}_{oldest}" for kind in ("sm", "compute")]
    assert [word for word in arguments if word.startswith("-gencode")] == wanted
    (line,) = changes
    said = names("sm_35", toolkit.version, "GPU", "TORCH_CUDA_ARCH_LIST", oldest, f"{oldest}+PTX")
    assert re.search(said, line)


@pytest.mark.parametrize("given, expected", [
    ("-c x.cu", ["sm_80", "compute_80"]), ("-c -x cu x.cpp", ["sm_80", "compute_80"]),
    ("-dlink x.o -o y.o", ["sm_80", "compute_80"]), ("-ptx x.cu", ["sm_80"]), ("--version", []), ("x.o -o x", []),
    ("-c -x=cu x.cpp", ["sm_80", "compute_80"]), ("-c x.cpp", []), ("-c x.cu -arch=sm_90", []), ("-c -Ix.cu x.o", []),
])  # fmt: skip
def test_the_list_counts_where_no_architecture_is_named(monkeypatch, given, expected):
    monkeypatch.setenv("TORCH_CUDA_ARCH_LIST", "8.0+PTX")
    arguments, changes = nvcc.rewrite(given.split(), toolkit)
    assert [word.rpartition("=")[2] for word in arguments if word.startswith("-gencode")] == expected
    assert len(changes) == bool(expected) and all("as TORCH_CUDA_ARCH_LIST says" in line for line in changes)


BUILD = """
import torch
from torch.utils.ffi import create_extension
headers, sources, objects = ["twice.h"], ["twice.c"], []
if torch.cuda.is_available():
    headers, objects = ["twice.h", "launch.h"], ["launch.cu.o"]
create_extension("_ext.old", headers, sources, relative_to=__file__, with_cuda=bool(objects), verbose=False,
                 extra_objects=objects).build()
"""


@pytest.mark.slow
@no_card
def test_the_cuda_part_is_built_without_a_card(run, tmp_path):
    """For one architecture and its PTX, which is said once; what was built loads here, and hears the truth."""
    (tmp_path / "twice.h").write_text("int twice(int value);\n")
    (tmp_path / "twice.c").write_text("int twice(int value) { return 2 * value; }\n")
    (tmp_path / "launch.h").write_text("int launch(void);\n")
    (tmp_path / "launch.cu").write_text(
        '__global__ void f() {}\nextern "C" int launch() { f<<<1, 1>>>(); return cudaGetLastError(); }\n'
    )
    test = "import torch\nfrom _ext import old\n"
    test += "print(old.twice(2), hasattr(old, 'launch'), torch.cuda.is_available())\n"
    assert "built for" not in run("build.py", BUILD).stderr
    assert run("test.py", test).stdout == "4 False False\n"
    printed = run("build.py", BUILD, TORCHTHAW_BUILD_CUDA="1").stderr
    oldest = toolkit.architectures[0]
    (line,) = [line for line in printed.splitlines() if "built for" in line]
    assert re.search(names("torchthaw", "GPU", "TORCH_CUDA_ARCH_LIST", oldest, f"{oldest}+PTX"), line)
    assert cuda.embedded(tmp_path / "_ext" / "old" / "_old.so") == [oldest, f"{oldest}+PTX"]
    assert run("test.py", test, TORCHTHAW_BUILD_CUDA="1").stdout == "4 True False\n"
