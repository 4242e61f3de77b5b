"""tests/legacy/headers/test_cpp_extension_flags.py: the flags and standards that torch.utils.cpp_extension passes under torchthaw."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from support.cpp_project import INCLUDED, python, tells_anew  # noqa: F401
from support.messages import names
from torchthaw.base import config
from torchthaw.legacy.cpp import cpp_extension, cxx_standard, nvcc

pytestmark = pytest.mark.timeout(900)  # PyTorch's headers take a compiler most of a minute, on a busy machine several


# Words, what they become where PyTorch needs C++17 (2.4 to 2.13) and where it needs C++20 (from 2.14 on).
STANDARDS = [
    (["-O2", "-std=c++11", "-DA=1"], ["-O2", "-std=c++17", "-DA=1"], ["-O2", "-std=c++20", "-DA=1"]),
    (["-std=gnu++1y"], ["-std=gnu++17"], ["-std=gnu++20"]),
    (["--std=c++14"], ["-std=c++17"], ["-std=c++20"]),
    (["--std", "c++0x", "-g"], ["-std=c++17", "-g"], ["-std=c++20", "-g"]),
    (["-std", "c++98"], ["-std=c++17"], ["-std=c++20"]),
    (["-std=c++17"], ["-std=c++17"], ["-std=c++20"]),
    (["-std", "c++17"], ["-std", "c++17"], ["-std=c++20"]),
    (["-std=c++1z"], ["-std=c++1z"], ["-std=c++20"]),
    (["-O3 -std=c++14 -Wall"], ["-O3 -std=c++17 -Wall"], ["-O3 -std=c++20 -Wall"]),
    (["-Xcompiler", "-std=c++11"], ["-Xcompiler", "-std=c++17"], ["-Xcompiler", "-std=c++20"]),
    (["-Xcompiler=-std=c++14"], ["-Xcompiler=-std=c++17"], ["-Xcompiler=-std=c++20"]),
    (["-Xcompiler", "-fPIC,-std=c++14"], ["-Xcompiler", "-fPIC,-std=c++17"], ["-Xcompiler", "-fPIC,-std=c++20"]),
]
UNCHANGED = [
    [], ["-O2", "-g"], ["-std=c++20"], ["--std", "c++20"], ["-std=c++2b", "-std"], ["-std=c99"], ["-I/opt/-std=c++11"],
    ['-DFLAGS="-std=c++11"'],
]  # fmt: skip
STANDARDS += [(words, words, words) for words in UNCHANGED]


@pytest.mark.parametrize("least", [17, 20])
@pytest.mark.parametrize("given, with_17, with_20", STANDARDS)
def test_the_standard_that_pytorch_needs_replaces_an_older_one(monkeypatch, capsys, least, given, with_17, with_20):
    monkeypatch.setattr(cpp_extension.cxx_standard, "needed", lambda: least)
    expected = {17: with_17, 20: with_20}[least]
    keeps_char = ["-fno-char8_t"] if least == 20 and expected != given else []
    assert cpp_extension.flags(given, "native") == [*expected, *keeps_char, *INCLUDED]
    told = capsys.readouterr().err.splitlines()
    if expected == given:
        assert told == []
    else:
        (line,) = told
        assert {"native:", f"C++{least};", f"++{least} instead"} <= set(
            re.findall(r"native:|C\+\+\d+;|\+\+\d+ instead", line)
        )


def test_a_flag_is_told_once_for_each_extension(monkeypatch, capsys):
    monkeypatch.setattr(cpp_extension.cxx_standard, "needed", lambda: 20)
    monkeypatch.setattr(cpp_extension.cuda, "toolkit", Toolkit)
    for name in ("first", "second", "first"):
        cpp_extension.flags("-std=c++14", name)
        cpp_extension.nvcc_flags(["-std=c++14", "-std=c++11"], name)
    told = capsys.readouterr().err.splitlines()
    assert [line.split()[1:3] for line in told] == [
        [f"{name}:", f"-std=c++{old}:"] for name in ("first", "second") for old in (14, 11)
    ]


def test_the_needed_standard_is_the_one_that_the_compiler_wants(tmp_path):
    """ATen/ATen.h without what it includes, with this standard and with the one before."""
    from torch.utils.cpp_extension import include_paths

    header = Path(include_paths()[0], "ATen", "ATen.h").read_text()
    (tmp_path / "head.cpp").write_text(re.sub("#include.*", "", header))
    needed = cxx_standard.needed()
    assert needed in (17, 20), needed
    compiles = {}
    for standard in (needed - 3, needed):
        command = [os.environ.get("CXX", "c++"), "-fsyntax-only", f"-std=c++{standard}", "head.cpp"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        compiles[standard] = done.returncode == 0
        assert compiles[standard] or f"C++{needed} or later" in done.stderr, done.stderr
    assert compiles == {needed - 3: False, needed: True}


def test_headers_that_ask_for_no_standard(tmp_path):
    assert cxx_standard.of_headers(tmp_path) == 0
    (tmp_path / "ATen").mkdir()
    (tmp_path / "ATen" / "ATen.h").write_text("#pragma once\n")
    assert cxx_standard.of_headers(tmp_path / ".") == 0
    assert cxx_standard.current(["-std=c++11"], 0) == (["-std=c++11"], [])


class Toolkit:
    version, architectures, include, library_dirs = "13.0", ["75", "80", "90"], Path("no-toolkit"), ()


NVCC_FLAGS = [
    (["-std=c++20", "-D__CUDA_NO_HALF_OPERATORS__"], ["-std=c++20", "-D__CUDA_NO_HALF_OPERATORS__"]),
    (["-std=gnu++20"], ["-std=c++20"]),
    (["-arch=sm_52"], []),
    (["-gencode=arch=compute_35,code=sm_35", "-gencode", "arch=compute_80,code=sm_80"],
     ["-gencode=arch=compute_80,code=sm_80"]),
    (["-gencode=arch=compute_75,code=compute_75"], ["-gencode=arch=compute_75,code=compute_75"]),
]  # fmt: skip


@pytest.mark.parametrize("given, expected", NVCC_FLAGS)
def test_flags_of_nvcc_lose_the_cards_that_it_lacks(monkeypatch, capsys, given, expected):
    monkeypatch.setattr(cpp_extension.cuda, "toolkit", Toolkit)
    words = cpp_extension.nvcc_flags(given, "native")
    assert words[: len(expected)] == expected and words[-2:] == INCLUDED
    lost = any("35" in word or "52" in word for word in given)
    assert ("has no such architecture" in capsys.readouterr().err) == lost


@pytest.mark.parametrize("given, _", NVCC_FLAGS)
def test_the_nvcc_of_the_cpu_lacks_no_card(monkeypatch, capsys, given, _):
    monkeypatch.setenv("TORCHTHAW_CUDA", "cpu")
    monkeypatch.setattr(cpp_extension.cuda, "toolkit", Toolkit)
    monkeypatch.setenv("TORCH_CUDA_ARCH_LIST", "5.2;8.0")
    asked = [word for word in given if re.search("arch|compute", word)]
    assert set(asked) <= {*cpp_extension.nvcc_flags(given, "native"), "-gencode"}
    assert cpp_extension.nvcc.listed("5.2;8.0", Toolkit) == ("8.0", [])
    assert "architecture" not in capsys.readouterr().err


def pytorch_headers(folder, standard):
    """A folder of headers that ask for a standard as PyTorch's do."""
    (folder / "pytorch" / "ATen").mkdir(parents=True)
    (folder / "pytorch" / "ATen" / "ATen.h").write_text(
        f"#if !defined(_MSC_VER) && __cplusplus < 20{standard}02L\n#error C++{standard} or later\n#endif\n"
    )
    return str(folder / "pytorch")


