"""tests/cuda/host/test_cuda_build.py: finding CUDA, choosing what to build for, and create_extension with .cu
sources."""

import os
import shutil
import subprocess
import sys

import pytest

import torchthaw
from support import ROOT, SRC
from support.cuda_toolkit import ARCHITECTURES, toolkit_or_skip
from support.messages import names
from torchthaw.base import toolchain
from torchthaw.extension import BuildError, cuda, ninja

toolkit = toolkit_or_skip()
BUILT = ["75", "80", "86", "90", "120"]


@pytest.fixture(autouse=True)
def one_architecture(monkeypatch, tmp_path):
    monkeypatch.setenv("TORCHTHAW_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("TORCH_CUDA_ARCH_LIST", ARCHITECTURES)
    monkeypatch.delenv("CUDA_HOME", raising=False)
    monkeypatch.delenv("CUDA_PATH", raising=False)


# Finding the toolkit


@pytest.mark.slow
def test_cmake_compiles_for_the_gpus_that_the_environment_names(tmp_path):
    (tmp_path / "CMakeLists.txt").write_text(f"""cmake_minimum_required(VERSION 3.24)
project(chosen LANGUAGES NONE)
set(TORCHTHAW_CUDA ON)
include("{ROOT / "cmake" / "cuda.cmake"}")
message("for ${{CMAKE_CUDA_ARCHITECTURES}}")
""")
    environment = {**os.environ, "CUDAARCHS": "86;90", "CUDACXX": str(toolkit.nvcc)}
    configured = subprocess.run([toolchain.tool("cmake"), "-S", tmp_path, "-B", tmp_path / "build"],
                                env=environment, capture_output=True, text=True, check=True)  # fmt: skip
    assert "for 86;90\n" in configured.stderr


def test_root_is_that_of_the_nvcc_behind_a_wrapper(monkeypatch, tmp_path):
    wrapper = tmp_path / "bin" / "nvcc"
    wrapper.parent.mkdir()
    wrapper.write_text(f'#!/bin/sh\nexec {toolkit.nvcc} "$@"\n')
    wrapper.chmod(0o755)
    monkeypatch.setenv("PATH", str(wrapper.parent), prepend=os.pathsep)
    found = cuda.toolkit()
    assert found == cuda.Toolkit(wrapper, toolkit.root)
    assert (found.include / "cuda_runtime.h").exists()
    assert [(folder / "libcudart_static.a").exists() for folder in found.library_dirs] == [True]


@pytest.mark.parametrize("variable", ["CUDA_HOME", "CUDA_PATH"])
def test_environment_names_the_toolkit(monkeypatch, variable, tmp_path):
    monkeypatch.setenv(variable, str(toolkit.root))
    assert cuda.toolkit() == cuda.Toolkit(toolkit.root / "bin" / "nvcc", toolkit.root)
    monkeypatch.setenv(variable, str(tmp_path))
    with pytest.raises(FileNotFoundError, match=names(variable, "CUDA", "toolkit", f"'{tmp_path}'")):
        cuda.toolkit()


@pytest.mark.parametrize("layout", ["cu13", "cuda_nvcc"])
def test_toolkit_in_the_nvidia_packages(monkeypatch, tmp_path, layout):
    nvcc = tmp_path / "nvidia" / layout / "bin" / "nvcc"
    nvcc.parent.mkdir(parents=True)
    nvcc.write_text("#!/bin/sh\n")
    nvcc.chmod(0o755)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert cuda.toolkit() == cuda.Toolkit(nvcc, nvcc.parents[1])


def test_lib_where_there_is_no_lib64(tmp_path):
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "libcudart_static.a").touch()
    assert cuda.Toolkit(tmp_path / "bin" / "nvcc", tmp_path).library_dirs == [tmp_path / "lib"]


def test_own_launcher_is_not_the_toolkit(monkeypatch, tmp_path):
    launcher = tmp_path / "bin" / "nvcc"
    launcher.parent.mkdir()
    launcher.write_text("#!/bin/sh\nexit 1\n")
    launcher.chmod(0o755)
    (tmp_path / "bin" / cuda.BEHIND).symlink_to(toolkit.nvcc)
    monkeypatch.setenv("CUDA_HOME", str(tmp_path))
    assert cuda.toolkit() == toolkit
    monkeypatch.delenv("CUDA_HOME")
    monkeypatch.setenv("PATH", str(launcher.parent), prepend=os.pathsep)
    assert cuda.toolkit() == toolkit


# What to build for


@pytest.mark.parametrize("cards, expected", [
    ([], ["75", "75+PTX"]),
    (["80"], ["80", "80+PTX"]),
    (["75", "90"], ["75", "90", "90+PTX"]),
    (["130"], ["120+PTX"]),
    (["80", "130"], ["80", "120+PTX"]),
    (["52"], ["75", "75+PTX"]),
], ids=str)  # fmt: skip
def test_architectures_for_cards(cards, expected):
    assert cuda.for_cards(cards, BUILT) == expected


