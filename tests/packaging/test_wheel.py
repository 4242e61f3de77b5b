"""tests/packaging/test_wheel.py: the wheel, built as pip builds it, works where nothing of the checkout is in sight."""

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import torchthaw
from support import ROOT, SRC, wheel_builder
from torchthaw.base.config import annotate_includes, includes, my_lib_includes
from torchthaw.cuda_on_cpu import toolkit_folder
from torchthaw.legacy.cpp import cpp_extension

pytestmark = pytest.mark.timeout(900)  # the first test waits for the wheel


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel. CMake's build folder stays, in build/, so that only the first run compiles everything."""
    return wheel_builder.build(tmp_path_factory.mktemp("wheel"), wheel_builder.QUICK)


@pytest.mark.slow
def test_one_wheel_for_every_python(wheel):
    assert wheel.name.startswith(f"torchthaw-{torchthaw.__version__}-cp310-abi3-linux_")


LIBRARIES = {f"lib/lib{name}.so{version}" for name in ("my_lib", "th") for version in ("", ".1")}
LIBRARIES |= {"lib/libcuda_on_cpu.so.1", "lib/cuda_on_cpu/libthc.so.1"}
PACKAGES = {"share/pkgconfig/my_lib.pc", "share/pkgconfig/th.pc"} | {
    f"share/cmake/torchthaw/{name}.cmake" for name in (
        "torchthawConfig", "torchthawConfigVersion", "my_lib-targets", "my_lib-targets-debug", "th-targets", "th-targets-debug",
    )
}  # fmt: skip
HEADERS = {"include/my_lib.h", "include/my_lib.hpp", "include/torchthaw/annotate.h"}
OF_THE_BRIDGE = {
    "bridge/_bridge.abi3.so",
    "bridge/bridge.h",
    "bridge/regions.h",
}  # the headers: what extensions include
DATA = {
    "py.typed",
    "doctor/shared_objects/pytorch_symbols.xz",
    "doctor/symbols.txt",
    *(f"export/{name}" for name in ("jax.c", "onnxruntime.c", "table.c", "table.h")),
}


@pytest.mark.slow
def test_what_the_wheel_carries(wheel):
    """Every file, by where it comes from: a file that is missing and one too many are both wrong."""
    names = {name for name in zipfile.ZipFile(wheel).namelist() if not name.endswith("/")}
    tops = {name.split("/")[0] for name in names}
    assert tops == {"torchthaw", f"torchthaw-{torchthaw.__version__}.dist-info"}
    package = SRC / "torchthaw"
    python = {path.relative_to(package).as_posix() for path in package.rglob("*.py")}
    folders = (*includes().iterdir(), cpp_extension.headers(), annotate_includes())
    found = (path for folder in folders for path in folder.rglob("*") if path.is_file())
    headers = {f"include/{path.relative_to(my_lib_includes()).as_posix()}" for path in found}
    compiled_on_use = (
        toolkit_folder.HEADERS,
        package / "cuda_on_cpu" / "include_pytorch",
        package / "cuda_on_cpu" / "include_for_gpus",
        package / "cuda_on_cpu" / "device",
        package / "portable",
    )
    used = (path for each in compiled_on_use for path in each.rglob("*") if path.is_file() and path.suffix != ".pyc")
    headers |= {path.relative_to(package).as_posix() for path in used}
    inside = {name.removeprefix("torchthaw/") for name in names if name.startswith("torchthaw/")}
    expected = python | headers | HEADERS | LIBRARIES | PACKAGES | OF_THE_BRIDGE | DATA
    assert inside - expected == set() and expected - inside == set()


def test_sources_are_named_as_in_the_repository(wheel):
    """By messages, for example: a build in another folder then gives the same bytes."""
    found = set()
    with zipfile.ZipFile(wheel) as archive:
        for name in LIBRARIES | {"bridge/_bridge.abi3.so"}:
            text = archive.read(f"torchthaw/{name}")
            found |= {path.decode() for path in re.findall(rb"(?<=\0)[\w./+-]+/[\w.+-]+\.(?:h|cuh|cpp|cu)(?=\0)", text)}
    assert len(found) > 20
    assert [path for path in sorted(found) if not path.startswith("/usr/") and not (ROOT / path).is_file()] == []


