# tests/legacy/doctor/test_doctor_foreign.py: code of other libraries gets no edits of the doctor; names that PyTorch's,
# NumPy's and Python's interfaces lost are named.
import re
import sys

import pytest

from support.doctor_project import findings, places, project  # noqa: F401
from support.messages import names
from torchthaw.cli import main

SETUP = "from torch.utils.cpp_extension import CppExtension\nCppExtension('n', {})\n"
OP = "#include <torch/script.h>\nat::Tensor f(at::Tensor x) { return at::relu(x); }\n"


def edits(folder):
    return {place for place in places(folder) if " edit " in place} | {
        f"{finding.rule} {finding.after}" for finding in findings(folder) if finding.certain
    }


@pytest.mark.parametrize("found", [
    "find_library(TORCH_LIBRARY torch PATHS ${TORCH_INSTALL}/lib)", "FIND_LIBRARY(C10 NAMES c10 libc10)",
    "find_library(X torch_cpu)", "target_link_libraries(a ${TORCH_LIBRARIES})", "find_package(Torch REQUIRED)",
])  # fmt: skip
def test_a_cmake_project_that_finds_pytorch_in_another_way(project, found):
    assert not edits(
        project(
            {"CMakeLists.txt": f"project(a)\n{found}\n", "src/op.cpp": OP, "src/op.h": "#include <torch/script.h>\n"}
        )
    )


def test_files_of_no_known_build_beside_builds_with_pytorch_are_not_for_torch_utils_ffi(project):
    assert not edits(project({"src/op.cpp": OP, "py/setup.py": SETUP.format("[]"), "BUILD.bazel": ""}))


def test_those_beside_code_on_th_may_be(project):
    folder = project(
        {
            "src/op.cpp": OP,
            "py/setup.py": SETUP.format("[]"),
            "src/a.c": "#include <TH/TH.h>\nvoid f(THFloatTensor *x) {}\n",
        }
    )
    assert edits(folder)


LOGGING = "#include <{}>\nvoid f(int a, int b) {{ CHECK_EQ(a, b); DCHECK_LT(a, b); CHECK_NOTNULL(&a); }}\n"


@pytest.mark.parametrize(
    "header",
    ["dmlc/logging.h", "glog/logging.h", "dgl/runtime/ndarray.h", "absl/log/check.h", "logging.h", "base/check.h"],
)
@pytest.mark.parametrize("first", ["", "#include <vector>\n"])
def test_checks_of_another_library_stay(project, header, first):
    """Also in a header that a file for PyTorch includes, and where the other library's folder is empty."""
    folder = project({
        "setup.py": SETUP.format("['op.cpp']"), "op.cpp": '#include "a.h"\n' + OP, "a.h": first + LOGGING.format(header),
        "b.cpp": "#include <torch/extension.h>\n" + LOGGING.format(header if "log" in header or "check" in header else "dmlc/a.h"),
    })  # fmt: skip
    assert not edits(folder)


def test_checks_of_pytorch_are_edited(project):
    folder = project({"setup.py": SETUP.format("['op.cpp']"), "op.cpp": LOGGING.format("c10/util/Logging.h")})
    assert [finding.rule for finding in findings(folder, "op.cpp") if finding.certain] == ["old-aten", "old-aten"]


IMAGE = """#include "image.h"
#include <vector>
namespace image {
Tensor Load(const Tensor &x, Storage storage) {
  auto type = x.type();
  float *p = x.data<float>();
  AT_EXIT(x.type().is_cuda());
  if (x.is_variable() || x.type() == y.type()) return x.toType(kFloat);
  x.storage().data(); TORCHED(x.scalar_type());
  return Type::Tensor(x.numel(), storage.size());
}
}
"""


@pytest.mark.parametrize("sources", ["glob('*.cpp')", "['image.cpp']", "['op.cpp']"])
def test_classes_that_look_like_those_of_aten(project, sources):
    folder = project(
        {
            "setup.py": SETUP.format(sources),
            "op.cpp": '#include "image.h"\n' + OP,
            "image.cpp": IMAGE,
            "image.h": IMAGE[19:],
        }
    )
    assert not edits(folder)


@pytest.mark.parametrize(
    "header",
    ["torch_musa/csrc/core/Device.h", "ATen/musa/MUSAContext.h", "c10/musa/MUSAStream.h", "torch/csrc/npu/Stream.h"],
)
def test_headers_of_other_vendors(project, header):
    folder = project(
        {"setup.py": SETUP.format("['op.cpp']"), "op.cpp": f'#include <{header}>\n#include "{header}"\n' + OP}
    )
    assert not edits(folder)


def test_pytorch_alone_is_promised_only_where_it_is_enough(project, capsys):
    old = "#include <torch/extension.h>\nvoid f(at::Tensor x) { AT_CHECK(x.dim() == 2); }\n"
    folder = project({"setup.py": SETUP.format("['op.cpp']"), "op.cpp": old})
    assert main(["doctor", str(folder)]) == 0
    assert re.search(names("PyTorch alone"), capsys.readouterr().out)
    project({"setup.py": "import pkg_resources\npkg_resources.require('x')\n" + SETUP.format("['op.cpp']")})
    assert main(["doctor", str(folder)]) == 0
    assert not re.search(names("PyTorch alone"), capsys.readouterr().out)


