"""benchmarks/peers/loops/: a C loop over three tensors, bound in the ways of today."""

import importlib.util
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Callable, NamedTuple

from .. import calls
from ..extension import load_from

HERE = Path(__file__).resolve().parent


class Binding(NamedTuple):
    """One way. build(folder) compiles in ``folder`` and returns the library; load(library) returns
    ``add_loop(a, b, output)``, with the count behind these where C takes one. package: what it needs beside PyTorch."""

    build: Callable
    load: Callable
    package: str = ""


def module(name):
    """load for a library that is a module of Python."""

    def load(library):
        specification = importlib.util.spec_from_file_location(name, library)
        found = importlib.util.module_from_spec(specification)
        specification.loader.exec_module(found)
        return found.add_loop

    return load


def build_torchthaw(folder):
    import torchthaw

    (folder / "add_loop.h").write_text(f"#include <stdint.h>\n\n{calls.HEADER}\n")
    (folder / "add_loop.c").write_text(calls.SOURCE)
    torchthaw.create_extension(
        "loop_torchthaw", headers=["add_loop.h"], sources=["add_loop.c"], relative_to=folder / "add_loop.h"
    ).build()
    return next(folder.glob("loop_torchthaw/*.so"))


def load_torchthaw(library):
    sys.path.insert(0, str(library.parents[1]))
    return importlib.import_module("loop_torchthaw").add_loop


def build_pybind11(folder):
    load_from(HERE / "pybind11.cpp", "loop_pybind11", folder)
    return folder / "loop_pybind11.so"


def build_pybind11_numpy(folder):
    """With the pybind11 that PyTorch brings, as pybind11's documentation says for a build by hand."""
    import torch

    library = folder / f"loop_pybind11_numpy{sysconfig.get_config_var('EXT_SUFFIX')}"
    include = Path(torch.__file__).parent / "include"
    subprocess.run(
        ["c++", "-std=c++17", "-O3", "-fPIC", "-shared", "-fvisibility=hidden", f"-I{sysconfig.get_path('include')}",
         f"-I{include}", HERE / "pybind11_numpy.cpp", "-o", library],
        check=True,
    )  # fmt: skip
    return library


def build_nanobind(folder):
    """What its documentation says for a build without CMake, with the flags of its CMake functions."""
    import nanobind

    library = folder / f"loop_nanobind{sysconfig.get_config_var('EXT_SUFFIX')}"
    home = Path(nanobind.include_dir()).parent
    subprocess.run(
        ["c++", "-std=c++17", "-O3", "-fPIC", "-shared", "-fvisibility=hidden", "-fno-strict-aliasing", "-DNDEBUG",
         f"-I{sysconfig.get_path('include')}", f"-I{home / 'include'}", f"-I{home / 'ext/robin_map/include'}",
         home / "src" / "nb_combined.cpp", HERE / "nanobind.cpp", "-o", library],
        check=True,
    )  # fmt: skip
    return library


def build_stable_abi(folder):
    load_from(HERE / "stable_abi.cpp", "loop_stable_abi", folder, is_python_module=False)
    return folder / "loop_stable_abi.so"


def load_stable_abi(library):
    import torch

    torch.ops.load_library(str(library))
    return torch.ops.benchmarks_loop.add_loop.default


def build_tvm_ffi(folder):
    from tvm_ffi import cpp

    source = (HERE / "tvm_ffi.cpp").read_text()
    return Path(cpp.build_inline("loop_tvm_ffi", cpp_sources=source, functions="add_loop", build_directory=str(folder)))


def load_tvm_ffi(library):
    import tvm_ffi

    return tvm_ffi.load_module(str(library)).add_loop


BINDINGS = {
    "torchthaw": Binding(build_torchthaw, load_torchthaw),
    "pybind11": Binding(build_pybind11, module("loop_pybind11")),
    "nanobind": Binding(build_nanobind, module("loop_nanobind"), "nanobind"),
    "stable ABI": Binding(build_stable_abi, load_stable_abi),
    "tvm-ffi": Binding(build_tvm_ffi, load_tvm_ffi, "tvm_ffi"),
}

# Those for NumPy's arrays alone; torchthaw's and nanobind's take them as well.
OF_NUMPY = {"pybind11, NumPy": Binding(build_pybind11_numpy, module("loop_pybind11_numpy"))}
ALL = {**BINDINGS, **OF_NUMPY}


def installed(name):
    """Whether this environment has what that way needs."""
    package = ALL[name].package
    return not package or importlib.util.find_spec(package) is not None


def load(name):
    """Its ``add_loop``, built in build/benchmarks/ unless the library there is newer than its source."""
    folder = calls.BUILD / "loops" / name.replace(", ", "_").replace(" ", "_")
    folder.mkdir(parents=True, exist_ok=True)
    found, sources = sorted(folder.rglob("*.so")), [*HERE.glob("*.cpp"), Path(__file__)]
    if not found or found[0].stat().st_mtime < max(path.stat().st_mtime for path in sources):
        shutil.rmtree(folder)
        folder.mkdir()
        found = [ALL[name].build(folder)]
    return ALL[name].load(found[0])
