"""tests/legacy/create_extension/test_run_cmake.py: CMake projects under `python -m torchthaw run`: TH, CUDA, and what
is not there."""

import os
import re
import shutil
import subprocess
import sys

import pytest

from support import ROOT, SRC
from support.messages import names
from torchthaw.base import config, toolchain
from torchthaw.extension import cuda

PAGE = (ROOT / "docs" / "build-stops.md").read_text()
# That of the Python package, and the system's.
CMAKES = sorted({toolchain.tool("cmake"), *filter(None, [shutil.which("cmake", path=os.defpath)])})
SCRIPT = """#!/bin/sh
set -e
"$CMAKE" -S . -B made "$@"
"$CMAKE" --build made
"""


@pytest.fixture(params=CMAKES, ids=range(len(CMAKES)))
def project(request, tmp_path):
    """A function: writes these files and runs cmake.sh below them; returns what it printed."""

    def run(files, *arguments, fails=False, **variables):
        folder = tmp_path / "project"
        folder.mkdir()
        for name, text in {"cmake.sh": SCRIPT, **files}.items():
            (folder / name).write_text(text)
        result = subprocess.run(
            [sys.executable, "-m", "torchthaw", "run", "cmake.sh", *arguments], cwd=folder, capture_output=True,
            text=True, env={
                **os.environ, "PYTHONPATH": str(SRC), "TORCHTHAW_CACHE": str(tmp_path / "cache"),
                "CMAKE": request.param, **variables,
            },
        )  # fmt: skip
        assert bool(result.returncode) == fails, result.stdout + result.stderr
        return result.stdout + result.stderr

    return run


# As projects found TH: by the folder that they are told first, which has nothing here. CMake 4 refuses such a version.
TH = """
cmake_minimum_required(VERSION 2.8)
project(total C)
find_path(TH_INCLUDE_DIR TH/TH.h HINTS /no/torch/lib/include)
find_path(TH_OWN_INCLUDE_DIR THTensor.h HINTS /no/torch/lib/include/TH)
find_library(TH_LIBRARY NAMES TH HINTS /no/torch/lib)
find_library(TH_BY_FILE NAMES libTH.so.1 HINTS /no/torch/lib)
message(STATUS "found ${TH_INCLUDE_DIR} ${TH_OWN_INCLUDE_DIR} ${TH_LIBRARY} ${TH_BY_FILE}")
include_directories(${TH_INCLUDE_DIR} ${TH_OWN_INCLUDE_DIR})
add_executable(total total.c)
target_link_libraries(total ${TH_LIBRARY})
"""
TOTAL = """
#include <TH/TH.h>
#include <THTensor.h>
#include <stdio.h>
int main(void) {
    THFloatTensor *x = THFloatTensor_newWithSize2d(2, 3);
    THFloatTensor_fill(x, 1.5);
    printf("%g\\n", THFloatTensor_sumall(x));
    THFloatTensor_free(x);
    return 0;
}
"""


# A project that looks for the library by names and in folders of its own has a variable for it.
BY_VARIABLE = """
cmake_minimum_required(VERSION 3.5)
project(total C)
find_library(PYTORCH_TH_LIBRARY NAMES caffe2 ATen PATHS /no/torch/lib NO_DEFAULT_PATH)
include_directories(${PYTORCH_TH_INCLUDE_DIR})
add_executable(total total.c)
target_link_libraries(total ${PYTORCH_TH_LIBRARY})
"""


@pytest.mark.slow
@pytest.mark.parametrize("cmake", CMAKES, ids=range(len(CMAKES)))
def test_config_names_the_library_for_a_variable(tmp_path, cmake):
    """As docs/port-an-old-project.md says, without run."""
    (tmp_path / "CMakeLists.txt").write_text(BY_VARIABLE)
    (tmp_path / "total.c").write_text(TOTAL.replace("#include <THTensor.h>\n", ""))
    asked = [sys.executable, "-m", "torchthaw", "config", "--libth", "--includes"]
    environment = {**os.environ, "PYTHONPATH": str(SRC)}
    named = subprocess.run(asked, cwd=tmp_path, capture_output=True, text=True, check=True, env=environment).stdout
    library, includes = named.splitlines()
    for words in (
        ["-S", ".", "-B", "made", f"-DPYTORCH_TH_LIBRARY={library}", f"-DPYTORCH_TH_INCLUDE_DIR={includes}"],
        ["--build", "made"],
    ):
        subprocess.run([cmake, *words], cwd=tmp_path, check=True, capture_output=True)
    assert subprocess.run([tmp_path / "made" / "total"], capture_output=True, text=True).stdout == "9\n"


