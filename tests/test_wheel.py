"""tests/test_wheel.py: the wheel, built as pip builds it, works where nothing of the checkout is in sight."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import torchthaw

ROOT = Path(__file__).resolve().parents[1]

USE = """
import ctypes, subprocess, sys
from pathlib import Path
import torchthaw
from torchthaw import config

assert Path(torchthaw.__file__).parent == Path("site/torchthaw").resolve() and config.checkout() is None
Path("halve.h").write_text("#include <my_lib.h>\\nint halve(const float *input, const int64_t *shape, float *output);\\n")
Path("halve.c").write_text('''
#include "halve.h"
int halve(const float *input, const int64_t *shape, float *output) {
    return my_lib_mul_constant_forward(input, shape, 1, 0.5, output);
}
''')
torchthaw.create_extension(
    "halving", headers="halve.h", sources=["halve.c"], include_dirs=[config.my_lib_includes()], libraries=["my_lib"],
    library_dirs=[config.libdir()], runtime_library_dirs=[str(config.libdir())], relative_to="build.py",
).build()
import halving
from _cffi_backend import FFI

ffi = FFI()
values = ffi.new("float[3]", [1, 2, 3])
assert halving.halve(values, (3,), values) == 1 and list(values) == [0.5, 1, 1.5]
assert "torch" not in sys.modules
printed = subprocess.run(
    [sys.executable, "-m", "torchthaw", "config", "--libmy-lib", "--my-lib-includes", "--cmakedir"],
    capture_output=True, text=True, check=True,
).stdout.split()
assert ctypes.CDLL(printed[0]).my_lib_abi_version() == 1
assert (Path(printed[1]) / "my_lib.h").is_file() and (Path(printed[2]) / "torchthawConfig.cmake").is_file()
import torch
output = torch.empty(4)
assert halving.halve(torch.ones(4), output.shape, output) == 1 and output.tolist() == [0.5] * 4
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel. CMake's build folder stays, in build/, so that only the first run compiles everything."""
    folder = tmp_path_factory.mktemp("wheel")
    result = subprocess.run(
        [
            sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--disable-pip-version-check",
            f"--config-settings=build-dir={ROOT / 'build' / 'wheel'}", "--wheel-dir", folder, ROOT,
        ],
        capture_output=True, text=True,
    )  # fmt: skip
    assert result.returncode == 0, result.stdout + result.stderr
    (path,) = folder.glob("*.whl")
    return path


def test_one_wheel_for_every_python(wheel):
    assert wheel.name.startswith(f"torchthaw-{torchthaw.__version__}-cp310-abi3-linux_")


def test_what_the_wheel_carries(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.split("/")[0] for name in names}
    assert tops == {"torchthaw", f"torchthaw-{torchthaw.__version__}.dist-info"}
    inside = {name.removeprefix("torchthaw/") for name in names}
    assert {
        "py.typed", "bridge/bridge.h", "bridge/_bridge.abi3.so", "lib/libmy_lib.so", "lib/libmy_lib.so.1",
        "include/my_lib.h", "include/torchthaw/TH/TH.h", "include/torchthaw/ATen/ATen.h", "share/cmake/torchthaw/torchthawConfig.cmake", "share/pkgconfig/my_lib.pc",
    } <= inside  # fmt: skip
    assert not [name for name in names if name.endswith((".cpp", "CMakeLists.txt")) or "my_lib.so.1." in name]


def test_it_works_away_from_the_checkout(wheel, tmp_path):
    zipfile.ZipFile(wheel).extractall(tmp_path / "site")
    result = subprocess.run(
        [sys.executable, "-c", USE], capture_output=True, text=True, cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path / "site"), "TORCHTHAW_CACHE": str(tmp_path / "cache")},
    )  # fmt: skip
    assert result.returncode == 0, result.stderr


def test_find_package_finds_it(wheel, tmp_path):
    zipfile.ZipFile(wheel).extractall(tmp_path / "site")
    (tmp_path / "CMakeLists.txt").write_text("""
cmake_minimum_required(VERSION 3.20)
project(user C)
find_package(torchthaw 1 REQUIRED)
add_executable(user user.c)
target_link_libraries(user PRIVATE torchthaw::my_lib)
""")
    (tmp_path / "user.c").write_text("#include <my_lib.h>\nint main(void) { return my_lib_abi_version() - 1; }\n")
    from torchthaw.build import toolchain

    cmake = toolchain.tool("cmake")
    folder = tmp_path / "site" / "torchthaw" / "share" / "cmake" / "torchthaw"
    generator = ["-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={toolchain.tool('ninja')}"]
    for command in (
        [cmake, "-S", tmp_path, "-B", tmp_path / "build", *generator, f"-Dtorchthaw_DIR={folder}"],
        [cmake, "--build", tmp_path / "build"], [tmp_path / "build" / "user"],
    ):  # fmt: skip
        result = subprocess.run(command, capture_output=True, text=True)
        assert result.returncode == 0, result.stdout + result.stderr
