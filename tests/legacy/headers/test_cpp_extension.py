# tests/legacy/headers/test_cpp_extension.py: C++ extensions of PyTorch 0.4 to 1.10 compile unmodified, and others as
# without torchthaw.
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import torchthaw
from support import ROOT
from support.messages import names
from torchthaw.base import config
from torchthaw.legacy.cpp import aten_names, cpp_extension, cxx_standard, moved_headers, nvcc

INCLUDED = ["-include", str(cpp_extension.headers() / "removed.h")]
SAMPLES = ROOT / "examples" / "legacy" / "cpp_extension"
PACKAGES = str(Path(torchthaw.__file__).parents[1])
pytestmark = pytest.mark.timeout(900)  # PyTorch's headers take a compiler most of a minute, on a busy machine several


# Python's own flags ask for debug information, which takes half of the time that PyTorch's headers take.
QUICK = "-g0 -O0"


def python(folder, *arguments, **variables):
    environment = {**os.environ, "PYTHONPATH": PACKAGES, "MAX_JOBS": "2", "CFLAGS": QUICK, **variables}
    return subprocess.run([sys.executable, *arguments], cwd=folder, capture_output=True, text=True, env=environment)


def printed(folder, *arguments, **variables):
    done = python(folder, *arguments, **variables)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


LOAD = """
import sys
import torchthaw.legacy
torchthaw.legacy.install()
from torch.utils.cpp_extension import load

sys.modules["{module}"] = load("native", ["csrc/{name}.cpp"], extra_cflags=["-std=c++11", "-O0"])
sys.path.insert(0, ".")
import test
"""
MODULES = {"lltm": "lltm_native", "pairwise": "pairwise._native"}


# In a checkout, docs/port-an-old-project.md builds lltm by its setup.py, and the test below builds pairwise by load.
@pytest.mark.skipif(config.checkout() is not None, reason="each takes a compiler a minute: make compat runs them")
@pytest.mark.parametrize("way", ["setup.py", "load"])
@pytest.mark.parametrize("name", MODULES)
def test_sample(tmp_path, name, way):
    shutil.copytree(SAMPLES / name, tmp_path / name)
    if way == "load":
        (tmp_path / name / "by_load.py").write_text(LOAD.format(name=name, module=MODULES[name]))
        lines = printed(tmp_path / name, "by_load.py", TORCH_EXTENSIONS_DIR=str(tmp_path)).splitlines()
    else:
        printed(tmp_path / name, "-m", "torchthaw", "run", "setup.py", "-q", "build_ext", "--inplace")
        lines = printed(tmp_path / name, "-m", "torchthaw", "run", "test.py").splitlines()
    assert lines[-1] == f"{name}: ok"


BOTH_KINDS = """
import sys
import torchthaw.legacy
torchthaw.legacy.install()
import torch
from torch.utils.cpp_extension import load
from torch.utils.ffi import create_extension

sys.modules["pairwise._native"] = load(
    "pairwise_native", ["pairwise/csrc/pairwise.cpp"], extra_cflags=["-std=c++11", "-O0"], build_directory="objects",
)
sys.path.insert(0, "pairwise")
import test

create_extension("_ext.my_lib", headers="script/src/my_lib.h", sources=["script/src/my_lib.c"], relative_to=__file__).build()
from _ext import my_lib

output = torch.FloatTensor()
assert my_lib.my_lib_add_forward(torch.ones(2, 3), torch.ones(2, 3), output) == 1
print(output.sum())
"""


@pytest.mark.slow
def test_one_process_builds_and_calls_extensions_of_both_kinds(tmp_path):
    """``load`` takes THC and TH from torchthaw_aten, ``create_extension`` from libth."""
    shutil.copytree(SAMPLES / "pairwise", tmp_path / "pairwise")
    shutil.copytree(ROOT / "examples" / "legacy" / "script", tmp_path / "script")
    (tmp_path / "objects").mkdir()
    (tmp_path / "both.py").write_text(BOTH_KINDS)
    lines = printed(tmp_path, "both.py").splitlines()
    assert (lines[0], lines[-1]) == ("pairwise: ok", "tensor(12.)")


