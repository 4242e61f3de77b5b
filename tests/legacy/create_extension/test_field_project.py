# tests/legacy/create_extension/test_field_project.py: what real projects do: field_project/ is built and run
# as a user would, from another folder.
import importlib
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from importlib.machinery import PathFinder
from pathlib import Path

import pytest

from support.legacy_project import ENVIRONMENT, files, imported, output, python
from support.messages import names
from torchthaw.base import config, toolchain
from torchthaw.extension import BuildError

PROJECT = Path(__file__).with_name("field_project")
CHECKS = re.findall(r"^(?:def )?(check_\w+)", (PROJECT / "test.py").read_text(), re.MULTILINE)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """(the project's folder, what its build file printed)"""
    project = tmp_path_factory.mktemp("field") / "project"
    shutil.copytree(PROJECT, project)
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    result = python(elsewhere, project / "build.py")
    assert result.returncode == 0, result.stdout + result.stderr
    return project, result.stdout


@pytest.fixture(scope="module")
def ran(built):
    """The finished test.py."""
    return python(built[0], "test.py")


@pytest.mark.slow
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.removeprefix("check_"))
def test_project(check, ran):
    assert check in ran.stdout.split(), ran.stderr


def needed(library):
    """The NEEDED entries of a shared object."""
    dynamic = subprocess.run(["readelf", "-d", library], capture_output=True, text=True, check=True).stdout
    return re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic)


@pytest.mark.slow
def test_runtime_libraries_are_named(built):
    """Also where nothing else that is linked would bring them."""
    assert {"libstdc++.so.6", "libgomp.so.1", "libth.so.1"} <= set(needed(built[0] / "lib" / "_lib.so"))


@pytest.mark.slow
def test_child_interpreters(built):
    """The build file's own."""
    assert "child create_extension wrap_function" in built[1]


@pytest.mark.slow
def test_cuda_objects_by_their_symbols(create, project, capfd):
    """Neither the name of an object nor that it exists tells that it holds CUDA code."""
    code = "void __cudaRegisterFatBinary(void);\nvoid f(void) { __cudaRegisterFatBinary(); }\n"
    files(project, {"src/hidden.c": code})
    subprocess.run(["gcc", "-fPIC", "-c", "src/hidden.c", "-o", "src/hidden.o"], check=True)
    create("hidden", "src/twice.h", ["src/twice.c"], False, extra_objects=["src/hidden.o"]).build()
    assert re.search(names("src/hidden.o", "CUDA"), capfd.readouterr().err)
    assert imported("hidden").twice(1) == 2


@pytest.mark.slow
def test_import_order(built):
    """A build by setup.py, then one by the build file: the later one is imported."""

    def found():
        importlib.invalidate_caches()
        return Path(PathFinder.find_spec("_lib", [str(built[0] / "lib")]).origin).name

    tagged = [f"_lib.{tag}.so" for tag in ("abi3", sysconfig.get_config_var("SOABI"))]
    for name in tagged:
        shutil.copy(built[0] / "lib" / "_lib.so", built[0] / "lib" / name)
        assert found() == name, "Python prefers it"
    assert python(built[0], "build.py").returncode == 0
    assert found() == "_lib.so" and not any((built[0] / "lib" / name).exists() for name in tagged)


@pytest.mark.slow
def test_destructors_at_shutdown(ran):
    """One block was released by hand, one when collected, one as the interpreter ended; nothing was said about it."""
    assert ran.stdout.split().count("released") == 3
    assert ran.stdout.rstrip().endswith("released") and ran.stderr == "" and ran.returncode == 0


@pytest.mark.slow
def test_no_other_optimisation(create, project, capfd):
    create("optimised", "src/twice.h", ["src/twice.c"], True).build()
    assert "-O2" in (printed := capfd.readouterr().out) and "-O0" not in printed


def test_with_cuda_without_cuda(create, project, monkeypatch):
    monkeypatch.setenv("CUDA_HOME", str(project))  # which has no toolkit
    ffi = create("cuda_lib", "src/twice.h", ["src/twice.c"], False, with_cuda=True)
    assert (project / "cuda_lib" / "__init__.py").exists()
    with pytest.raises(BuildError, match=names("cuda_lib", "with_cuda", "CUDA_HOME", "CUDA", "toolkit")):
        ffi.build()
    assert not (project / "cuda_lib" / "_cuda_lib.so").exists()


