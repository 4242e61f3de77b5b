"""tests/cuda_on_cpu/test_nvcc.py: nvcc's arguments, as scripts, ninja and CMake give them."""

import os
import re
import shutil
import subprocess
import sys

import pytest

from support import SRC, cuda_on_cpu
from support.messages import names
from torchthaw.base import cache, installed_torch
from torchthaw.cuda_on_cpu import arguments, toolkit_folder
from torchthaw.extension import cuda

KERNEL = """#include "part.h"
__global__ void fill(int *x, int value) { x[threadIdx.x] = value + PART; }
extern "C" void run(int *x, int value) { fill<<<1, 4>>>(x, value); }
"""
MAIN = """#include <cuda_runtime.h>
#include <cstdio>
extern "C" void run(int *x, int value);
int main() {
    int *x, y[4];
    cudaMalloc(&x, sizeof y);
    run(x, 40);
    cudaMemcpy(y, x, sizeof y, cudaMemcpyDeviceToHost);
    std::printf("%d\\n", y[3]);
}
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "part.h").write_text("#define PART 2\n")
    (tmp_path / "kernel.cu").write_text(KERNEL)
    (tmp_path / "main.cpp").write_text(MAIN)
    return tmp_path


def done(*words, folder):
    result = cuda_on_cpu.nvcc(*words, cwd=folder)
    assert result.returncode == 0, result.stderr
    return result


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        # An old script, CMake, PyTorch's ninja file, and long names.
        ["-c", "-o", "kernel.o", "kernel.cu", "-x", "cu", "-Xcompiler", "-fPIC", "-arch=sm_52", "-Iinclude"],
        ["-forward-unknown-to-host-compiler", "-Iinclude", "-O3", "-DNDEBUG", "--generate-code=arch=compute_75,code=[sm_75]",
         "-Xcompiler=-fPIC", "-MD", "-MT", "kernel.o", "-MF", "kernel.d", "-x", "cu", "-c", "kernel.cu", "-o", "kernel.o"],
        ["--generate-dependencies-with-compile", "--dependency-output", "kernel.d", "-Iinclude", "-D__CUDA_NO_HALF_OPERATORS__",
         "--expt-relaxed-constexpr", "-gencode=arch=compute_80,code=sm_80", "--ptxas-options=-v", "--compiler-options",
         "'-fPIC'", "-std=c++17", "--use_fast_math", "-c", "kernel.cu", "-o", "kernel.o"],
        ["--compile", "--include-path", "include", "--output-file", "kernel.o", "--optimize", "2", "-dc", "kernel.cu"],
    ],
)  # fmt: skip
def test_a_source_becomes_an_object_that_links(words, folder):
    done(*words, folder=folder)
    if "kernel.d" in words:
        assert "part.h" in (folder / "kernel.d").read_text()
        assert (folder / "kernel.d").read_text().startswith("kernel.o:")
    done("-dlink", "kernel.o", "-o", "device.o", folder=folder)
    done("-o", "program", "main.cpp", "kernel.o", "device.o", "-lcudart", folder=folder)
    assert cuda_on_cpu.run(folder / "program").stdout == "42\n"


@pytest.mark.slow
def test_several_sources_a_shared_library_an_archive_and_a_response_file(folder):
    (folder / "words").write_text('-shared -Xcompiler "-fPIC" -Iinclude -o libkernel.so')
    done("@words", "kernel.cu", folder=folder)
    done("main.cpp", "-L.", "-lkernel", "-Xlinker", f"-rpath,{folder}", folder=folder)
    assert cuda_on_cpu.run(folder / "a.out").stdout == "42\n"
    done("-lib", "-Iinclude", "-o", "libpart.a", "kernel.cu", folder=folder)
    (folder / "more").write_text("-o again")
    done("-optf", "more", "main.cpp", "libpart.a", folder=folder)
    assert cuda_on_cpu.run(folder / "again").stdout == "42\n"
    both = done("-Iinclude", "-run", "main.cpp", "kernel.cu", "-o", "both", folder=folder)
    assert both.stdout == "42\n"


@pytest.mark.slow
def test_a_program_of_the_c_compiler_links_the_toolkits_libraries(folder):
    """As g++ does for PyTorch's extensions, and with the runtime's static library, which is the same one."""
    done("-c", "-Iinclude", "kernel.cu", folder=folder)
    lib = toolkit_folder.home() / "lib64"
    (folder / "check.c").write_text("#include <cuda_runtime.h>\n#include <cublas_v2.h>\n#include <curand.h>\nint main(void) { int n = 0; "
                                    "return cudaGetDeviceCount(&n) != cudaSuccess || n != 1; }\n")  # fmt: skip
    for name in ("cudart", "cudart_static", "cublas", "curand"):
        command = ["gcc", "-std=c99", "-pedantic", "-Werror", f"-I{toolkit_folder.home() / 'include'}", "check.c", "-o", name,
                   f"-L{lib}", f"-l{name}", f"-Wl,-rpath,{lib}"]  # fmt: skip
        subprocess.run(command, check=True, cwd=folder)
        assert cuda_on_cpu.run(folder / name).returncode == 0


@pytest.mark.slow
def test_a_toolkit_that_a_script_names_by_its_path_is_not_used(folder):
    other = folder / "cuda"
    for path, text in (("include/cuda_runtime_api.h", "#error other"), ("lib64/libcudart.so", "not a library")):
        (other / path).parent.mkdir(parents=True)
        (other / path).write_text(text)
    done("-Iinclude", "-I", other / "include", "-isystem", other / "include", f"-L{other / 'lib64'}", "-lcudart",
         "main.cpp", "kernel.cu", folder=folder)  # fmt: skip
    assert cuda_on_cpu.run(folder / "a.out").stdout == "42\n"


def test_dependencies_alone_are_those_of_the_preprocessor(folder):
    """CMake's old module of CUDA asks so."""
    listed = done("-M", "-Iinclude", "-D__CUDACC__", "kernel.cu", "-o", "kernel.depend", folder=folder)
    assert not listed.stdout
    names = (folder / "kernel.depend").read_text()
    assert names.startswith("kernel.o:") and "part.h" in names and "cuda_runtime.h" in names
    assert "cuda_runtime.h" not in done("-MM", "-Iinclude", "kernel.cu", folder=folder).stdout


