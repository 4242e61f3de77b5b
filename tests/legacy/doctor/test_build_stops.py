# tests/legacy/doctor/test_build_stops.py: the page "Your build stops at" has what compilers and Python say about small
# samples, in their own words, and the doctor names the cause in the same samples.
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from importlib import metadata
from types import SimpleNamespace

import pytest

from support import ROOT, legacy_project
from support.doctor_project import applied, findings, project  # noqa: F401
from support.messages import names
from torchthaw import cli
from torchthaw.base import installed_torch, toolchain
from torchthaw.doctor import system_headers
from torchthaw.doctor.shared_objects import here
from torchthaw.extension import cuda
from torchthaw.legacy.cpp import cpp_extension, host_compiler, numpy_names, nvcc as legacy_nvcc

PAGE = (ROOT / "docs" / "build-stops.md").read_text()
HEADINGS = re.findall(r"^## (.*)", PAGE, re.MULTILINE)
SETUP = "from torch.utils.cpp_extension import CUDAExtension\nCUDAExtension('n', ['n.cpp', 'n.cu'])\n"

# By message: a CUDA source, the doctor's rule, and its line.
CUDA = {
    'error: namespace "thrust" has no member class "unary_function"': (
        "#include <thrust/functional.h>\nstruct square : public thrust::unary_function<float, float> {};\n",
        "removed-cuda", 2,
    ),
    'error: namespace "cub" has no member "Max"': (
        "#include <cub/cub.cuh>\n__device__ float f(float a, float b) { return cub::Max()(a, b); }\n", "removed-cuda", 2,
    ),
    'error: class "cudaDeviceProp" has no member "clockRate"': (
        "int clock_of(cudaDeviceProp *properties) {\n  return properties->clockRate;\n}\n", "removed-cuda", 2,
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


LIBRARIES = """#include <google/dense_hash_map>
// #include <glm/glm.hpp>
#include "Eigen/Dense"
#ifdef WITH_OPENCV
#include <opencv2/core.hpp>
#endif
#include <png.h>
#include <own.h>
"""


def test_headers_of_libraries_that_are_nowhere(tmp_path, project, monkeypatch):
    message = "fatal error: google/dense_hash_map: No such file or directory"
    monkeypatch.setattr(system_headers, "FOLDERS", (str(tmp_path / "include"),))
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "python"))
    for name in system_headers.VARIABLES:
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "png.h").touch()
    folder = project({"source/n.cpp": LIBRARIES}) / "source"
    found = {each.line: each.message for each in findings(folder) if each.rule == "system-header"}
    assert [*found] == [1, 3] and "libsparsehash-dev" in found[1] and "libeigen3-dev" in found[3]
    (folder / "third" / "Eigen").mkdir(parents=True)
    (folder / "third" / "Eigen" / "Dense").touch()
    (folder / "third" / "Eigen" / "Core.h").touch()
    (tmp_path / "include" / "google").mkdir()
    (tmp_path / "include" / "google" / "dense_hash_map").touch()
    assert "system-header" not in {each.rule for each in findings(folder)}
    assert f"`{message}`" in HEADINGS
    done = subprocess.run(
        [*toolchain.cxx_compiler(), "-fsyntax-only", "-I.", "n.cpp"], cwd=folder, capture_output=True, text=True
    )
    assert done.returncode == 0 or message in done.stderr or "own.h" in done.stderr


HOST_CONFIG = """#if __GNUC__ > {0}
#error -- unsupported GNU version! gcc versions later than {0} are not supported!
#endif
"""