# Compiled to objects with torchthaw and without: dispatch and checks as they are written today.
CURRENT = """
#include <ATen/Dispatch.h>
#include <ATen/core/Tensor.h>
#include <Python.h>

#ifndef CHECK_EQ
#define CHECK_EQ(a, b) TORCH_CHECK((a) == (b), "own")
#endif

at::ScalarType dispatched(const at::Tensor &x) {
    TORCH_CHECK(x.dim() == 2, "expected a matrix");
    CHECK_EQ(x.size(0), 2);
    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "dispatched", [&] { x.mutable_data_ptr<scalar_t>()[0] = 1; });
    return x.scalar_type();
}
PyMODINIT_FUNC PyInit_current(void) { return nullptr; }
"""
SETUP = """
from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CppExtension

flags = {flags}
extensions = [CppExtension("{name}", ["{name}.cpp"], extra_compile_args=flags)]
setup(name="{name}", ext_modules=extensions, cmdclass={{"build_ext": BuildExtension}})
"""


def project(folder, name, source, flags=()):
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.cpp").write_text(source)
    (folder / "setup.py").write_text(SETUP.format(name=name, flags=list(flags)))


@pytest.mark.slow
def test_a_project_without_old_names_compiles_to_the_same_object_code(tmp_path):
    objects = []
    for off in ("cpp_extension", ""):
        project(
            tmp_path / "project", "current", CURRENT, ["-O2", "-g0", "-std=c++20"]
        )  # debug information names the headers
        printed(
            tmp_path / "project",
            "-m",
            "torchthaw",
            "run",
            "setup.py",
            "-q",
            "build_ext",
            "--build-temp",
            "objects",
            "--build-lib",
            "built",
            TORCHTHAW_NO_PATCH=off,
        )
        (made,) = (tmp_path / "project" / "objects").rglob("current.o")
        objects.append(made.read_bytes())
        log = (made.parent / "build.ninja").read_text()
        assert ("torchthaw_aten" in log) == (off == ""), log
        shutil.rmtree(tmp_path / "project")
    assert objects[0] == objects[1]


# Statements with names that PyTorch no longer has; the compiler's words without removed.h; and where some PyTorch from
# 2.4 on has the name still, a header and its text by which that one is known.
DISPATCH = "ATen/Dispatch.h"
REMOVED = [
    ('AT_CHECK(x.dim() == 2, "a matrix, not ", x.dim());', "'AT_CHECK' was not declared"),
    ('AT_WARN("slow");', "'AT_WARN' was not declared"),
    ('CHECK_EQ(x.dim(), 2) << "expected a matrix";', "'CHECK_EQ' was not declared"),
    ('DCHECK_GE(x.size(0), 2) << "rows";', "'DCHECK_GE' was not declared"),
    ("CHECK_NOTNULL(x.data_ptr());", "'CHECK_NOTNULL' was not declared"),
    ('AT_DISPATCH_FLOATING_TYPES(x.type(), "f", ([&] { x.data<scalar_t>()[0] = 1; }));',
     "cannot convert 'const at::DeprecatedTypeProperties' to", DISPATCH, "DeprecatedTypeProperties"),
    ('AT_DISPATCH_ALL_TYPES_AND_HALF(x.type(), "h", [&] { x.data<scalar_t>()[0] = 1; });',
     "'AT_DISPATCH_ALL_TYPES_AND_HALF' was not declared", DISPATCH, "AT_DISPATCH_ALL_TYPES_AND_HALF"),
    ('OWN_DISPATCH(x.type(), "o", [&] { x.data<scalar_t>()[0] = 1; });', "'AT_PRIVATE_CASE_TYPE' was not declared"),
]  # fmt: skip
# A macro of a project, made of the parts of PyTorch's.
OWN_DISPATCH = """
#define OWN_DISPATCH(TYPE, NAME, ...)                                        \\
    [&] {                                                                    \\
        const at::ScalarType own = ::detail::scalar_type(TYPE);              \\
        switch (own) {                                                       \\
            AT_PRIVATE_CASE_TYPE(at::ScalarType::Float, float, __VA_ARGS__)  \\
            AT_PRIVATE_CASE_TYPE(at::kDouble, double, __VA_ARGS__)           \\
            default: AT_ERROR(NAME, " is not for '", toString(own), "'");    \\
        }                                                                    \\
    }()
"""
SERVED = """
#include <TH/TH.h>
#include <ATen/Type.h>
#include <ATen/core/Error.h>
#include <ATen/core/optional.h>

at::Tensor served(at::Tensor x) {
    const auto &type = x.type();
    THArgCheck(x.numel() > 0, 1, "expected %d elements", 1);
    if (type.is_cuda()) THError("expected a CPU tensor");
    x.data<float>()[0] = THMax(0, 1);
    AT_ASSERTM(x.dim() == 2, "expected a matrix");
    AT_ASSERT(x.dim() == 2);
    c10::optional<at::Tensor> maybe = c10::nullopt;
    at::optional<int> number = at::nullopt;
    at::IntList sizes = x.sizes();
    return maybe.value_or(at::zeros(sizes, at::CPU(at::kFloat))) + number.value_or(1);
}
"""


