"""tests/cuda/host/test_cuda_sources.py: what the text of CUDA sources says before they are compiled."""

import os
import shutil
import subprocess
import sys
import types
from pathlib import Path

import pytest

from support import SRC, cuda_on_cpu
from torchthaw.base import config, toolchain
from torchthaw.extension import cuda, nvidia_packages
from torchthaw.legacy.cpp import cpp_extension, cuda_sources, cxx, nvcc
from torchthaw.legacy.run import cmake


@pytest.fixture
def toolkit(tmp_path):
    (tmp_path / "toolkit" / "include").mkdir(parents=True)
    return types.SimpleNamespace(
        version="13.0", architectures=["75", "80"], include=tmp_path / "toolkit" / "include", library_dirs=[]
    )


def sources(folder, **texts):
    for name, text in texts.items():
        (folder / name.replace("_", ".")).write_text(text)
    return cuda_sources.Sources(
        [folder / name.replace("_", ".") for name in texts if not name.endswith("_h")], [folder]
    )


FLAGS = [
    ("thrust::sort(x, y);", ["sort"]),
    ("#include <thrust/sort.h>\nthrust::stable_sort_by_key(x, y, z);", []),
    ("thrust::remove_copy_if(a); thrust::unique_by_key(b);", ["remove", "unique"]),
    ("thrust::device, thrust::make_zip_iterator(a)", ["execution_policy", "iterator/zip_iterator"]),
    ("// thrust::sort(x, y)", []),
    ("own::sort(x); thrust::unknown(x);", []),
]


@pytest.mark.parametrize("text, headers", FLAGS)
def test_headers_of_thrust_that_no_file_includes(tmp_path, toolkit, text, headers):
    expected = [word for header in headers for word in ("-include", f"thrust/{header}.h")]
    assert sources(tmp_path, a_cu=text).flags(toolkit) == expected
    toolkit.version = "11.8"
    assert sources(tmp_path, a_cu=text).flags(toolkit) == []


PROPERTIES = """#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

static bool is_fast(const cudaDeviceProp &properties) { return properties.clockRate > 0; }

int main() {
  cudaDeviceProp properties = {}, *other = &properties;
  memset(other, 255, sizeof(cudaDeviceProp));
  if (cudaGetDeviceProperties(&properties, 0) != cudaSuccess) return 77;
  int rate, memory_rate, width;
  cudaDeviceGetAttribute(&rate, cudaDevAttrClockRate, 0);
  cudaDeviceGetAttribute(&memory_rate, cudaDevAttrMemoryClockRate, 0);
  cudaDeviceGetAttribute(&width, cudaDevAttrMaxTexture1DLinearWidth, 0);
  const bool same = other->clockRate == rate && properties.memoryClockRate == memory_rate && other->maxTexture1DLinear == width;
  const int others[] = {other->computeMode, other->deviceOverlap, other->kernelExecTimeoutEnabled,
                        other->singleToDoublePrecisionPerfRatio, other->cooperativeMultiDeviceLaunch};
  for (int each : others) if (each == -1) return 1;
  std::printf("%d %d %s", int(same), int(is_fast(properties)), other->name);
  return cudaGetDeviceProperties(&properties, 99) == cudaSuccess;
}
"""


def test_members_that_cuda_13_removed_get_a_header(tmp_path, toolkit):
    (flag, header) = sources(tmp_path, a_cu=PROPERTIES).flags(toolkit)
    assert flag == "-include" and Path(header).name == "device_properties.h" and Path(header).exists()
    assert sources(tmp_path, a_cu=PROPERTIES).properties(toolkit, of_device=False) == []
    (tmp_path / "a.cu").unlink()
    of_host = sources(tmp_path, a_cpp="auto *p = at::cuda::getCurrentDeviceProperties(); p->clockRate;")
    assert of_host.properties(toolkit, of_device=False) == [flag, header] and of_host.flags(toolkit) == []
    assert sources(tmp_path, b_cu="own.clockRate = 1;").flags(toolkit) == []
    assert sources(tmp_path, b_cu="cudaDeviceProp p; p.major;").flags(toolkit) == []
    toolkit.version = "12.9"
    assert sources(tmp_path, a_cu=PROPERTIES).flags(toolkit) == []