@pytest.mark.slow
def test_the_bill_of_materials(wheel):
    """What is linked into portable wheels alone is not in this one, whose libstdc++ is the system's."""
    with zipfile.ZipFile(wheel) as archive:
        bill = json.loads(archive.read(f"torchthaw-{torchthaw.__version__}.dist-info/sboms/torchthaw.cdx.json"))
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")
    assert bill["metadata"]["component"]["purl"] == f"pkg:pypi/torchthaw@{torchthaw.__version__}"
    scopes = {each["name"]: each["scope"] for each in bill["components"]}
    assert scopes == {"cffi": "required", "ninja": "required", "scipy-openblas32": "optional"}
    assert not {"serialNumber", "timestamp"} & {*bill, *bill["metadata"]}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["my_lib", "th"])
def test_each_library_is_in_the_wheel_once(wheel, tmp_path, name):
    """A wheel has no symbolic links: the file to link by name is a script, which every linker of Linux reads."""
    with zipfile.ZipFile(wheel) as archive:
        assert archive.read(f"torchthaw/lib/lib{name}.so") == f"INPUT(lib{name}.so.1)\n".encode()
        archive.extractall(tmp_path)
    lib = tmp_path / "torchthaw" / "lib"
    (tmp_path / "program.c").write_text("int main(void) { return 0; }")
    for words in ([f"-L{lib}", f"-l{name}"], [lib / f"lib{name}.so"]):
        for linker in ("bfd", "gold", "lld", "mold"):
            if shutil.which(f"ld.{linker}"):
                run(tmp_path, "cc", f"-fuse-ld={linker}", "program.c", "-Wl,--no-as-needed", *words, "-o", "program")
                assert f"[lib{name}.so.1]" in run(tmp_path, "readelf", "-d", "program")


@pytest.mark.slow
def test_its_use_as_make_wheel_tests_it(wheel, tmp_path):
    """C programs with handlers that throw and jump, the CPU path, load_inline and an old project."""
    if not (ROOT / ".ci").exists():
        pytest.skip("a source distribution has no .ci")
    zipfile.ZipFile(wheel).extractall(tmp_path / "site")
    result = subprocess.run(
        [sys.executable, ROOT / ".ci" / "wheel_use.py", ROOT / "examples" / "legacy" / "script"], cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path / "site"), "TORCHTHAW_CACHE": str(tmp_path / "cache")},
        capture_output=True, text=True,
    )  # fmt: skip
    assert result.returncode == 0, result.stdout + result.stderr
    first, *parts = result.stdout.splitlines()
    assert first == f"torchthaw {torchthaw.__version__} from {tmp_path / 'site' / 'torchthaw'}"
    assert [part.partition(":")[0] for part in parts] == ["C programs", "load_inline", "modernize", "legacy sample"]


@pytest.mark.slow
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
    from torchthaw.base import toolchain

    cmake = toolchain.tool("cmake")
    folder = tmp_path / "site" / "torchthaw" / "share" / "cmake" / "torchthaw"
    generator = ["-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={toolchain.tool('ninja')}"]
    for command in (
        [cmake, "-S", tmp_path, "-B", tmp_path / "build", *generator, f"-Dtorchthaw_DIR={folder}"],
        [cmake, "--build", tmp_path / "build"], [tmp_path / "build" / "user"],
    ):  # fmt: skip
        result = subprocess.run(command, capture_output=True, text=True)
        assert result.returncode == 0, result.stdout + result.stderr


# Old projects in an environment of their own


def run(folder, *command, **environment):
    """What a command prints in ``folder``, with no path to the checkout."""
    result = subprocess.run(
        [*map(str, command)], cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        env={**os.environ, "PYTHONPATH": "", "TORCHTHAW_CACHE": str(folder / "cache"), **environment},
    )  # fmt: skip
    assert result.returncode == 0, result.stdout
    return result.stdout


