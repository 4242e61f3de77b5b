"""tests/cuda_on_cpu/test_layouts.py: the structs and constants of driver_types.h are laid out as CUDA 12's and 13's are.

A PyTorch built for CUDA fills in and reads such structs, and code that our nvcc compiled gets them from it.
"""

import re
import subprocess
import sysconfig
from pathlib import Path

import pytest

from torchthaw.base import toolchain
from torchthaw.cuda_on_cpu import toolkit_folder

HEADER = toolkit_folder.HEADERS / "driver_types.h"
# Of each version of CUDA, the folders that may have its headers; those of CUDA 12 are in packages for PyTorch.
PACKAGES = Path(sysconfig.get_path("purelib"))
REAL = {
    13000: [Path(folder) / "include" for folder in ("/usr/local/cuda-13.0", "/usr/local/cuda")],
    12080: [Path("/usr/local/cuda-12.8/include"), PACKAGES / "nvidia" / "cuda_runtime" / "include"],
}
# Fields that CUDA 13 has no more, some of which lie where it has reserved space, and those that CUDA 12 has not.
OLD = {"clockRate", "memoryClockRate", "computeMode", "deviceOverlap", "kernelExecTimeoutEnabled"}
ONLY = {
    12080: {*OLD, "maxTexture1DLinear", "singleToDoublePrecisionPerfRatio", "cooperativeMultiDeviceLaunch"},
    13000: {"deviceNumaConfig", "deviceNumaId", "mpsEnabled", "hostNumaId", "gpuPciDeviceID", "gpuPciSubsystemID",
            "hostNumaMultinodeIpcSupported"},
}  # fmt: skip
# Structs whose end in CUDA is longer than what is declared here, or which are declared here for their name alone.
SHORTER = {"cudaResourceViewDesc", "cudaTextureDesc", "cudaResourceDesc"}
# For machines that have no toolkit.
SAME = {"cudaFuncAttributes": 144, "cudaLaunchAttribute": 72}
SIZES = {
    13000: {"cudaDeviceProp": 1008, "cudaPointerAttributes": 88, **SAME},
    12080: {"cudaDeviceProp": 1032, "cudaPointerAttributes": 24, **SAME},
}
PROPERTIES = {
    13000: {"major": 360, "multiProcessorCount": 384, "warpSize": 308, "sharedMemPerBlockOptin": 672},
    12080: {"major": 360, "multiProcessorCount": 388, "warpSize": 308, "sharedMemPerBlockOptin": 696, "clockRate": 348},
}


def without_comments(text):
    return re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)


def structs(version):
    """{name: [field]} of the header's structs that have no struct inside."""
    found = {}
    for name, body in re.findall(r"^struct (\w+) \{([^{}]*)\};", without_comments(HEADER.read_text()), re.MULTILINE):
        fields = re.findall(r"[*\s,](\w+)(?:\[\d+\])*(?=[;,])", body)
        others = {field for each in ONLY for field in ONLY[each] if each != version}
        left_out = {*(OLD if version == 13000 else ()), *(others - ONLY[version]), "reserved", "reserved1", "reserved2"}
        found[name] = [field for field in fields if field not in left_out]
    return found


def constants():
    text = without_comments(HEADER.read_text())
    return [
        name
        for body in re.findall(r"^enum \w+ \{([^{}]*)\};", text, re.MULTILINE)
        for name in re.findall(r"\b(cuda\w+) =", body)
    ]


def numbers(include, folder, wanted, version):
    """{expression: value} of C++ expressions, as the headers of a folder give them for a version of CUDA."""
    lines = "".join(f'std::printf("%s=%lld\\n", "{each}", (long long)({each}));\n' for each in wanted)
    source = folder / "numbers.cpp"
    source.write_text(
        f"#include <cstddef>\n#include <cstdio>\n#include <cuda_runtime_api.h>\nint main() {{\n{lines}}}\n"
    )
    program = folder / "numbers"
    made = subprocess.run(
        [*toolchain.cxx_compiler(), "-w", "-I", include, f"-DCUDA_ON_CPU_VERSION={version}", "-o", program, source],
        capture_output=True, text=True,
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    output = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    return {name: int(value) for name, value in (line.rsplit("=", 1) for line in output.splitlines())}


@pytest.mark.parametrize("version", SIZES)
def test_recorded_sizes_and_places(tmp_path, version):
    sizes = {f"sizeof({name})": size for name, size in SIZES[version].items()}
    places = {f"offsetof(cudaDeviceProp, {name})": place for name, place in PROPERTIES[version].items()}
    wanted = {**sizes, **places, "CUDART_VERSION": version}
    assert numbers(toolkit_folder.HEADERS, tmp_path, wanted, version) == wanted


@pytest.mark.parametrize("version", REAL)
def test_all_are_as_in_cuda(tmp_path, version):
    include = next((folder for folder in REAL[version] if is_of(folder, version)), None)
    if include is None:
        pytest.skip(f"needs the headers of CUDA {version}: {', '.join(map(str, REAL[version]))}")
    found = structs(version)
    assert len(found) > 8 and len(found["cudaDeviceProp"]) > 80
    wanted = [f"offsetof({name}, {field})" for name, fields in found.items() for field in fields if name not in SHORTER]
    wanted += [f"sizeof({name})" for name in found if name not in SHORTER]
    wanted += [
        "sizeof(cudaLaunchAttribute)",
        "offsetof(cudaLaunchAttribute, val)",
        "sizeof(cudaLaunchConfig_t)",
        *constants(),
    ]
    (tmp_path / "ours").mkdir()
    (tmp_path / "real").mkdir()
    ours = numbers(toolkit_folder.HEADERS, tmp_path / "ours", wanted, version)
    assert ours == numbers(include, tmp_path / "real", wanted, version)


def is_of(include, version):
    header = include / "cuda_runtime_api.h"
    return header.exists() and f"#define CUDART_VERSION  {version}\n" in header.read_text()
