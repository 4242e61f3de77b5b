"""tests/cuda/host/test_cuda_removed.py: CUDA code that CUDA 12 or 13 no longer takes, as C++ extensions have it.

Each sample fails without its cure, compiles with it, and includes headers of CUDA and Thrust alone.
"""

import os
import subprocess
from pathlib import Path

import pytest

from support.cuda_toolkit import toolkit_or_skip
from torchthaw.legacy.cpp import cpp_extension, nvcc

toolkit = toolkit_or_skip()
major = int(toolkit.version.partition(".")[0])
pytestmark = pytest.mark.timeout(900)  # Thrust takes nvcc some seconds, on a busy machine minutes
since_13 = pytest.mark.skipif(major < 13, reason="CUDA before 13 has it")

THRUST = """
#include <cuda_runtime.h>
#include <thrust/functional.h>
struct first : public thrust::unary_function<int, float> {
  __host__ __device__ float operator()(int x) const { return x; }
};
struct both : thrust::binary_function<int, short, float> {};
static_assert(sizeof(first::argument_type) == 4 && sizeof(both::second_argument_type) == 2, "");
__global__ void kernel(int *x) {
  x[0] = thrust::identity<int>()(x[1]) + cub::Sum()(x[1], x[2]) + cub::Max()(x[1], 2) + cub::Min()(x[1], 2);
  x[1] = cub::Equality()(x[1], x[2]) + cub::Inequality()(x[1], x[2]);
}
"""
MEMORY = """
#include <cuda_runtime.h>
int moved(void *memory, size_t bytes, int device, cudaStream_t stream) {
  cudaMemPrefetchAsync(memory, bytes, cudaCpuDeviceId);
  cudaMemAdvise(memory, bytes, cudaMemAdviseSetReadMostly, device);
  cudaMemLocation location = {cudaMemLocationTypeDevice, device};
  cudaMemPrefetchAsync(memory, bytes, location, 0, stream);
  return cudaMemPrefetchAsync(memory, bytes, device, stream) + cudaThreadSynchronize();
}
"""
WARP = """
#include <cuda_runtime.h>
__global__ void kernel(float *x) { x[0] = __shfl_down(x[1], 1) + __ballot(x[2] > 0) + __any(x[0] > 0); }
"""
# What the policies brought before CUDA 12.
UNIQUE = """
#include <thrust/execution_policy.h>
int *distinct(int *x, int n) { return thrust::unique(thrust::device, x, x + n); }
"""
# A copy of a header that CUB includes itself.
NVTX = """
#include <cub/device/device_for.cuh>
namespace nvtx3 { struct domain { const char *name; }; }
const nvtx3::domain here = {"here"};
"""
SHARED = """
#include <memory>
#include <thrust/pair.h>
template <typename T> struct map { T value; };
typedef map<thrust::pair<int, int>> pairs;
std::shared_ptr<pairs> made() { return std::unique_ptr<pairs>(new pairs); }
"""
CUDA = {
    "thrust": (THRUST, 'no member class "unary_function"'), "memory": (MEMORY, "cudaMemPrefetchAsync"),
    "warp": (WARP, '"__shfl_down" is undefined'), "unique": (UNIQUE, 'no member "unique"'),
    "shared": (SHARED, 'overloaded function "std::__to_address"'),
    "nvtx": (NVTX, '"nvtx3::domain" is ambiguous'),
}  # fmt: skip


def compile(path, flags):
    command = [toolkit.nvcc, "-cuda", "-arch=sm_80", "-std=c++20", "-w", "-o", os.devnull, *flags, path]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.mark.slow
@since_13
@pytest.mark.parametrize("name", CUDA)
def test_a_cuda_source(tmp_path, name):
    text, message = CUDA[name]
    if name not in ("memory", "warp") and not (toolkit.include / "cccl" / "thrust").is_dir():
        pytest.skip("this toolkit has no Thrust")
    path = tmp_path / f"{name}.cu"
    path.write_text(text)
    cured = compile(path, [*cpp_extension.nvcc_flags([], "sample"), *cpp_extension.needs([path], []).nvcc])
    assert cured.returncode == 0, cured.stdout + cured.stderr
    plain = compile(path, [])
    assert plain.returncode != 0 and message in plain.stdout + plain.stderr


