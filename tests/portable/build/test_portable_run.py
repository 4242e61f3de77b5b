"""tests/portable/build/test_portable_run.py: run --portable: torch.utils.cpp_extension builds with torchthaw's own headers."""

import functools
import os
import re
import sys
from pathlib import Path

import pytest
import torch.utils.cpp_extension as cpp_extension
from setuptools import Distribution, Extension

from support.messages import names
from torchthaw import cli
from torchthaw.base.errors import BuildError
from torchthaw.extension import cuda
from torchthaw.legacy.run import command_run, patches, portable_builds
from torchthaw.portable import build, setuptools

SOURCE = '#include <torch/extension.h>\nPYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("answer", []() { return 42L; }); }\n'
UNSERVED = SOURCE.replace("42L", "at::zork()")
TORCH = "/env/site-packages/torch/include"


@pytest.fixture
def by_pytorch(small, monkeypatch):
    """What PyTorch itself was asked to build: names."""
    asked = []
    monkeypatch.setattr(
        cpp_extension,
        "load",
        lambda name, sources, extra_cflags=None, extra_cuda_cflags=None, with_sycl=None: asked.append(name),
    )
    monkeypatch.setattr(cpp_extension, "load_inline", lambda name, cpp_sources, cuda_sources=None: asked.append(name))
    command = cpp_extension.BuildExtension
    monkeypatch.setattr(command, "build_extensions", lambda self: asked.extend(each.name for each in self.extensions))
    yield asked
    patches.uninstall("portable")


@pytest.fixture(params=["1", "auto"])
def mode(request, by_pytorch, monkeypatch):
    monkeypatch.setenv("TORCHTHAW_PORTABLE", request.param)
    patches.install("portable")
    return request.param


def built(tmp_path, *extensions):
    """The names of the files that PyTorch's command makes of these, and the tag of their wheel."""
    distribution = Distribution({"name": "answers", "ext_modules": list(extensions), "cmdclass": {
        "build_ext": cpp_extension.BuildExtension}})  # fmt: skip
    command = distribution.get_command_obj("build_ext")
    command.ensure_finalized()
    command.build_lib = command.build_temp = str(tmp_path / "built")
    command.run()
    wheel = distribution.get_command_obj("bdist_wheel")
    wheel.ensure_finalized()
    return [path.name for path in (tmp_path / "built").glob("*.so")], "-".join(wheel.get_tag())


def extension(name, text=SOURCE, include_dirs=(TORCH,), suffix=".cpp", **options):
    path = Path(f"{name}{suffix}")
    path.write_text(text)
    return Extension(name, [str(path)], include_dirs=list(include_dirs), **options)


# What is built


def test_load_is_portable(mode, by_pytorch):
    Path("answer.cpp").write_text(SOURCE)
    assert cpp_extension.load("answers", ["answer.cpp"]).answer() == 42 and by_pytorch == []


@pytest.mark.slow
def test_build_extension_is_portable(mode, by_pytorch, tmp_path):
    files, tag = built(tmp_path, extension("answer", libraries=["c10", "torch_python"]))
    assert files == ["answer.abi3.so"] and tag.startswith("cp310-abi3-") and by_pytorch == []


@pytest.mark.slow
def test_other_extensions_stay_as_they_are(mode, by_pytorch, tmp_path):
    files, tag = built(tmp_path, extension("answer"), extension("plain", include_dirs=()))
    assert files == ["answer.abi3.so"] and "abi3" not in tag and by_pytorch == ["plain"]


def test_include_paths(mode, small, by_pytorch):
    ours = cpp_extension.include_paths() == build.include_paths()
    assert ours == (mode == "1")
    assert ours == (cpp_extension.include_paths("cpu") == build.include_paths())


# What is not served


@pytest.mark.slow
def test_load_of_a_name_that_is_not_served(mode, by_pytorch, capfd):
    Path("answer.cpp").write_text(UNSERVED)
    if mode == "1":
        with pytest.raises(BuildError, match="at::zork is not served"):
            cpp_extension.load("answers", ["answer.cpp"])
        return
    cpp_extension.load("answers", ["answer.cpp"])
    assert by_pytorch == ["answers"]
    (line,) = [line for line in capfd.readouterr().err.splitlines() if line.startswith("torchthaw: answers")]
    assert "at::zork (" in line and "answer.cpp:2" in line and "PyTorch's own headers" in line


@pytest.mark.slow
def test_an_extension_of_such_a_name(mode, by_pytorch, tmp_path, capfd):
    extensions = [extension("answer"), extension("zork", UNSERVED)]
    if mode == "1":
        with pytest.raises(setuptools.CompileError, match=names("zork", "at::zork", "not served")):
            built(tmp_path, *extensions)
        return
    files, tag = built(tmp_path, *extensions)
    assert files == ["answer.abi3.so"] and by_pytorch == ["zork"] and "abi3" not in tag
    assert not extensions[1].py_limited_api
    assert capfd.readouterr().err.count("torchthaw: zork: built with PyTorch's own headers") == 1


@pytest.mark.parametrize("options", [{"suffix": ".cu"}, {"libraries": ["c10_cuda", "cudart"]}])
def test_cuda_code_without_a_toolkit(mode, by_pytorch, tmp_path, capfd, monkeypatch, options):
    monkeypatch.setenv("CUDA_HOME", str(tmp_path / "none"))
    if mode == "1":
        with pytest.raises(setuptools.CompileError, match="kernel: CUDA_HOME: expected a CUDA toolkit"):
            built(tmp_path, extension("kernel", **options))
        return
    built(tmp_path, extension("kernel", **options))
    said = [line for line in capfd.readouterr().err.splitlines() if line.startswith("torchthaw: kernel: ")]
    assert by_pytorch == ["kernel"] and len(said) == 1 and "CUDA_HOME" in said[0]


