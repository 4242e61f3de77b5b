"""tests/packaging/test_components.py: libmy_lib and libth, each built and installed alone, with any of CMake's generators."""

import shutil
import subprocess

import pytest
from test_install import BUILD, ROOT, needs, run, tool

# In the place of a compiler: an empty object, so that a build takes seconds and shows only what waits for what.
EMPTY_OBJECTS = """#!/bin/sh
case "$*" in */c_api/*.cpp) ;; *) exec "$@" ;; esac
while [ $# -gt 0 ]; do
    case $1 in -o) object=$2 ;; -MF) echo > "$2" ;; esac
    shift
done
exec cc -c -x c /dev/null -o "$object"
"""
TARGETS = {"my_lib": ["my_lib", "my_lib_static"], "th": ["th"]}
PROGRAMS = {"my_lib": "examples/c/lltm_step.c", "th": "tests/th/test_mlp.c"}


@pytest.mark.slow
@needs("make", "cc")
@pytest.mark.parametrize("component", TARGETS)
def test_makefiles_build_a_component_alone(tmp_path, component):
    launcher = tmp_path / "empty_objects"
    launcher.write_text(EMPTY_OBJECTS)
    launcher.chmod(0o755)
    run(
        tool("cmake"),
        "-S",
        ROOT,
        "-B",
        tmp_path / "build",
        "-G",
        "Unix Makefiles",
        "-DTORCHTHAW_CUDA=OFF",
        "-DBUILD_TESTING=OFF",
        *(f"-DCMAKE_{language}_COMPILER_LAUNCHER={launcher}" for language in ("C", "CXX")),
    )
    run(tool("cmake"), "--build", tmp_path / "build", "--parallel", "2", "--target", *TARGETS[component])
    run(tool("cmake"), "--install", tmp_path / "build", "--component", component, "--prefix", tmp_path / "prefix")
    made = {path.name for path in tmp_path.glob("prefix/lib*/**/lib*")}
    assert {name.partition(".")[0] for name in made} == {f"lib{component}"}
    assert ("libmy_lib.a" in made) == (component == "my_lib")


@pytest.mark.slow
@needs("cc")
@pytest.mark.parametrize("component", TARGETS)
def test_a_component_is_found_without_the_others(tmp_path, component):
    prefix = tmp_path / "prefix"
    run(tool("cmake"), "--install", BUILD, "--component", component, "--prefix", prefix)
    for wanted in TARGETS:
        folder = tmp_path / wanted
        folder.mkdir()
        (folder / "CMakeLists.txt").write_text(f"""
cmake_minimum_required(VERSION 3.20)
project(program LANGUAGES C)
find_package(torchthaw 1 REQUIRED COMPONENTS {wanted})
add_executable(program {ROOT / PROGRAMS[wanted]})
target_link_libraries(program PRIVATE torchthaw::{wanted} m)
""")
        configure = [tool("cmake"), "-S", folder, "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={prefix}"]
        if wanted == component:
            run(*configure)
            run(tool("cmake"), "--build", folder / "build")
            assert subprocess.run([folder / "build" / "program"]).returncode in (0, 77)  # 77: no LAPACK library
        else:
            done = subprocess.run(configure, capture_output=True, text=True)
            assert done.returncode and f"{wanted} is not installed in" in done.stderr, done.stderr


@pytest.mark.parametrize("installed, wanted, missing", [
    (["thc"], "COMPONENTS thc", "thc needs th, which is not installed in {0}: install the component th too"),
    (["thc"], "", "thc needs th, which is not installed in {0}: install the component th too"),
    (["my_lib_cuda", "th"], "COMPONENTS my_lib_cuda", "my_lib_cuda needs my_lib, which is not installed in {0}"),
    (["my_lib", "thc"], "COMPONENTS my_lib", ""),
    (["th", "thc"], "COMPONENTS thc", ""),
    (["th", "thc"], "", ""),
])  # fmt: skip
def test_a_component_that_needs_another(tmp_path, installed, wanted, missing):
    """Those of GPUs link those of CPUs."""
    package, folder = tmp_path / "package", tmp_path / "program"
    package.mkdir()
    folder.mkdir()
    shutil.copy(ROOT / "cmake" / "torchthawConfig.cmake", package)
    for name in installed:
        (package / f"{name}-targets.cmake").write_text(f"add_library(torchthaw::{name} INTERFACE IMPORTED)\n")
    (folder / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.20)\nproject(program LANGUAGES NONE)\n"
        f"find_package(torchthaw REQUIRED {wanted})\n"
    )
    command = [tool("cmake"), "-S", folder, "-B", folder / "build", f"-Dtorchthaw_DIR={package}"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert bool(done.returncode) == bool(missing)
    assert missing.format(package) in " ".join(done.stderr.split())
