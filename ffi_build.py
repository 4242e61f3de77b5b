"""ffi_build.py: builds libmy_lib with CMake and, from its header, the extension `_ext/my_lib`.

    python ffi_build.py            then: from _ext import my_lib

Only what changed is built again.
"""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT / "src"))

import torchthaw  # noqa: E402
from torchthaw.base import toolchain  # noqa: E402

BUILD = ROOT / "build"

ffi = torchthaw.create_extension(
    "_ext.my_lib",
    headers=["c_api/include/my_lib.h"],
    libraries=["my_lib"],
    library_dirs=["build/lib"],
    runtime_library_dirs=["build/lib"],
    ops="my_lib",
    relative_to=__file__,
)

cuda_ffi = torchthaw.create_extension(
    "_ext.my_lib_cuda",
    headers=["c_api/include/my_lib_cuda.h"],
    include_dirs=["c_api/include"],
    libraries=["my_lib_cuda", "my_lib"],
    library_dirs=["build/lib", "build/lib/cuda_on_cpu"],  # either, to link with; functions/ chooses
    runtime_library_dirs=["build/lib"],
    ops="my_lib",
    relative_to=__file__,
)


def build_libraries():
    """Builds libmy_lib, its CUDA half where there is nvcc, and torchthaw's bridge in build/."""
    cmake = toolchain.tool("cmake")
    cache = BUILD / "CMakeCache.txt"
    if not cache.exists() or "TORCHTHAW_BRIDGE:BOOL=ON" not in cache.read_text():
        generator = [] if cache.exists() else ["-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={toolchain.tool('ninja')}"]
        python = f"-DPython_EXECUTABLE={sys.executable}"
        subprocess.run([cmake, "--preset", "python", "--log-level=WARNING", *generator, python], cwd=ROOT, check=True)
    targets = ["my_lib", "bridge", "my_lib_cuda_on_cpu", *(["my_lib_cuda"] if has_cuda() else [])]
    subprocess.run([cmake, "--build", BUILD, "--parallel", str(os.cpu_count()), "--target", *targets], check=True)


def has_cuda():
    """Whether CMake found nvcc."""
    return "CMAKE_CUDA_COMPILER:" in (BUILD / "CMakeCache.txt").read_text()


if __name__ == "__main__":
    try:
        build_libraries()
        ffi.build()
        cuda_ffi.build()
    except (subprocess.CalledProcessError, torchthaw.BuildError, OSError) as error:
        sys.exit(f"ffi_build.py: {error}")
