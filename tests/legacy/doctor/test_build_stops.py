# tests/legacy/doctor/test_build_stops.py: the page "Your build stops at" has what compilers and Python say about small
# samples, in their own words, and the doctor names the cause in the same samples.
import os
import re
import shutil
import subprocess
import sys
import sysconfig

import pytest

from support import ROOT
from support.doctor_project import applied, findings, project  # noqa: F401
from support.messages import names

PAGE = (ROOT / "docs" / "build-stops.md").read_text()
HEADINGS = re.findall(r"^## (.*)", PAGE, re.MULTILINE)
SETUP = "from torch.utils.cpp_extension import CUDAExtension\nCUDAExtension('n', ['n.cpp', 'n.cu'])\n"

# By message: a CUDA source, the doctor's rule, and its line.
CUDA = {
    'error: namespace "thrust" has no member class "unary_function"': (
        "#include <thrust/functional.h>\nstruct square : public thrust::unary_function<float, float> {};\n",
        "removed-cuda", 2,
    ),
    'error: no suitable constructor exists to convert from "int" to "cudaMemLocation"': (
        "void warm(float *p, int device) {\n  cudaMemPrefetchAsync(p, 4, device, 0);\n}\n", "changed-cuda", 2,
    ),
    "error: texture is not a template": (
        "texture<float, 1> image;\n", "removed-cuda", 1,
    ),
}  # fmt: skip


def nvcc(tmp_path, source, *flags):
    """What nvcc 13 says of a source."""
    found = shutil.which("nvcc")
    version = found and subprocess.run([found, "--version"], capture_output=True, text=True).stdout
    if not version or int(re.search(r"release (\d+)", version)[1]) < 13:
        pytest.skip("needs nvcc 13 or later")
    (tmp_path / "n.cu").write_text(source)
    command = [found, *(flags or ["-arch=sm_80"]), "-cuda", "n.cu", "-o", "n.ii"]
    return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True).stderr


@pytest.mark.slow
@pytest.mark.parametrize("message", CUDA)
def test_messages_of_cuda_code_are_headings_and_have_a_finding(tmp_path, project, message):
    source, rule, line = CUDA[message]
    found = findings(project({"setup.py": SETUP, "n.cu": source}), "n.cu")
    assert (rule, line) in [(each.rule, each.line) for each in found]
    assert f"`{message}`" in HEADINGS
    assert message in nvcc(tmp_path, source)


def test_an_architecture_that_nvcc_has_no_more(tmp_path, project):
    message = "nvcc fatal   : Unsupported gpu architecture 'compute_35'"
    flags = ["-gencode", "arch=compute_35,code=sm_35"]
    found = findings(project({"setup.py": SETUP + f"flags = {flags}\n"}))
    assert ("gpu-architecture", 3) in [(each.rule, each.line) for each in found]
    assert f"`{message}`" in HEADINGS and message in nvcc(tmp_path, "", *flags)


@pytest.mark.parametrize("name", ["pkg_resources", "numpy.distutils"])
def test_modules_that_are_gone(tmp_path, project, name):
    message = f"ModuleNotFoundError: No module named '{name}'"
    script = f"import setuptools\nimport {name}\n"
    assert [(each.rule, each.line) for each in findings(project({"setup.py": script}))] == [("build-module", 2)]
    hidden = f"import sys, numpy; sys.modules[{name!r}] = None\ntry:\n    import {name}\nexcept ImportError as error:\n"
    hidden += "    assert error.name == sys.argv[1]"  # Python's words for a module that is hidden are others
    subprocess.run([sys.executable, "-W", "ignore", "-c", hidden, name], check=True)
    assert f"`{message}`" in HEADINGS


