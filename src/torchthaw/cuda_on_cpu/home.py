"""torchthaw/cuda_on_cpu/home.py: the folder that serves as CUDA_HOME, made when it is first asked for, in the cache."""

import hashlib
import shutil
import sys
import tempfile
from pathlib import Path

from ..base import config, private_folders

VERSION = "13.0"
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
    "cuda_runtime_api.h": ("cuda_profiler_api.h", "cuda_device_runtime_api.h", "driver_functions.h", "cudart_platform.h"),
    "cuda_on_cpu/host_defines.h": ("host_defines.h", "host_config.h", "crt/host_defines.h"),
}  # fmt: skip

# Libraries of a toolkit that are in the runtime; each with the numbers that programs load them by.
LIBRARIES = {
    "cudart": ("12", "13"),
    "cublas": ("12", "13"),
    "cublasLt": (),
    "curand": (),
    "cudadevrt": (),
    "nvToolsExt": (),
    # PyTorch's, which its CUDAExtension links; the headers in include_pytorch have all of them.
    "c10_cuda": (),
    "torch_cuda": (),
}


def runtime():
    """The path of libcuda_on_cpu. Raises FileNotFoundError."""
    return config.library(RUNTIME)


def home():
    """The folder for CUDA_HOME: bin/nvcc, include, lib64. Raises FileNotFoundError without the runtime."""
    library = runtime()
    root = config.cache() / "cuda_on_cpu"
    headers = sorted(path.relative_to(HEADERS).as_posix() for path in HEADERS.rglob("*.h"))
    parts = [config.__version__, __file__, sys.executable, library, *headers, repr(SAME), repr(LIBRARIES), _NVCC]
    # Ninja and make build again what another nvcc has built, and so objects with the check are never taken for those without.
    parts.append(config.switch("TORCHTHAW_CUDA_CHECK"))
    folder = root / hashlib.sha256("\0".join(map(str, parts)).encode()).hexdigest()[:16]
    if folder.is_dir():
        return folder
    private_folders.make(root, config.cache())
    made = Path(tempfile.mkdtemp(dir=root))
    fill(made, library, folder)
    try:
        made.rename(folder)
    except OSError:  # another process was first
        shutil.rmtree(made)
        if not folder.is_dir():
            raise
    return folder


_NVCC = """#!/bin/sh
# nvcc of torchthaw's CUDA on the CPU
exec '{python}' -I -c 'import sys; sys.path.insert(0, "{packages}")
from torchthaw.cuda_on_cpu import nvcc
raise SystemExit(nvcc.main(sys.argv[1:], "{home}"))' "$@"
"""


def fill(folder, library, final):
    """Makes the folder's files for the runtime ``library``. final: the path that ``folder`` gets."""
    for name in ("bin", "include/crt", "lib64/stubs"):
        (folder / name).mkdir(parents=True)
    nvcc = folder / "bin" / "nvcc"
    nvcc.write_text(_NVCC.format(python=sys.executable, packages=config.PACKAGE.parent, home=final))
    nvcc.chmod(0o755)
    for path in HEADERS.iterdir():
        (folder / "include" / path.name).symlink_to(path)
    for what, names in SAME.items():
        for name in names:
            (folder / "include" / name).write_text(f"#include <{what}>\n")
    (folder / "version.json").write_text(f'{{"cuda": {{"name": "CUDA SDK", "version": "{VERSION}.0"}}}}\n')
    lib = folder / "lib64"
    (lib / library.name).symlink_to(library)
    for name, numbers in LIBRARIES.items():
        for suffix in ("so", *(f"so.{number}" for number in numbers)):
            (lib / f"lib{name}.{suffix}").symlink_to(library)
        (lib / f"lib{name}_static.a").write_text(f"INPUT({library})\n")
    (lib / "libcudadevrt.a").write_text(f"INPUT({library})\n")
    (lib / "libculibos.a").write_text(f"INPUT({library})\n")
    (lib / "stubs" / "libcuda.so").symlink_to(library)