@pytest.mark.parametrize("given, expected", [
    ("7.5", ["75"]), ("8.0;9.0+PTX", ["80", "90", "90+PTX"]), ("8.0 9.0a", ["80", "90a"]), ("Hopper", ["90", "90+PTX"]),
    ("12.0,8.6", ["120", "86"]),
])  # fmt: skip
def test_architecture_list(monkeypatch, given, expected):
    monkeypatch.setenv("TORCH_CUDA_ARCH_LIST", given)
    assert cuda.architectures(toolkit) == expected


@pytest.mark.parametrize("given", ["5.2", "7.5;Kepler", "sm_75"])
def test_architecture_that_is_not_built_is_an_error(monkeypatch, given):
    monkeypatch.setenv("TORCH_CUDA_ARCH_LIST", given)
    with pytest.raises(ValueError, match=f"^TORCH_CUDA_ARCH_LIST: .*got '{given.rpartition(';')[2]}'"):
        cuda.architectures(toolkit)


# Building


@pytest.fixture
def project(tmp_path):
    """fill.h, fill.c and fill.cu, whose objects have one name; launch() is of the latter."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "fill.h").write_text("int launch(void *values, int n);\nint twice(int value);\n")
    (folder / "fill.c").write_text('#include "fill.h"\nint twice(int value) { return 2 * value; }\n')
    (folder / "fill.cu").write_text("""