@pytest.mark.parametrize(
    "taken",
    [
        "loss.data.cpu().numpy()",
        "loss.cpu().data.numpy()",
        "loss.data.numpy()",
        "loss.detach().cpu().numpy()",
        "loss.data",
    ],
)
def test_an_index_of_a_loss(project, taken):
    text = f"def f(x):\n    loss = criterion(x)\n    loss.backward()\n    return {taken}[0]\n"
    (found,) = findings(project({"a.py": text}))
    assert (found.rule, found.line, found.certain) == ("data-index", 4, True)
    assert found.after in ("return loss.item()", "return loss.cpu().item()")


def test_a_row_of_detached_values_is_none(project):
    assert not findings(project({"a.py": "def f(rows):\n    return rows.detach()[0], rows.detach().cpu()[0]\n"}))


LOST = {
    "def version():\n    exec(open('v.py').read())\n    return locals()['__version__']\n": ("a.py:3", "exec-locals"),
    "import torch\nx = int(torch.__version__.split('.')[2])\n": ("a.py:2", "torch-version"),
    "import torch\nx = tuple(map(int, torch.__version__.split('.')))\n": ("a.py:2", "torch-version"),
    "import torch\nx = [int(p) for p in torch.__version__.split('.')]\n": ("a.py:2", "torch-version"),
    "import torch\nx = [int(p) for p in torch.__version__.split('.')[:2]]\n": None,
    "import torch\nx = int(torch.__version__.split('.')[0])\n": None,
    "exec(open('v.py').read())\nx = locals()['__version__']\n": None,
    "def f():\n    d = {}\n    exec(open('v.py').read(), d)\n    return locals()['d']\n": None,
    "from torch.utils import cpp_extension\ncpp_extension.include_paths(cuda=True)\n": ("a.py:2", "build-argument"),
    "from torch.utils.cpp_extension import include_paths\ninclude_paths(cuda=False)\n": ("a.py:2", "build-argument"),
    "from torch.utils.cpp_extension import include_paths\ninclude_paths()\n": None,
    "def include_paths(cuda): pass\ninclude_paths(cuda=1)\n": None,
}  # fmt: skip


@pytest.mark.parametrize("text", LOST)
def test_what_interfaces_of_python_lost(project, text):
    found = {
        (place.split()[0], place.split()[2])
        for place in places(project({"a.py": text}))
        if "cpp-extension" not in place
    }
    assert found == ({LOST[text]} if LOST[text] else set())


def test_locals_of_exec_have_to_be_edited_where_python_lost_them(project, monkeypatch):
    folder = project({"a.py": next(iter(LOST))})
    for version, effect in (((3, 12), "check"), ((3, 13), "edit")):
        monkeypatch.setattr(sys, "version_info", version)
        assert [finding.effect for finding in findings(folder)] == [effect]


def test_locals_of_exec_work_in_build_scripts_under_run(project, monkeypatch):
    monkeypatch.setattr(sys, "version_info", (3, 13))
    folder = project({"setup.py": "from setuptools import setup\n" + next(iter(LOST)) + "setup(version=version())\n"})
    (found,) = [each for each in findings(folder) if each.rule == "exec-locals"]
    assert found.effect == "works" and re.search(names("run"), found.message)


@pytest.mark.parametrize(
    "use", ["NPY_IN_ARRAY", "NPY_C_CONTIGUOUS", "NPY_UPDATEIFCOPY", "PyArray_DOUBLE", "PyArray_DESCR(a)->elsize"]
)
def test_what_the_interface_of_numpy_lost(project, use):
    folder = project({"a.c": f"#include <numpy/arrayobject.h>\nint f() {{ return {use}; }}\n", "b.c": f"int f() {{ return {use}; }}\n",
                      "c.c": "#include <numpy/arrayobject.h>\nint f() { return NPY_ARRAY_IN_ARRAY + NPY_DOUBLE + PyArray_ITEMSIZE(a); }\n"})  # fmt: skip
    assert places(folder) == {"a.c:2 check numpy-c-api"}


def test_operators_that_torchscript_registered(project):
    text = '#include <torch/script.h>\nstatic auto r = torch::jit::RegisterOperators().op("a::b", &f);\n'
    folder = project({"CMakeLists.txt": "find_package(Torch)\n", "op.cpp": text})
    assert [finding.rule for finding in findings(folder, "op.cpp")] == ["removed-aten"]


@pytest.mark.parametrize("files", [{}, {"README.md": "text\n"}, {".git/config": ""}])
def test_a_folder_without_anything_to_read_is_an_error(project, tmp_path, capsys, files):
    (tmp_path / "a").mkdir()
    project({f"a/{name}": text for name, text in files.items()})
    assert main(["doctor", str(tmp_path / "a")]) == 2
    printed = capsys.readouterr()
    assert printed.out == "" and re.search(names("expected", "got", tmp_path / "a"), printed.err)
