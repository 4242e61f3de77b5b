"""tests/cuda_on_cpu/test_gpu_code.py: a library that CUDA's own nvcc compiled, beside the runtime for the CPU: its code for
GPUs does no harm, and a launch of it says which kernel it is."""

import subprocess

from support import cuda_on_cpu
from torchthaw.base import config, toolchain
from torchthaw.cuda_on_cpu import toolkit_folder

NO_IMAGE = "cudaErrorNoKernelImageForDevice"


def test_a_launch_names_the_kernel_and_its_library(tmp_path):
    runtime, program = config.library("cuda_on_cpu"), tmp_path / "gpu_code"
    flags = ["-std=c++17", "-isystem", toolkit_folder.HEADERS, f"-Wl,-rpath,{runtime.parent}"]
    source = cuda_on_cpu.SAMPLES / "gpu_code.cpp"
    subprocess.run([*toolchain.cxx_compiler(), *flags, "-o", program, source, runtime], check=True)
    made = cuda_on_cpu.run(program)
    assert made.returncode == 0, made.stderr
    assert made.stdout.splitlines() == ["2 3 4, 5 6 7, 8, 1", NO_IMAGE, NO_IMAGE, "cudaSuccess", NO_IMAGE, NO_IMAGE]
    first, second, third = made.stderr.splitlines()
    for line in (first, second):
        assert "scale(float*, int)" in line and "gpu_code" in line and "GPU" in line, line
    assert "unknown name" in third and "gpu_code" in third, third