#include "scale.cuh"
__global__ void fill(float *values, int n) { if (threadIdx.x < n) values[threadIdx.x] = scale(1); }
extern "C" int launch(void *values, int n) { fill<<<1, 32>>>((float *)values, n); return cudaGetLastError(); }
""")
    (folder / "scale.cuh").write_text("static __device__ float scale(float x) { return 2 * x; }\n")
    return folder


def extension(folder, sources, **options):
    return torchthaw.create_extension("_ext.fill", "fill.h", sources, folder / "build.py", **options)


def in_child(folder, source):
    result = subprocess.run(
        [sys.executable, "-c", source], cwd=folder, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(SRC)},
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


def needed(path):
    return subprocess.run(["readelf", "-d", path], capture_output=True, text=True).stdout


@pytest.mark.slow
def test_c_beside_cu(project):
    made = extension(project, ["fill.c", "fill.cu"])
    made.build()
    assert cuda.embedded(made.target) == ["75", "75+PTX"]
    assert "cudart" not in needed(made.target), "the runtime is inside: it loads where no CUDA is"
    assert in_child(project, "from _ext import fill; print(fill.twice(21))") == "42"


@pytest.mark.slow
def test_library_of_the_driver_is_the_toolkits_stub(project, monkeypatch, tmp_path):
    stubs = tmp_path / "lib64" / "stubs"
    stubs.mkdir(parents=True)
    (tmp_path / "stub.c").write_text("int cuInit(unsigned flags) { return (int)flags; }\n")
    stub = ["gcc", "-shared", "-fPIC", tmp_path / "stub.c", "-Wl,-soname,libcuda.so.1", "-o", stubs / "libcuda.so"]
    subprocess.run(stub, check=True)
    assert cuda.Toolkit(toolkit.nvcc, tmp_path).stub_dirs == [stubs]
    monkeypatch.setattr(cuda.Toolkit, "stub_dirs", [stubs])
    (project / "fill.c").write_text("int cuInit(unsigned);\nint twice(int value) { return 2 * value + cuInit(0); }\n")
    made = extension(project, ["fill.c", "fill.cu"], libraries=["cuda"])
    made.build()
    assert "[libcuda.so.1]" in needed(made.target) and str(stubs) not in needed(made.target)


@pytest.mark.slow
def test_no_card_is_an_error_code_of_the_first_call(project):
    if cuda.visible(toolkit):
        pytest.skip("this machine has a card")
    extension(project, ["fill.c", "fill.cu"]).build()
    no_device_or_no_driver = ("100", "35")
    assert in_child(project, "from _ext import fill; print(fill.launch(None, 0))") in no_device_or_no_driver


@pytest.mark.slow
def test_changes_of_what_a_cu_file_includes_are_seen(project):
    made = extension(project, ["fill.c", "fill.cu"])
    made.build()
    before = made.target.stat().st_mtime_ns
    made.build()
    assert made.target.stat().st_mtime_ns == before
    (project / "scale.cuh").write_text("#error changed\n")
    with pytest.raises(BuildError):
        made.build()
    assert made.target.stat().st_mtime_ns == before


@pytest.mark.slow
def test_architectures_are_part_of_what_was_built(project, monkeypatch):
    made = extension(project, ["fill.c", "fill.cu"])
    made.build()
    monkeypatch.setenv("TORCH_CUDA_ARCH_LIST", "8.0")
    made.build()
    assert cuda.embedded(made.target) == ["80"]


@pytest.mark.slow
def test_flags_by_compiler(project):
    (project / "fill.c").write_text('#include "fill.h"\nint twice(int value) { return FROM_C * value; }\n')
    (project / "scale.cuh").write_text("static __device__ float scale(float x) { return FROM_CUDA * x; }\n")
    args = {"cxx": ["-DFROM_C=3"], "nvcc": ["-DFROM_CUDA=2", "-lineinfo"]}
    extension(project, ["fill.c", "fill.cu"], extra_compile_args=args).build()
    assert in_child(project, "from _ext import fill; print(fill.twice(2))") == "6"


def test_without_a_toolkit_the_build_says_what_is_missing(project, monkeypatch):
    monkeypatch.setenv("CUDA_HOME", "/without/nvcc")
    made = extension(project, ["fill.c", "fill.cu"])
    with pytest.raises(FileNotFoundError, match=names("CUDA_HOME", "CUDA", "toolkit", "'/without/nvcc'")):
        made.build()


# Relocatable device code: a symbol of one file used in another.


@pytest.fixture
def relocatable(project):
    (project / "scale.cuh").write_text("extern __device__ float scale(float x);\n")
    (project / "scale.cu").write_text("__device__ float scale(float x) { return 2 * x; }\n")
    return project


@pytest.mark.slow
@pytest.mark.parametrize("flags, dlink", [(["-rdc=true"], True), (["-dc"], False), (["-rdc=true"], False)], ids=str)
def test_two_files_share_a_device_symbol(relocatable, flags, dlink):
    sources = ["fill.c", "fill.cu", "scale.cu"]
    made = extension(relocatable, sources, extra_compile_args={"nvcc": flags}, dlink=dlink)
    made.build()
    assert in_child(relocatable, "from _ext import fill; print(fill.twice(21))") == "42"


@pytest.mark.slow
def test_without_relocatable_code_the_shared_symbol_is_an_error(relocatable):
    with pytest.raises(BuildError, match="(?s)FAILED.*scale"):
        extension(relocatable, ["fill.c", "fill.cu", "scale.cu"]).build()


@pytest.mark.slow
def test_library_of_relocatable_code(relocatable):
    build = cuda.Build(["-dc"])
    subprocess.run([*build.compile, "-c", "scale.cu", "-o", "scale.o"], cwd=relocatable, check=True)
    subprocess.run(["ar", "rcs", "libscale.a", "scale.o"], cwd=relocatable, check=True)
    args = {"nvcc": ["-rdc=true"]}
    made = extension(
        relocatable, ["fill.c", "fill.cu"], extra_compile_args=args, dlink_libraries=["scale"], library_dirs=["."]
    )
    made.build()
    assert in_child(relocatable, "from _ext import fill; print(fill.twice(21))") == "42"


@pytest.mark.slow
def test_link_time_optimisation_is_asked_for_in_both_steps(relocatable):
    build = cuda.Build(["-dlto"])
    assert "-gencode=arch=compute_75,code=lto_75" in build.compile and "-dlto" not in build.compile
    assert "-dlto" in build.device_link and "-gencode=arch=compute_75,code=sm_75" in build.device_link
    subprocess.run([*build.compile, "-c", "fill.cu", "-o", "fill.o"], cwd=relocatable, check=True)
    if not list(toolkit.root.glob("nvvm/lib*/libnvvm.so*")):
        pytest.skip("this toolkit has no libnvvm, which its device linker needs for -dlto")
    extension(relocatable, ["fill.c", "fill.cu", "scale.cu"], extra_compile_args={"nvcc": ["-dlto"]}).build()


# Objects


def test_sources_of_an_object(tmp_path):
    for name in ("a.cu", "b_kernel.cu", "c.c"):
        (tmp_path / name).touch()
    found = {name: cuda.source_of(tmp_path / name) for name in ("a.cu.o", "a.cuo", "a.o", "b.cu.o", "c.o", "a.so")}
    assert {name: path and path.name for name, path in found.items()} == {
        "a.cu.o": "a.cu", "a.cuo": "a.cu", "a.o": "a.cu", "b.cu.o": "b_kernel.cu", "c.o": None, "a.so": None,
    }  # fmt: skip


@pytest.mark.parametrize("embedded, wanted, expected", [
    (["75"], ["75", "75+PTX"], True), (["52"], ["75", "75+PTX"], False), (["52+PTX"], ["75"], True),
    (["90+PTX"], ["75"], False), (["90"], ["90a"], True), (["80"], ["86"], False),
], ids=str)  # fmt: skip
def test_what_runs_where(embedded, wanted, expected):
    assert cuda.serves_any(embedded, wanted) is expected


def test_embedded_of_a_file_without_cuda():
    assert cuda.embedded(shutil.which("sh")) == []


def test_cu_without_cuda_is_no_source():
    with pytest.raises(ValueError, match="^sources: expected C or C[+][+] files"):
        ninja.shared_object("x.so", {"x.cu": []}, [], [])
