# tests/legacy/doctor/test_doctor_aten.py: the doctor on C++ extensions of PyTorch 0.4 to 1.10: its tables, its report,
# the samples.
import os
import re
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest

from support import ROOT
from support.doctor_project import applied, findings, project  # noqa: F401
from torchthaw.cli import main
from torchthaw.doctor.rules import aten
from torchthaw.legacy.cpp import aten_names, cxx_standard

SAMPLES = ROOT / "examples" / "legacy" / "cpp_extension"
CASES = (Path(__file__).with_name("cases") / "aten.txt").read_text()
HEADERS = ROOT / "c_api" / "include" / "torchthaw_aten"

SETUP = "from torch.utils.cpp_extension import CUDAExtension\nCUDAExtension('n', ['n.cu'])\n"


@pytest.mark.parametrize("row", aten.NAMES, ids=[row.name for row in aten.NAMES])
def test_every_name_has_a_case(row):
    assert row.pattern.search(CASES)


def test_headers_of_the_table_are_those_that_are_served():
    served = {path.relative_to(HEADERS).as_posix() for path in HEADERS.glob("TH*/*")}
    assert served == set(aten.INCLUDES)
    assert all(f"#include <{name}>" in CASES for name in served)


SERVED = {
    *re.findall(r"^#define (TH[A-Z]\w+|AT_\w+|CAFFE2_API|lazyInitCUDA|getTHCState)\b", "\n".join(
        path.read_text() for path in HEADERS.rglob("*.*")), re.MULTILINE),
    "THCCeilDiv", "THCRoundUp", "THAlloc", "THFree", "THRealloc", "THCNumerics",
    "THCThrustAllocator",
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(name for name in SERVED if not re.match("THC?_", name)))
def test_names_that_the_headers_have_are_reported(project, name):
    arguments = {"AT_PRIVATE_CASE_TYPE": "at::kFloat, float, __VA_ARGS__", "lazyInitCUDA": "", "getTHCState": ""}
    line = f"void f() {{ {name}({arguments.get(name, 'state, 1')}); }}\n"
    having = ("TH/TH.h", "THC/THC.h", "THC/THCNumerics.cuh", "THC/THCThrustAllocator.cuh")
    headers = "".join(f"#include <{each}>\n" for each in having)
    found = findings(project({"setup.py": SETUP, "n.cu": headers + line}), "n.cu")
    assert [(each.rule, each.effect) for each in found if each.line == 5] == [("old-aten", "works")]


@pytest.mark.parametrize(
    "name", ["THArgCheck", "THError", "THCudaCheck", "THCNumerics", "THCState_getNumDevices", "THCThrustAllocator"]
)
def test_names_without_their_headers_must_be_edited(project, name):
    folder = project({"setup.py": SETUP, "n.cu": f"#include <ATen/ATen.h>\nvoid f() {{ {name}(state, 1); }}\n"})
    (found,) = findings(folder, "n.cu")
    assert (found.line, found.effect, found.rule) == (2, "edit", "old-aten")
    assert re.match(rf"{name} is in <THC?/\w+.\w+>, which is not included; today it is ", found.message)
    assert found.certain and "#include <" in found.after and applied(folder)


GONE = (
    "THFloatTensor_data THCudaTensor_data THFloatStorage_new THCDeviceTensor THC_pointwiseApply2 THCStream_new "
    "THCState_getCurrentDeviceScratchSpaceSize THCGenerator THCudaHostAlloc THCudaBlas_Hgemm THNN_FloatAbs at::Type "
    "x.zeros({1}) getNonVariableType at::CPUGenerator torch::make_unique at::cuda::getCurrentCUDAStreamOnDevice "
    "unsafeGetTH torch::jit::RegisterOperators().op(1)"
).split()


@pytest.mark.parametrize("entry, use", list(zip(aten_names.GONE, GONE)), ids=GONE)
def test_names_that_nobody_has(project, entry, use):
    assert len(aten_names.GONE) == len(GONE)
    text = f"#include <ATen/ATen.h>\nauto y = {use};\nauto z = {use};\n"
    found = findings(project({"setup.py": SETUP, "n.cu": text}), "n.cu")
    ((_, name, gone, instead),) = aten_names.gone(use)
    if entry.edit:
        expected = [(line, f"auto {v} = {use.replace(name, entry.edit)};") for line, v in ((2, "y"), (3, "z"))]
    else:
        expected = [(2, None)]
    assert [(finding.line, finding.effect, finding.rule, finding.message, finding.after) for finding in found] == [
        (line, "edit", "removed-aten", f"{name}: {gone}; use {instead}", after) for line, after in expected
    ]


REGISTERED = """#include <torch/script.h>
at::Tensor twice(at::Tensor x) { return x + x; }
static auto first = torch::jit::RegisterOperators().op("own::twice", &twice).op("own::again", &twice);
static torch::jit::RegisterOperators second("own::third", &twice);
static auto third = torch::jit::RegisterOperators("own::fourth", &twice);
static torch::jit::RegisterOperators made(std::vector<std::optional<torch::jit::Operator>>{});
"""


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_operators_that_were_registered_with_torchscript(project, tmp_path):
    """What PyTorch has of the class stays, also after the edits, which compile."""
    folder = project({"setup.py": SETUP.replace("n.cu", "n.cpp"), "n.cpp": REGISTERED})
    heading = "`error: 'struct torch::jit::RegisterOperators' has no member named 'op'`"
    assert f"## {heading}\n" in (ROOT / "docs" / "build-stops.md").read_text()
    said = re.sub("[‘’]", "'", syntax(folder).stderr)
    assert heading.strip("`") in said and "Operators::RegisterOperators(const char" in said
    assert list(applied(folder)) == ["n.cpp"] and syntax(folder).returncode == 0
    text = (folder / "n.cpp").read_text()
    assert text.count("torch::RegisterOperators") == 3 and text.count("torch::jit::RegisterOperators") == 1


