# tests/packaging/test_install.py: libmy_lib as other languages meet it: installed, found, linked, and self-contained.
import json
import os
import pathlib
import re
import runpy
import shutil
import subprocess
import sys

import pytest

from support import ROOT

HEADER = ROOT / "c_api/include/my_lib.h"
BUILD = ROOT / "build"


def run(*command, **options):
    """Runs a command and returns what it printed; a failure shows the whole output."""
    done = subprocess.run(
        [str(part) for part in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


def tool(name):
    """A build tool from this Python's environment or PATH."""
    return shutil.which(name, path=f"{pathlib.Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}") or name


def needs(*names):
    missing = [name for name in names if shutil.which(tool(name)) is None]
    return pytest.mark.skipif(bool(missing), reason=f"not installed: {', '.join(missing)}")


def prototypes():
    """{name: the comment above it, or above the functions it stands with} for all that the header declares."""
    text = HEADER.read_text()
    text = text[text.index("* Version\n") :]
    found, comment = {}, ""
    for block in re.finditer(r"(/\*.*?\*/)|^MY_LIB_API [^;]*?\b(\w+)\([^;]*;", text, re.S | re.M):
        comment = block[1] or comment
        if block[2]:
            found[block[2]] = comment
    return found


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    """A fresh installation of build/, which is brought up to date first."""
    if not (BUILD / "CMakeCache.txt").exists():
        run(tool("cmake"), "-S", ROOT, "-B", BUILD)
    run(tool("cmake"), "--build", BUILD, "--parallel", "2")
    prefix = tmp_path_factory.mktemp("installed") / "prefix"
    run(tool("cmake"), "--install", BUILD, "--prefix", prefix)
    return prefix


def library(prefix):
    return next(prefix.glob("lib*/**/libmy_lib.so"))


def major():
    return int(re.search(r"MY_LIB_VERSION_MAJOR (\d+)", HEADER.read_text())[1])


@pytest.mark.parametrize(
    "name, folder",
    [("my_lib.h", HEADER.parent), ("torchthaw/annotate.h", HEADER.parent), ("my_lib.hpp", ROOT / "bindings/cpp")],
)
def test_header_is_installed_as_it_is(prefix, name, folder):
    assert (prefix / "include" / name).read_bytes() == (folder / name).read_bytes()


@pytest.mark.slow
def test_find_package_consumer_builds_and_runs(prefix, tmp_path):
    run(tool("cmake"), "-S", ROOT / "examples/c", "-B", tmp_path, f"-DCMAKE_PREFIX_PATH={prefix}")
    run(tool("cmake"), "--build", tmp_path)
    assert "as PyTorch computes it" in run(tmp_path / "lltm_step")


@pytest.mark.slow
def test_build_tree_is_a_package_too(prefix, tmp_path):
    run(tool("cmake"), "-S", ROOT / "examples/c", "-B", tmp_path, f"-Dtorchthaw_DIR={BUILD / 'share/cmake/torchthaw'}")
    run(tool("cmake"), "--build", tmp_path)
    assert "as PyTorch computes it" in run(tmp_path / "lltm_step")


@pytest.mark.slow
@pytest.mark.parametrize("difference", [-1, 1])
def test_another_major_version_is_not_found(prefix, tmp_path, difference):
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.20)\nproject(other LANGUAGES C)\n"
        f'find_package(torchthaw {major() + difference})\nmessage(STATUS "found=${{torchthaw_FOUND}}")\n'
    )
    out = run(tool("cmake"), "-S", tmp_path, "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={prefix}")
    assert "found=0" in out


@pytest.mark.slow
@needs("pkg-config", "make", "cc")
def test_pkg_config_consumer_builds_and_runs_from_a_moved_installation(prefix, tmp_path):
    moved = tmp_path / "moved"
    shutil.copytree(prefix, moved, symlinks=True)
    example = tmp_path / "example"
    shutil.copytree(ROOT / "examples/c", example)
    environment = dict(os.environ, PKG_CONFIG_PATH=str(moved / "share/pkgconfig"))
    run("make", "-C", example, env=environment)
    assert str(moved) in run("readelf", "-d", example / "lltm_step")
    assert "as PyTorch computes it" in run(example / "lltm_step")


