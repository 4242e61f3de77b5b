"""torchthaw/cuda_on_cpu/thrust.py: finds thrust, whose own backend for C++ runs its algorithms on the CPU."""

import glob
import os
import sysconfig
from pathlib import Path

from ..base import cache, writing

# Thrust takes a compiler that defines __CUDACC__ for one that makes code of a device, and calls what only that knows.
WRAPPER = """#pragma once
#pragma push_macro("__CUDACC__")
#pragma push_macro("__NVCC__")
#undef __CUDACC__
#undef __NVCC__
#include "{header}"
#pragma pop_macro("__CUDACC__")
#pragma pop_macro("__NVCC__")
#include <cuda_on_cpu/thrust_memory.h>
"""
# The header of a device's policies, and the one that has all policies.
POLICIES = {"system/cuda/execution_policy.h": "execution_policy.h", "execution_policy.h": "execution_policy.h"}


def folder():
    """The include folder that has thrust/: of the package nvidia-cuda-cccl, or of a real toolkit; or None."""
    packages = sorted({sysconfig.get_path("purelib"), sysconfig.get_path("platlib")})
    patterns = [f"{package}/nvidia/{name}" for package in packages
                for name in ("cu*/include/cccl", "cuda_cccl/include", "cu*/include")]  # fmt: skip
    for pattern in [*patterns, "/usr/local/cuda/include/cccl", "/usr/local/cuda/include"]:
        for found in sorted(glob.glob(pattern)):
            if os.path.isdir(os.path.join(found, "thrust")):
                return Path(found)
    return None


def flags():
    """What the preprocessor finds thrust by; none without it."""
    found = folder()
    if not found:
        return []
    systems = ("THRUST_DEVICE_SYSTEM", "THRUST_HOST_SYSTEM")
    return ["-isystem", _wrappers(found), "-isystem", found, *(f"-D{name}={name}_CPP" for name in systems)]


def _wrappers(found):
    """A folder with a wrapper for each of thrust's public headers."""

    def fill(folder):
        for header in (found / "thrust").rglob("*.h"):
            name = header.relative_to(found / "thrust").as_posix()
            if "detail/" in name:
                continue
            to = folder / "thrust" / name
            to.parent.mkdir(parents=True, exist_ok=True)
            text = WRAPPER.format(header=found / "thrust" / POLICIES.get(name, name))
            writing.write(to, text + ("#include <cuda_on_cpu/thrust_policy.h>\n" if name in POLICIES else ""))

    return cache.made_once("thrust", cache.digest(f"{found}{WRAPPER}{POLICIES}"), fill)
