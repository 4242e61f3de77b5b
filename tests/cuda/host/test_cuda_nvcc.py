"""tests/cuda/host/test_cuda_nvcc.py: nvcc as old scripts call it, and the calls that CUDA dropped."""

import os
import re
import subprocess
import sys

import pytest

from support import SRC
from support.cuda_toolkit import ARCHITECTURES, toolkit_or_skip
from support.messages import names
from torchthaw.base import config
from torchthaw.extension import cuda
from torchthaw.legacy.cpp import nvcc

toolkit = toolkit_or_skip()
DEFAULT = ["-gencode=arch=compute_75,code=sm_75", "-gencode=arch=compute_75,code=compute_75"]


@pytest.fixture(autouse=True)
def one_architecture(monkeypatch, tmp_path):
    monkeypatch.setenv("TORCHTHAW_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("TORCH_CUDA_ARCH_LIST", ARCHITECTURES)


@pytest.mark.parametrize("given, expected, changed", [
    ("-arch=sm_52", DEFAULT, ["sm_52"]),
    ("-arch sm_20", DEFAULT, ["sm_20"]),
    ("--gpu-architecture=compute_35 --gpu-code=sm_35,compute_35", DEFAULT, ["sm_35"]),
    ("-gencode arch=compute_30,code=sm_30 -gencode=arch=compute_70,code=compute_70", DEFAULT, ["sm_30 sm_70"]),
    ("-gencode arch=compute_61,code=sm_61 -gencode arch=compute_80,code=sm_80", DEFAULT, ["sm_61"]),
    ("-arch=sm_80", ["-arch=sm_80"], []),
    ("-gencode arch=compute_80,code=sm_80", ["-gencode", "arch=compute_80,code=sm_80"], []),
    ("-ptx -arch=sm_52", ["-ptx", DEFAULT[0]], ["sm_52"]),
    ("-m32 -O2", ["-O2"], ["-m32"]),
    ("--machine 32", [], ["--machine 32"]),
    ("-Xopencc -O3 -Xptxas -v", ["-Xptxas", "-v"], ["-Xopencc -O3"]),
    ("-po maxrregcount=4", [], ["-po maxrregcount=4"]),
    ("-deviceemu", [], ["-deviceemu"]),
    ("-std=c++11", ["-std=c++17"], ["-std=c++11"]),
    ("-std=c++20", ["-std=c++20"], []),
    ("-std c++11", ["-std=c++17"], ["-std c++11"]),
    ("--std c++11 -O2", ["-std=c++17", "-O2"], ["--std c++11"]),
    ("-std c++20 -O2", ["-std", "c++20", "-O2"], []),
    ("--relaxed-constexpr", ["--expt-relaxed-constexpr"], ["--relaxed-constexpr"]),
    ("-fPIC", ["-Xcompiler", "-fPIC"], ["-fPIC"]),
    ("-Xcompiler -fPIC", ["-Xcompiler", "-fPIC"], []),
    ("-ccbin no-such-compiler-4.9", [], ["-ccbin no-such-compiler-4.9"]),
    ("-ccbin=sh", ["-ccbin=sh"], []),
    ("-code -m32", ["-code", "-m32"], []),
    ("-Xcompiler x.cu", ["-Xcompiler", "x.cu"], []),
    ("-dlink", ["-dlink", *DEFAULT], ["no architecture is named"]),
    ("-shared -use_fast_math --maxrregcount=32", ["-shared", "-use_fast_math", "--maxrregcount=32"], []),
])  # fmt: skip
def test_flags(given, expected, changed):
    arguments, changes = nvcc.rewrite(given.split(), toolkit)
    assert arguments == expected
    assert [line.partition(":")[0] for line in changes] == changed, "one line per change, which begins with it"


@pytest.mark.parametrize("folder", ["-I{}", "-isystem {}", "-isystem={}", "--options-file {}/words.rsp", "-I/no/{}"])
def test_the_standard_that_pytorch_needs(tmp_path, folder):
    """Where the command names PyTorch's headers, as CMake does with CMAKE_CUDA_STANDARD."""
    (tmp_path / "ATen").mkdir()
    (tmp_path / "ATen" / "ATen.h").write_text("#if __cplusplus < 202002L\n#error C++20\n#endif\n")
    (tmp_path / "words.rsp").write_text(f'-DA -isystem="{tmp_path}"')
    words, changes = nvcc.rewrite(["-std=c++17", *folder.format(tmp_path).split()], toolkit)
    needed = [] if "/no/" in folder else ["-std=c++17: PyTorch's headers need C++20; -std=c++20 instead"]
    assert (words[0], changes) == ("-std=c++20" if needed else "-std=c++17", needed)


def test_headers_are_added_where_something_is_compiled():
    assert nvcc.rewrite(["-c", "x.cu"], toolkit)[0] == ["-c", "x.cu", *DEFAULT, *nvcc.header_flags()]
    assert nvcc.rewrite(["x.o", "-o", "x"], toolkit)[0] == ["x.o", "-o", "x"]


@pytest.mark.parametrize("given, found", [
    ("x.o -lcuda", True), ("x.o -l cuda", True), ("x.o --library=cuda", True), ("x.o -lcudart -lineinfo", False),
])  # fmt: skip
def test_library_of_the_driver_is_the_toolkits_stub(tmp_path, given, found):
    stubs = tmp_path / "lib64" / "stubs"
    stubs.mkdir(parents=True)
    (stubs / "libcuda.so").touch()
    words = given.split()
    assert nvcc.rewrite(words, toolkit._replace(root=tmp_path))[0] == [*words, *([f"-L{stubs}"] if found else [])]


# The calls, in a kernel; each is compiled for a card without them.
OLD = """
#include <THC/THC.h>
__global__ void f(float *x, int *y) {
  float v = x[threadIdx.x];
  for (int offset = 16; offset; offset /= 2) v += __shfl_down(v, offset);
  v += __shfl(v, 0) + __shfl_xor(v, 1, 16) + __shfl_up(v, 1u);
  if (__any(v > 0) && __all(v < 1)) y[0] = __ballot(v > 0);
  if (__any(y[1]) && __all(y[2])) y[3] = __ballot(y[4]) + __shfl(y[5], 0);
  x[threadIdx.x] = v;
}
extern "C" int launch() { f<<<1, 32>>>(0, 0); return cudaThreadSynchronize(); }
"""
# What has names such as __any of its own.
LIBRARIES = ["thrust/sort.h", "thrust/device_vector.h", "cub/cub.cuh"]
# For C; a project's own cure for one of the calls stays as it is.
OLD_C = """
#include <cuda_runtime.h>
#ifdef OWN
#define cudaThreadSynchronize cudaDeviceSynchronize
#endif
int all(void) {
  size_t value;
  enum cudaFuncCache config;
  return cudaThreadSynchronize() + cudaThreadExit() + cudaThreadGetLimit(&value, cudaLimitStackSize) +
         cudaThreadSetLimit(cudaLimitStackSize, value) + cudaThreadGetCacheConfig(&config) +
         cudaThreadSetCacheConfig(config);
}
"""
MAKE = """#!/bin/sh
set -e
nvcc -c -o old.cu.o old.cu -x cu -Xcompiler -fPIC -arch=sm_52 $FLAGS
"""


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "old.cu").write_text(OLD)
    (folder / "make.sh").write_text(MAKE)
    (folder / "build.py").write_text("import subprocess, sys\nsys.exit(subprocess.call(['sh', 'make.sh']))\n")
    return folder


