"""tests/portable/cuda/test_portable_cuda.py: portable extensions with CUDA code: on the CPU device, and by a real nvcc."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from support import SRC, table_host
from support.messages import names
from torchthaw import portable
from torchthaw.extension import cuda
from torchthaw.portable import build

HERE = Path(__file__).resolve().parent
INLINE = """
__global__ void twice_kernel(const float *in, float *out) { out[threadIdx.x] = 2 * in[threadIdx.x]; }
torch::Tensor twice(torch::Tensor x) {
    auto out = torch::empty_like(x);
    twice_kernel<<<1, x.numel()>>>(x.data_ptr<float>(), out.data_ptr<float>());
    return out;
}
"""


def toolkit():
    try:
        return cuda.toolkit()
    except FileNotFoundError:
        return None


needs_nvcc = pytest.mark.skipif(not toolkit(), reason="a toolkit of CUDA")


def on_cpu(*words):
    """What a program of Python prints with TORCHTHAW_CUDA=cpu."""
    environment = {**table_host.of_a_host(SRC), "TORCHTHAW_CUDA": "cpu"}
    done = subprocess.run(
        [sys.executable, "-m", "torchthaw", "run", *words], capture_output=True, text=True, env=environment
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
def test_calls_on_the_cpu(tmp_path):
    assert on_cpu(HERE / "calls.py", tmp_path).endswith("right\n")


@pytest.mark.slow
def test_load_inline_and_cuda_extension_on_the_cpu(tmp_path):
    inline = f"""
import torch
from torchthaw import portable
module = portable.load_inline("twice", "torch::Tensor twice(torch::Tensor x);", {INLINE!r}, "twice", build_directory={str(tmp_path)!r})
print(module.twice(torch.arange(4.0).cuda()).tolist())
"""
    (tmp_path / "inline.py").write_text(inline)
    assert "[0.0, 2.0, 4.0, 6.0]" in on_cpu(tmp_path / "inline.py")
    (tmp_path / "twice.cu").write_text("#include <torch/extension.h>\n" + INLINE)
    (tmp_path / "calls.cpp").write_text("""#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
torch::Tensor twice(torch::Tensor x);
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    m.def("twice", &twice);
    m.def("stream", [] { return int64_t(at::cuda::getCurrentCUDAStream().stream()); });
}
""")
    (tmp_path / "setup.py").write_text("""from setuptools import setup
from torchthaw.portable import BuildExtension, CUDAExtension
setup(name="twice", ext_modules=[CUDAExtension("twice", ["calls.cpp", "twice.cu"])], cmdclass={"build_ext": BuildExtension})
import torch, twice
print(twice.twice(torch.arange(3.0).cuda()).tolist(), twice.stream(), twice.__file__.endswith("twice.abi3.so"))
""")
    os.chdir(tmp_path)
    assert "[0.0, 2.0, 4.0] 0 True" in on_cpu(tmp_path / "setup.py", "-q", "build_ext", "--inplace")


@pytest.mark.slow
@needs_nvcc
def test_nvcc_compiles_the_same(tmp_path):
    """The file loads where there is no driver: CUDA's runtime is in it."""
    module = portable.load("kernels", HERE / "kernels.cu", build_directory=tmp_path)
    assert {"add", "scatter", "philox"} <= {*dir(module)}
    needed = subprocess.run(["readelf", "-d", module.__file__], capture_output=True, text=True, check=True).stdout
    assert "libcudart" not in needed and "libtorch_cuda" not in needed


@pytest.mark.slow
@needs_nvcc
def test_a_name_that_nvcc_does_not_find(tmp_path):
    source = tmp_path / "wrong.cu"
    source.write_text("#include <ATen/cuda/CUDAContext.h>\nvoid f() { at::cuda::no_such_function(); }\n")
    with pytest.raises(RuntimeError, match=r"wrong.cu:2: at::cuda::no_such_function is not served"):
        portable.load("wrong", source, build_directory=tmp_path)


def test_no_toolkit(tmp_path, monkeypatch):
    source = tmp_path / "kernel.cu"
    source.write_text("")
    monkeypatch.setenv("CUDA_HOME", str(tmp_path / "none"))
    with pytest.raises(FileNotFoundError, match=names("CUDA_HOME", "CUDA toolkit", "none")):
        portable.load("kernel", source, build_directory=tmp_path)


@pytest.fixture
def made(tmp_path, monkeypatch):
    """made(flags) -> the words for nvcc and the linker of an extension with CUDA."""
    (tmp_path / "bin").mkdir()
    nvcc = tmp_path / "bin" / "nvcc"
    nvcc.write_text('#!/bin/sh\necho "release 13.0, sm_75"\necho sm_75\n')
    nvcc.chmod(0o755)
    monkeypatch.setenv("CUDA_HOME", str(tmp_path))
    monkeypatch.setenv("TORCH_CUDA_ARCH_LIST", "7.5+PTX")

    def made(**options):
        (tmp_path / "kernel.cu").write_text("")
        return build.Portable("kernel", tmp_path, **build.options([tmp_path / "kernel.cu"], **options))

    return made


def test_flags(made):
    found = made(
        extra_compile_args={"cxx": ["-O1"], "nvcc": ["-lineinfo", "-DPy_LIMITED_API=1"]},
        libraries=["cudart", "c10_cuda", "z"],
    )
    text = found.ninja_text([])
    (line,) = [line for line in text.splitlines() if "bin/nvcc" in line]
    assert "-gencode=arch=compute_75,code=sm_75" in line and "-lineinfo" in line and "LIMITED_API=1" not in line
    flags = " ".join(map(str, found.flags_of(found.options["sources"][0])))
    assert (
        "-D__CUDA_NO_HALF_OPERATORS__" in flags
        and "-DTORCH_EXTENSION_NAME=kernel" in flags
        and "-Xcompiler -fPIC" in flags
    )
    assert "-O1" not in flags and "--expt-relaxed-constexpr" in flags and "-Xcompiler -fvisibility=hidden" in flags
    assert "-lcudart_static" in text and "-lcudart " not in text and "-lc10_cuda" not in text and "-lz" in text


def test_architectures_that_the_flags_name(made):
    text = made(extra_compile_args={"nvcc": ["-gencode", "arch=compute_90,code=sm_90"]}).ninja_text([])
    assert "compute_90" in text and "compute_75" not in text


def test_device_code_of_several_sources_is_linked(made):
    assert "device_link.o" in made(extra_compile_args={"nvcc": ["-rdc=true"]}).ninja_text([])
    assert "device_link.o" in made(dlink=True).ninja_text([])
    assert "device_link.o" not in made().ninja_text([])
