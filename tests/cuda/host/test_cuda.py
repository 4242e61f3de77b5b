"""tests/cuda/host/test_cuda.py: the CUDA operators without a GPU: devices and streams from Python, and how they
load."""

import os
import re
import subprocess
import sys

import pytest

from support import ROOT, TESTS, thc_probe
from support.messages import names

BUILD = ROOT / "build"
LIBRARY = BUILD / "lib" / "libmy_lib_cuda.so"
HEADER = ROOT / "c_api/include/my_lib_cuda.h"

needs_library = pytest.mark.skipif(not LIBRARY.exists(), reason="no nvcc was found when build/ was made")


def run(*command, **environment):
    done = subprocess.run(
        [str(part) for part in command],
        cwd=ROOT,
        env={**os.environ, **environment},
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    return done.returncode, done.stdout


@pytest.mark.slow
def test_devices_and_streams_from_python():
    """What needs more than the one device of CUDA on the CPU, whose tests are in tests/cuda_on_cpu."""
    words = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "support.cuda_recorder.pretended"]
    environment = {**thc_probe.environment(), "LD_LIBRARY_PATH": str(BUILD / "lib" / "cuda_on_cpu")}
    code, out = run(
        sys.executable, *words, TESTS / "cuda" / "host" / "pretended" / "test_pretended_devices.py", **environment
    )
    assert code == 0, out
    assert re.search(r"\d+ passed", out)


@needs_library
def test_without_a_gpu_the_reason_is_clear():
    script = "from _ext import my_lib_cuda as m; m.my_lib_cuda_prepare(0)"
    code, out = run(sys.executable, "-c", script, CUDA_VISIBLE_DEVICES="")
    assert code == 1
    assert re.search(names("RuntimeError", "CUDA", "NVIDIA", "GPU", "driver"), out)


@pytest.mark.slow
@needs_library
def test_a_cpu_tensor_is_refused():
    call = "m.my_lib_cube_forward_cuda(a, (2,), 1, a, None)"
    script = f"import torch; from _ext import my_lib_cuda as m; a = torch.ones(2); {call}"
    code, out = run(sys.executable, "-c", script)
    assert code == 1
    assert re.search(names("TypeError", "input", "contiguous", "float32", "CUDA", "tensor", "cpu"), out)


@pytest.mark.slow
@needs_library
def test_sizes_stay_on_the_cpu():
    """A tensor of sizes is read on the CPU, and None for an array is refused by the shape that they say."""
    call = "m.my_lib_cube_forward_cuda(None, torch.tensor([2]), 1, None, None)"
    code, out = run(sys.executable, "-c", f"import torch; from _ext import my_lib_cuda as m; {call}")
    assert code == 1
    assert re.search(names("TypeError", "input", "(2,)", "None"), out)


def declared(path):
    text = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S)
    text = re.sub(r"\s*\bTHAW_\w+(\((?:[^()]|\([^()]*\))*\))?", "", text)  # annotations
    return {
        name: (result, re.sub(r"\s+", " ", parameters).strip())
        for result, name, parameters in re.findall(r"MY_LIB_API\s+(.*?)(\w+)\(([^)]*)\);", text, re.S)
    }


def test_every_operator_of_my_lib_has_its_twin():
    about_the_library = re.compile(r"my_lib_(abi_version|version|build_info|last_error|set_last|error_|.*_threads)")
    only_on_the_cpu = re.compile(r".*_b?f16$")
    host = {
        name: declaration
        for name, declaration in declared(HEADER.with_name("my_lib.h")).items()
        if not about_the_library.match(name) and not only_on_the_cpu.match(name)
    }
    cuda = declared(HEADER)
    expected = {
        name + "_cuda": (result, parameters if "workspace_size" in name else parameters + ", void *stream")
        for name, (result, parameters) in host.items()
    }
    expected |= {"my_lib_cuda_prepare": ("int ", "int device"), "my_lib_cuda_allow_tf32": ("int ", "int allow")}
    assert cuda == expected


@needs_library
def test_the_library_exports_its_header_and_needs_nothing_of_nvidia():
    code, out = run("nm", "-D", "--defined-only", LIBRARY)
    symbols = {line.split()[2].partition("@")[0] for line in out.splitlines()}
    assert {name for name in symbols if name != "MY_LIB_1"} == set(declared(HEADER))
    code, out = run("readelf", "-d", LIBRARY)
    needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", out))
    assert needed <= {
        "libmy_lib.so.1",
        "libstdc++.so.6",
        "libgcc_s.so.1",
        "libm.so.6",
        "libc.so.6",
        "ld-linux-x86-64.so.2",
        "ld-linux-aarch64.so.1",
    }
