"""tests/legacy/create_extension/test_stand_ins.py: modules that setup scripts import and that are gone: pkg_resources,
numpy.distutils.

NumPy is a package of the test's own here: whether the real one has numpy.distutils depends on Python and setuptools.
"""

import importlib.util
import os
import subprocess
import sys
import sysconfig
from importlib import metadata

import pytest

from support import legacy_project
from torchthaw.legacy.run import finder

installed = pytest.mark.skipif(bool(importlib.util.find_spec("pkg_resources")), reason="pkg_resources is installed")


def module(name):
    """A stand-in, as the import system makes it."""
    spec = finder.spec(name)
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def run(folder, files, *words, **variables):
    """What a run of the first of ``files`` prints on stdout, and on stderr."""
    legacy_project.files(folder, files)
    done = legacy_project.python(folder, next(iter(files)), *words, TORCHTHAW_CACHE=str(folder / "cache"), **variables)
    return done.stdout, done.stderr


# ---- pkg_resources: "No module named 'pkg_resources'" ---------------------------------------------------------------

VERSIONED = """
from pkg_resources import DistributionNotFound, get_distribution, parse_version

try:
    get_distribution("no-such-package")
except DistributionNotFound as error:
    print(error)
print(get_distribution("cffi").parsed_version >= parse_version("1.9"))
"""


@installed
@pytest.mark.parametrize("first", ["setup.py", "build.py", "install.py"])
def test_a_setup_script_that_compares_versions(tmp_path, first):
    imports = "import setuptools\n" if first == "install.py" else ""
    printed, told = run(tmp_path, {first: imports + VERSIONED})
    assert printed.splitlines() == ["The 'no-such-package' distribution was not found", "True"], told


@installed
@pytest.mark.parametrize("files, variables", [
    ({"train.py": VERSIONED}, {}), ({"setup.py": VERSIONED}, {"TORCHTHAW_NO_PATCH": "build_modules"}),
], ids=["no build script", "switched off"])  # fmt: skip
def test_elsewhere_pkg_resources_stays_absent(tmp_path, files, variables):
    assert "No module named 'pkg_resources'" in run(tmp_path, files, **variables)[1]


def test_an_installed_pkg_resources_is_taken(tmp_path):
    files = {"setup.py": "import pkg_resources; print(pkg_resources.own)\n", "pkg_resources.py": "own = 1\n"}
    assert run(tmp_path, files)[0] == "1\n"


def test_installed_packages():
    pkg_resources = module("pkg_resources")
    cffi = pkg_resources.get_distribution("CFFI>=1")
    assert (cffi.key, cffi.version, str(cffi)) == ("cffi", metadata.version("cffi"), f"cffi {cffi.version}")
    assert os.path.isdir(os.path.join(cffi.location, "cffi"))
    assert "pycparser" in {each.name for each in cffi.requires()}
    assert {"cffi", "pytest"} <= {each.key for each in pkg_resources.working_set}
    assert pkg_resources.working_set.by_key["cffi"].version == cffi.version
    assert pkg_resources.packaging.version.parse("1.10") > pkg_resources.parse_version("1.9")


def test_requirements():
    pkg_resources = module("pkg_resources")
    lines = ["cffi>=1  # a comment", "", "# nothing", "no-such-package; python_version < '3'"]
    assert [each.key for each in pkg_resources.require(lines, "pytest")] == ["cffi", "pytest"]
    with pytest.raises(pkg_resources.VersionConflict, match="cffi.* is installed but cffi<1 is required") as conflict:
        pkg_resources.require("cffi<1")
    assert conflict.value.dist.key == "cffi" and str(conflict.value.req) == "cffi<1"
    with pytest.raises(pkg_resources.DistributionNotFound) as absent:
        pkg_resources.require("no-such-package")
    assert isinstance(absent.value, pkg_resources.ResolutionError) and absent.value.req.name == "no-such-package"


def test_files_of_packages():
    pkg_resources = module("pkg_resources")
    assert pkg_resources.resource_filename("cffi", "api.py") == importlib.import_module("cffi.api").__file__
    assert pkg_resources.resource_exists("cffi", "parse_c_type.h")
    assert b"cffi" in pkg_resources.resource_string("cffi", "parse_c_type.h")
    assert not pkg_resources.resource_exists("cffi", "no/such/file")


# ---- numpy.distutils: "No module named 'numpy.distutils'" -----------------------------------------------------------

DOT = """
#include <Python.h>
#include <cblas.h>
static PyObject *dot(PyObject *self, PyObject *none) {
  double x[] = {1, 2, 3};
  return PyFloat_FromDouble(cblas_ddot(3, x, 1, x, 1));
}
static PyMethodDef methods[] = {{"dot", dot, METH_NOARGS, ""}, {0}};
static PyModuleDef module = {PyModuleDef_HEAD_INIT, "squares", "", -1, methods};
PyMODINIT_FUNC PyInit_squares(void) { return PyModule_Create(&module); }
"""
# Setup scripts take the libraries alone, or all keywords.
SETUP = """
import numpy.distutils.system_info as sysinfo
from setuptools import Extension, setup

info = sysinfo.get_info("openblas")
setup(name="squares", ext_modules=[Extension("squares", ["squares.c"], {})])
"""
NUMPY = "def get_include():\n    return 'of numpy'\n"
HAS_NONE = {"PKG_CONFIG": "no-pkg-config"}


