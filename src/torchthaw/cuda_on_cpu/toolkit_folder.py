"""torchthaw/cuda_on_cpu/toolkit_folder.py: the folder that serves as CUDA_HOME, made when it is first asked for, in the cache."""

from pathlib import Path

from ..base import cache, config, installed_torch, isolated

VERSION = "13.0"  # of CUDA, where PyTorch asks for no other
ARCHITECTURES = ("75", "80", "86", "89", "90", "100", "120")
HEADERS = Path(__file__).resolve().parent / "toolkit" / "include"
RUNTIME = "cuda_on_cpu"

# Headers of a toolkit that have nothing of their own here: name -> the one that has what they declare.
SAME = {
    "cuda_runtime.h": (
        "device_functions.h", "device_launch_parameters.h", "math_functions.h", "sm_20_intrinsics.h", "sm_30_intrinsics.h",
        "sm_32_intrinsics.h", "sm_35_intrinsics.h", "sm_60_atomic_functions.h", "sm_61_intrinsics.h", "texture_fetch_functions.h",
        "common_functions.h", "device_atomic_functions.h", "cuda_texture_types.h", "crt/device_functions.h",
        "crt/math_functions.h", "crt/host_config.h", "device_double_functions.h", "vector_functions.hpp",
    ),
    "driver_types.h": (
        "builtin_types.h", "texture_types.h", "surface_types.h", "channel_descriptor.h", "cuda_surface_types.h",
    ),
    "cuda_runtime_api.h": ("cuda_profiler_api.h", "cuda_device_runtime_api.h", "cudart_platform.h"),
    "cublas_v2.h": ("cublas_api.h",),
    "nvtx3/nvToolsExt.h": ("nvToolsExt.h",),
    "cuda_on_cpu/host_defines.h": ("host_defines.h", "host_config.h", "crt/host_defines.h"),
}  # fmt: skip

# Libraries of a toolkit that are in the runtime; each with the numbers that programs load them by.
LIBRARIES = {
    "cuda": ("1",),
    "cudart": ("12", "13"),
    "cublas": ("12", "13"),
    "cublasLt": (),
    "curand": ("10",),
    "cudadevrt": (),
    "nvToolsExt": (),
    # PyTorch's, which its CUDAExtension links; the headers in include_pytorch have all of them.
    "c10_cuda": (),
    "torch_cuda": (),
}


def version():
    """The version of CUDA that builds see, beside the PyTorch that is installed."""
    return version_beside(installed_torch.about().get("cuda") or "")


def version_beside(of_pytorch):
    """That of a PyTorch built for CUDA 12, whose structs are others than those of CUDA 13; else VERSION."""
    return of_pytorch if of_pytorch.startswith("12.") else VERSION


def number(of):
    """As CUDART_VERSION has it: 12080 of "12.8"."""
    major, minor = of.split(".")[:2]
    return int(major) * 1000 + int(minor) * 10


def runtime():
    """The path of libcuda_on_cpu. Raises FileNotFoundError."""
    return config.library(RUNTIME)


def home():
    """The folder for CUDA_HOME: bin/nvcc, include, lib64. Raises FileNotFoundError without the runtime."""
    return cache.layout("cuda_on_cpu", *content(runtime()))


def content(library):
    """(files, links) of the folder for the runtime ``library``, as cache.layout() takes them."""
    files = {"bin/nvcc": isolated.launcher("cuda_on_cpu.nvcc")}
    files.update({f"include/{name}": f"#include <{what}>\n" for what, names in SAME.items() for name in names})
    files["version.json"] = f'{{"cuda": {{"name": "CUDA SDK", "version": "{version()}.0"}}}}\n'
    files["include/cuda_on_cpu_version.h"] = f"#define CUDA_ON_CPU_VERSION {number(version())}\n"
    # Ninja and make build again what another nvcc has built, and so objects with the check are never taken for those
    # without, nor those of another torchthaw for this one's.
    checks = config.switch("TORCHTHAW_CUDA_CHECK")
    files["made_by.txt"] = f"torchthaw {config.__version__}, TORCHTHAW_CUDA_CHECK={int(checks)}\n"
    script = f'INPUT("{library}")\n'  # of the linker
    files.update({f"lib64/lib{name}_static.a": script for name in LIBRARIES})
    files.update({f"lib64/{name}.a": script for name in ("libcudadevrt", "libculibos")})
    links = {f"include/{path.name}": path for path in HEADERS.iterdir() if path.name != "crt"}
    links.update({f"include/crt/{path.name}": path for path in (HEADERS / "crt").glob("*")})
    names = [f"lib{name}.{suffix}" for name in LIBRARIES for suffix in ("so", *(f"so.{n}" for n in LIBRARIES[name]))]
    links.update({f"lib64/{name}": library for name in (library.name, *names, "stubs/libcuda.so")})
    return files, links