def test_extensions_with_flags_as_a_list_and_as_a_dict(monkeypatch, tmp_path):
    from setuptools import Extension

    monkeypatch.setattr(cpp_extension.cuda, "toolkit", Toolkit)
    monkeypatch.setattr(cpp_extension.nvidia_packages, "folder", lambda toolkit: None)
    monkeypatch.setenv("TORCH_CUDA_ARCH_LIST", "8.0")
    of_pytorch = pytorch_headers(tmp_path, 20)
    plain = Extension("a", ["a.cpp"], include_dirs=["own", of_pytorch], extra_compile_args=["-std=c++14"])
    cpp_extension.adapt(plain)
    assert plain.include_dirs == ["own", of_pytorch, *cpp_extension.include_dirs([], "plain")]
    assert plain.extra_compile_args == ["-std=c++20", "-fno-char8_t", *INCLUDED]
    both = Extension(
        "a", ["a.cpp", "a.cu"], include_dirs=[of_pytorch],
        extra_compile_args={"cxx": ["-O1"], "nvcc": ["-arch=sm_52", "-std", "c++17"]},
    )  # fmt: skip
    cpp_extension.adapt(both)
    calls = ["-include", str(config.includes() / "THC" / "THCRemoved.cuh")]
    assert both.extra_compile_args["cxx"] == ["-O1", *INCLUDED, *calls]
    assert "-arch=sm_52" not in both.extra_compile_args["nvcc"] and "-std=c++20" in both.extra_compile_args["nvcc"]