@since_13
def test_a_cpp_source(tmp_path):
    path = tmp_path / "memory.cpp"
    path.write_text(MEMORY)
    command = [os.environ.get("CXX", "c++"), "-fsyntax-only", "-std=c++20", f"-I{toolkit.include}", path]
    needed = cpp_extension.needs([path], [toolkit.include]).cxx
    assert subprocess.run([*command, *needed]).returncode == 0
    assert subprocess.run(command, capture_output=True).returncode != 0


ATOMIC = """
#include <THC/THCAtomics.cuh>
__global__ void add(at::Half *x, int64_t *y) { atomicAdd(x, x[1]); atomicAdd(y, y[1]); }
"""


@pytest.mark.slow
def test_atomic_add_of_types_of_pytorch(tmp_path):
    from torch.utils.cpp_extension import include_paths

    folders = [*map(Path, include_paths()), cpp_extension.headers()]
    if not any((folder / "ATen" / "cuda" / "Atomic.cuh").exists() for folder in folders):
        pytest.skip("this PyTorch has no headers for CUDA")
    path = tmp_path / "atomic.cu"
    path.write_text(ATOMIC)
    assert compile(path, [f"-I{folder}" for folder in folders]).returncode == 0
    path.write_text("#include <c10/util/Half.h>\n" + ATOMIC.replace("#include <THC/THCAtomics.cuh>", ""))
    plain = compile(path, [f"-I{folder}" for folder in folders])
    assert plain.returncode != 0 and "no instance of overloaded function" in plain.stdout + plain.stderr


CURRENT = """
#include <cuda_runtime.h>
__global__ void twice(float *x) { x[threadIdx.x] = 2 * __shfl_down_sync(0xffffffff, x[threadIdx.x], 1); }
"""
CURRENT_CPP = """
#include <cuda_runtime.h>
int waited(cudaStream_t stream) { return cudaStreamSynchronize(stream) + cudaDeviceSynchronize(); }
"""


@pytest.mark.slow
def test_sources_that_need_none_of_it_compile_to_the_same_code(tmp_path):
    cu, cpp = tmp_path / "current.cu", tmp_path / "current.cpp"
    cu.write_text(CURRENT)
    cpp.write_text(CURRENT_CPP)
    needed = cpp_extension.needs([cu, cpp], [])
    nvcc = [toolkit.nvcc, "-ptx", "-arch=sm_80", "-std=c++20", cu]  # an object has names of temporary files
    cxx = [os.environ.get("CXX", "c++"), "-c", "-O2", "-std=c++20", f"-I{toolkit.include}", cpp]
    for command, flags in (nvcc, [*cpp_extension.nvcc_flags([], "sample"), *needed.nvcc]), (cxx, needed.cxx):
        made = []
        for given in flags, []:
            subprocess.run([*command, *given, "-o", tmp_path / "made"], check=True)
            made.append((tmp_path / "made").read_bytes())
        assert made[0] == made[1]


# ---- Architectures --------------------------------------------------------------------------------------------------


def test_an_architecture_that_is_gone(tmp_path):
    path = tmp_path / "current.cu"
    path.write_text(CURRENT)
    given = ["-gencode=arch=compute_35,code=sm_35", "-gencode=arch=compute_80,code=sm_80"]
    command = [toolkit.nvcc, "--dryrun", "-cubin", "-o", os.devnull, path]
    plain = subprocess.run([*command, *given], capture_output=True, text=True)
    assert plain.returncode != 0 and "Unsupported gpu architecture 'compute_35'" in plain.stderr
    words, (line,) = nvcc.current(given, toolkit)
    assert subprocess.run([*command, *words], capture_output=True).returncode == 0
    assert "sm_35" in line and "built for sm_80" in line


class Toolkit:
    version, architectures = "13.0", ["75", "80", "90"]


@pytest.mark.parametrize("given, kept, lost", [
    ("8.0;9.0+PTX", "8.0;9.0+PTX", None), ("3.5 6.0,8.0+PTX", "8.0+PTX", "3.5 6.0"), ("Pascal;Ampere", "Ampere", "Pascal"),
    ("Kepler+Tesla", "7.5+PTX", "Kepler+Tesla"), ("12.0a", "12.0a", None), ("Hopper", "Hopper", None),
])  # fmt: skip
def test_list_of_architectures(given, kept, lost):
    words, changes = nvcc.listed(given, Toolkit)
    assert words == kept and [line.split(": ")[1] for line in changes] == ([lost] if lost else [])