@pytest.mark.slow
def test_members_that_cuda_13_removed_have_their_values(tmp_path):
    """On the CPU, whose runtime has the attributes."""
    (tmp_path / "a.cu").write_text(PROPERTIES)
    header = config.my_lib_includes() / "torchthaw_aten" / "device_properties.h"
    built = cuda_on_cpu.nvcc("-include", header, "a.cu", "-o", "a", cwd=tmp_path)
    assert built.returncode == 0, built.stderr
    done = cuda_on_cpu.run(tmp_path / "a")
    assert done.returncode == 0 and done.stdout.startswith("1 1 ") and len(done.stdout) > 5


@pytest.mark.slow
def test_members_that_cuda_13_removed_compile_with_nvcc(tmp_path):
    toolkit = cuda.toolkit() if shutil.which("nvcc") else None
    if not toolkit or int(toolkit.version.partition(".")[0]) < 13:
        pytest.skip("needs nvcc 13 or later")
    (tmp_path / "a.cu").write_text(PROPERTIES)
    for words, status in (["nvcc"], 1), ([sys.executable, "-m", "torchthaw", "nvcc"], 0):
        environment = {**os.environ, "PYTHONPATH": str(SRC)}
        done = subprocess.run(
            [*words, "-arch=sm_80", "-c", "a.cu"], cwd=tmp_path, env=environment, capture_output=True, text=True
        )
        assert bool(done.returncode) == bool(status), done.stderr
        assert status == 0 or 'has no member "clockRate"' in done.stderr


def test_an_include_counts_for_the_sources_that_see_it(tmp_path, toolkit):
    texts = {"b_h": "#include <thrust/sort.h>\nthrust::reduce(x);", "a_cu": '#include "b.h"\nthrust::sort(x);'}
    assert sources(tmp_path, **texts).flags(toolkit) == ["-include", "thrust/reduce.h"]
    assert sources(tmp_path, **texts, c_cu="thrust::sort(x);").flags(toolkit)[-1] == "thrust/sort.h"
    assert sources(tmp_path, c_cpp="thrust::sort(x);").flags(toolkit) == []


def test_headers_that_include_each_other_by_long_ways(tmp_path, toolkit):
    (tmp_path / "b.h").write_text(f'#include "../{tmp_path.name}/c.h"\nthrust::sort(x);')
    (tmp_path / "c.h").write_text(f'#include "../{tmp_path.name}/b.h"\nthrust::reduce(x);')
    headers = ["-include", "thrust/reduce.h", "-include", "thrust/sort.h"]
    assert sources(tmp_path, a_cu='#include "b.h"').flags(toolkit) == headers


def test_a_copy_of_nvtx_in_the_project(tmp_path, toolkit):
    assert sources(tmp_path, a_cu='#include "n.h"', n_h="namespace nvtx3 {}").flags(toolkit) == ["-DCCCL_DISABLE_NVTX"]


def said(found, toolkit):
    return [*found.unserved(toolkit), *found.missing(toolkit)]


def test_shared_pointers_beside_thrust(tmp_path, toolkit):
    text = "#include <thrust/pair.h>\nstd::shared_ptr<thrust::pair<int, int>> x;"
    flag, header = sources(tmp_path, a_cu=text).flags(toolkit)
    assert flag == "-include" and Path(header).name == "to_address.h" and Path(header).exists()
    assert sources(tmp_path, a_cu="std::shared_ptr<int> x;").flags(toolkit) == []
    toolkit.version = "12.9"
    assert sources(tmp_path, a_cu=text).flags(toolkit) == []


UNSERVED = [
    ("\ntexture<float, 2, cudaReadModeElementType> image;", ":2:", "texture references"),
    ("cudaBindTexture(0, image, x, n);", ":1:", "texture references"),
    ("cudnnSetConvolution2dDescriptor_v4(a, b);", ":1:", "cuDNN 5 to 7"),
    (
        "__device__ void f(volatile float *s, int t) {\n s[t] += s[t + 16];\n s[t] += s[t+8];\n s[t] += s[t + 4]; }",
        ":1:",
        "__syncwarp",
    ),
    (
        '#if __CUDA_ARCH__ >= 300\nasm("{.reg .s32 r0;"\n"shfl.up.b32 r0|p, %1, %2, %3;}" : "=r"(x));\n#endif\n',
        ":3:",
        "__shfl_up_sync",
    ),
    ('asm("vote.ballot.b32 %0, %1;" : "=r"(x));', ":1:", "assembly"),
    ("#include <curand_kernel.h>\n", ":1:", "pip install nvidia-curand"),
    ("#include <cudnn.h>\n", ":1:", "pip install nvidia-cudnn-cu13"),
]