def compiled(folder, source, flags):
    """What the compiler says of C++ on the headers of PyTorch, without making code; empty where it takes it."""
    from torch.utils.cpp_extension import include_paths

    (folder / "source.cpp").write_text(source)
    command = [os.environ.get("CXX", "c++"), "-fsyntax-only", "-w", *(f"-I{path}" for path in include_paths())]
    done = subprocess.run(
        [*command, *flags, "source.cpp"], cwd=folder, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"}
    )
    assert (done.returncode == 0) == ("error:" not in done.stderr), done.stderr
    return done.stderr


@pytest.mark.slow
def test_removed_names_compile(tmp_path):
    from torch.utils.cpp_extension import include_paths

    functions = [f"void f{number}(at::Tensor x) {{ {row[0]} }}\n" for number, row in enumerate(REMOVED)]
    source = "#include <ATen/ATen.h>\n" + OWN_DISPATCH + "".join(functions)
    folders = [f"-I{folder}" for folder in cpp_extension.include_dirs([], "removed")]
    assert compiled(tmp_path, source + SERVED, [*cpp_extension.flags(["-std=c++14"], "removed"), *folders]) == ""
    without = compiled(tmp_path, source, [f"-std=c++{cxx_standard.needed()}"])
    for _, words, *there in REMOVED:
        own = there and there[1] in Path(include_paths()[0], there[0]).read_text()
        assert own or words in without, without


@pytest.mark.parametrize("minor, own, expected", [
    (5, "#define AT_DISPATCH_ALL_TYPES_AND_HALF(TYPE, NAME, ...) its_own", "its_own"), (6, "", "AT_DISPATCH_ALL_TYPES_AND("),
])  # fmt: skip
def test_a_macro_that_pytorch_has_until_2_5_is_its_own(tmp_path, minor, own, expected):
    """Defined twice, it is a warning in each file."""
    for name, text in {
        "torch/version.h": f"#define TORCH_VERSION_MAJOR 2\n#define TORCH_VERSION_MINOR {minor}\n",
        "ATen/Dispatch.h": own, "a.cpp": '#include <ATen/Dispatch.h>\nAT_DISPATCH_ALL_TYPES_AND_HALF(1, "a", 2)\n',
    }.items():  # fmt: skip
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    command = [os.environ.get("CXX", "c++"), "-E", "-P", "-I.", *cpp_extension.flags([], "a"), "a.cpp"]
    environment = {name: value for name, value in os.environ.items() if name != "CPATH"}
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=environment)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1].startswith(expected)


HEADERS = [
    "TH/TH.h", "THC/THC.h", "THC/THCGeneral.h", "THC/THCNumerics.cuh", "THC.h", "THCNumerics.cuh", "TH.h",
    *filter(moved_headers.is_gone, moved_headers.HEADERS),
]  # fmt: skip


