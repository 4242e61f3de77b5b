"""tests/portable/build/test_portable_cmake.py: what CMake and Makefiles get: paths, a CMake package, words of compilers."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from torchthaw.portable import build

LISTS = """
cmake_minimum_required(VERSION 3.20)
project(adding CXX)
find_package(torchthaw-portable REQUIRED)
torchthaw_add_portable_extension(adding SOURCE)
"""
# CMake, in a Python that finds this torchthaw, as its children do.
CMAKE = "import subprocess, sys; sys.exit(subprocess.call(['cmake', *sys.argv[1:]]))"
USE = "import torch, adding; print(adding.add(torch.ones(2), torch.ones(2)).tolist())"


def test_the_paths(python, tmp_path):
    words = ["config", "--portable-includes", "--portable-cmakedir"]
    *includes, cmake = python(tmp_path, "-m", "torchthaw", *words).splitlines()
    assert includes == build.include_paths() and any((Path(folder) / "portable").is_dir() for folder in includes)
    assert (Path(cmake) / "torchthaw-portable-config.cmake").is_file()


@pytest.fixture
def configure(project, python):
    """configure(source): runs CMake in a project of that source; the folder."""
    if not shutil.which("cmake"):
        pytest.skip("no cmake on this machine")

    def run(source, code=0, languages="CXX", **files):
        lists = LISTS.replace("SOURCE", source).replace("CXX", languages)
        folder = project(**{"CMakeLists.txt": lists, **files})
        shutil.rmtree(folder / "adding")
        cmakedir = python(folder, "-m", "torchthaw", "config", "--portable-cmakedir").strip()
        words = [
            "-S",
            ".",
            "-B",
            "built",
            f"-Dtorchthaw-portable_DIR={cmakedir}",
            f"-DPython_EXECUTABLE={sys.executable}",
        ]
        return folder, python(folder, "-c", CMAKE, *words, code=code)

    return run


@pytest.mark.slow
def test_a_project_of_cmake(configure, python):
    folder, _ = configure("add.cpp")
    python(folder, "-c", CMAKE, "--build", "built")
    assert (folder / "built" / "adding.abi3.so").is_file()
    assert python(folder / "built", "-c", USE) == "[2.0, 2.0]\n"


@pytest.mark.slow
def test_cuda_in_a_project_without_it(configure):
    _, said = configure("add.cu", code=1)
    assert "add.cu" in said and "the language CUDA" in " ".join(said.split())


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("nvcc"), reason="nvcc")
def test_cuda_in_a_project_of_cmake(configure, python):
    source = """#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
__global__ void kernel(float *x) { *x += 1; }
int devices(at::Tensor x) {
    if (x.is_cuda()) kernel<<<1, 1, 0, at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>());
    return at::cuda::getNumGPUs();
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("devices", &devices); }
"""
    folder, _ = configure("add.cu", languages="CXX CUDA", **{"add.cu": source})
    python(folder, "-c", CMAKE, "--build", "built")
    assert int(python(folder / "built", "-c", "import torch, adding; print(adding.devices(torch.ones(1)))")) >= 0


@pytest.mark.slow
def test_words_for_a_makefile(project, python):
    folder = project()
    shutil.rmtree(folder / "adding")
    words = ["-m", "torchthaw.portable", "adding", "--folder", "operators", "add.cpp", "--words"]
    compile, link = (python(folder, *words, kind).splitlines()[-1] for kind in ("compile", "link"))
    script = f"g++ -O0 -std=c++17 {compile} -c add.cpp && g++ -shared add.o {link} -o adding.abi3.so"
    subprocess.run(["sh", "-euc", script], cwd=folder, check=True)
    assert python(folder, "-c", USE) == "[2.0, 2.0]\n"