def test_a_module_that_pybind11_named_after_none(tmp_path):
    message = "ImportError: cannot import name"
    (tmp_path / "spconv").mkdir()
    (tmp_path / "spconv" / "__init__.py").write_text("from spconv import spconv_utils\n")
    (tmp_path / "spconv" / "spconv_utilsNone").touch()
    done = subprocess.run([sys.executable, "-c", "import spconv"], cwd=tmp_path, capture_output=True, text=True)
    assert any(heading.startswith(f"`{message}`") and "None" in heading for heading in HEADINGS)
    [shown] = [line for line in PAGE.splitlines() if line.startswith(message)]
    assert done.stderr.splitlines()[-1].startswith(shown)


NAMES = """#include <ATen/ATen.h>
#define CHECK_DENSE(x) AT_CHECK(!x.type().is_sparse() && !x.type().is_cuda(), #x)
#define OF_FLOAT(TYPE, ...) [&] { switch (TYPE) { AT_PRIVATE_CASE_TYPE(at::kFloat, float, __VA_ARGS__) default: AT_ERROR(#TYPE); } }()

CAFFE2_API int fill(at::Tensor x, at::IntList sizes);

int fill(at::Tensor x, at::IntList sizes) {
  CHECK_DENSE(x);
  CHECK_EQ(x.dim(), static_cast<int64_t>(sizes.size()));
  CHECK_LT(x.dim(), 5);
  at::Tensor *p = &x;
  AT_DISPATCH_FLOATING_TYPES(x.type(), "fill", ([&] { x.data<scalar_t>()[0] = p->data<scalar_t>()[0]; }));
  AT_DISPATCH_ALL_TYPES_AND_HALF(x.type(), "fill", [&] { x.fill_(scalar_t(1)); });
  OF_FLOAT(x.scalar_type(), [&] { x.fill_(scalar_t(2)); });
  return p->type().scalarType() == at::kFloat;
}
"""


def syntax(folder, *flags):
    from torch.utils.cpp_extension import include_paths

    includes = [f"-I{path}" for path in [*include_paths(), sysconfig.get_path("include")]]
    command = ["g++", "-std=c++20", "-fsyntax-only", "-w", *includes, "n.cpp", *flags]
    # An earlier test of this process may have installed the patches, whose CPATH has headers of THC.
    environment = {name: value for name, value in os.environ.items() if name != "CPATH"}
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_old_names_stop_the_compiler_as_the_page_says_and_compile_after_apply(project):
    folder = project({"setup.py": SETUP, "n.cpp": NAMES})
    said = re.sub("[‘’]", "'", syntax(folder).stderr)
    for message in ("'AT_CHECK' was not declared in this scope", "'CHECK_EQ' was not declared in this scope",
                    "cannot convert 'const at::DeprecatedTypeProperties'"):  # fmt: skip
        assert f"error: {message}" in said and f"error: {message}" in PAGE
    assert any("`cannot convert 'const at::DeprecatedTypeProperties'`" in heading for heading in HEADINGS)
    assert list(applied(folder)) == ["n.cpp"]
    done = syntax(folder)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("header", ["THC/THC.h", "TH/TH.h", "ATen/core/Error.h"])
def test_a_header_that_is_gone_stops_it_at_once(tmp_path, header):
    (tmp_path / "n.cpp").write_text(f"#include <{header}>\n")
    message = f"fatal error: {header}: No such file or directory"
    assert message in syntax(tmp_path).stderr and f"`{message}`" in HEADINGS


def test_an_old_standard_stops_it_at_once(tmp_path):
    (tmp_path / "n.cpp").write_text("#include <torch/extension.h>\n")
    said = syntax(tmp_path, "-std=c++14", "-Wfatal-errors").stderr
    error = re.search(r"error: #error C\+\+\d+ or later", said)
    assert error and any(f"`{error[0]}" in heading for heading in HEADINGS)
    for standard in (17, 20):  # of PyTorch 2.1 to 2.13, and later
        assert any(re.search(names("#error", f"C++{standard}", "ATen"), heading) for heading in HEADINGS)
