"""tests/build/test_setuptools.py: projects with a setup.py: FFIExtension and BuildExtension."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

import torchthaw
from support import ROOT, SRC
from support.messages import names

PROJECT = {
    "setup.py": """
from setuptools import Extension, setup
import torchthaw

setup(
    name="shapes", version="1.0", packages=["shapes"], package_dir={"": "python"},
    ext_modules=[
        torchthaw.FFIExtension(
            "shapes.area", headers=["src/area.h"], sources=["src/area.c", "src/more.cpp"], include_dirs=["include"],
            define_macros=[("SIDES", "4")], extra_compile_args={"cxx": ["-DN=3"], "nvcc": ["-lineinfo"]},
            libraries=["corners"], library_dirs=["python/shapes/lib"], runtime_library_dirs=["python/shapes/lib"],
        ),
        Extension("shapes.plain", ["src/plain.c"], extra_compile_args={"cxx": ["-DANSWER=42"]}),
    ],
    package_data={"shapes": ["lib/*.so"]},
    options={"bdist_wheel": {"py_limited_api": "cp310"}},
    cmdclass={"build_ext": torchthaw.BuildExtension.with_options(use_ninja=USE_NINJA)},
)
""",
    "python/shapes/__init__.py": "from . import area, plain\n",
    "src/area.h": "double area(const float *sides, int count);\nint more(void);\n",
    "src/area.c": """
#include "area.h"
#include <factor.h>
double area(const float *sides, int count) { return count == SIDES ? FACTOR * sides[0] * sides[1] : -1; }
""",
    "src/more.cpp": """
#include <string>
extern "C" int corners(void);
extern "C" int more(void) { return N + (int)std::string("ab").size() + corners(); }
""",
    "src/plain.c": """