@pytest.mark.parametrize("way", ["include_dirs", "flags", "folders", "CPATH", "CFLAGS"])
def test_the_folder_of_pytorch_in_a_command_decides(monkeypatch, tmp_path, way):
    """Not the class of the extension, nor the command that builds it."""
    from setuptools import Extension

    folder, folders = pytorch_headers(tmp_path, 20), []
    extension = Extension("a", ["a.cpp"], extra_compile_args=["-std=c++11"])
    cpp_extension.adapt(extension)
    assert (extension.include_dirs, extension.extra_compile_args) == ([], ["-std=c++11"])
    if way == "include_dirs":
        extension.include_dirs = [folder]
    elif way == "flags":
        extension.extra_compile_args.append(f"-I{folder}")
    elif way == "folders":
        folders = [folder]
    else:
        monkeypatch.setenv(way, folder if way == "CPATH" else f"-I{folder}")
    cpp_extension.adapt(extension, folders)
    assert extension.extra_compile_args[0] == "-std=c++20" and extension.extra_compile_args[-2:] == INCLUDED


PLAIN_EXTENSION = """
from setuptools import Extension, setup
from {module} import {command}
setup(name="a", version="1", cmdclass={{"build_ext": {command}}}, ext_modules=[
    Extension("a", ["a.cpp"], include_dirs={folders}, extra_compile_args=["-std=c++11", "-g0"])])
"""
COMMANDS = {"BuildExtension": "torch.utils.cpp_extension", "build_ext": "setuptools.command.build_ext"}
ENDS = 'extern "C" void *PyInit_a() { return nullptr; }\n'


@pytest.mark.slow
@pytest.mark.parametrize("command, module", COMMANDS.items())
def test_an_extension_that_sees_no_header_of_pytorch_is_compiled_as_it_says(tmp_path, command, module):
    """u8 literals have another type from C++20 on."""
    (tmp_path / "setup.py").write_text(PLAIN_EXTENSION.format(module=module, command=command, folders=[]))
    (tmp_path / "a.cpp").write_text(f'static const char *name = u8"m";\nconst char *read() {{ return name; }}\n{ENDS}')
    done = python(tmp_path, "-m", "torchthaw", "run", "setup.py", "build_ext", "-i")
    assert done.returncode == 0, done.stderr
    assert "removed.h" not in done.stdout + done.stderr and "-std=c++11" in done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("off", ["", "build_ext"])
def test_setuptools_own_command_gets_what_headers_of_pytorch_need(tmp_path, off):
    folders = [pytorch_headers(tmp_path, 20)]
    (tmp_path / "setup.py").write_text(
        PLAIN_EXTENSION.format(module=COMMANDS["build_ext"], command="build_ext", folders=folders)
    )
    (tmp_path / "a.cpp").write_text(f"#include <ATen/ATen.h>\n{ENDS}")
    done = python(tmp_path, "-m", "torchthaw", "run", "setup.py", "build_ext", "-i", TORCHTHAW_NO_PATCH=off)
    assert (done.returncode == 0) == (not off), done.stderr
    said = re.search(names("a", "-std=c++11", "-std=c++20"), done.stderr)
    assert bool(said) == (not off) and (not off or "C++20 or later" in done.stderr)


@pytest.mark.slow
@pytest.mark.parametrize("command, module", COMMANDS.items())
@pytest.mark.parametrize("missing", ["compiler", "Python.h"])
def test_a_tool_that_is_missing_is_one_line(tmp_path, command, module, missing):
    folders = [pytorch_headers(tmp_path, 20)]
    text = PLAIN_EXTENSION.format(module=module, command=command, folders=folders)
    if missing == "Python.h":
        text = "import sysconfig\nsysconfig.get_path = lambda *words: '/nowhere'\n" + text
    (tmp_path / "setup.py").write_text(text)
    (tmp_path / "a.cpp").write_text(f"#include <{'no' if missing == 'Python.h' else ''}Python.h>\n{ENDS}")
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "ninja").symlink_to(shutil.which("ninja") or "/nowhere")
    path = os.environ["PATH"] if missing == "Python.h" else str(tools)
    variables = {name: "" for name in ("CC", "CXX")}
    done = python(tmp_path, "-m", "torchthaw", "run", "setup.py", "-q", "build_ext", "-i", PATH=path, **variables)
    assert done.returncode == 1 and "Traceback" not in done.stderr, done.stderr
    package = "python3-dev" if missing == "Python.h" else "g++"
    assert re.search(names("torchthaw", "apt install", package), done.stderr.splitlines()[-1])