def test_the_toolkit_is_one_for_torchthaw_itself(monkeypatch):
    monkeypatch.setenv("CUDA_HOME", str(toolkit_folder.home()))
    found = cuda.toolkit()
    assert (found.version, found.root) == (toolkit_folder.VERSION, toolkit_folder.home().resolve())
    assert found.architectures == list(toolkit_folder.ARCHITECTURES)
    assert found.library_dirs == [found.root / "lib64"]
    assert (found.include / "cuda_runtime.h").exists() and (found.include / "device_functions.h").exists()


OF_12 = """#include <cuda_runtime.h>
#include <cublas_v2.h>
#include <cuda.h>
#include <cstdio>
struct Two { cudaPointerAttributes found; long after; };
int main() {
    cudaDeviceProp p;
    Two two{{}, 77};
    float *x;
    cudaStreamCaptureStatus status;
    const bool done = cudaGetDeviceProperties(&p, 0) == cudaSuccess && cudaMalloc(&x, 4) == cudaSuccess &&
                      cudaPointerGetAttributes(&two.found, x) == cudaSuccess && cudaMemPrefetchAsync(x, 4, 0) == cudaSuccess &&
                      cudaMemAdvise(x, 4, cudaMemAdviseSetReadMostly, 0) == cudaSuccess &&
                      cudaStreamGetCaptureInfo_v2(nullptr, &status) == cudaSuccess;
    const bool refused = cudaGetDeviceProperties(nullptr, 0) == cudaErrorInvalidValue && cudaGetDeviceProperties(&p, 1) == cudaErrorInvalidDevice;
    std::printf("%d %d %d %d %d %d.%d %d %d %ld\\n", done, refused, CUDART_VERSION, CUDA_VERSION, p.warpSize, p.major, p.minor,
                p.clockRate == p.memoryClockRate && p.clockRate > 0, p.sharedMemPerBlockOptin == 227 << 10, two.after);
}
"""


@pytest.mark.parametrize(("cuda", "number"), [("12.8", 12080), ("12.6", 12060), ("13.2", 13000), (None, 13000)])
def test_the_toolkit_is_of_the_cuda_of_pytorch(folder, monkeypatch, cuda, number):
    monkeypatch.setattr(installed_torch, "about", lambda: {"cuda": cuda})
    assert toolkit_folder.number(toolkit_folder.version()) == number
    include = toolkit_folder.home() / "include"
    assert (include / "cuda_on_cpu_version.h").read_text() == f"#define CUDA_ON_CPU_VERSION {number}\n"
    assert f'"{number // 1000}.{number % 1000 // 10}.0"' in (toolkit_folder.home() / "version.json").read_text()


