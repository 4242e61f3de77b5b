# tests/packaging/test_static.py: libmy_lib.a in programs that load libraries and in programs that cannot.
import os
import subprocess

import pytest
from test_install import BUILD, library, needs, prototypes, run, tool

# A linear forward that OpenMP shares among threads, in a program that may have parallel regions of its own.
PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
#include <my_lib.h>

enum { N = 256 };
static float input[N * N], weight[N * N], output[N * N];

int main(void) {
    size_t size = my_lib_linear_forward_workspace_size(N, N, N);
    void *workspace = malloc(size);
    int members = 0;
#pragma omp parallel reduction(+ : members)
    members = 1;
    for (int i = 0; i < N * N; ++i) {
        input[i] = (float)(i / N % 7);
        weight[i] = (float)(i / N % 5);
    }
    if (!my_lib_linear_forward(input, weight, NULL, N, N, N, output, workspace, size)) return 1;
    for (int i = 0; i < N * N; ++i)
        if (output[i] != (float)(N * (i / N % 7) * (i % N % 5))) return 2;
    printf("%s threads=%d members=%d", my_lib_build_info(), my_lib_get_num_threads(), members);
    return 0;
}
"""
# Three threads, unless the library finds no OpenMP runtime.
LINKED = {
    "dynamic": ([], "openmp=libgomp.so.1 threads=3 members=1"),
    "dynamic, OpenMP": (["-fopenmp"], "openmp=process threads=3 members=3"),
    "dynamic, static OpenMP": (["-fopenmp", "-Wl,-Bstatic", "-lgomp", "-Wl,-Bdynamic"],
                               "openmp=process threads=3 members=3"),
    "static": (["-static"], "openmp=none threads=1 members=1"),
    "static, OpenMP": (["-static", "-fopenmp"], "openmp=process threads=3 members=3"),
    "static-pie": (["-static-pie"], "openmp=none threads=1 members=1"),
}  # fmt: skip


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    """An installation of build/ as it is: test_install.py, beside which this may run, brings it up to date."""
    prefix = tmp_path_factory.mktemp("installed") / "prefix"
    run(tool("cmake"), "--install", BUILD, "--prefix", prefix)
    return prefix


def archive(prefix):
    return library(prefix).with_suffix(".a")


def three_threads(program):
    """What the program prints; the library's line without version and CPU."""
    printed = run(program, env={**os.environ, "OMP_NUM_THREADS": "3"})
    return printed[printed.index("openmp=") :]


@needs("cc")
@pytest.mark.parametrize("how", LINKED)
def test_a_large_call_in_a_program_of_each_kind(prefix, tmp_path, how):
    flags, expected = LINKED[how]
    (tmp_path / "program.c").write_text(PROGRAM)
    command = ["cc", "-O2", "program.c", "-I", prefix / "include", archive(prefix), *flags, "-lm", "-o", "program"]
    printed = run(*command, cwd=tmp_path)
    assert "warning" not in printed or "libgomp.a" in printed  # static libgomp itself names dlopen
    assert three_threads(tmp_path / "program") == expected


@needs("cc", "nm")
def test_the_archive_has_the_header_s_names_and_no_other(prefix):
    lines = [line.split() for line in run("nm", archive(prefix)).splitlines()]
    assert {line[2] for line in lines if len(line) == 3 and line[1].isupper() and line[1] != "U"} == set(prototypes())
    assert "dlopen" not in {line[-1] for line in lines if line}


@pytest.mark.slow
@needs("c++")
def test_names_of_my_lib_hpp_are_not_those_inside_the_archive(prefix, tmp_path):
    """The library has a namespace my_lib of its own, with a set_num_threads(int) that checks nothing."""
    (tmp_path / "program.cpp").write_text("""
#include <my_lib.hpp>
int main() {
    try {
        my_lib::set_num_threads(-1);
    } catch (const my_lib::Error &error) {
        return error.code() != MY_LIB_ERROR_INVALID_VALUE;
    }
    return 2;
}
""")
    run(
        "c++",
        "-std=c++17",
        "-O0",
        "program.cpp",
        "-I",
        prefix / "include",
        archive(prefix),
        "-lm",
        "-o",
        "program",
        cwd=tmp_path,
    )
    run(tmp_path / "program")


@needs("cc", "pkg-config")
def test_pkg_config_names_what_a_static_program_needs(prefix, tmp_path):
    (tmp_path / "program.c").write_text(PROGRAM)
    environment = {**os.environ, "PKG_CONFIG_PATH": str(prefix / "share/pkgconfig")}
    flags = run("pkg-config", "--static", "--cflags", "--libs", "my_lib", env=environment).split()
    run("cc", "-static", "program.c", *flags, "-o", "program", cwd=tmp_path)
    assert three_threads(tmp_path / "program").startswith("openmp=none")
    assert "INTERP" not in run("readelf", "-l", tmp_path / "program")


@pytest.mark.slow
@needs("cc")
def test_find_package_has_the_archive_as_a_target(prefix, tmp_path):
    (tmp_path / "program.c").write_text(PROGRAM)
    (tmp_path / "CMakeLists.txt").write_text("""
cmake_minimum_required(VERSION 3.20)
project(program LANGUAGES C)
find_package(torchthaw 1 REQUIRED)
add_executable(program program.c)
target_link_libraries(program PRIVATE torchthaw::my_lib_static)
""")
    run(tool("cmake"), "-S", tmp_path, "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={prefix}")
    run(tool("cmake"), "--build", tmp_path / "build")
    assert "libmy_lib" not in run("readelf", "-d", tmp_path / "build/program")
    assert three_threads(tmp_path / "build/program") == LINKED["dynamic"][1]


@needs("go", "cc")
def test_a_go_program_takes_the_archive(prefix, tmp_path):
    (tmp_path / "go.mod").write_text("module program\n\ngo 1.19\n")
    (tmp_path / "main.go").write_text(f"""package main

// #cgo CFLAGS: -I{prefix}/include
// #cgo LDFLAGS: {archive(prefix)} -lm
// #include <my_lib.h>
import "C"

import "fmt"

func main() {{
	shape := []C.int64_t{{3}}
	numbers := []C.float{{1, 2, 3}}
	if C.my_lib_add_forward(&numbers[0], &shape[0], 1, &numbers[0], &shape[0], 1, &numbers[0]) == 1 {{
		fmt.Println(numbers)
	}}
}}
""")
    done = subprocess.run(
        ["go", "build", "-o", "program", "."],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env={**os.environ, "GOFLAGS": "-mod=mod", "GOCACHE": str(tmp_path / "cache")},
    )
    assert done.returncode == 0, done.stderr
    assert run(tmp_path / "program") == "[2 4 6]\n"
    assert "libmy_lib" not in run("readelf", "-d", tmp_path / "program")