@pytest.mark.parametrize("header", HEADERS)
def test_headers_that_pytorch_has_no_more(tmp_path, header):
    """Only which file is found: what that includes takes a compiler long."""
    source = f"#if !__has_include(<{header}>)\n#error {header}\n#endif\n"
    assert f"#error {header}" in compiled(tmp_path, source, [])
    assert compiled(tmp_path, source, [f"-I{folder}" for folder in cpp_extension.include_dirs([], "x")]) == ""


def test_a_cache_that_cannot_be_written_leaves_the_headers_that_moved_out(tmp_path, monkeypatch, capsys):
    whole = cpp_extension.include_dirs(["own"], "x")
    (tmp_path / "file").touch()
    monkeypatch.setenv("TORCHTHAW_CACHE", str(tmp_path / "file" / "cache"))
    assert cpp_extension.include_dirs(["own"], "unwritten") == whole[:-1]
    said = names("unwritten", "TORCHTHAW_CACHE", "folder", f"{tmp_path}/file/cache/moved_headers", "ATen/Type.h")
    assert re.search(said, capsys.readouterr().err)


CHECKS = """
#include <iostream>
#include <memory>
#include <sstream>
#define CHECK_LE(a, b) (void)(a)  // the project's own comes before

int checked(long size, const char *text) {
    CHECK_EQ(size, 2) << "rows: " << size << std::endl;
    CHECK_GT(size, 0);
    DCHECK_LT(size, 0) << "none";
    CHECK_LE(size, there_is_no_such_name);
    return *CHECK_NOTNULL(text) + *CHECK_NOTNULL(std::make_unique<int>(3));
}
int main() {
    const char *texts[] = {"a", nullptr};
    for (long size : {2, 3})
        for (const char *text : texts) {
            try {
                std::cout << checked(size, text) << "\\n";
            } catch (const std::runtime_error &error) {
                std::cout << error.what() << "\\n";
            }
        }
}
"""


@pytest.mark.slow
@pytest.mark.parametrize("debug", [False, True])
def test_checks_of_the_kind_of_glog(tmp_path, debug):
    """A failed one is an exception with file, line, both values and the text. DCHECK: with debugging alone."""
    (tmp_path / "checks.cpp").write_text(CHECKS)
    flags = ["-std=c++17", "-Wall", "-Wextra", "-Werror", *([] if debug else ["-DNDEBUG"]), *INCLUDED]
    command = [os.environ.get("CXX", "c++"), *flags, "checks.cpp", "-o", "checks"]
    subprocess.run(command, cwd=tmp_path, check=True)
    lines = subprocess.run(tmp_path / "checks", capture_output=True, text=True, check=True).stdout.splitlines()
    good, none, *bad = lines
    if debug:
        assert {"checks.cpp:10:", "2", "0.", "none"} <= set(good.split()) == set(none.split())
    else:
        assert good == str(ord("a") + 3) and "nullptr" in none
    assert len(bad) == 2 and all({"checks.cpp:8:", "3", "2.", "rows:"} <= set(line.split()) for line in bad)


OF_TH = ["THError", "THArgCheck", "THAssert", "THAssertMsg", "THMin", "TH_CONCAT_2"]


@pytest.mark.parametrize("header", ["TH/THGeneral.h", "THC/THCGeneral.h", "THC/THC.h", "THC/THCBlas.h"])
def test_headers_bring_the_macros_of_th(tmp_path, header):
    """Those of THC included TH/THGeneral.h. Empty files stand for the headers of CUDA, which may not be here."""
    for path in cpp_extension.headers().rglob("TH*"):
        for name in re.findall(r"#include <((?:ATen|c10|cu).*)>", path.read_text()) if path.is_file() else ():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).touch()
    (tmp_path / "x.cpp").write_text(f"#include <{header}>\n")
    command = [os.environ.get("CXX", "c++"), "-E", "-dM", f"-I{tmp_path}", f"-I{cpp_extension.headers()}", "x.cpp"]
    defined = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert [name for name in OF_TH if f"#define {name}(" not in defined] == []