def test_the_structs_and_functions_of_cuda_12(folder):
    (folder / "of_12.cu").write_text(OF_12)
    done("-DCUDA_ON_CPU_VERSION=12080", "of_12.cu", "-o", "of_12", folder=folder)
    assert cuda_on_cpu.run(folder / "of_12").stdout == "1 1 12080 12080 32 7.5 1 1 77\n"


@pytest.mark.parametrize(
    "words, said",
    [
        (["-ptx", "kernel.cu"], ["-ptx"]),
        (["-cubin", "kernel.cu"], ["-cubin"]),
        (["-fopenmp", "kernel.cu"], ["-fopenmp", "-Xcompiler"]),
        (["-c", "absent.cu"], ["absent.cu"]),
        (["-c", "kernel.cu", "-o"], ["-o", "value"]),
        (["-c", "kernel.cu", "main.cpp", "-o", "both.o"], ["-o", "one source"]),
        (["@absent"], ["absent"]),
        ([], ["expected a source"]),
    ],
)
def test_what_nvcc_refuses_is_named(words, said, folder):
    result = cuda_on_cpu.nvcc(*words, cwd=folder)
    assert result.returncode == 1 and all(word in result.stderr for word in ("nvcc: ", *said)), result.stderr


@pytest.mark.parametrize(
    "text, said",
    [
        ("#include <cudnn.h>", "cuDNN"),
        ("#include <cub/grid/grid_barrier.cuh>", "cub/grid/grid_barrier.cuh: this part of cub"),
        ("#include <nccl.h>", "NCCL"),
        ("#include <mma.h>", "tensor cores"),
        ("#include <cufft.h>", "cuFFT"),
        ("#include <cusparse.h>", "cuSPARSE"),
        ("#include <cublasLt.h>", "cuBLASLt"),
        ("#include <cusolverDn.h>", "cuSOLVER"),
        ("#include <nvrtc.h>", "NVRTC"),
        ("#include <cuda/nothing>", "cuda/nothing: libcu++"),
        ("#include <cuda_fp4.h>", "4 bits"),
        ("void f() { k<<<1, 2>>>; }", "expected ( behind >>>"),
    ],
)
def test_what_is_not_served_is_named_at_compile_time(text, said, folder):
    (folder / "kernel.cu").write_text(text + "\n")
    result = cuda_on_cpu.nvcc("-c", "kernel.cu", cwd=folder)
    assert result.returncode == 1 and said in result.stderr and "kernel.cu:1" in result.stderr, result.stderr


@pytest.mark.slow
def test_cub_is_the_projects_own_or_ours_and_never_that_for_devices(folder):
    queue = folder / "own" / "cub" / "grid" / "grid_queue.cuh"
    queue.parent.mkdir(parents=True)
    queue.write_text("constexpr int own = 1;\n")
    (folder / "queue.cu").write_text("#include <cub/grid/grid_queue.cuh>\nstatic_assert(own == 1);\n")
    assert cuda_on_cpu.nvcc("-c", "-I", folder / "own", "queue.cu", cwd=folder).returncode == 0
    result = cuda_on_cpu.nvcc("-c", "queue.cu", cwd=folder)
    assert result.returncode == 1 and "cub/grid/grid_queue.cuh: this part of cub" in result.stderr, result.stderr


@pytest.mark.slow
def test_an_error_of_the_compiler_has_the_line_of_the_source(folder):
    (folder / "kernel.cu").write_text(
        "__global__ void k(int *x) {\n  __shared__ int a[4],\n    b;\n  x[0] = c;\n}\n"
        "void f(int *x) {\n  k<<<1,\n     1>>>(x); d();\n}\n"
    )
    result = cuda_on_cpu.nvcc("-c", "kernel.cu", cwd=folder)
    assert result.returncode == 1
    assert re.findall(r"kernel\.cu:(\d+):\d+: error", result.stderr) == ["4", "8"], result.stderr


@pytest.mark.slow
def test_the_host_compiler_may_be_named(folder):
    (folder / "compiler").write_text('#!/bin/sh\necho used >> used\nexec g++ "$@"\n')
    os.chmod(folder / "compiler", 0o755)
    done("-ccbin", folder / "compiler", "-Iinclude", "-c", "kernel.cu", folder=folder)
    assert (folder / "used").read_text() == "used\nused\n"
    done("-ccbin", "/usr/bin", "-Iinclude", "-c", "kernel.cu", folder=folder)
    result = cuda_on_cpu.nvcc("-ccbin", folder / "none", "-Iinclude", "-c", "kernel.cu", cwd=folder)
    assert result.returncode == 1 and "-ccbin" in result.stderr and "none" in result.stderr