@pytest.mark.slow
def test_find_path_and_find_library(project, tmp_path):
    printed = project({"CMakeLists.txt": TH, "total.c": TOTAL})
    assert "NOTFOUND" not in printed
    program = tmp_path / "project" / "made" / "total"
    assert subprocess.run([program], capture_output=True, text=True).stdout == "9\n"
    needed = subprocess.run(["readelf", "-d", program], capture_output=True, text=True).stdout
    assert config.library("th").name in needed, "the library that a process loads as well"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["NAMES ATen", "NAMES libATen.so", "NAMES caffe2 ATen"])
def test_find_library_of_aten(project, tmp_path, name):
    """libATen of PyTorch 0.4 had TH and THC in it."""
    text = TH.replace("find_library(TH_LIBRARY NAMES TH ", f"find_library(TH_LIBRARY {name} ")
    assert "NOTFOUND" not in project({"CMakeLists.txt": text, "total.c": TOTAL})
    program = tmp_path / "project" / "made" / "total"
    assert subprocess.run([program], capture_output=True, text=True).stdout == "9\n"
    needed = subprocess.run(["readelf", "-d", program], capture_output=True, text=True).stdout
    assert "libth.so.1" in needed and "libthc" not in needed and "ATen" not in needed


@pytest.mark.slow
def test_own_folders_come_first(project, tmp_path):
    own = tmp_path / "own"
    (own / "TH").mkdir(parents=True)
    (own / "TH" / "TH.h").touch()
    files = {"CMakeLists.txt": TH, "total.c": "int main(void) { return 0; }"}
    assert f"found {own} " in project(files, CMAKE_INCLUDE_PATH=str(own))


@pytest.mark.parametrize("name", ["Torch", "torch"])
def test_find_package_torch_has_a_clear_word(project, name):
    text = f"cmake_minimum_required(VERSION 2.8)\nproject(old C)\nfind_package({name} REQUIRED)\n"
    printed = " ".join(project({"CMakeLists.txt": text}, fails=True).split())
    assert re.search(names("torchthaw", "find_path", "find_library", f"find_package({name})"), printed)
    assert "find_library(TH_LIBRARY TH)" in printed and "torch.utils.cmake_prefix_path" in printed


@pytest.mark.slow
def test_find_package_torch_of_the_project_itself(project, tmp_path):
    """One that the project is told of is found."""
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "TorchConfig.cmake").write_text('message(STATUS "theirs")\n')
    text = "cmake_minimum_required(VERSION 3.5)\nproject(old C)\nfind_package(Torch REQUIRED)\n"
    assert "-- theirs" in project({"CMakeLists.txt": text}, CMAKE_PREFIX_PATH=str(tmp_path / "theirs"))


# CUDA: three ways to find it, each with an architecture and a call that nvcc has lost.

KERNEL = """
__global__ void sum(float *x) { x[0] = __shfl_down(x[threadIdx.x], 1); }
extern "C" int launch(float *x) { sum<<<1, 32>>>(x); return cudaThreadSynchronize(); }
"""
BY_FIND_CUDA = """
cmake_minimum_required(VERSION 2.8)
project(old CXX)
find_package(CUDA REQUIRED)
set(CUDA_NVCC_FLAGS "-arch=compute_35")
cuda_add_library(old SHARED old.cu)
"""
BY_LANGUAGE = """
cmake_minimum_required(VERSION 3.18)
project(old CXX CUDA)
set(CMAKE_CUDA_ARCHITECTURES 35)
add_library(old SHARED old.cu)
"""
BY_TOOLKIT = """
cmake_minimum_required(VERSION 3.18)
project(old CXX)
find_package(CUDAToolkit REQUIRED)
message(STATUS "headers in ${CUDAToolkit_INCLUDE_DIRS}")
add_custom_command(OUTPUT libold.so DEPENDS ${CMAKE_SOURCE_DIR}/old.cu COMMAND ${CUDAToolkit_NVCC_EXECUTABLE} -shared
                   -arch=compute_35 -Xcompiler -fPIC ${CMAKE_SOURCE_DIR}/old.cu -o libold.so)
add_custom_target(old ALL DEPENDS libold.so)
"""


