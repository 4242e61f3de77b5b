# tests/legacy/create_extension/test_examples_legacy.py: the legacy projects of examples/legacy, copied and run as a
# user would, unmodified.
import os
import shutil
import subprocess
import sys

import pytest

from support import ROOT, SRC


@pytest.fixture
def project(tmp_path):
    def copy(name):
        made = shutil.ignore_patterns("__pycache__", "_ext", "build")
        shutil.copytree(ROOT / "examples" / "legacy" / name, tmp_path / name, ignore=made)
        return tmp_path / name

    return copy


def run(folder, *command, **environment):
    """What a command prints in ``folder``."""
    result = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": "", **environment}
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


@pytest.fixture(scope="module")
def enabled(tmp_path_factory):
    """The Python of a new environment with PyTorch in it, where ``enable`` was said once."""
    folder = tmp_path_factory.mktemp("environment")
    run(folder, sys.executable, "-m", "venv", "--without-pip", "venv")
    interpreter = folder / "venv" / "bin" / "python"
    (purelib,) = (folder / "venv").glob("lib/python*/site-packages")
    seen = [path for path in sys.path if path.endswith(("site-packages", "dist-packages"))]
    (purelib / "packages.pth").write_text("\n".join(seen))
    run(folder, interpreter, "-m", "torchthaw", "enable", PYTHONPATH=str(SRC))
    return interpreter


@pytest.fixture(params=["run", "enabled"])
def python(request):
    """python(folder, FILE, ARGUMENT, ...) runs a project's file in the two ways that users have."""
    if request.param == "enabled":
        interpreter = request.getfixturevalue("enabled")
        return lambda folder, *arguments: run(folder, interpreter, *arguments)
    return thawed


def thawed(folder, *arguments, **environment):
    """``python -m torchthaw run ARGUMENTS…``"""
    return run(folder, sys.executable, "-m", "torchthaw", "run", *arguments, PYTHONPATH=str(SRC), **environment)


def files(folder):
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if "__pycache__" not in path.parts}


BUILDS = [
    ("script", ["build.py"]),
    ("package", ["setup.py", "-q", "build_ext", "--inplace"]),
    ("package", ["build.py"]),
    ("pooling", ["build.py"]),
]


@pytest.mark.slow
@pytest.mark.parametrize("name, build", BUILDS, ids=[f"{name}-{build[0]}" for name, build in BUILDS])
def test_project(project, python, name, build):
    folder = project(name)
    python(folder, *build)
    assert python(folder, "test.py").splitlines()[-1] == "ok"


@pytest.mark.slow
def test_package_installed_by_pip(project, enabled, tmp_path):
    folder = project("package")
    pip = "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--no-build-isolation", "--target", tmp_path
    run(folder, enabled, *pip, ".")
    code = "import torch, my_package; print(my_package.add(torch.ones(2), torch.ones(2)).tolist(), my_package.__file__)"
    shutil.rmtree(folder)
    printed = run(tmp_path, enabled, "-c", code)
    assert printed == f"[2.0, 2.0] {tmp_path / 'my_package' / '__init__.py'}\n"


@pytest.mark.slow
@pytest.mark.parametrize("name, library", [("script", "my_lib"), ("pooling", "pooling")])
def test_a_build_leaves_the_package_and_nothing_else(project, name, library):
    folder = project(name)
    before = files(folder)
    thawed(folder, "build.py")
    package = f"_ext/{library}"
    products = "__init__.py", "__init__.pyi", f"_{library}.so"
    made = {"_ext", "_ext/__init__.py", package, *(f"{package}/{name}" for name in products)}
    assert files(folder) - before == made


@pytest.mark.slow
def test_a_build_does_not_wait_for_setuptools(project):
    """Importing it takes longer than a build in which nothing changed."""
    folder = project("script")
    code = "import runpy, sys\nrunpy.run_path('build.py', run_name='__main__')\nprint('setuptools' in sys.modules)\n"
    (folder / "probe.py").write_text(code)
    assert thawed(folder, "probe.py").splitlines()[-1] == "False"


@pytest.mark.parametrize("name", ["script", "package", "pooling", "cuda", "cuda_linear"])
def test_projects_know_nothing_of_this_one(name):
    for path in (ROOT / "examples" / "legacy" / name).rglob("*"):
        if path.suffix in (".py", ".c", ".h", ".cu", ".sh"):
            assert "thaw" not in path.read_text(), path


@pytest.mark.slow
def test_pooling_by_its_script(project):
    """Where there is nvcc, the script calls it for a card that is long gone."""
    folder = project("pooling")
    thawed(folder, "make.sh", TORCH_CUDA_ARCH_LIST="7.5")
    assert thawed(folder, "test.py").splitlines()[-1] == "ok"
    assert (folder / "src" / "cuda" / "pooling_kernel.cu.o").exists() == (shutil.which("nvcc") is not None)


@pytest.mark.slow
def test_pooling_in_threads(project):
    """The planes are shared out, with the same values."""
    folder = project("pooling")
    thawed(folder, "build.py")
    assert thawed(folder, "test.py", OMP_NUM_THREADS="4").splitlines()[-1] == "ok"
    assert "omp_get_num_threads" in undefined(folder / "_ext" / "pooling" / "_pooling.so")


def undefined(library):
    return run(library.parent, "nm", "-D", "--undefined-only", library)


PROBE = """
import warnings
import torch
from _ext import my_lib

a, output = torch.ones(2, 3).t(), torch.zeros(3, 2)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    my_lib.my_lib_add_forward(a, a.contiguous(), output)
print(*(str(warning.message) for warning in caught), sep="\\n")
"""


@pytest.mark.slow
@pytest.mark.parametrize("debug, expected", [("1", "my_lib_add_forward: input1 is not contiguous"), ("0", "")])
def test_debug_mode_names_the_tensor_that_is_not_contiguous(project, debug, expected):
    folder = project("script")
    thawed(folder, "build.py")
    (folder / "probe.py").write_text(PROBE)
    printed = thawed(folder, "probe.py", TORCHTHAW_DEBUG=debug).strip()
    assert printed.startswith(expected) and bool(printed) == bool(expected)
