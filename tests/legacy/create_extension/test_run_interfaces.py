"""tests/legacy/create_extension/test_run_interfaces.py: what Python, NumPy and PyTorch's own modules take no more, and
`run` gives back to build scripts, or names where they stop."""

import re
import subprocess
import sys
import sysconfig

import pytest
import torch

from support import legacy_project
from support.messages import names
from torchthaw.base import toolchain
from torchthaw.legacy.cpp import cpp_extension
from torchthaw.legacy.run import executed_names

# ---- exec in a function: KeyError: '__version__' since Python 3.13 ----------------------------------------------------

VERSION = """
def get_version():
    kept = 1
    exec(compile("__version__ = '1.2'\\nkept = 2\\nother = kept", "version.py", "exec"))
    return locals()["__version__"], kept, sorted(locals())


def get_again():
    exec("__version__ = '1.3'")
    return locals()["__version__"]


print(*get_version(), get_again())
exec("top = 3")
print(top, "__version__" in globals())


class Body:
    exec("inner = 4")


def to_a_dict():
    found, at = {"given": 5}, 6
    exec("made = given", found)
    exec("made = len", {}, found)
    exec("made2 = at", None, locals())
    return found["made"] is len


print(Body.inner, to_a_dict())
"""
PRINTED = "1.2 1 ['__version__', 'kept', 'other'] 1.3\n3 False\n4 True\n"


@pytest.mark.slow
def test_what_exec_makes_in_a_function_is_in_locals(tmp_path):
    """On each Python, as on those before 3.13."""
    done = legacy_project.output(tmp_path, VERSION)
    assert done == PRINTED


def test_the_replaced_exec_is_python_s_own_elsewhere(capsys):
    executed = executed_names.keeping(exec)
    exec(VERSION, {"exec": executed, "__name__": "__main__"})
    assert capsys.readouterr().out == PRINTED
    own = {"exec": executed, "__name__": "module"}
    exec("def f():\n    exec('made = 1')\n    return locals().get('made')\n", own)
    assert own["f"]() in (None, 1) and "made" not in own


@pytest.mark.slow
@pytest.mark.skipif(sys.version_info < (3, 13), reason="Python itself does it")
def test_the_switch_leaves_exec_alone(tmp_path):
    (tmp_path / "setup.py").write_text(VERSION)
    done = legacy_project.python(tmp_path, "setup.py", TORCHTHAW_NO_PATCH="build_modules")
    assert done.returncode == 1 and "KeyError: '__version__'" in done.stderr


# ---- include_paths(cuda=True), until PyTorch 2.5 ---------------------------------------------------------------------


@pytest.mark.parametrize("name", ["include_paths", "library_paths"])
def test_the_argument_cuda_of_paths(monkeypatch, name):
    import torch.utils.cpp_extension as module

    monkeypatch.setattr(module, "CUDA_HOME", "/toolkit")
    own = getattr(module, name)
    own = getattr(own, "__wrapped__", own)
    paths = cpp_extension._of_cuda(own)
    cpu, gpu = own("cpu"), own("cuda")
    assert cpu != gpu
    assert paths(cuda=True) == paths(True) == paths("cuda") == paths(device_type="cuda") == gpu
    assert paths() == paths(cuda=False) == paths(False) == cpu


@pytest.mark.slow
def test_run_takes_the_argument_cuda(tmp_path):
    text = "from torch.utils.cpp_extension import include_paths\nprint(include_paths(cuda=False) == include_paths())\n"
    assert legacy_project.output(tmp_path, text) == "True\n"


# ---- int(torch.__version__.split(".")[2]) ----------------------------------------------------------------------------


@pytest.mark.slow
def test_a_version_that_is_no_number_is_named(tmp_path):
    text = "import torch\ntorch.__version__ = '2.15.0+cu132'\nint(torch.__version__.split('.')[2])\n"
    (tmp_path / "setup.py").write_text(text)
    done = legacy_project.python(tmp_path, "setup.py")
    *_, error, line = done.stderr.splitlines()
    assert error.startswith("ValueError") and re.search(names("torchthaw", "torch.__version__", "2.15.0+cu132"), line)
    (tmp_path / "setup.py").write_text("import torch\nint('no number')\n")
    assert "torchthaw" not in legacy_project.python(tmp_path, "setup.py").stderr


# ---- names of NumPy 1's C interface ----------------------------------------------------------------------------------

NUMPY = """
from setuptools import Extension, setup
setup(name="a", version="1", ext_modules=[Extension("a", ["a.c"])])
"""


@pytest.mark.slow
def test_names_of_numpy_1_are_named_where_a_build_stops(tmp_path):
    (tmp_path / "setup.py").write_text(NUMPY)
    code = "/* PyArray_CHAR */\n#include <numpy/nowhere.h>\nint x = NPY_C_CONTIGUOUS, y = PyArray_DESCR(a)->elsize;\n"
    (tmp_path / "a.c").write_text(code)
    done = legacy_project.python(tmp_path, "setup.py", "-q", "build_ext", "-i")
    named = names("torchthaw", "a.c:3", "PyArray_DESCR(a)->elsize", "NumPy")
    assert done.returncode == 1 and re.search(named, done.stderr), done.stderr
    assert not re.search(
        "torchthaw:.*(PyArray_CHAR|NPY_C_CONTIGUOUS)", done.stderr
    )  # a comment, and a name that run serves


def test_an_interface_of_torchscript_is_named_with_what_is_used_instead(tmp_path):
    (tmp_path / "a.cpp").write_text('static auto r = torch::jit::RegisterOperators().op("a::b", &f);\n')
    (line,) = cpp_extension.explain([tmp_path / "a.cpp"])
    assert re.search(names("a.cpp:1", "torch::jit::RegisterOperators", "TORCH_LIBRARY"), line)


# ---- an extension that is imported before torch ----------------------------------------------------------------------

MODULE = """
#include <Python.h>
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "early", 0, -1, 0, 0, 0, 0, 0};
PyMODINIT_FUNC PyInit_early(void) { return PyModule_Create(&module); }
"""


@pytest.fixture
def early(tmp_path):
    """A folder with the extension ``early``, which needs libc10 and does not say where it is, as those of PyTorch."""
    (tmp_path / "early.c").write_text(MODULE)
    folder = f"{torch.__path__[0]}/lib"
    subprocess.run(
        [*toolchain.c_compiler(), "-shared", "-fPIC", "early.c", f"-I{toolchain.python_include()}", "-Wl,--no-as-needed",
         f"-L{folder}", "-lc10", "-o", f"early{sysconfig.get_config_var('EXT_SUFFIX')}"], cwd=tmp_path, check=True,
    )  # fmt: skip
    return tmp_path


IMPORTS = "import sys\nimport early\nprint('torch' in sys.modules)\n"


@pytest.mark.slow
def test_an_extension_that_is_imported_before_torch(early):
    assert legacy_project.output(early, IMPORTS) == "True\n"
    done = legacy_project.python(early, "script.py", TORCHTHAW_NO_PATCH="torch_first")
    assert done.returncode == 1 and re.search(r"ImportError: libc10\.so", done.stderr)


@pytest.mark.slow
def test_an_extension_that_lacks_another_library_fails_as_ever(early):
    done = subprocess.run(["sed", "-i", "s/libc10.so/libx10.so/", *early.glob("early.*.so")])
    assert done.returncode == 0
    (early / "script.py").write_text(IMPORTS)
    done = legacy_project.python(early, "script.py")
    assert re.search(r"ImportError: libx10\.so", done.stderr) and done.stderr.count("Traceback") == 1