@needs("cc")
def test_a_program_finds_the_library_that_it_is_shipped_with(prefix, tmp_path):
    (tmp_path / "bin").mkdir()
    shutil.copytree(library(prefix).parent, tmp_path / "lib", symlinks=True)
    run(
        "cc",
        "-std=c99",
        ROOT / "examples/c/lltm_step.c",
        "-I",
        prefix / "include",
        "-L",
        tmp_path / "lib",
        "-lmy_lib",
        "-lm",
        "-Wl,-rpath,$ORIGIN/../lib",
        "-o",
        tmp_path / "bin/program",
    )
    (tmp_path / "bin").rename(tmp_path / "moved")  # with lib still beside it
    without = {name: value for name, value in os.environ.items() if name != "LD_LIBRARY_PATH"}
    assert "as PyTorch computes it" in run(tmp_path / "moved/program", env=without)


@pytest.mark.slow
@needs("pkg-config", "cc")
@pytest.mark.parametrize("name", ["mlp", "svd", "file_round_trip"])
def test_programs_of_old_tensors_link_as_a_user_links_them(prefix, tmp_path, name):
    environment = dict(os.environ, PKG_CONFIG_PATH=str(prefix / "share/pkgconfig"))
    flags = run("pkg-config", "--cflags", "--libs", "th", env=environment).split()
    program = tmp_path / name
    folder = library(prefix).parent
    run("cc", "-std=c99", ROOT / f"tests/th/test_{name}.c", *flags, "-lm", f"-Wl,-rpath,{folder}", "-o", program)
    assert subprocess.run([program], cwd=tmp_path).returncode in (0, 77)  # 77: no LAPACK library


def test_exactly_the_functions_of_the_header_are_exported(prefix):
    # Each line is `address type name@@version`; the version itself is a symbol too.
    symbols = {
        line.split()[2].partition("@")[0] for line in run("nm", "-D", "--defined-only", library(prefix)).splitlines()
    }
    assert symbols == {*prototypes(), f"MY_LIB_{major()}"}
    assert all(name.startswith(("my_lib_", "lltm_")) for name in prototypes())


def test_the_library_needs_only_the_c_library(prefix):
    dynamic = run("readelf", "-d", library(prefix))
    needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic))
    assert needed <= {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}
    assert re.findall(r"\(SONAME\).*\[(.*)\]", dynamic) == [f"libmy_lib.so.{major()}"]
    assert "RPATH" not in dynamic and "RUNPATH" not in dynamic


@needs("nm")
def test_the_library_leaves_the_process_alone(prefix):
    """It handles no signals, prints nothing, ends nothing, allocates nothing: it lacks the functions for that."""
    lines = run("nm", "-D", "--undefined-only", library(prefix)).splitlines()
    names = {line.split()[-1].partition("@")[0] for line in lines}
    assert {"pthread_once", "memcpy"} <= names
    in_memory = {"snprintf", "vsnprintf", "__snprintf_chk", "__vsnprintf_chk"}
    unwanted = re.compile(
        "printf|put|write|std(in|out|err)|perror|sig|raise|kill|exit|abort|^v?fork$|exec|alloc|free|_Zn|_Zd"
    )
    assert {name for name in names - in_memory if unwanted.search(name)} == set()


@pytest.mark.slow
@needs("nm")
def test_the_cpu_paths_share_no_inline_function(prefix):
    """Of a function that several objects emit the linker keeps one, and it might need instructions the CPU lacks."""
    folders = (BUILD / "c_api/my_lib/CMakeFiles").glob("my_lib_*.dir")
    objects = [path for folder in folders if folder.name != "my_lib_cuda.dir" for path in folder.glob("*/*.o")]
    assert objects
    for path in objects:
        isa = re.search(r"my_lib_(\w+)\.dir", str(path))[1]
        weak = [line for line in run("nm", "-C", path).splitlines() if re.match(r"[\da-f]+ [WVu] ", line)]
        if isa != "portable":
            assert [line for line in weak if f"my_lib::{isa}::" not in line] == [], path