@pytest.mark.slow
@pytest.mark.parametrize("keywords", ["libraries=info['libraries']", "**info"])
def test_a_setup_script_that_asks_for_blas(tmp_path, keywords):
    files = {"setup.py": SETUP.format(keywords), "squares.c": DOT, "numpy/__init__.py": NUMPY}
    told = run(tmp_path, files, "-q", "build_ext", "--inplace", **HAS_NONE)[1]
    printed, of_import = run(tmp_path, {"use.py": "import squares; print(squares.dot())\n"})
    assert printed == "14.0\n", told + of_import


# NumPy's own, for Python before 3.12, starts compilers with arguments that setuptools 81 no longer takes.
@pytest.mark.parametrize("setuptools", ["80.9.0", "81.0.0"])
def test_an_answer_of_numpy_is_taken_where_its_compilers_work(tmp_path, setuptools):
    code = "import setuptools\nfrom numpy.distutils.system_info import get_info\nprint(get_info('blas'))\n"
    own = "def get_info(name):\n    return {'libraries': [name]}\n"
    files = {"setup.py": code, "numpy/__init__.py": NUMPY}
    files |= {"numpy/distutils/__init__.py": "", "numpy/distutils/system_info.py": own}
    files[f"setuptools-{setuptools}.dist-info/METADATA"] = f"Name: setuptools\nVersion: {setuptools}\n"
    is_taken = run(tmp_path, files, **HAS_NONE)[0] == "{'libraries': ['blas']}\n"
    assert is_taken == (setuptools < "81" or sys.version_info >= (3, 12))


SOURCE = """
#include <Python.h>
static PyModuleDef module = {PyModuleDef_HEAD_INIT, "empty", "", -1, 0};
PyMODINIT_FUNC PyInit_empty(void) { return PyModule_Create(&module); }
"""
OF_DISTUTILS = """
from distutils.core import Extension, setup
import numpy.distutils.misc_util

folders = numpy.distutils.misc_util.get_numpy_include_dirs()
setup(name="empty", ext_modules=[Extension("empty", ["empty.c"])], include_dirs=folders)
"""


@pytest.mark.slow
def test_a_setup_script_of_distutils_that_asks_for_the_headers_of_numpy(tmp_path):
    told = run(tmp_path, {"setup.py": OF_DISTUTILS, "empty.c": SOURCE}, "build_ext", "--inplace")[1]
    assert list(tmp_path.glob("empty*.so")), told


def test_the_headers_of_numpy(tmp_path):
    code = "from numpy.distutils.misc_util import get_numpy_include_dirs\nprint(get_numpy_include_dirs())\n"
    assert run(tmp_path, {"setup.py": code, "numpy/__init__.py": NUMPY})[0] == "['of numpy']\n"


FOUND = """#!/bin/sh
test "$3" = fftw3 && echo -I/of/fftw -DFFTW -DN=2 -pthread -L/of/lib -lfftw3 -Wl,-z,now
"""


def test_other_libraries_are_those_of_pkg_config(tmp_path, monkeypatch):
    (tmp_path / "pkg-config").write_text(FOUND)
    (tmp_path / "pkg-config").chmod(0o755)
    monkeypatch.setenv("PATH", os.pathsep.join([str(tmp_path), os.environ["PATH"]]))
    monkeypatch.delenv("PKG_CONFIG", raising=False)
    system_info = module("numpy.distutils.system_info")
    assert system_info.get_info("fftw3") == {
        "include_dirs": ["/of/fftw"], "define_macros": [("FFTW", None), ("N", "2")], "extra_compile_args": ["-pthread"],
        "library_dirs": ["/of/lib"], "libraries": ["fftw3"], "extra_link_args": ["-Wl,-z,now"],
    }  # fmt: skip
    assert system_info.get_info("x11") == {}
    with pytest.raises(system_info.NotFoundError, match="x11"):
        system_info.get_info("x11", 2)


def test_without_any_blas_the_extra_is_named(monkeypatch, capsys):
    monkeypatch.setenv("PKG_CONFIG", "no-pkg-config")
    monkeypatch.setitem(sys.modules, "scipy_openblas32", None)
    assert module("numpy.distutils.system_info").get_info("blas_opt") == {}
    assert "torchthaw[legacy]" in capsys.readouterr().err


# ---- distutils: SO, the end of the name of a module, which Python 3.11 no longer has ---------------------------------

# As the CMake files of pybind11 before 2.6 ask.
ASKED = "from distutils import sysconfig as s; print(s.get_config_var('SO'))"
ASKS = f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {ASKED!r}])\n"


def test_how_the_name_of_a_module_ends(tmp_path):
    assert run(tmp_path, {"build.py": ASKS})[0].strip() == sysconfig.get_config_var("EXT_SUFFIX")


@pytest.mark.skipif(sys.version_info < (3, 11), reason="this Python has it")
def test_how_the_name_of_a_module_ends_may_stay_unknown(tmp_path):
    assert run(tmp_path, {"build.py": ASKS}, TORCHTHAW_NO_PATCH="build_modules")[0].strip() == "None"
    done = subprocess.run([sys.executable, "-c", ASKED], capture_output=True, text=True)
    assert done.stdout.strip() == "None", "without run nothing changes"