@pytest.fixture
def old_toolkit(tmp_path, monkeypatch):
    """A toolkit that takes gcc up to 11, on a machine with gcc 12."""
    (tmp_path / "toolkit" / "crt").mkdir(parents=True)
    (tmp_path / "toolkit" / "crt" / "host_config.h").write_text(HOST_CONFIG.format(11))
    for name in ("CC", "NVCC_CCBIN", "TORCHTHAW_CUDA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr(host_compiler, "version", lambda compiler: 12)
    (tmp_path / "bin").mkdir()
    return SimpleNamespace(version="11.8", include=tmp_path / "toolkit")


def test_a_gcc_that_is_too_new_for_nvcc(tmp_path, old_toolkit, monkeypatch):
    message = "#error -- unsupported GNU version! gcc versions later than"
    assert f"`{message}`" in HEADINGS and message in HOST_CONFIG
    flags, (told,) = host_compiler.flags(["-O2"], old_toolkit)
    assert flags == [] and "gcc 12" in told and "nvcc 11.8" in told and "g++-11" in told
    for name in ("g++-9", "g++-10", "g++-13"):
        (tmp_path / "bin" / name).touch(0o755)
    flags, (told,) = host_compiler.flags(["-O2"], old_toolkit)
    assert flags == ["-ccbin", str(tmp_path / "bin" / "g++-10")] and flags[1] in told
    for words in (["-ccbin=clang++"], ["--compiler-bindir", "g++"], ["-allow-unsupported-compiler"]):
        assert host_compiler.flags(words, old_toolkit) == ([], [])
    monkeypatch.setenv("NVCC_CCBIN", "g++-9")
    assert host_compiler.flags([], old_toolkit) == ([], [])
    monkeypatch.delenv("NVCC_CCBIN")
    monkeypatch.setattr(
        cuda, "toolkit", lambda: SimpleNamespace(**vars(old_toolkit), architectures=["75"], library_dirs=[])
    )
    assert "-ccbin" in cpp_extension.nvcc_flags([], "native")
    monkeypatch.setenv("CC", "gcc-9")
    assert "-ccbin" not in cpp_extension.nvcc_flags([], "native")
    (old_toolkit.include / "crt" / "host_config.h").write_text(HOST_CONFIG.format(12))
    assert host_compiler.flags([], old_toolkit) == ([], [])
    (old_toolkit.include / "crt" / "host_config.h").unlink()
    assert host_compiler.flags([], old_toolkit) == ([], [])


@pytest.mark.slow
def test_a_header_that_others_brought_along(tmp_path):
    message = 'error: namespace "std" has no member "uintptr_t"'
    source = "__global__ void k(int *p) { auto a = reinterpret_cast<std::uintptr_t>(p); (void)a; }\n"
    assert f"`{message}`" in HEADINGS and message in nvcc(tmp_path, source)
    served = str(cpp_extension.headers() / "removed.h")
    assert cpp_extension.flags([], "native")[-2:] == ["-include", served]
    assert "error" not in nvcc(tmp_path, source, "-arch=sm_80", "-include", served)


def test_a_header_of_smart_pointers(tmp_path):
    message = "error: ‘unique_ptr’ is not a member of ‘std’"
    (tmp_path / "a.cpp").write_text("std::unique_ptr<int> made;\n")
    include = f"-I{installed_torch.include()[0]}"
    said = [
        subprocess.run(
            [*toolchain.cxx_compiler(), "-std=c++17", "-fsyntax-only", *flags, "a.cpp"], cwd=tmp_path, capture_output=True, text=True,
            env={**os.environ, "LC_ALL": "C.UTF-8"},
        ).stderr
        for flags in (["-include", "chrono"], [include, "-include", str(cpp_extension.headers() / "removed.h")])
    ]  # fmt: skip
    assert f"`{message}`" in HEADINGS and said[1] == ""
    if b"GNU" in subprocess.run([*toolchain.cxx_compiler(), "--version"], capture_output=True).stdout:
        assert "unique_ptr" in said[0]


@pytest.mark.slow
def test_nvcc_s_own_limit_of_gcc_is_read(tmp_path):
    assert not nvcc(tmp_path, "")  # there is one of version 13 or later
    toolkit = cuda.toolkit()
    text = (toolkit.include / "crt" / "host_config.h").read_text()
    assert re.search(rf"unsupported GNU version.* {host_compiler.newest(toolkit)} ", text)
    assert host_compiler.version("gcc") == int(
        subprocess.run(["gcc", "-dumpversion"], capture_output=True, text=True).stdout.split(".")[0]
    )


# What glibc 2.42 does, for one function; it defines the macro in each of its headers.
GLIBC = {
    "bits/libc-header-start.h": (
        "#include_next <bits/libc-header-start.h>\n#undef __GLIBC_USE_IEC_60559_FUNCS_EXT_C23\n"
        "#define __GLIBC_USE_IEC_60559_FUNCS_EXT_C23 1\n"
    ),
    "math.h": (
        "#include_next <math.h>\n#define __GLIBC_INTERNAL_STARTING_HEADER_IMPLEMENTATION\n#include <bits/libc-header-start.h>\n#if __GLIBC_USE (IEC_60559_FUNCS_EXT_C23)\n"
        'extern "C" double rsqrt(double) noexcept(true);\n#endif\n'
    ),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("version, is_cured", [("glibc 2.42", True), ("glibc 2.36", False)])
def test_functions_that_glibc_declares_too(tmp_path, monkeypatch, version, is_cured):
    message = 'error: exception specification is incompatible with that of previous function "rsqrt"'
    for name, text in GLIBC.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    source, flags = (
        "#include <cmath>\n__global__ void f(double *x) { *x = rsqrt(*x) + sinpi(*x); }\n",
        ["-arch=sm_80", "-I", "."],
    )
    said = nvcc(tmp_path, source, *flags)
    if "incompatible" not in said:
        pytest.skip("this nvcc takes what glibc 2.42 declares")
    assert message in said and f"`{message}`" in HEADINGS
    monkeypatch.setattr(os, "confstr", lambda name: version)
    assert ("incompatible" not in nvcc(tmp_path, source, *legacy_nvcc.of_device([])[:-2], *flags)) == is_cured


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


def test_the_compilers_of_numpy():
    message = "TypeError: Compiler.__init__() takes from 1 to 3 positional arguments but 4 were given"
    made = "import setuptools, distutils.ccompiler as c, numpy.distutils.misc_util; c.new_compiler()"
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", made], capture_output=True, text=True)
    if sys.version_info < (3, 12) and int(metadata.version("setuptools").split(".")[0]) >= 81:
        assert done.stderr.splitlines()[-1] == message
    assert f"`{message}`" in HEADINGS


def test_a_module_that_pybind11_named_after_none(tmp_path):
    message = "ImportError: cannot import name"
    (tmp_path / "spconv").mkdir()
    (tmp_path / "spconv" / "__init__.py").write_text("from spconv import spconv_utils\n")
    (tmp_path / "spconv" / "spconv_utilsNone").touch()
    done = subprocess.run([sys.executable, "-c", "import spconv"], cwd=tmp_path, capture_output=True, text=True)
    assert any(heading.startswith(f"`{message}`") and "None" in heading for heading in HEADINGS)
    [shown] = [line for line in PAGE.splitlines() if line.startswith(f"{message} 'spconv")]
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


def python(folder, code, *words):
    """What Python says last of code in a file of its own."""
    (folder / "setup.py").write_text(code)
    done = subprocess.run([sys.executable, "setup.py", *words], cwd=folder, capture_output=True, text=True)
    return done.stderr.splitlines()[-1]


def is_shown(line, heading):
    """Whether the page has a section of this heading, whose example is this line, but for names of files."""
    assert heading in HEADINGS
    section = PAGE.split(f"## {heading}")[1].split("## ")[0]
    shown = [re.sub("'[^']*/[^']*'", "FILE", each) for each in section.splitlines()]
    return re.sub("'[^']*/[^']*'", "FILE", line) in shown


def test_pytorch_is_not_in_the_environment_of_pip(tmp_path):
    heading = "`ModuleNotFoundError: No module named 'torch'`, in `pip install`"
    said = python(tmp_path, "import sys\nsys.modules.pop('torch', 0)\nsys.path[:] = sys.path[:1]\nimport torch\n")
    assert is_shown("      " + said, heading)


@pytest.mark.skipif(sys.version_info < (3, 13), reason="locals() has what exec made until Python 3.12")
def test_names_that_exec_made(tmp_path):
    said = python(tmp_path, "def f():\n    exec('__version__ = 1')\n    return locals()['__version__']\n\nf()\n")
    assert is_shown(said, "`KeyError: '__version__'`")


@pytest.mark.parametrize("name", ["include_paths", "library_paths"])
def test_an_argument_that_pytorch_renamed(tmp_path, project, name):
    code = f"from torch.utils.cpp_extension import {name}\n{name}(cuda=True)\n"
    heading = "`TypeError: include_paths() got an unexpected keyword argument 'cuda'`"
    assert is_shown(python(tmp_path, code), heading)
    assert ("build-argument", 2) in [(each.rule, each.line) for each in findings(project({"setup.py": code}))]


def test_a_folder_for_an_extension_that_is_not_there(tmp_path):
    code = "from setuptools import Extension, setup\nsetup(ext_modules=[Extension('package._C', ['n.c'])], py_modules=[])\n"
    (tmp_path / "n.c").write_text("int n;\n")
    words = ["-q", "build_ext", "--inplace"]
    assert is_shown(python(tmp_path, code, *words), "`error: could not create`, of an `….so` that `--inplace` copies")
    done = legacy_project.python(tmp_path, "setup.py", *words)
    assert done.returncode == 0 and "made the folder" in done.stderr, done.stderr
    assert len([*tmp_path.glob("package/_C*.so")]) == 1


def test_an_architecture_without_a_card(tmp_path):
    code = "import torch\nfrom torch.utils import cpp_extension\ntorch.cuda.device_count = lambda: 0\n"
    said = python(tmp_path, code + "cpp_extension._get_cuda_arch_flags([])\n")
    assert is_shown(said, "`IndexError: list index out of range`, of `arch_list[-1]`")


def test_a_version_with_a_build(tmp_path, project):
    code = "import torch\nmajor, minor, patch = [int(x) for x in torch.__version__.split('.')]\n"
    said = python(tmp_path, code.replace("import torch\n", "class torch:\n    __version__ = '2.13.0+cu130'\n"))
    assert is_shown(said, "`ValueError: invalid literal for int() with base 10: '0+cu130'`")
    assert ("torch-version", 2) in [(each.rule, each.line) for each in findings(project({"setup.py": code}))]


def test_an_extension_that_was_left_out(tmp_path):
    heading = "`NameError: name '_C' is not defined`, `ImportError: cannot import name '_C'`"
    assert is_shown(python(tmp_path, "_C.forward()\n"), heading)
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__init__.py").touch()
    said = python(tmp_path, "from package import _C\n")
    assert is_shown(re.sub(r"\(.*/(package/)", r"(\1", said), heading)


OF_ANOTHER_PYTORCH = """#include <Python.h>
#include <string>
namespace c10::detail { void torchCheckFail(const char *, const char *, unsigned, const std::string &); }
namespace torch::jit { void parseSchemaOrName(const std::string &); }
static PyModuleDef module = {PyModuleDef_HEAD_INIT, "_C", "", -1, nullptr};
PyMODINIT_FUNC PyInit__C() {
  torch::jit::parseSchemaOrName("");
  c10::detail::torchCheckFail("", "", 0, "");
  return PyModule_Create(&module);
}
"""


@pytest.mark.skipif(
    not shutil.which("objdump") or os.uname().machine != "x86_64", reason="needs binutils and the table"
)
def test_an_extension_of_another_pytorch(tmp_path, capsys):
    heading = "`ImportError: … undefined symbol: _ZN…`"
    command = ["g++", "-shared", "-fPIC", "-w", "-D_GLIBCXX_USE_CXX11_ABI=0", "-Wl,-z,now"]
    command += [f"-I{sysconfig.get_path('include')}", "-x", "c++", "-", "-o", "_C.so"]
    subprocess.run(command, cwd=tmp_path, input=OF_ANOTHER_PYTORCH, text=True, check=True)
    said = python(tmp_path, "import torch, _C\n")
    symbol = re.fullmatch(r"ImportError: .*/_C.so: undefined symbol: (\w+)", said)
    assert symbol and is_shown(f"ImportError: /path/_C.so: undefined symbol: {symbol[1]}", heading)
    under_run = legacy_project.python(tmp_path, "setup.py").stderr.splitlines()[-1]
    assert under_run.endswith(f"doctor --so {tmp_path}/_C.so says which PyTorch has its names")
    assert cli.main(["doctor", "--so", str(tmp_path / "_C.so")]) == 1
    version = here.pytorch().version
    for line in capsys.readouterr().out.splitlines():
        assert "C and C++" in line or is_shown(line.replace(version, "2.13.0"), heading), line


NUMPY = """#include <Python.h>
#include <numpy/arrayobject.h>

static PyObject *doubled(PyObject *, PyObject *x) {
  PyObject *a = PyArray_FROM_OTF(x, PyArray_DOUBLE, NPY_INOUT_ARRAY);
  if (!a) return NULL;
  double *data = (double *)PyArray_DATA(a);
  for (npy_intp i = 0; i < PyArray_DIM(a, 0) && PyArray_NDIM(a) == 1; ++i) data[i] *= 2;
  long behaved = PyArray_CHKFLAGS(a, NPY_BEHAVED);
  Py_DECREF(a);
  return PyLong_FromLong(behaved);
}
static PyMethodDef methods[] = {{"doubled", doubled, METH_O, ""}, {NULL, NULL, 0, NULL}};
static PyModuleDef module = {PyModuleDef_HEAD_INIT, "_n", "", -1, methods};
PyMODINIT_FUNC PyInit__n() {
  import_array();
  return PyModule_Create(&module);
}
"""
NUMPY_SETUP = """import numpy
from setuptools import Extension, setup

setup(py_modules=[], ext_modules=[Extension("_n", ["n.cpp"], include_dirs=[numpy.get_include()])])
"""
USED = """import numpy, warnings
import _n
warnings.simplefilter("ignore", RuntimeWarning)
x = numpy.arange(6.0)
print(_n.doubled(x[::2]), x.tolist())
"""


def test_names_of_numpy_1(tmp_path, project):
    pytest.importorskip("numpy", minversion="2")
    legacy_project.files(tmp_path, {"setup.py": NUMPY_SETUP, "n.cpp": NUMPY, "use.py": USED})
    build = ["setup.py", "-q", "build_ext", "--inplace"]
    plain = subprocess.run([sys.executable, *build], cwd=tmp_path, capture_output=True, text=True)
    said = re.sub("[‘’]", "'", plain.stderr)
    [heading] = [each for each in HEADINGS if "NPY_IN_ARRAY" in each]
    for message in re.findall("`(.*?)`", heading):
        assert message.replace("NPY_IN_ARRAY", "NPY_INOUT_ARRAY") in said
    found = [(each.rule, each.line) for each in findings(project({"n.cpp": NUMPY}), "n.cpp")]
    assert ("numpy-c-api", 5) in found
    done = legacy_project.python(tmp_path, *build)
    assert done.returncode == 0, done.stderr
    used = subprocess.run([sys.executable, "use.py"], cwd=tmp_path, capture_output=True, text=True)
    assert used.stdout == "1 [0.0, 1.0, 4.0, 3.0, 8.0, 5.0]\n", used.stderr


def test_the_doctor_knows_each_name_that_is_served():
    header = (ROOT / "c_api/include/torchthaw_aten/NumPy/names_of_numpy_1.h").read_text()
    served = re.findall(r"#define (\w+) NPY_", header)
    found = numpy_names.gone("#include <numpy/arrayobject.h>\n" + "\n".join(served))
    assert len(served) > 40 and {name for _, name in found} == {*served}


@pytest.mark.parametrize("folder", ["include_dirs", "command", "flag"])
def test_the_names_of_numpy_1_come_before_numpy(tmp_path, folder):
    setuptools = pytest.importorskip("setuptools")
    numpy = pytest.importorskip("numpy", minversion="2").get_include()
    from torch.utils.cpp_extension import include_paths

    flags = [f"-I{numpy}"] if folder == "flag" else []
    given = [*include_paths(), *([numpy] if folder == "include_dirs" else [])]
    extension = setuptools.Extension("n", ["n.cpp"], include_dirs=given, extra_compile_args=flags)
    cpp_extension.adapt(extension, [numpy] if folder == "command" else [])
    own = [os.path.basename(path) == "NumPy" for path in extension.include_dirs]
    assert own.count(True) == 1 and own.index(True) <= extension.include_dirs.index(given[0])


def test_what_numpy_2_has_in_no_form(tmp_path):
    pytest.importorskip("numpy", minversion="2")
    code = NUMPY.replace("long behaved =", "long size = PyArray_DESCR(a)->elsize;\n  long behaved = size *")
    legacy_project.files(tmp_path, {"setup.py": NUMPY_SETUP, "n.cpp": code})
    done = legacy_project.python(tmp_path, "setup.py", "-q", "build_ext", "--inplace")
    assert done.returncode and re.search(
        r"torchthaw: n\.cpp:9: PyArray_DESCR\(a\)->elsize: .*PyDataType_ELSIZE", done.stderr
    )
    assert "NPY_INOUT_ARRAY: " not in done.stderr