@pytest.mark.parametrize("text, line, words", UNSERVED)
def test_what_cannot_be_served_is_one_sentence(tmp_path, toolkit, text, line, words):
    (sentence,) = said(sources(tmp_path, a_cu=text, b_cu=text), toolkit)
    assert f"a.cu{line}" in sentence and words in sentence
    guarded = f"#ifndef H\n#define H\n{text}\n#endif\n"
    (sentence,) = said(sources(tmp_path, a_cu='#include "h.h"', h_h=guarded), toolkit)
    assert "h.h:" in sentence and words in sentence


@pytest.mark.parametrize("text", [
    "#if CUDART_VERSION < 12000\ntexture<float> image;\n#endif\n", 'asm("shfl.sync.up.b32 r0|p, %1, %2, %3, %4;")',
    "#if __CUDA_ARCH__ >= 350\nint x;\n#else\ntexture<float> image;\n#endif\n", "shfl.up(x);", "// texture<float> image;\n",
    "#ifdef WITH_CUDNN\n#include <cudnn.h>\n#endif\nint x;\n", "gltexture<float> image;\n", '#include "own.h"\n',
    "void f(volatile float *s, int t) { s[t] += s[t + 16]; __syncwarp(); s[t] += s[t + 8]; s[t] += s[t + 4]; }",
    "void f(float *s, int t) { s[t] += s[t + 16]; s[t] += s[t + 8]; s[t] += s[t + 4]; }",
])  # fmt: skip
def test_what_may_not_be_compiled_is_no_sentence(tmp_path, toolkit, text):
    assert said(sources(tmp_path, a_cu=text), toolkit) == []


def test_a_library_that_is_there_is_no_sentence(tmp_path, toolkit):
    (tmp_path / "cudnn.h").touch()
    (toolkit.include / "curand.h").touch()
    assert said(sources(tmp_path, a_cu="#include <cudnn.h>\n#include <curand.h>\n"), toolkit) == []