def test_nothing_at_all(create, project):
    create("empty_lib", [], [], False).build()
    assert imported("empty_lib").__all__ == []


@pytest.mark.slow
def test_plain_name_in_package_mode(built):
    project = built[0]
    result = python(project, "setup.py", "-q", "build_ext", "--inplace")
    assert result.returncode == 0, result.stderr
    assert output(project, "import plain\nprint(plain.plain_value())\n") == "31\n"


@pytest.mark.slow
def test_pip_without_build_isolation(built, tmp_path):
    project = tmp_path / "project"
    shutil.copytree(PROJECT, project)
    files(project, {"install.py": """
        import subprocess, sys
        words = "install --quiet --no-build-isolation --no-deps --no-index --target site ."
        subprocess.check_call([sys.executable, "-m", "pip", *words.split()])
    """.replace("\n        ", "\n")})  # fmt: skip
    result = python(project, "install.py", PIP_NO_CACHE_DIR="1", PIP_DISABLE_PIP_VERSION_CHECK="1")
    assert result.returncode == 0, result.stderr
    assert output(project / "site", "import plain\nprint(plain.plain_value())\n") == "31\n"


def printed(*words):
    result = subprocess.run(
        [sys.executable, "-m", "torchthaw", "config", *words], capture_output=True, text=True, env=ENVIRONMENT
    )
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


@pytest.mark.slow
def test_cmake(create, project):
    """CMake builds a library against what `config` prints; the extension links it; one libth is loaded."""
    root, library = printed("--includes"), printed("--libth")
    cmake, made = toolchain.tool("cmake"), project / "made"
    configure = [cmake, "-S", PROJECT / "native", "-B", made, f"-DTORCH_INCLUDE={root}", f"-DTH_LIBRARY={library}"]
    subprocess.run(configure, check=True, capture_output=True)
    subprocess.run([cmake, "--build", made], check=True, capture_output=True)
    files(project, {"src/made.h": "double made_total(THFloatTensor *tensor);\n"})
    create(
        "by_cmake", "src/made.h", [], False, extra_objects=[str(made / "libnative.so")],
        runtime_library_dirs=[str(made)],
    ).build()  # fmt: skip
    code = "import torch, by_cmake\nprint(by_cmake.made_total(torch.ones(4)))\n"
    code += "print(len({line.split()[-1] for line in open('/proc/self/maps') if 'libth.so' in line}))\n"
    code += f"print(any(line.rstrip().endswith({os.path.realpath(library)!r}) for line in open('/proc/self/maps')))\n"
    assert output(project, code) == "4.0\n1\nTrue\n"


def test_include_root():
    assert set(os.listdir(printed("--includes"))) - {"ATen", "TH", "THC", "THCUNN", "annotate.h"} == set()


@pytest.mark.slow
def test_library_without_a_soname(built):
    """It is linked where it lies, and found from anywhere."""
    assert str(built[0] / "native" / "libplain.so") in needed(built[0] / "lib" / "_lib.so")


def test_no_other_aten(tmp_path):
    """Only the stand-in is found: PyTorch's own headers are not on the path."""
    code = "#include <ATen/ATen.h>\n#ifdef TORCH_API\n#error\n#endif\n#include <c10/macros/Macros.h>\n"
    files(tmp_path, {"unit.cpp": code})
    words = ["c++", "-fsyntax-only", f"-I{config.includes()}", f"-I{config.includes() / 'TH'}", "unit.cpp"]
    result = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    assert "c10/macros/Macros.h: No such file" in result.stderr and "#error" not in result.stderr


def test_pytorch_s_own_aten_where_it_is_on_the_path(tmp_path):
    """A process that built an old project, whose CPATH names our headers, compiles C++ extensions of today as well."""
    code = "#include <ATen/ATen.h>\n#ifndef OWN\n#error\n#endif\n"
    files(tmp_path, {"own/ATen/ATen.h": "#define OWN\n", "unit.cpp": code})
    words = ["c++", "-fsyntax-only", "-isystem", "own", "unit.cpp"]
    subprocess.run(words, cwd=tmp_path, env={**os.environ, "CPATH": os.fspath(config.includes())}, check=True)
