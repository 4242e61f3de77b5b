"""torchthaw/cuda_on_cpu/thrust.py: finds thrust, whose own backend for C++ runs its algorithms on the CPU."""

import glob
import os
import sysconfig


def folder():
    """The include folder that has thrust/: of CUDA_HOME of a real toolkit, or of the package nvidia-cuda-cccl; or None."""
    packages = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    patterns = [os.environ.get("TORCHTHAW_CCCL", ""), "/usr/local/cuda/include", "/usr/local/cuda/include/cccl"]
    for package in sorted(packages):
        patterns += [f"{package}/nvidia/cu*/include/cccl", f"{package}/nvidia/cu*/include",
                     f"{package}/nvidia/cuda_cccl/include"]  # fmt: skip
    for pattern in filter(None, patterns):
        for found in sorted(glob.glob(pattern)):
            if os.path.isdir(os.path.join(found, "thrust")):
                return found
    return None


def flags():
    """What the preprocessor finds thrust by; none without it."""
    found = folder()
    if not found:
        return []
    systems = ("THRUST_DEVICE_SYSTEM", "THRUST_HOST_SYSTEM")
    return ["-isystem", found, *(f"-D{name}={name}_CPP" for name in systems)]