def extract(wheel, folder):
    zipfile.ZipFile(wheel).extractall(folder)
    return folder


def environment(folder):
    """The Python of a new environment, which sees the packages of the tests' one."""
    run(folder.parent, sys.executable, "-m", "venv", "--without-pip", folder)
    (packages,) = folder.glob("lib/python*/site-packages")
    seen = [path for path in sys.path if path.endswith(("site-packages", "dist-packages"))]
    (packages / "torch.pth").write_text("\n".join(seen))
    return folder / "bin" / "python", packages


@pytest.fixture(scope="module")
def built(wheel, tmp_path_factory):
    """A folder with a virtual environment, ``venv``, and a project that was built in it, ``script``.

    The environment has the wheel, and PyTorch from the one that the tests run in.
    """
    folder = tmp_path_factory.mktemp("built")
    _, packages = environment(folder / "venv")
    extract(wheel, packages)
    made = shutil.ignore_patterns("__pycache__", "_ext")
    shutil.copytree(ROOT / "examples" / "legacy" / "script", folder / "script", ignore=made)
    run(folder / "script", folder / "venv" / "bin" / "python", "-m", "torchthaw", "run", "build.py")
    (folder / "script" / "where.py").write_text("""
import torch
from _ext import my_lib
print(*{line.split()[-1] for line in open("/proc/self/maps") if "/libth.so" in line})
""")
    return folder


def works(folder, environment, **variables):
    """Runs the project's test as it was built; returns the libth that its process has loaded."""
    thawed = [folder / environment / "bin" / "python", "-m", "torchthaw", "run"]
    assert run(folder / "script", *thawed, "test.py", **variables).splitlines()[-1] == "ok"
    (loaded,) = run(folder / "script", *thawed, "where.py", **variables).split()
    return Path(loaded)


@pytest.mark.slow
def test_an_old_project_in_an_environment_of_its_own(built):
    (lib,) = built.glob("venv/lib/python*/site-packages/torchthaw/lib")
    assert works(built, "venv") == lib / "libth.so.1"


@pytest.mark.slow
def test_a_moved_environment(built, tmp_path):
    """What was built before, in a folder that is elsewhere by now, loads libth from where that is now."""
    for name in ("venv", "script"):
        shutil.copytree(built / name, tmp_path / name, symlinks=True)
    built.rename(built.with_name("gone"))
    try:
        assert works(tmp_path, "venv").is_relative_to(tmp_path)
    finally:
        built.with_name("gone").rename(built)


@pytest.mark.slow
def test_a_newer_torchthaw(built, wheel, tmp_path):
    """What was built with one libth loads a newer one of the same major version, in another folder."""
    newer = extract(wheel, tmp_path / "newer") / "torchthaw" / "lib" / "libth.so.1"
    (tmp_path / "note").write_text("newer")
    subprocess.run(["objcopy", f"--add-section=.note.newer={tmp_path / 'note'}", newer], check=True)
    (older,) = built.glob("venv/lib/python*/site-packages/torchthaw/lib/libth.so.1")
    assert newer.read_bytes() != older.read_bytes()
    assert works(built, "venv", PYTHONPATH=str(tmp_path / "newer")) == newer


# An operator for somebody else, as README says how it is handed on

SETUP = """
import torchthaw
from setuptools import setup

setup(
    name="silu", version="1.0", packages=["silu"],
    ext_modules=[torchthaw.FFIExtension("silu.native", headers=["silu.h"], sources=["silu.c"])],
    cmdclass={"build_ext": torchthaw.BuildExtension}, options={"bdist_wheel": {"py_limited_api": "cp310"}},
)
"""
USE = """
import torch, torchthaw
from silu.native import functions
x = torch.zeros(2, dtype=torch.float64, requires_grad=True)
functions.silu(x).sum().backward()
print(*x.grad.tolist(), torchthaw.__file__)
"""


