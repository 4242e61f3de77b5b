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
from torchthaw.base import config
from torchthaw.legacy import aten_names, cpp_extension, nvcc

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

at::ScalarType dispatched(const at::Tensor &x) {
    TORCH_CHECK(x.dim() == 2, "expected a matrix");
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


REMOVED = """
#include <ATen/ATen.h>
#include <TH/TH.h>

at::Tensor removed(at::IntList sizes, at::Tensor x) {
    AT_CHECK(x.dim() == 2, "expected a matrix, got ", x.dim(), " dimensions");
    auto made = at::zeros(sizes, at::CPU(at::kFloat));
    AT_DISPATCH_ALL_TYPES_AND_HALF(x.type(), "removed", [&] { made.fill_(x.data<scalar_t>()[0]); });
    const auto &type = x.type();
    AT_DISPATCH_FLOATING_TYPES(type, "removed", ([&] { x.data<scalar_t>()[0] = THMax(0, 1); }));
    THArgCheck(made.numel() > 0, 1, "expected %d elements", 1);
    if (type.is_cuda()) THError("expected a CPU tensor");
    return made;
}
"""


def test_removed_names_compile(tmp_path):
    from torch.utils.cpp_extension import include_paths

    (tmp_path / "removed.cpp").write_text(REMOVED)
    includes = [f"-I{folder}" for folder in [*include_paths(), cpp_extension.headers()]]
    command = [os.environ.get("CXX", "c++"), "-fsyntax-only", "-w", "-std=c++20", *includes, "removed.cpp"]
    done = subprocess.run([*command, *cpp_extension.flags([])], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    without = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert without.returncode != 0 and "AT_CHECK" in without.stderr


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

INCLUDED = ["-include", str(cpp_extension.headers() / "removed.h")]
FLAGS = [
    ([], []),
    (["-O2", "-std=c++11", "-DA=1"], ["-O2", "-DA=1"]),
    (["-std=gnu++14"], []),
    (["--std", "c++14", "-g"], ["-g"]),
    (["-std=c++20"], ["-std=c++20"]),
    (["-std=c++2a", "-std"], ["-std=c++2a", "-std"]),
]


@pytest.mark.parametrize("given, expected", FLAGS)
def test_flags_lose_an_old_standard_alone(given, expected):
    assert cpp_extension.flags(given) == [*expected, *INCLUDED]


class Toolkit:
    version, architectures, include, library_dirs = "13.0", ["75", "80", "90"], Path("no-toolkit"), ()


NVCC_FLAGS = [
    (["-std=c++11", "-D__CUDA_NO_HALF_OPERATORS__"], ["-D__CUDA_NO_HALF_OPERATORS__"]),
    (["-arch=sm_52"], []),
    (["-gencode=arch=compute_35,code=sm_35", "-gencode", "arch=compute_80,code=sm_80"],
     ["-gencode=arch=compute_80,code=sm_80"]),
    (["-gencode=arch=compute_75,code=compute_75"], ["-gencode=arch=compute_75,code=compute_75"]),
]  # fmt: skip


@pytest.mark.parametrize("given, expected", NVCC_FLAGS)
def test_flags_of_nvcc_lose_the_cards_that_it_lacks(monkeypatch, capsys, given, expected):
    monkeypatch.setattr(cpp_extension.cuda, "toolkit", Toolkit)
    words = cpp_extension.nvcc_flags(given)
    assert words[: len(expected)] == expected and words[-2:] == INCLUDED
    lost = any("35" in word or "52" in word for word in given)
    assert ("has no such architecture" in capsys.readouterr().err) == lost


def test_extensions_with_flags_as_a_list_and_as_a_dict(monkeypatch):
    from setuptools import Extension

    monkeypatch.setattr(cpp_extension.cuda, "toolkit", Toolkit)
    plain = Extension("a", ["a.cpp"], include_dirs=["own"], extra_compile_args=["-std=c++14"])
    cpp_extension.adapt(plain)
    assert plain.include_dirs == ["own", str(cpp_extension.headers())] and plain.extra_compile_args == INCLUDED
    both = Extension("a", ["a.cpp", "a.cu"], extra_compile_args={"cxx": ["-O1"], "nvcc": ["-arch=sm_52"]})
    cpp_extension.adapt(both)
    calls = ["-include", str(config.includes() / "THC" / "THCRemoved.cuh")]
    assert both.extra_compile_args["cxx"] == ["-O1", *INCLUDED, *calls]
    assert "-arch=sm_52" not in both.extra_compile_args["nvcc"]


def test_without_a_toolkit_nvcc_gets_what_c_gets(monkeypatch):
    def none():
        raise FileNotFoundError("no nvcc")

    monkeypatch.setattr(cpp_extension.cuda, "toolkit", none)
    assert cpp_extension.nvcc_flags(["-std=c++11", "-arch=sm_52"]) == ["-arch=sm_52", *INCLUDED]


# ---- When the patch is made -----------------------------------------------------------------------------------------

PATCHED = "print('thaw' in torch.utils.cpp_extension.load.__code__.co_filename)"
INSTALL = "import torchthaw.legacy; torchthaw.legacy.install()"
WAYS = {
    "install() before": f"{INSTALL}; import torch, torch.utils.cpp_extension; {PATCHED}",
    "install() after": f"import torch, torch.utils.cpp_extension; {INSTALL}; {PATCHED}",
    "from-import": f"{INSTALL}; from torch.utils.cpp_extension import load; "
                   "print('thaw' in load.__code__.co_filename)",
}  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("off", ["", "cpp_extension", "all"])
def test_the_patch_is_made_with_the_import(tmp_path, way, off):
    assert printed(tmp_path, "-c", WAYS[way], TORCHTHAW_NO_PATCH=off) == f"{off == ''}\n"


def test_torch_utils_ffi_does_not_import_it(tmp_path):
    code = f"{INSTALL}; import sys, torch.utils.ffi; print('torch.utils.cpp_extension' in sys.modules)"
    assert printed(tmp_path, "-c", code) == "False\n"


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