def syntax(folder):
    from torch.utils.cpp_extension import include_paths

    standard = f"-std=c++{max(17, cxx_standard.needed())}"
    command = ["g++", standard, "-fsyntax-only", "-w", *(f"-I{path}" for path in include_paths()), "n.cpp"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"})


FLAGS = """from torch.utils.cpp_extension import CppExtension
flags = {'cxx': ['-O3', '-std=c++17'], 'nvcc': ['--std', 'c++14']}
if gpu:
    flags['nvcc'].append('-std=c++17')
flags['nvcc'] += ['-std=c++20']
"""


@pytest.mark.parametrize("needed, lines", [(20, [2, 2, 4]), (17, [2])])
def test_a_standard_is_old_where_the_installed_pytorch_needs_a_newer_one(project, monkeypatch, needed, lines):
    monkeypatch.setattr(cxx_standard, "needed", lambda: needed)
    folder = project({"setup.py": FLAGS})
    found = [each for each in findings(folder) if each.rule == "cpp-standard"]
    assert [each.line for each in found] == lines
    assert all(each.effect == "works" and f"C++{needed}" in each.message for each in found)
    text = applied(folder)["setup.py"].decode()
    assert "'nvcc': []}" in text and "'-std=c++20'" in text
    assert ("'cxx': ['-O3']" in text and "    pass\n" in text) == (needed == 20)


def test_optional_edits_are_marked_and_leave_the_exit_status(project, capsys):
    folder = project({"setup.py": SETUP, "n.cu": "#include <ATen/ATen.h>\nvoid f() { AT_CHECK(1); }\n"})
    assert main(["doctor", str(folder)]) == 0
    out = capsys.readouterr().out
    assert "n.cu: works, 1 optional edit\n" in out
    assert (
        "  n.cu:2: old-aten (works, edit optional): AT_CHECK compiles under torchthaw; today it is TORCH_CHECK\n"
        "      - void f() { AT_CHECK(1); }\n      + void f() { TORCH_CHECK(1); }\n"
    ) in out
    assert f"to make every optional edit, so that PyTorch alone compiles it: python -m torchthaw doctor {folder}" in out
    assert f"nothing has to be edited: cd {folder} && python -m torchthaw run setup.py build_ext --inplace" in out
    project({"setup.py": SETUP + "flags = ['-gencode=arch=compute_35,code=sm_35']\n"})
    assert main(["doctor", str(folder)]) == 0
    out = capsys.readouterr().out
    assert f"doctor {folder} --apply" in out and "PyTorch alone" not in out
    project({"a.py": "x = xrange(3)\n"})
    assert main(["doctor", str(folder)]) == 1
    assert "to make every edit, and the optional ones: " in capsys.readouterr().out
    assert main(["doctor", str(folder), "--apply"]) == 0
    assert "a.py: 1 line changed\nn.cu: 1 line changed\n" in capsys.readouterr().out


OLD = re.compile(
    rf"AT_CHECK|AT_DISPATCH_\w+\([^,]*\btype\(\)|type\(\)\.is_cuda|[.>]data<|IntList|c\+\+11|{aten.OF_TH.pattern}"
)
# pairwise has names that nothing replaces word for word.
STAY = set(
    "THAlloc THFree THMax THArgCheck THCState THCDeviceUtils THCNumerics THCudaBlas_Sgemm THCudaBlas_Dgemm".split()
)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_samples_become_current(tmp_path):
    from torch.utils.cpp_extension import include_paths

    folder = shutil.copytree(SAMPLES, tmp_path / "samples", ignore=shutil.ignore_patterns("build", "*.so"))
    written = applied(folder)
    assert written.keys() == {
        f"{name}/{file}" for name in ("lltm", "pairwise")
        for file in ("setup.py", f"csrc/{name}.cpp", f"csrc/{name}_cuda.cu")
    }  # fmt: skip
    left = {path: set(OLD.findall(data.decode())) for path, data in written.items()}
    assert not any(names for path, names in left.items() if path.startswith("lltm/"))
    assert set().union(*left.values()) == STAY
    assert not [finding for finding in findings(folder) if finding.effect == "edit"]
    # PyTorch alone compiles lltm; pairwise needs TH/TH.h still. One file for both, as torch/extension.h takes 20 s.
    assert b"<TH" not in written["lltm/csrc/lltm.cpp"]
    (folder / "both.cpp").write_text(
        '#define TORCH_EXTENSION_NAME lltm\n#include "lltm/csrc/lltm.cpp"\n#undef TORCH_EXTENSION_NAME\n'
        '#define TORCH_EXTENSION_NAME pairwise\n#include "pairwise/csrc/pairwise.cpp"\n'
    )
    includes = [f"-I{path}" for path in [*include_paths(), sysconfig.get_path("include"), HEADERS]]
    command = ["g++", "-std=c++20", "-fsyntax-only", "-w", *includes, "both.cpp"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