def test_flags_of_nvcc_are_those_of_run(mode, by_pytorch, tmp_path, monkeypatch):
    from torchthaw.portable import jit, setuptools as own

    toolkit = cuda.Toolkit(Path("nvcc"), tmp_path)
    monkeypatch.setattr(cuda, "toolkit", lambda: toolkit)
    monkeypatch.setattr(cuda, "_output", lambda *command: "release 13.0\nsm_75\nsm_80\n")
    seen = []
    monkeypatch.setattr(own, "make", lambda command, ext: seen.append(ext.extra_compile_args["nvcc"]))
    flags = ["-O3", "-gencode=arch=compute_35,code=sm_35", "-gencode=arch=compute_80,code=sm_80"]
    given = extension("kernel", suffix=".cu", extra_compile_args={"nvcc": flags})
    built(tmp_path, given)
    monkeypatch.setattr(jit, "load", functools.wraps(jit.load)(lambda **given: seen.append(given["extra_cuda_cflags"])))
    cpp_extension.load("kernel", ["kernel.cu"], extra_cuda_cflags=flags)
    assert len(seen) == 2 and given.extra_compile_args["nvcc"] == flags
    for words in seen:
        assert (
            "-gencode=arch=compute_80,code=sm_80" in words
            and "-O3" in words
            and not any("35" in word for word in words)
        )
        assert any("THCRemoved.cuh" in word for word in words)  # __shfl and the like
        assert not any("removed.h" in word for word in words)  # it includes PyTorch's headers
    built(tmp_path, extension("answer", extra_compile_args={"cxx": ["-O0"], "nvcc": flags}))
    assert seen[2] == []  # no source is CUDA's


def test_arguments_of_pytorch_s_that_are_not_served(mode, by_pytorch):
    if mode == "1":
        with pytest.raises(ValueError, match=names("with_sycl", "True")):
            cpp_extension.load("answers", ["answer.cpp"], with_sycl=True)
        return
    cpp_extension.load("answers", ["answer.cpp"], with_sycl=True)
    assert by_pytorch == ["answers"]


# The command line


@pytest.mark.parametrize("words, portable", [
    (["--portable", "setup.py"], "1"), (["--portable=auto", "setup.py"], "auto"), (["setup.py", "--portable"], None),
])  # fmt: skip
def test_the_option_is_a_variable_of_the_script(monkeypatch, tmp_path, words, portable):
    executed = []
    monkeypatch.chdir(tmp_path)
    Path("setup.py").write_text("")
    monkeypatch.setattr(command_run, "set_environment", lambda words: None)
    monkeypatch.setattr(
        os, "execvp", lambda file, words: executed.append((words[1:], os.environ.get("TORCHTHAW_PORTABLE")))
    )
    monkeypatch.setenv("TORCHTHAW_PORTABLE", "")
    monkeypatch.delenv("TORCHTHAW_PORTABLE")
    monkeypatch.setattr(sys, "orig_argv", [sys.executable, "-m", "torchthaw", "run", *words])
    monkeypatch.setattr(sys, "argv", ["torchthaw", "run", *words])
    cli.main(["run", *words])
    assert executed == [([word for word in words if word == "setup.py" or not portable], portable)]


@pytest.mark.parametrize("words, parts", [
    (["--portable=yes", "setup.py"], ["--portable", "auto", "'yes'"]), (["--portable"], ["FILE", "nothing"]),
])  # fmt: skip
def test_wrong_words(capsys, words, parts):
    with pytest.raises(SystemExit):
        cli.main(["run", *words])
    assert re.search(names(*parts), capsys.readouterr().err)


def test_a_wrong_value_of_the_variable(monkeypatch):
    monkeypatch.setenv("TORCHTHAW_PORTABLE", "yes")
    with pytest.raises(ValueError, match=names("TORCHTHAW_PORTABLE", "auto", "'yes'")):
        portable_builds.mode()


# The whole way, with torchthaw's real headers

USE = "import torch, adding; print(adding.add(torch.ones(2), torch.ones(2)).tolist())"


@pytest.mark.slow
def test_a_project_of_cpp_extension(project, python):
    folder = project("torch.utils.cpp_extension")
    python(folder, "-m", "torchthaw", "run", "--portable", "setup.py", "build_ext", "--inplace")
    (built,) = (folder / "adding").glob("*.so")
    assert built.name == "_C.abi3.so" and python(folder, "-c", USE) == "[2.0, 2.0]\n"


# A header that PyTorch alone has, and that compiles in a second.
BY_PYTORCH = """
#include <Python.h>
#include <c10/util/flat_hash_map.h>
static PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_C", nullptr, -1, nullptr};
PyMODINIT_FUNC PyInit__C() {
    PyObject *module = PyModule_Create(&definition);
    PyModule_AddIntConstant(module, "add", (long)ska::flat_hash_map<int, int>{{1, 2}}.size());
    return module;
}
"""


@pytest.mark.slow
def test_a_project_that_needs_pytorch_s_headers(project, python):
    folder = project("torch.utils.cpp_extension", **{"add.cpp": BY_PYTORCH})
    said = python(folder, "-m", "torchthaw", "run", "--portable=auto", "setup.py", "build_ext", "--inplace")
    assert said.count("torchthaw: adding._C: built with PyTorch's own headers") == 1
    assert "c10/util/flat_hash_map.h (" in said
    (built,) = (folder / "adding").glob("*.so")
    assert "cpython" in built.name and python(folder, "-c", "import torch, adding; print(adding.add)") == "1\n"
