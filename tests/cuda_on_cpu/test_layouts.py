"""tests/cuda_on_cpu/test_layouts.py: the structs and constants of driver_types.h are laid out as CUDA 13's are.

A PyTorch built for CUDA fills in and reads such structs, and code that our nvcc compiled gets them from it.
"""

import re
import subprocess
from pathlib import Path

import pytest

from torchthaw.base import toolchain
from torchthaw.cuda_on_cpu import toolkit_folder

HEADER = toolkit_folder.HEADERS / "driver_types.h"
REAL = [Path(folder) / "include" for folder in ("/usr/local/cuda-13.0", "/usr/local/cuda")]
# Fields that CUDA 13 has no more; they lie where it has reserved space.
OLD = {"clockRate", "memoryClockRate", "computeMode", "deviceOverlap", "kernelExecTimeoutEnabled"}
# Structs whose end in CUDA is longer than what is declared here, or which are declared here for their name alone.
SHORTER = {"cudaResourceViewDesc", "cudaTextureDesc", "cudaResourceDesc"}
# Of CUDA 13.0, for machines that have no toolkit.
SIZES = {"cudaDeviceProp": 1008, "cudaPointerAttributes": 88, "cudaFuncAttributes": 144, "cudaLaunchAttribute": 72}
PLACES = {"major": 360, "multiProcessorCount": 384, "warpSize": 308, "sharedMemPerBlockOptin": 672}


def without_comments(text):
    return re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)


def structs():
    """{name: [field]} of the header's structs that have no struct inside."""
    found = {}
    for name, body in re.findall(r"^struct (\w+) \{([^{}]*)\};", without_comments(HEADER.read_text()), re.MULTILINE):
        fields = re.findall(r"[*\s,](\w+)(?:\[\d+\])*(?=[;,])", body)
        found[name] = [field for field in fields if field not in (*OLD, "reserved")]
    return found


def constants():
    text = without_comments(HEADER.read_text())
    return [
        name
        for body in re.findall(r"^enum \w+ \{([^{}]*)\};", text, re.MULTILINE)
        for name in re.findall(r"\b(cuda\w+) =", body)
    ]


def numbers(include, folder, wanted):
    """{expression: value} of C++ expressions, as the headers of a folder give them."""
    lines = "".join(f'std::printf("%s=%lld\\n", "{each}", (long long)({each}));\n' for each in wanted)
    source = folder / "numbers.cpp"
    source.write_text(
        f"#include <cstddef>\n#include <cstdio>\n#include <cuda_runtime_api.h>\nint main() {{\n{lines}}}\n"
    )
    program = folder / "numbers"
    made = subprocess.run(
        [*toolchain.cxx_compiler(), "-w", "-I", include, "-o", program, source], capture_output=True, text=True
    )
    assert made.returncode == 0, made.stderr
    output = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    return {name: int(value) for name, value in (line.rsplit("=", 1) for line in output.splitlines())}


def test_recorded_sizes_and_places(tmp_path):
    sizes = {f"sizeof({name})": size for name, size in SIZES.items()}
    places = {f"offsetof(cudaDeviceProp, {name})": place for name, place in PLACES.items()}
    assert numbers(toolkit_folder.HEADERS, tmp_path, [*sizes, *places]) == sizes | places


def test_all_are_as_in_cuda_13(tmp_path):
    include = next((folder for folder in REAL if is_cuda_13(folder)), None)
    if include is None:
        pytest.skip("needs the headers of CUDA 13.0 in /usr/local")
    found = structs()
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
    ours = numbers(toolkit_folder.HEADERS, tmp_path / "ours", wanted)
    real = numbers(include, tmp_path / "real", wanted)
    assert ours == real


def is_cuda_13(include):
    header = include / "cuda_runtime_api.h"
    return header.exists() and "#define CUDART_VERSION  13000" in header.read_text()