@pytest.mark.slow
def test_an_operator_is_installed_with_torchthaw_from_one_folder(wheel, tmp_path):
    source = shutil.copytree(ROOT / "examples" / "operator", tmp_path / "source")
    (source / "silu").mkdir()
    (source / "silu" / "__init__.py").touch()
    (source / "setup.py").write_text(SETUP)
    maker, packages = environment(tmp_path / "maker")
    extract(wheel, packages)
    pip = [maker, "-m", "pip", "-q", "--disable-pip-version-check"]
    run(source, *pip, "wheel", "--no-deps", "--no-build-isolation", "-w", tmp_path / "wheels", ".")
    user, packages = environment(tmp_path / "user")
    find = ["install", "--no-index", "--find-links", tmp_path / "wheels"]
    alone = subprocess.run([user, "-m", "pip", *find, "silu"], cwd=tmp_path, capture_output=True, text=True)
    assert alone.returncode and "torchthaw" in alone.stderr
    shutil.copy2(wheel, tmp_path / "wheels")
    run(tmp_path, user, "-m", "pip", "-q", *find, "silu")
    assert run(tmp_path, user, "-c", USE).split() == ["0.5", "0.5", str(packages / "torchthaw" / "__init__.py")]


# The core, without PyTorch, on the Pythons that are there

CORE = """
import sys
import torchthaw

module = torchthaw.load_inline("inline", c_sources="int two(void) { return 2; }", functions={"two": "Two."})
assert module.two() == 2 and "Two." in module.two.__doc__
open("three.h", "w").write("int three(const float *numbers);")
open("three.cpp", "w").write('extern "C" int three(const float *numbers) { return (int)numbers[0]; }')
torchthaw.create_extension("_ext.three", "three.h", ["three.cpp"], relative_to="build.py").build()
from _ext import three
from _cffi_backend import FFI
assert three.three(FFI().new("float[1]", [3])) == 3
assert "torch" not in sys.modules
try:
    import torch
except ImportError:
    print("without torch")
"""


@pytest.mark.slow
@pytest.mark.parametrize("version", ["3.10", "3.11", "3.12", "3.13", "3.14"])
def test_without_torch(wheel, tmp_path, version):
    """An empty environment gets the wheel and what that depends on, and nothing else; later the extra for old projects."""
    base = wheel_builder.interpreter(version)
    if base is None:
        pytest.skip(f"no Python {version} on this machine")
    subprocess.run([base, "-m", "venv", tmp_path / "venv"], check=True)
    python = tmp_path / "venv" / "bin" / "python"
    installed = subprocess.run([python, "-m", "pip", "install", "-q", wheel], capture_output=True, text=True)
    if installed.returncode:
        pytest.skip(f"pip cannot install the dependencies here: {installed.stderr.strip().splitlines()[-1]}")
    (tmp_path / "core.py").write_text(CORE)
    assert run(tmp_path, python, "core.py") == "without torch\n"
    assert run(tmp_path, python, "-m", "torchthaw", "--version") == f"torchthaw {torchthaw.__version__}\n"
    library, include = run(tmp_path, python, "-m", "torchthaw", "config", "--libth", "--includes").split()
    assert Path(library).is_file() and (Path(include) / "TH" / "TH.h").is_file()
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "build.py").write_text('from torch.utils.ffi import create_extension\nprint "built"\n')
    doctor = [python, "-m", "torchthaw", "doctor", tmp_path / "old"]
    refused = subprocess.run(doctor, cwd=tmp_path, capture_output=True, text=True)
    assert refused.returncode == 1 and "pip install 'torchthaw[legacy]'" in refused.stderr
    run(tmp_path, python, "-m", "pip", "install", "-q", "torchthaw[legacy]")  # as that line says: it is there already
    examined = subprocess.run(doctor, cwd=tmp_path, capture_output=True, text=True)
    assert examined.stderr == "" and 'print("built")' in examined.stdout
    assert list((tmp_path / "venv").glob("lib/python*/site-packages/scipy_openblas32/lib/libscipy_openblas.so"))