WAYS = {"FindCUDA": BY_FIND_CUDA, "language": BY_LANGUAGE, "FindCUDAToolkit": BY_TOOLKIT}


@pytest.mark.slow
@pytest.mark.parametrize("text", WAYS.values(), ids=WAYS)
def test_cuda_of_lost_architectures(project, tmp_path, text):
    try:
        cuda.toolkit()
    except FileNotFoundError:
        pytest.skip("no nvcc on this machine")
    printed = project({"CMakeLists.txt": text, "old.cu": KERNEL}, TORCH_CUDA_ARCH_LIST="8.0")
    assert "sm_35: nvcc" in printed and "built for 80" in printed
    assert cuda.embedded(tmp_path / "project" / "made" / "libold.so") == ["80"]


# What cannot be served: headers of a library that is nowhere, in CUDA and in C++.

UNSERVED = """
cmake_minimum_required(VERSION 2.8)
project(old CXX)
find_package(CUDA REQUIRED)
include_directories(${CUDA_INCLUDE_DIRS})
cuda_add_library(old SHARED FILE)
"""


@pytest.mark.slow
@pytest.mark.parametrize("file", ["old.cu", "old.cpp"])
def test_a_library_that_is_missing_is_told_before_the_compiler(project, file):
    try:
        cuda.toolkit()
    except FileNotFoundError:
        pytest.skip("no nvcc on this machine")
    files = {"CMakeLists.txt": UNSERVED.replace("FILE", file), file: "int x;\n#include <cudnn_of_nobody.h>\n"}
    printed = project(files, fails=True, TORCH_CUDA_ARCH_LIST="8.0")
    assert re.search(rf"torchthaw: \S*{file}:2: [^\n]*cudnn_of_nobody\.h[^\n]*\n(?s:.*)fatal error: cudnn", printed)


NVTX = """
cmake_minimum_required(VERSION 3.18)
project(n CXX)
find_package(CUDAToolkit)
if(NOT TARGET CUDA::nvToolsExt)
  message(FATAL_ERROR "Failed to find nvToolsExt")
endif()
add_library(torch::nvtoolsext INTERFACE IMPORTED)
set_property(TARGET torch::nvtoolsext PROPERTY INTERFACE_LINK_LIBRARIES CUDA::nvToolsExt)
add_library(n SHARED n.cpp)
target_link_libraries(n PRIVATE torch::nvtoolsext)
message(STATUS "crosses: ${CMAKE_CROSSCOMPILING}")
"""


@pytest.mark.slow
@pytest.mark.parametrize("asks", [True, False])
def test_a_library_that_cuda_has_no_more(project, tmp_path, asks):
    """CMake's files of PyTorch up to 2.7 name it: what looks like such a PyTorch lies first on the path."""
    try:
        version = [int(part) for part in cuda.toolkit().version.split(".")]
    except FileNotFoundError:
        pytest.skip("needs nvcc")
    if version < [12, 9]:
        pytest.skip("this CUDA has the library")
    file = tmp_path / "packages/torch/share/cmake/Caffe2/public/cuda.cmake"
    file.parent.mkdir(parents=True)
    file.write_text(
        "set_property(TARGET torch::nvtoolsext PROPERTY INTERFACE_LINK_LIBRARIES CUDA::nvToolsExt)" if asks else ""
    )
    (tmp_path / "packages/torch/__init__.py").touch()
    path = os.pathsep.join([str(tmp_path / "packages"), str(SRC)])
    said = project({"CMakeLists.txt": NVTX, "n.cpp": "int n() { return 1; }\n"}, fails=not asks, PYTHONPATH=path)
    assert ("crosses: FALSE" in said) if asks else ("nvToolsExt" in said)
    assert any(
        "CUDA::nvToolsExt but the target was not found" in line for line in PAGE.splitlines() if line.startswith("## ")
    )