@pytest.fixture
def packages(tmp_path, monkeypatch):
    """A folder ``nvidia`` with packages of CUDA 13, of CUDA 12 and of cuDNN."""
    for name in ("cu13/include/cublas_v2.h", "cu13/include/cuda_runtime.h", "cu13/lib/libcublas.so.13",
                 "cu12/include/cusparse.h", "cudnn/include/cudnn.h", "cudnn/include/__init__.py"):  # fmt: skip
        (tmp_path / "nvidia" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "nvidia" / name).touch()
    monkeypatch.setenv("TORCHTHAW_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(nvidia_packages, "cuda_of_pytorch", lambda: "13.2")
    others = [folder for folder in sys.path if not Path(folder, "nvidia").exists()]  # those of a PyTorch with CUDA
    monkeypatch.setattr(sys, "path", [str(tmp_path), *others])
    monkeypatch.delitem(sys.modules, "nvidia", raising=False)


def test_what_the_toolkit_lacks_is_taken_from_the_packages(packages, toolkit, tmp_path, monkeypatch):
    (toolkit.include / "cuda_runtime.h").touch()

    def found():
        made = nvidia_packages.folder(toolkit)
        return {str(path.relative_to(made)): path.resolve().name for path in made.rglob("*") if path.is_symlink()}

    of_13 = {"include/cublas_v2.h": "cublas_v2.h", "lib/libcublas.so": "libcublas.so.13"}
    assert found() == {**of_13, "include/cudnn.h": "cudnn.h"}
    for other in "12.6", None:  # which says nothing of folders that name their CUDA
        monkeypatch.setattr(nvidia_packages, "cuda_of_pytorch", lambda other=other: other)
        assert found() == of_13
    shutil.rmtree(tmp_path / "nvidia" / "cu13")
    assert nvidia_packages.folder(toolkit) is None


FIND = """
set(CMAKE_FIND_LIBRARY_PREFIXES lib)
set(CMAKE_FIND_LIBRARY_SUFFIXES .so)
find_library(LIBRARY cublas)
find_path(HEADERS cublas_v2.h)
message("${LIBRARY} ${HEADERS}")
"""


def test_cmake_finds_what_the_toolkit_lacks(packages, toolkit, monkeypatch, tmp_path):
    made = nvidia_packages.folder(toolkit)
    for name in ("CMAKE_LIBRARY_PATH", "CMAKE_INCLUDE_PATH"):
        monkeypatch.delenv(name, raising=False)
    cmake.point_at_cuda(toolkit)
    (tmp_path / "find.cmake").write_text(FIND)
    command = [toolchain.tool("cmake"), "-P", "find.cmake"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stderr.split() == [f"{made}/lib/libcublas.so", f"{made}/include"]


def test_a_toolkit_that_lacks_nothing_changes_nothing(packages, toolkit, monkeypatch):
    toolkit.library_dirs = [toolkit.include]
    for name in ("cublas_v2.h", "cudnn.h", "cuda_runtime.h", "libcublas.so"):
        (toolkit.include / name).touch()
    assert nvidia_packages.folder(toolkit) is None
    monkeypatch.setenv("CMAKE_LIBRARY_PATH", "/own")
    cmake.point_at_cuda(toolkit)
    assert os.environ["CMAKE_LIBRARY_PATH"] == "/own"


def test_needs_of_sources(packages, toolkit, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(cuda, "toolkit", lambda: toolkit)
    monkeypatch.setenv("TORCH_CUDA_ARCH_LIST", "3.5;8.0")
    (tmp_path / "a.cu").write_text("texture<float> image;")
    needed = cpp_extension.needs([str(tmp_path / "a.cu")], [])
    late = str(Path(needed.library_dirs[0]).parent / "include")
    assert needed.cxx[:2] == ["-idirafter", late] and needed.nvcc == ["-Xcompiler", "-idirafter", "-Xcompiler", late]
    first, second = capsys.readouterr().err.splitlines()
    assert "3.5" in first and "a.cu:1" in second
    assert cpp_extension.needs(["a.cpp"], []) == ([], [], [])


def test_nvcc_of_an_old_script_says_it_and_finds_the_packages(packages, toolkit, tmp_path, capsys):
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "a.h").write_text("texture<float> image;")
    (tmp_path / "a.cu").write_text('#include "a.h"\n#include <cusolver_common.h>\n')
    words = ["-c", str(tmp_path / "a.cu"), "-I", str(tmp_path / "own"), "-o", "a.o"]
    first, folder = nvcc._needs(words, toolkit)[1::2]
    assert first == "-idirafter" and (Path(folder) / "cublas_v2.h").exists()
    texture, library = capsys.readouterr().err.splitlines()
    assert "a.h:1:" in texture and "a.cu:2:" in library and "nvidia-cusolver" in library
    assert nvcc._needs([*words, "-DTORCH_EXTENSION_NAME=a"], toolkit) == nvcc._needs(["a.o"], toolkit) == []


def test_cxx_of_cmake_says_it_and_finds_the_packages(packages, toolkit, monkeypatch, tmp_path, capsys):
    (tmp_path / "a.cpp").write_text("#include <cublas_v2.h>\n#include <cusolver_common.h>\n")
    command = ["c++", f"-I{toolkit.include}", "-o", "a.cpp.o", "-c", str(tmp_path / "a.cpp")]
    done = []
    monkeypatch.setattr(cuda, "toolkit", lambda: toolkit)
    monkeypatch.setattr(os, "execvp", lambda program, words: done.append(words))
    monkeypatch.setenv("TORCH_CUDA_ARCH_LIST", "3.5")
    cxx.run(command)
    (toolkit.include / "cuda_runtime.h").touch()
    cxx.run(command)
    (sentence,) = capsys.readouterr().err.splitlines()
    assert "a.cpp:2:" in sentence and "nvidia-cusolver" in sentence
    without, having = done
    assert without == command == having[: len(command)] and "-idirafter" in having