#include <Python.h>
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "plain", NULL, 0, NULL};
PyMODINIT_FUNC PyInit_plain(void) {
    PyObject *module = PyModule_Create(&definition);
    PyModule_AddIntConstant(module, "answer", ANSWER);
    return module;
}
""",
    "include/factor.h": "#define FACTOR 2\n",
    "corners.c": "int corners(void) { return 4; }\n",
}  # fmt: skip
USE = "import shapes, torch; print(shapes.area.area(torch.ones(4), 4), shapes.area.more(), shapes.plain.answer)"


def write(folder, use_ninja=True, **changes):
    for name, text in {**PROJECT, **changes}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.replace("USE_NINJA", repr(use_ninja)))
    lib = folder / "python" / "shapes" / "lib"
    lib.mkdir(exist_ok=True)
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", lib / "libcorners.so", folder / "corners.c"], check=True)
    return folder


@pytest.fixture
def project(tmp_path):
    return write(tmp_path / "project")


def run(folder, *words, code=0, **environment):
    """What a Python command prints in ``folder``."""
    result = subprocess.run(
        [sys.executable, *map(str, words)], cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        env={**os.environ, "PYTHONPATH": str(SRC), **environment},
    )  # fmt: skip
    assert result.returncode == code, result.stdout
    return result.stdout


def build(folder, *options, **settings):
    return run(folder, "setup.py", *options, "build_ext", "--inplace", **settings)


def uses(folder, path):
    return run(folder, "-c", USE, PYTHONPATH=os.pathsep.join([str(path), str(SRC)])).split()


@pytest.mark.slow
@pytest.mark.parametrize("use_ninja", [True, False], ids=["ninja", "setuptools"])
def test_in_place(tmp_path, use_ninja):
    project = write(tmp_path / "project", use_ninja)
    build(project)
    made = {path.name for path in (project / "python" / "shapes" / "area").iterdir()}
    assert made == {"__init__.py", "__init__.pyi", "_area.abi3.so", "py.typed"}
    moved = project.rename(tmp_path / "moved")
    assert uses(moved, moved / "python") == ["2.0", "9", "42"]


@pytest.mark.slow
def test_wheel(project, tmp_path):
    run(project, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", tmp_path, ".")
    (wheel,) = tmp_path.glob("*.whl")
    assert wheel.name.startswith("shapes-1.0-cp310-abi3-")
    archive = zipfile.ZipFile(wheel)
    inside = {name for name in archive.namelist() if name.startswith("shapes/area/")}
    assert inside == {f"shapes/area/{name}" for name in ("__init__.py", "__init__.pyi", "_area.abi3.so", "py.typed")}
    archive.extractall(tmp_path / "site")
    assert uses(tmp_path, tmp_path / "site") == ["2.0", "9", "42"]


def installed(folder):
    """A folder for PYTHONPATH in which torchthaw is installed, as far as its entry points are asked for."""
    text = (ROOT / "pyproject.toml").read_text()
    group, lines = re.search(r'\[project\.entry-points\."(.*)"\]\n((?:\w.*\n)+)', text).groups()
    information = folder / "installed" / f"torchthaw-{torchthaw.__version__}.dist-info"
    information.mkdir(parents=True)
    (information / "METADATA").write_text(f"Metadata-Version: 2.1\nName: torchthaw\nVersion: {torchthaw.__version__}\n")
    (information / "entry_points.txt").write_text(f"[{group}]\n{lines.replace(chr(34), '')}")
    return os.pathsep.join([str(information.parent), str(SRC)])


REQUIRED = "torchthaw<2,>=" + torchthaw.__version__.rpartition(".")[0]
WITH_TH = REQUIRED.replace("torchthaw", "torchthaw[legacy]")


@pytest.mark.slow
@pytest.mark.parametrize("given, th, required", [
    (None, "", [REQUIRED]), (None, "th=True,", [WITH_TH]), ("['cffi']", "", ["cffi", REQUIRED]),
    ("'cffi\\nfilelock'", "", ["cffi", "filelock", REQUIRED]), ("['torchthaw>=1']", "th=True,", ["torchthaw>=1"]),
    ("['torchthaw[legacy]>=1']", "th=True,", ["torchthaw[legacy]>=1"]),
    ("['torchthaw_other']", "", ["torchthaw_other", REQUIRED]),
])  # fmt: skip
def test_a_wheel_requires_torchthaw(tmp_path, given, th, required):
    """That of the guide, whose setup.py says nothing of it; where headers have TH types, with the extra for these."""
    options = f"install_requires={given}," if given else ""
    text = PROJECT["setup.py"].replace("options=", f"{options} options=").replace("libraries=", f"{th} libraries=")
    project = write(tmp_path / "project", **{"setup.py": text})
    words = ["--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", tmp_path]
    printed = run(project, "-m", "pip", "wheel", "-v", *words, ".", PYTHONPATH=installed(tmp_path))
    (wheel,) = tmp_path.glob("*.whl")
    archive = zipfile.ZipFile(wheel)
    metadata = archive.read("shapes-1.0.dist-info/METADATA").decode()
    assert re.findall("Requires-Dist: (.*)", metadata) == required
    assert "install_requires" not in printed


@pytest.mark.slow
def test_a_build_that_cannot_require_torchthaw_says_so(tmp_path):
    """pyproject.toml has the last word on dependencies that are not dynamic; the same without an installed torchthaw."""
    project = write(tmp_path / "project")
    (project / "pyproject.toml").write_text('[project]\nname = "shapes"\nversion = "1.0"\ndependencies = ["cffi"]\n')
    said = names("torchthaw", "requirements", "shapes", repr(REQUIRED))
    for path in (installed(tmp_path), str(SRC)):
        assert re.search(said, run(project, "setup.py", "build_ext", "--build-lib", "build/lib", PYTHONPATH=path))
        assert "among the requirements" not in run(project, "setup.py", "build_ext", "--inplace", PYTHONPATH=path)


@pytest.mark.slow
def test_other_projects_do_not_require_torchthaw(tmp_path):
    (tmp_path / "setup.py").write_text("from setuptools import setup\nsetup(name='a', version='1.0', py_modules=[])\n")
    run(tmp_path, "setup.py", "egg_info", PYTHONPATH=installed(tmp_path))
    assert "Requires-Dist" not in (tmp_path / "a.egg-info" / "PKG-INFO").read_text()
    code = "import sys, torchthaw.base.requirement; print('setuptools' in sys.modules, 'cffi' in sys.modules)"
    assert run(tmp_path, "-S", "-c", code).split() == ["False", "False"]


@pytest.mark.slow
def test_editable(project, tmp_path):
    run(
        project, "-m", "pip", "install", "--no-deps", "--no-build-isolation", "--use-pep517", "--no-index",
        "--prefix", tmp_path / "prefix", "--editable", ".",
    )  # fmt: skip
    (site,) = (tmp_path / "prefix").glob("lib/python*/site-packages")
    code = f"import site; site.addsitedir({str(site)!r}); {USE}; print(shapes.__file__)"
    *values, where = run(tmp_path, "-c", code).split()
    assert values == ["2.0", "9", "42"] and Path(where) == project / "python" / "shapes" / "__init__.py"


@pytest.mark.slow
def test_source_distribution(project):
    run(project, "setup.py", "-q", "sdist", "--formats=zip")
    (archive,) = (project / "dist").glob("*.zip")
    inside = {name.partition("/")[2] for name in zipfile.ZipFile(archive).namelist()}
    assert {"src/area.h", "src/area.c", "src/more.cpp"} <= inside


@pytest.mark.slow
def test_only_what_changed_is_compiled(project):
    build(project)
    assert "-c " not in build(project, "-v", "-v").replace("plain.c", "")
    (project / "include" / "factor.h").write_text("#define FACTOR 5\n")
    shown = build(project, "-v", "-v")
    assert "/area.c " in shown and "/more.cpp " not in shown
    assert uses(project, project / "python")[0] == "5.0"


@pytest.mark.slow
def test_a_failed_build_shows_the_compiler(project):
    (project / "src" / "area.c").write_text("#error not yet\n")
    assert "area.c:1:2: error: #error not yet" in build(project, code=1)


@pytest.mark.slow
def test_max_jobs(project):
    assert re.search(names("MAX_JOBS", "positive", "integer", "'x'"), build(project, code=1, MAX_JOBS="x"))
    build(project, MAX_JOBS="1")


@pytest.mark.slow
def test_without_ninja(project):
    hidden = (
        "import importlib.util as u; f = u.find_spec; u.find_spec = lambda n, *a: n != 'ninja' and f(n, *a) or None\n"
    )
    (project / "setup.py").write_text(hidden + (project / "setup.py").read_text())
    tools = project / "tools"
    tools.mkdir()
    of_python = {sysconfig.get_config_var(name).split()[0] for name in ("CC", "CXX", "LDSHARED", "LDCXXSHARED")}
    folders = os.environ["PATH"].split(os.pathsep)
    path = os.pathsep.join(folder for folder in folders if "ccache" not in folder)  # its links need more of PATH
    for name in {"gcc", "g++", "cc", "as", "ld"} | of_python:
        (tools / name).symlink_to(shutil.which(name, path=path))
    shown = build(project, PATH=str(tools))
    assert re.search(names("ninja", "pip install ninja"), shown)
    assert uses(project, project / "python") == ["2.0", "9", "42"]


@pytest.mark.slow
def test_cuda_needs_ninja(project):
    text = (project / "setup.py").read_text().replace("use_ninja=True", "use_ninja=False")
    (project / "setup.py").write_text(text.replace("src/more.cpp", "src/more.cu"))
    (project / "src" / "more.cpp").rename(project / "src" / "more.cu")
    assert re.search(names("use_ninja", "True", "CUDA", "False"), build(project, code=1))


@pytest.mark.slow
def test_cffi_modules_go_along(tmp_path):
    """What setup.py of old projects asks for is built by this command too."""
    (tmp_path / "setup.py").write_text("""