def test_without_a_card_and_a_list_extensions_are_built_for_the_oldest(monkeypatch, capsys):
    """PyTorch alone ends with IndexError."""
    import torch
    from setuptools import Extension

    monkeypatch.setattr(cpp_extension.cuda, "toolkit", Toolkit)
    monkeypatch.setattr(cpp_extension.cuda, "visible", lambda toolkit: [])
    monkeypatch.setattr(cpp_extension.nvidia_packages, "folder", lambda toolkit: None)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 0)
    monkeypatch.delenv("TORCH_CUDA_ARCH_LIST", raising=False)
    oldest = ["-gencode=arch=compute_75,code=sm_75", "-gencode=arch=compute_75,code=compute_75"]

    def built_for(*given):
        cpp_extension._tell.cache_clear()
        extension = Extension("a", ["a.cu"], extra_compile_args={"nvcc": list(given)})
        cpp_extension.adapt(extension)
        return [word for word in extension.extra_compile_args["nvcc"] if "arch" in word or "code" in word]

    assert built_for("-arch=compute_60") == built_for() == oldest
    assert re.search(names("torchthaw", "nvcc", "GPU", "TORCH_CUDA_ARCH_LIST", "75", "75+PTX"), capsys.readouterr().err)
    assert built_for("-arch=sm_80") == ["-arch=sm_80"] or built_for("-arch=sm_80")[0].endswith("code=sm_80")
    monkeypatch.setenv("TORCH_CUDA_ARCH_LIST", "8.0")
    assert built_for() == []
    monkeypatch.delenv("TORCH_CUDA_ARCH_LIST")
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    assert built_for() == []


def test_without_a_toolkit_nvcc_gets_what_c_gets(monkeypatch):
    def none():
        raise FileNotFoundError("no nvcc")

    monkeypatch.setattr(cpp_extension.cuda, "toolkit", none)
    assert cpp_extension.nvcc_flags(["-std=c++23", "-arch=sm_52"], "native") == ["-std=c++23", "-arch=sm_52", *INCLUDED]


CMAKE = """
cmake_minimum_required(VERSION 3.17)
project(native CXX)
set(CMAKE_CXX_STANDARD 14)
add_library(native OBJECT native.cpp)
target_include_directories(native SYSTEM PRIVATE headers)
add_library(apart OBJECT apart.cpp)
"""


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("cmake") is None, reason="CMake is not installed")
def test_cmake_compiles_what_includes_pytorchs_headers_with_their_standard(tmp_path):
    """Under run. The other target keeps its standard; headers stands for PyTorch's folder."""
    (tmp_path / "headers" / "ATen").mkdir(parents=True)
    (tmp_path / "headers" / "ATen" / "ATen.h").write_text("#if __cplusplus < 202002L\n#error C++20\n#endif\n")
    (tmp_path / "native.cpp").write_text("#include <ATen/ATen.h>\n")
    (tmp_path / "apart.cpp").write_text('static_assert(__cplusplus == 201402L, "14");\n')
    (tmp_path / "CMakeLists.txt").write_text(CMAKE)
    (tmp_path / "make.sh").write_text("cmake -B made && cmake --build made\n")
    lists = {"CMAKE_GENERATOR": "Unix Makefiles", "CMAKE_BUILD_TYPE": "Debug"}
    done = python(tmp_path, "-m", "torchthaw", "run", "make.sh", TORCHTHAW_CACHE=str(tmp_path / "cache"), **lists)
    assert done.returncode == 0, done.stdout + done.stderr
    (line,) = re.findall("torchthaw:.*instead", done.stderr)
    assert {"gnu++14:", "C++20;", "gnu++20"} <= set(re.findall(r"gnu\+\+\d+:?|C\+\+\d+;", line))
    plain = ["cmake", "--build", "made", "--clean-first"]
    subprocess.run(["cmake", "-B", "made", "-DCMAKE_CXX_COMPILER_LAUNCHER="], cwd=tmp_path, check=True)
    assert "#error C++20" in subprocess.run(plain, cwd=tmp_path, capture_output=True, text=True).stderr


def test_current_flags_of_nvcc():
    """For flags without a source; rewrite() is for whole commands."""
    assert nvcc.current(["-arch=sm_20", "-O2"], Toolkit)[0] == ["-O2"]