def test_lists_are_split_at_commas_outside_of_quotes():
    options, files = arguments.parse(["-Xcompiler", '-Wall "-DA=1,2",-O\\,x', "-Xptxas=-v", "-lx,y", "a.cu", "b.o"])
    assert options == [("-Xcompiler", "-Wall"), ("-Xcompiler", "-DA=1,2"), ("-Xcompiler", "-O,x"), ("-Xptxas", "-v"),
                       ("-l", "x"), ("-l", "y")]  # fmt: skip
    assert files == [("a.cu", "cu"), ("b.o", "")]


def test_a_program_has_the_runtime_of_the_toolkit_whose_nvcc_linked_it(folder):
    """Such as one with sanitizers; the installed one is not asked for."""
    other, library = folder / "other", folder / "lib" / toolkit_folder.runtime().name
    library.parent.mkdir()
    shutil.copy(toolkit_folder.runtime(), library)
    cache.write(other, *toolkit_folder.content(library))
    (folder / "whole.cu").write_text("__global__ void f() {}\nint main() { f<<<1, 1>>>(); }\n")
    result = cuda_on_cpu.run(other / "bin" / "nvcc", "-o", "whole", "whole.cu", cwd=folder)
    assert result.returncode == 0, result.stderr
    needed = subprocess.run(["ldd", folder / "whole"], capture_output=True, text=True, check=True).stdout
    assert f"=> {library} " in needed and str(toolkit_folder.runtime()) not in needed


# A class has a variable with the name of the member template.
DOUBTFUL = """struct A { template <int n> __device__ int f(int i) const { return n + i; } };
struct B { int f; };
__device__ int two(bool a, bool b) { return a + b; }
template <typename T> __global__ void compared(const T *x, int *out, int n) { *out = two(x->f < n, n > (2)); }
template <typename T> __global__ void called(const T *x, int *out) { *out = x->f<3>(2); }
void compare(const B *x, int *out) { compared<<<1, 1>>>(x, out, 3); }
void call(const A *x, int *out) { called<<<1, 1>>>(x, out); }
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "compares, calls, error",
    [(True, False, None), (False, True, None), (False, False, "undeclared_name"), (True, True, "->f<3>(2)")],
)
def test_a_doubtful_call_is_one_where_the_text_does_not_compile_else(compares, calls, error, tmp_path):
    """Where both stand in one text, the error is that of the text as it was written."""
    *lines, compare, call = DOUBTFUL.splitlines()
    lines += [compare] if compares else []
    lines += [call] if calls else []
    lines += ["void wrong() { undeclared_name(); }"] if error == "undeclared_name" else []
    (tmp_path / "a.cu").write_text("\n".join(lines) + "\n")
    result = cuda_on_cpu.nvcc("-c", "a.cu", "-keep", cwd=tmp_path)
    assert (result.returncode != 0) == bool(error) and (error or "") in result.stderr, result.stderr
    assert result.stderr.count("error:") == bool(error), result.stderr
    assert ("->template f<3>(2)" in (tmp_path / "a.ii").read_text()) == (calls and not compares)


def test_a_shared_array_that_no_card_has_is_an_error_with_its_name(tmp_path):
    source = tmp_path / "large.cu"
    for bytes, status in ((48 << 10, 0), ((48 << 10) + 1, 1)):
        source.write_text(
            f"__global__ void k(char *x) {{ __shared__ char tile[{bytes}]; tile[0] = 1; x[0] = tile[0]; }}\n"
        )
        made = cuda_on_cpu.nvcc("-c", "-o", tmp_path / "large.o", source)
        assert made.returncode == status, made.stderr
        assert not status or re.search(names("large.cu:1", "tile", "48 KiB"), made.stderr), made.stderr


@pytest.mark.parametrize("option", ["-O0", "-O3", "-G"])
def test_a_large_shared_array_in_dead_code_is_none(tmp_path, option):
    """StyleGAN3 declares one where its size is chosen, so that a use of it would stop the build."""
    source = tmp_path / "large.cu"
    text = (
        "template <int kB> __global__ void k(char *x) {\n  if (kB <= 48) {\n"
        "    __shared__ char tile[kB > 48 ? 1 << 24 : kB << 10];\n    tile[0] = 1, x[0] = tile[0];\n  }\n}\n"
        "void run(char *x) { k<KB><<<1, 1>>>(x); }\n"
    )
    for size in (48, 64):
        source.write_text(text.replace("KB", str(size)))
        made = cuda_on_cpu.nvcc("-c", option, "-o", tmp_path / "large.o", source)
        assert made.returncode == 0, made.stderr
    source.write_text(text.replace("KB", "64").replace("if (kB <= 48)", "if (x)"))
    made = cuda_on_cpu.nvcc("-c", option, "-o", tmp_path / "large.o", source)
    assert made.returncode and re.search(names("large.cu:3", "tile", "48 KiB"), made.stderr), made.stderr


OWN = {
    "own.h": """#include <cstdio>