PROGRAMS = {
    "base": "",
    "operators": "",
    "abi": "",
    "cuda": "cuda_on_cpu_",
    "th": "th_",
    "thc": "thc_",
    "thc/on_host": "thc_",
}


@pytest.mark.slow
def test_every_c_test_runs(prefix):
    """CMake has lists of tests; one that is forgotten there would not be missed otherwise."""
    listed = json.loads(run(tool("ctest"), "--test-dir", BUILD, "--show-only=json-v1"))["tests"]
    # The first needs no run, the second is for builds that check assert().
    names = {test["name"].split(".")[0] for test in listed} | {"test_abi_layout", "test_asserts"}
    for folder, before in PROGRAMS.items():
        stems = {path.stem for path in (ROOT / "tests" / folder).glob("test_*.c*")}
        if before == "cuda_on_cpu_":
            stems = {stem.removeprefix("test_") for stem in stems}
        assert stems and {before + stem for stem in stems} <= names, folder


def test_every_function_is_dated():
    assert [
        name for name, comment in prototypes().items() if not re.search(r"Since[\s*]+\d+\.\d+\.\d+\.", comment)
    ] == []


def test_golden_numbers_are_what_pytorch_computes():
    torch = pytest.importorskip("torch")
    step = runpy.run_path(str(ROOT / "examples/c/golden.py"))["step"]()
    text = (ROOT / "examples/c/golden.h").read_text()
    for name, expected in step.items():
        numbers = re.search(rf"golden_{name}\[\d+\] = {{(.*?)}}", text, re.S)[1].replace("f", "").split(",")
        written = torch.tensor([float(number) for number in numbers if number.strip()], dtype=torch.float64)
        torch.testing.assert_close(written, expected.detach().flatten(), rtol=1e-8, atol=0)


@pytest.mark.slow
@needs("cc")
@needs("cmake", "ninja")
def test_a_build_configured_with_cpath_needs_no_cpath(tmp_path):
    """What CPATH names when CMake first looks at the compiler counts as the compiler's own, also when CPATH has gone."""
    folders = [ROOT / "c_api", ROOT / "c_api/include", ROOT / "c_api/include/torchthaw"]
    for path in (":".join(map(str, folders)), ""):
        run(tool("cmake"), "-S", ROOT, "-B", tmp_path, "-G", "Ninja", "-DTORCHTHAW_CUDA=OFF",
            env={**os.environ, "CPATH": path})  # fmt: skip
    lines = (tmp_path / "build.ninja").read_text().splitlines()
    given = {word for line in lines if line.startswith("  INCLUDES =") for word in line.split()}
    assert {f"-I{folder}" for folder in folders} <= given


def test_another_platform_gets_one_clear_line():
    done = subprocess.run(
        ["cc", "-U__linux__", "-fsyntax-only", "-x", "c", str(HEADER)], text=True, stderr=subprocess.PIPE
    )
    assert done.returncode != 0
    assert '#error "my_lib supports Linux on x86-64 (tested) and aarch64 (compiles)' in done.stderr
    assert done.stderr.count("error:") == 1


C_API = ROOT / "c_api"
SOURCES = sorted([*C_API.glob("base/*.cpp"), *C_API.glob("my_lib/*/*.cpp")])


@needs("aarch64-linux-gnu-g++")
@pytest.mark.parametrize("source", [str(path.relative_to(C_API)) for path in SOURCES])
def test_the_portable_path_compiles_for_aarch64(source):
    run(
        "aarch64-linux-gnu-g++",
        "-std=c++17",
        "-O1",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-fsyntax-only",
        "-DMY_LIB_BUILD",
        "-DMY_LIB_ISA=portable",
        "-DMY_LIB_ISA_PORTABLE",
        f"-I{C_API}",
        f"-I{C_API}/include",
        f"-I{C_API}/my_lib",
        C_API / source,
    )