# ---- Flags ----------------------------------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def tells_anew():
    cpp_extension._tell.cache_clear()


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
    assert cpp_extension.flags(given, "native") == [*expected, *INCLUDED]
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
    assert plain.extra_compile_args == ["-std=c++20", *INCLUDED]
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


# ---- When the patch is made -----------------------------------------------------------------------------------------

PATCHED = "print('thaw' in torch.utils.cpp_extension.load.__code__.co_filename)"
INSTALL = "import torchthaw.legacy; torchthaw.legacy.install()"
WAYS = {
    "install() before": f"{INSTALL}; import torch, torch.utils.cpp_extension; {PATCHED}",
    "install() after": f"import torch, torch.utils.cpp_extension; {INSTALL}; {PATCHED}",
    "from-import": f"{INSTALL}; from torch.utils.cpp_extension import load; "
                   "print('thaw' in load.__code__.co_filename)",
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("off", ["", "cpp_extension", "all"])
def test_the_patch_is_made_with_the_import(tmp_path, way, off):
    assert printed(tmp_path, "-c", WAYS[way], TORCHTHAW_NO_PATCH=off) == f"{off == ''}\n"


@pytest.mark.slow
def test_torch_utils_ffi_does_not_import_it(tmp_path):
    code = f"{INSTALL}; import sys, torch.utils.ffi; print('torch.utils.cpp_extension' in sys.modules)"
    assert printed(tmp_path, "-c", code) == "False\n"


@pytest.mark.slow
def test_the_module_keeps_its_source(tmp_path):
    code = f"{INSTALL}; import inspect, torch.utils.cpp_extension as m; print('def load' in inspect.getsource(m))"
    assert printed(tmp_path, "-c", code) == "True\n"


# ---- What nobody has ------------------------------------------------------------------------------------------------

GONE = """
#include <Python.h>
// THNN_comment is no use of a name
int before;
void f() { THNN_FloatReLU_updateOutput(nullptr); }
"""
GONE_LINE = "THNN_FloatReLU_updateOutput: PyTorch 1.11 has it no more; instead: operators of at::"


@pytest.mark.slow
@pytest.mark.parametrize("way", ["setup.py", "load"])
def test_a_name_that_nobody_has_is_named_behind_the_compilers_words(tmp_path, way):
    project(tmp_path, "gone", GONE)
    load = f"{INSTALL}; from torch.utils.cpp_extension import load; load('gone', 'gone.cpp')"
    arguments = ["-m", "torchthaw", "run", "setup.py", "build_ext"] if way == "setup.py" else ["-c", load]
    done = python(tmp_path, *arguments, TORCH_EXTENSIONS_DIR=str(tmp_path / "objects"))
    words = done.stdout + done.stderr
    assert done.returncode != 0 and "was not declared" in words, words
    assert words.count("; instead: ") == 1 and f"gone.cpp:5: {GONE_LINE}" in words


NAMES = [
    ("THCudaTensor_newContiguous(state, x)", "THCudaTensor_newContiguous"),
    ("THCDeviceTensor<float, 2> t;", "THCDeviceTensor"),
    ("const at::Type &type = x.type();", "at::Type"),
    ("THCudaBlas_Sgetrf(state)", "THCudaBlas_Sgetrf"),
    ("check_generator<at::CUDAGenerator>(g)", "at::CUDAGenerator"),
    ("THCudaBlas_Sgemm(state)", None),
    ("at::TypeMeta m; my_THNN_name();", None),
    ('puts("THNN_text");', None),
]


@pytest.mark.parametrize("text, name", NAMES)
def test_names_that_are_gone(text, name):
    found = [entry[1] for entry in aten_names.gone(text)]
    assert (found[0] if found else None) == name


def test_samples_know_nothing_of_this_project():
    for path in SAMPLES.rglob("*.*"):
        assert "thaw" not in path.read_text(), path


def test_current_flags_of_nvcc():
    """For flags without a source; rewrite() is for whole commands."""
    assert nvcc.current(["-arch=sm_20", "-O2"], Toolkit)[0] == ["-O2"]