__constant__ float factors[2];
__device__ int counted = 3;
namespace inner { __device__ __constant__ int deep[1]; }
extern __device__ int later;
__device__ int later = 1;
""",
    "one.cu": """#include "own.h"
__global__ void read_one(float *x) { x[0] = factors[0] + counted++ + inner::deep[0]; }
float one(float *x) {
    const float given[2] = {10, 0};
    const int deep = 100;
    cudaMemcpyToSymbol(factors, given, sizeof given);
    cudaMemcpyToSymbol(inner::deep, &deep, sizeof deep);
    read_one<<<1, 1>>>(x);
    cudaDeviceSynchronize();
    return x[0];
}
""",
    "two.cu": """#include "own.h"
float one(float *x);
__global__ void read_two(float *x) { x[0] = factors[0] + counted; }
int main() {
    float *x;
    cudaMallocManaged(&x, sizeof *x);
    const float given[2] = {20, 0};
    cudaMemcpyToSymbol(factors, given, sizeof given);
    const float first = one(x);
    read_two<<<1, 1>>>(x);
    cudaDeviceSynchronize();
    std::printf("%g %g\\n", first, x[0]);
}
""",
}


@pytest.mark.slow
def test_variables_of_the_device_are_of_one_source_each(tmp_path):
    """StyleGAN3 includes one source with such variables in three; with -rdc=true there is one of a name."""
    for name, text in OWN.items():
        (tmp_path / name).write_text(text.replace("extern __device__ int later;\n__device__ int later = 1;\n", ""))
    made = cuda_on_cpu.nvcc("one.cu", "two.cu", "-o", "program", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    assert cuda_on_cpu.run(tmp_path / "program").stdout == "113 23\n"
    for flag in ("-rdc=true", "--relocatable-device-code=true"):
        made = cuda_on_cpu.nvcc(flag, "one.cu", "two.cu", "-o", "program", cwd=tmp_path)
        assert made.returncode and "multiple definition" in made.stderr and "factors" in made.stderr
    header = OWN["own.h"]
    (tmp_path / "own.h").write_text(
        "#include <cstdio>\nextern __constant__ float factors[2];\nextern __device__ int counted;\n"
        "namespace inner { extern __device__ __constant__ int deep[1]; }\n"
    )
    (tmp_path / "three.cu").write_text(header)
    made = cuda_on_cpu.nvcc("-rdc=true", "one.cu", "two.cu", "three.cu", "-o", "program", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    assert cuda_on_cpu.run(tmp_path / "program").stdout == "113 14\n"


@pytest.mark.skipif(not shutil.which("nvcc"), reason="CUDA's nvcc is not there")
def test_each_option_of_cudas_nvcc_is_known():
    said = subprocess.run(["nvcc", "--help"], capture_output=True, text=True).stdout
    listed = re.findall(r"^(--[\w-]+)( +[<{\[\w][^(]*)?\s+\((-[\w-]+)\)", said, re.M)
    assert len(listed) > 100
    for long, value, short in listed:
        for name in {long, short} - {"--options-file", "-optf"}:
            said_value = value.strip() or name in ("--dependency-output", "-MF", "--qpp-config", "-qpp-config")
            _, ((file, _),) = arguments.parse(
                [name, *(["cu"] if said_value else []), "a.cu"]
            )  # raises for an unknown one
            assert file == "a.cu", name


def test_options_of_a_card_mean_nothing():
    options, files = arguments.parse(["-Xfatbin", "-compress-all", "-O3", "a.cu"])
    assert files == [("a.cu", "cu")] and ("-O", "3") in options


def test_the_build_of_torchthaw_needs_no_other_package():
    """Its CUDA code is compiled by this nvcc, with the Python of whoever installs it: nothing but the standard library."""
    code = "import torchthaw.cuda_on_cpu.nvcc, torchthaw.cuda_on_cpu.toolkit_folder, sys; print('cffi' in sys.modules)"
    command = [sys.executable, "-I", "-S", "-c", f"import sys; sys.path.insert(0, {str(SRC)!r}); {code}"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.stdout == "False\n", done.stderr