import torchthaw
from setuptools import setup
setup(
    name="old", version="1", packages=["old"], cffi_modules=["build.py:ffi"],
    cmdclass={"build_ext": torchthaw.BuildExtension},
)
""")
    (tmp_path / "build.py").write_text("""
import torchthaw.legacy
torchthaw.legacy.install()
from torch.utils.ffi import create_extension
ffi = create_extension("old.sum", "sum.h", ["sum.c"], package=True, relative_to=__file__)
""")
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "__init__.py").touch()
    (tmp_path / "sum.h").write_text("double sum(THDoubleTensor *x);\n")
    source = "#include <TH/TH.h>\ndouble sum(THDoubleTensor *x) { return THDoubleTensor_sumall(x); }\n"
    (tmp_path / "sum.c").write_text(source)
    build(tmp_path)
    code = "import torchthaw, torch; from old import sum; print(sum.sum(torch.ones(3).double()))"
    assert run(tmp_path, "-c", code).strip() == "3.0"


@pytest.mark.parametrize("arguments, error, match", [
    ({"include_dir": ["x"]}, TypeError, "include_dir"),
    ({"headers": "missing.h"}, FileNotFoundError, "^headers: expected a file"),
    ({"extra_compile_args": {"gcc": []}}, ValueError, "^extra_compile_args: expected the keys"),
], ids=str)  # fmt: skip
def test_bad_arguments(arguments, error, match):
    with pytest.raises(error, match=match):
        torchthaw.FFIExtension("a.b", **{"headers": [], **arguments}).made()


def test_a_misspelt_option_of_the_command():
    with pytest.raises(TypeError, match="use_nija"):
        torchthaw.BuildExtension.with_options(use_nija=False)
