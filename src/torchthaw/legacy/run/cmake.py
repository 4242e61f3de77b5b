"""torchthaw/legacy/run/cmake.py: what the CMake files of old projects look for: TH's headers and library."""

import os
from pathlib import Path

from ...base import cache, config
from ...extension import nvidia_packages
from ..cpp import cxx_standard

# find_package(Torch) asks for Lua's Torch7, or for the C++ library of later PyTorch. CMake shows the reason.
TORCH_CONFIG = """# Made by torchthaw.
set(${CMAKE_FIND_PACKAGE_NAME}_FOUND FALSE)
set(${CMAKE_FIND_PACKAGE_NAME}_NOT_FOUND_MESSAGE "torchthaw: expected find_path and find_library, got \\
find_package(${CMAKE_FIND_PACKAGE_NAME}), which is for Torch7 of Lua, or for the C++ library of PyTorch 1 and later. \\
For TH, write find_path(TH_INCLUDE TH/TH.h) and find_library(TH_LIBRARY TH), which find it here; for the C++ library, \\
give cmake -DCMAKE_PREFIX_PATH=`python -c 'import torch; print(torch.utils.cmake_prefix_path)'`.")
"""
LIBRARIES = {"th": "TH", "thc": "THC"}
# A linker script: libATen of PyTorch 0.4 had TH and THC in it. What needs neither is not linked to it.
ATEN = "/* Made by torchthaw. */\nINPUT(AS_NEEDED({libraries}))\n"
# PyTorch's files for CMake ask for this target up to 2.7. CUDA has no such library since 12.9, and CMake no such target then.
NVTX = """# Made by torchthaw.
if(NOT TARGET CUDA::nvToolsExt)
  add_library(CUDA::nvToolsExt INTERFACE IMPORTED GLOBAL)
endif()
"""
# The one file that an environment variable can name. It says nothing of a system: nothing is built for another one.
TOOLCHAIN = """# Made by torchthaw.
if(NOT CMAKE_PROJECT_INCLUDE)
  set(CMAKE_PROJECT_INCLUDE "${CMAKE_CURRENT_LIST_DIR}/nvtx.cmake")
endif()
"""


def point_at_headers():
    """Makes find_path and find_library find TH and THC, and CMake 4 read files for a CMake before 3.5."""
    include = config.includes()
    links, found = {}, []
    for name, then in LIBRARIES.items():
        try:
            library = config.library(name)
        except FileNotFoundError:
            continue
        # The first two by the names of PyTorch 0.3, the others by those of today; the last is the SONAME.
        links.update({f"lib/lib{each}": library for each in (f"{then}.so", f"{then}.so.1", f"{name}.so")})
        links[f"lib/{library.name}"] = library
        found.append(f'"{library}"')
    files = {"packages/share/cmake/Torch/torch-config.cmake": TORCH_CONFIG}
    if found:
        files["lib/libATen.so"] = ATEN.format(libraries=" ".join(found))
    made = cache.layout("th", files, links)
    # CMake looks below prefixes before it looks into the other folders: the project's own ones come first in each.
    append("CMAKE_PREFIX_PATH", made / "packages")
    append("CMAKE_INCLUDE_PATH", include, include / "TH", include / "THC")
    append("CMAKE_LIBRARY_PATH", made / "lib")
    os.environ.setdefault("CMAKE_POLICY_VERSION_MINIMUM", "3.5")


def point_at_cuda(toolkit):
    """Makes find_library and find_path find the libraries of CUDA that the toolkit lacks in PyTorch's own packages."""
    packages = nvidia_packages.folder(toolkit)
    if packages:
        append("CMAKE_INCLUDE_PATH", packages / "include")
        append("CMAKE_LIBRARY_PATH", packages / "lib")
    if _lacks_nvtx(toolkit):
        made = cache.layout("nvtx", {"nvtx.cmake": NVTX, "toolchain.cmake": TOOLCHAIN}, {})
        os.environ.setdefault("CMAKE_TOOLCHAIN_FILE", os.fspath(made / "toolchain.cmake"))


def _lacks_nvtx(toolkit):
    """Whether the installed PyTorch's files for CMake ask for a library that this toolkit no longer has."""
    files = [Path(each).parent / "share/cmake/Caffe2/public/cuda.cmake" for each in cxx_standard.installed()]
    asks = any("CUDA::nvToolsExt" in file.read_text("utf-8", "replace") for file in files if file.is_file())
    return asks and [int(part) for part in toolkit.version.split(".")] >= [12, 9]


def append(variable, *folders):
    """Puts folders behind those that an environment variable lists."""
    listed = [each for each in os.environ.get(variable, "").split(os.pathsep) if each]
    listed += [os.fspath(folder) for folder in folders if os.fspath(folder) not in listed]
    os.environ[variable] = os.pathsep.join(listed)
