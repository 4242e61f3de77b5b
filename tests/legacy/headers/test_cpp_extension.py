# tests/legacy/headers/test_cpp_extension.py: C++ extensions of PyTorch 0.4 to 1.10 compile unmodified, and others as
# without torchthaw.
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from support import ROOT
from support.cpp_project import INCLUDED, printed, project, python, tells_anew  # noqa: F401
from support.messages import names
from torchthaw.base import config
from torchthaw.legacy.cpp import aten_names, cpp_extension, cxx_standard, moved_headers

SAMPLES = ROOT / "examples" / "legacy" / "cpp_extension"
pytestmark = pytest.mark.timeout(900)  # PyTorch's headers take a compiler most of a minute, on a busy machine several


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
