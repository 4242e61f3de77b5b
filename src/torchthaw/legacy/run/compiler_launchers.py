"""torchthaw/legacy/run/compiler_launchers.py: programs that stand before nvcc, and before the C++ compiler of CMake, under run."""

import os
import re
import shutil
import sys
from pathlib import Path

from ...base import cache, config, isolated, reading
from ...extension import cuda, nvidia_packages
from . import cmake, pretend_cuda

# What says where the toolkit is. Build scripts take the first two for the wish to build for GPUs.
HOMES = ("CUDA_HOME", "CUDA_PATH")
# Variables of CMake: FindCUDA reads the first two, FindCUDAToolkit the third, enable_language(CUDA) the last.
OF_CMAKE = {"CUDA_NVCC_EXECUTABLE": "bin/nvcc", "CUDA_BIN_PATH": "bin", "CUDAToolkit_ROOT": "", "CUDACXX": "bin/nvcc"}
# What CMake's modules find by themselves: only the language CUDA needs an nvcc on PATH.
USUAL = Path("/usr/local/cuda")
FOUND_BY_CMAKE = ("CUDA_NVCC_EXECUTABLE", "CUDA_BIN_PATH", "CUDAToolkit_ROOT")

# In a shell script: a call of nvcc, and what asks whether there is one. A script that asks has another way to build.
CALL = re.compile(
    r"^(?:[^#\n]*?(?:&&|;|\b(?:then|do|else)\b))?[ \t]*(?:\w{1,60}=\S{0,500}[ \t]+)*nvcc[ \t]+(?![|&;])"
    r"|^[ \t]*(?:export[ \t]+)?NVCC=\S{0,500}\bnvcc\b", re.MULTILINE,
)  # fmt: skip
PROBE = re.compile(
    r"\b(?:command[ \t]+-[vV]|which|type|hash|whereis)\b[^\n|;&]{0,200}\bnvcc\b|\bnvcc[ \t]+(?:--version|-V)\b"
    r"|\b(?:if|elif|while)\b[ \t!]+nvcc\b|\bnvcc\b[^\n#]{0,2000}\|\|"
)
SHELL = re.compile(r"#![^\n]*\b(?:ba|da)?sh\b")
OF_FFI = re.compile(r"\btorch\.utils(?:\.|[ \t]+import[ \t(]+)ffi\b")
MOST = 1 << 16  # bytes of a script that are looked at


def put_in_place(words=()):
    """Gives CMake a C++ launcher, and child processes this nvcc where the build would find one, or needs one.

    What builds without `run` must build to the same thing. So a build that looks for nvcc, and finds none without
    `run`, finds none here, unless CUDA code is asked for. words: the script and its arguments.
    """
    made = cache.layout("cxx", {"bin/cxx": isolated.launcher("legacy.cpp.cxx")}, {})
    os.environ.setdefault("CMAKE_CXX_COMPILER_LAUNCHER", os.fspath(made / "bin" / "cxx"))
    try:
        toolkit = cuda.toolkit()
    except FileNotFoundError:
        return
    given = [variable for variable in HOMES if os.environ.get(variable)]
    is_asked = wanted(toolkit, given)
    on_path = is_asked or shutil.which("nvcc") is not None or needs_nvcc(words)
    is_found = on_path or given or toolkit.root == Path(os.path.realpath(USUAL))
    if not is_found:
        return
    other = cuda.other_toolkit(toolkit)
    if other:
        print(f"torchthaw: {other}", file=sys.stderr, flush=True)
    made = home(toolkit)
    if on_path:
        os.environ["PATH"] = os.pathsep.join([os.fspath(made / "bin"), os.environ.get("PATH", os.defpath)])
    for variable, place in OF_CMAKE.items():
        if on_path or variable in FOUND_BY_CMAKE:
            os.environ.setdefault(variable, os.fspath(made / place))
    cmake.point_at_cuda(toolkit)
    for variable in given or (HOMES if is_asked else ()):
        os.environ[variable] = os.fspath(made)


def wanted(toolkit, given=()):
    """Whether build scripts are to build for GPUs: TORCHTHAW_BUILD_CUDA, or there is a card and a PyTorch for it.

    given: the variables of HOMES that are set, which ask for it as well. TORCHTHAW_BUILD_CUDA=0 says no to all of them.
    """
    if os.environ.get("TORCHTHAW_BUILD_CUDA") == "0" and not config.cuda_is_cpu():
        return False
    return pretend_cuda.wanted() or bool(given or cuda.visible(toolkit) and nvidia_packages.cuda_of_pytorch())


def needs_nvcc(words):
    """Whether the script among these words builds nothing without nvcc on PATH, or nothing without `run`.

    The first is a shell script that calls nvcc and does not ask whether there is one; the second names OF_FFI.
    """
    script = next((word for word in words if os.path.isfile(word)), None)
    try:
        text = reading.first_bytes(script, MOST).decode(errors="replace") if script else ""
    except reading.Unreadable:
        return False
    is_shell = script is not None and (script.endswith((".sh", ".bash")) or bool(SHELL.match(text)))
    return bool(CALL.search(text)) and not PROBE.search(text) if is_shell else bool(OF_FFI.search(text))


def home(toolkit):
    """A folder as the toolkit's own, with this nvcc in its ``bin``."""
    links = {path.name: path for path in _entries(toolkit.root)}
    links.update({f"bin/{path.name}": path for path in _entries(toolkit.root / "bin") if path.name != "nvcc"})
    links.update({f"bin/{cuda.BEHIND}": toolkit.nvcc, "include": toolkit.include})
    libraries = [*toolkit.library_dirs, toolkit.root / "lib64", toolkit.root / "lib"]
    links["lib64"] = next((folder for folder in libraries if folder.is_dir()), toolkit.root / "lib64")
    return cache.layout("nvcc", {"bin/nvcc": isolated.launcher("legacy.cpp.nvcc")}, links)


def _entries(folder):
    return [path for path in Path(folder).iterdir() if path.name != "bin"] if folder.is_dir() else []