def run(folder, *command, **environment):
    return subprocess.run(
        [sys.executable, "-m", "torchthaw", *command], cwd=folder, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(SRC), **environment},
    )  # fmt: skip


@pytest.mark.slow
def test_make_script_of_an_old_project(project):
    result = run(project, "run", "build.py")
    assert result.returncode == 0, result.stderr
    (line,) = result.stderr.splitlines()
    assert re.search(names("torchthaw", "nvcc", "sm_52", toolkit.version, "75", "75+PTX"), line)
    assert cuda.embedded(project / "old.cu.o") == ["75", "75+PTX"]


@pytest.mark.slow
def test_removed_calls_can_be_left_as_they_are(project):
    result = run(project, "run", "build.py", FLAGS="-DTHC_NO_REMOVED_CALLS")
    assert result.returncode != 0 and "cudaThreadSynchronize" in result.stderr


@pytest.mark.slow
def test_libraries_with_such_names_of_their_own(project):
    present = [name for name in LIBRARIES if any(toolkit.include.glob(f"{folder}{name}") for folder in ("", "cccl/"))]
    if not present:
        pytest.skip("this toolkit has neither Thrust nor CUB")
    includes = "".join(f"#include <{name}>\n" for name in present)
    sort = "void sorted(int *x) { thrust::sort(thrust::device_pointer_cast(x), thrust::device_pointer_cast(x) + 1); }\n"
    (project / "old.cu").write_text(includes + OLD + (sort if "thrust/sort.h" in present else ""))
    result = run(project, "nvcc", "-c", "-arch=sm_75", "old.cu")
    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.parametrize("compiler", ["cc", "cc -std=c89", "cc -std=c99 -DOWN", "c++"])
def test_removed_calls_of_the_host(project, compiler):
    (project / "old.c").write_text(OLD_C)
    include = config.includes()
    command = [*compiler.split(), "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "old.c", "-o", "old.so"]
    flags = [f"-I{include}", f"-isystem{toolkit.include}", *nvcc.REMOVED_CALLS]
    subprocess.run([*command, *flags], cwd=project, check=True)
    needed = subprocess.run(["nm", "-D", project / "old.so"], capture_output=True, text=True, check=True).stdout
    assert "cudaDeviceSynchronize" in needed and "cudaThread" not in needed


# As in a toolkit before 13. The header must not make other declarations of these.
BEFORE_13 = """
typedef int cudaError_t;
extern cudaError_t cudaDeviceSynchronize(void);
extern __attribute__((deprecated)) cudaError_t cudaThreadSynchronize(void);
"""


@pytest.mark.parametrize("major, are_ours", [(11, False), (12, False), (13, True), (None, True)])
def test_calls_that_an_older_toolkit_has(tmp_path, major, are_ours):
    (tmp_path / "old.c").write_text(BEFORE_13 + "int call(void) { return cudaDeviceSynchronize(); }\n")
    defined = [] if major is None else [f"-D__CUDACC_VER_MAJOR__={major}"]
    command = ["cc", "-Werror", f"-I{config.includes()}", *nvcc.REMOVED_CALLS, *defined, "-c", "old.c"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert bool(done.returncode) == are_ours and ("deprecated" in done.stderr) == are_ours


@pytest.mark.parametrize("version, flags", [("11.8", []), ("12.9", []), ("13.0", nvcc.REMOVED_CALLS)])
def test_c_of_an_older_toolkit_includes_nothing(tmp_path, monkeypatch, version, flags):
    from torchthaw.legacy.ffi.create import create_extension

    monkeypatch.setattr(cuda.Toolkit, "version", version)
    (tmp_path / "f.h").write_text("int f(void);\n")
    (tmp_path / "f.c").write_text("int f(void) { return 1; }\n")
    ffi = create_extension("f_of_old", "f.h", ["f.c"], False, True, relative_to=str(tmp_path / "build.py"))
    given = ffi.distutils_extension(str(tmp_path)).extra_compile_args
    assert [word for word in given if word in nvcc.REMOVED_CALLS] == flags


BESIDE = '#include "THCUNN.h"\n#include "common.h"\n'


@pytest.mark.slow
@pytest.mark.parametrize(
    "source", [BESIDE, '#include "THCUNN.h"', "#include <THCUNN/THCUNN.h>", '#include "THCUNN.h"\n' + OLD]
)
def test_header_of_thcunn(project, source):
    (project / "old.cu").write_text(source + "\nTHCIndexTensor *f(THCIndexTensor *x) { return x; }\n")
    result = run(project, "nvcc", "-c", "-arch=sm_75", "old.cu")
    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.slow
@pytest.mark.parametrize("flags", [["-Iown"], ["-Xcompiler", "-isystem,own"]], ids=" ".join)
def test_a_common_header_of_the_project_comes_before_that_of_thcunn(project, flags):
    (project / "own").mkdir()
    (project / "own" / "common.h").write_text("#define OWN 1\n")
    (project / "old.cu").write_text(f"{BESIDE}int own = OWN;\n")
    result = run(project, "nvcc", "-c", "-arch=sm_75", "old.cu", *flags)
    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.slow
def test_dependencies_as_find_cuda_asks_for_them(project):
    """CMake's old module calls nvcc for them first, with these flags, and the macro that nvcc lacked there."""
    words = ["-M", "-D__CUDACC__", "old.cu", "-o", "old.NVCC-depend", "-ccbin", "/usr/bin/cc", "-m64", "-Xcompiler",
             ',"-fPIC","-O2"', "-gencode", "arch=compute_30,code=sm_30", "-gencode", "arch=compute_61,code=sm_61",
             "-DNVCC", "-I/usr/local/cuda/include"]  # fmt: skip
    result = run(project, "nvcc", *words)
    assert result.returncode == 0, result.stderr
    listed = (project / "old.NVCC-depend").read_text().replace("\\\n", " ").split()
    assert listed[:3] == ["old.o", ":", "old.cu"] and any(name.endswith("THC/THC.h") for name in listed)


SPACED = """
__global__ void f(int *x) { *x = 1; }
extern "C" void launch(int *x) { f << <1, 2 >> >(x); f<< <1, 2>> > (x); f <<< 1, 2 >>> (x); }
"""


@pytest.mark.slow
def test_launches_with_spaces(project):
    (project / "old.cu").write_text(SPACED)
    result = run(project, "nvcc", "-c", "-arch=sm_75", "old.cu")
    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.slow
def test_command(project):
    assert f"release {toolkit.version}" in run(project, "nvcc", "--version").stdout
    result = run(project, "nvcc", "-c", "-arch=sm_35", "-o", "x.o", "old.cu")
    assert result.returncode == 0, result.stderr
    result = run(project, "nvcc", "-c", "old.cu", CUDA_HOME="/without/nvcc")
    assert result.returncode == 1
    assert re.search(names("torchthaw", "nvcc", "CUDA_HOME", "toolkit", "'/without/nvcc'"), result.stderr)


def test_a_program_that_tells_no_release_is_named(tmp_path):
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "nvcc"
    program.write_text("#!/bin/sh\necho something else\n")
    program.chmod(0o755)
    with pytest.raises(FileNotFoundError, match=names(program, "--version", "something else")):
        cuda.Toolkit(program, tmp_path).version  # noqa: B018
