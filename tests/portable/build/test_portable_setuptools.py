"""tests/portable/build/test_portable_setuptools.py: CppExtension and BuildExtension in setup.py, and the wheels of both."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from setuptools import Distribution, Extension

from torchthaw.portable import BuildExtension, CppExtension, CUDAExtension, runtime_library, setuptools

SOURCE = '#include <torch/extension.h>\nPYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("answer", []() { return long{ANSWER}; }); }'
USE = "import torch, adding; print(adding.add(torch.ones(2), torch.ones(2)).tolist())"


def command(*extensions, options=None, made=BuildExtension):
    """build_ext of a project in the current folder, as after its command line was read."""
    distribution = Distribution({"name": "answers", "ext_modules": list(extensions), "cmdclass": {"build_ext": made}})
    for name, values in (options or {}).items():
        distribution.get_option_dict(name).update({key: ("setup.cfg", value) for key, value in values.items()})
    found = distribution.get_command_obj("build_ext")
    found.ensure_finalized()
    return found


@pytest.fixture
def source(small):
    Path("answer.cpp").write_text(SOURCE)
    return "answer.cpp"


def run(path, statement):
    """What a module in one file prints."""
    code = f"import sys; sys.path.insert(0, {str(path.parent)!r}); import torch, answer; {statement}"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def test_arguments_of_an_extension():
    made = CppExtension("a._C", ["a.cpp"], libraries=["z"], extra_compile_args={"cxx": ["-O3"]})
    assert isinstance(made, Extension) and made.py_limited_api and made.language == "c++" and made.libraries == ["z"]
    cuda = CUDAExtension("a", ["a.cu"], dlink_libraries=["device"], dlink=True, extra_compile_args={"nvcc": ["-O3"]})
    assert isinstance(cuda, CppExtension) and cuda.with_cuda and not made.with_cuda
    assert cuda.dlink and cuda.dlink_libraries == ["device"] and cuda.py_limited_api


def test_names_of_files(source):
    extension = CppExtension("pkg.answer", [source])
    assert command(extension).get_ext_filename("pkg.answer") == "pkg/answer.abi3.so"
    bare = command(extension, made=BuildExtension.with_options(no_python_abi_suffix=True, use_ninja=False))
    assert bare.get_ext_filename("pkg.answer") == "pkg/answer.so" and not bare.use_ninja


@pytest.mark.slow
def test_a_build(source, tmp_path):
    extension = CppExtension(
        "answer", [source], define_macros=[("ANSWER", "42")], libraries=["c10", "torch_python"],
        extra_link_args=["-ltorch"], include_dirs=["/env/torch/include"],
    )  # fmt: skip
    made = command(extension)
    made.build_lib = made.build_temp = str(tmp_path / "built")
    made.run()
    path = tmp_path / "built" / "answer.abi3.so"
    assert run(path, "print(answer.answer())") == "42"
    needed = subprocess.run(["readelf", "-d", path], capture_output=True, text=True, check=True).stdout
    assert all(f"[lib{name}.so]" in needed for name in runtime_library.STUBS) and "RUNPATH" not in needed


@pytest.mark.slow
def test_variables_of_the_environment(source, tmp_path, monkeypatch):
    monkeypatch.setenv("CFLAGS", "-DANSWER=3 -O0")
    made = command(CppExtension("answer", [source], extra_compile_args=["-UANSWER", "-DANSWER=4"]))
    made.build_lib = made.build_temp = str(tmp_path / "built")
    made.run()
    assert run(tmp_path / "built" / "answer.abi3.so", "print(answer.answer())") == "4"


def test_a_failure_is_setuptools_own_error(source, tmp_path):
    made = command(CppExtension("answer", [source]))
    made.build_lib = made.build_temp = str(tmp_path / "built")
    with pytest.raises(setuptools.CompileError, match="ANSWER"):
        made.run()


def tag_of(found):
    setuptools.tag(found.distribution)
    wheel = found.distribution.get_command_obj("bdist_wheel")
    wheel.ensure_finalized()
    return "-".join(wheel.get_tag())


@pytest.mark.parametrize("chosen, tag", [(None, "cp310"), ("cp39", "cp310"), ("cp311", "cp311")])
def test_the_tag_of_a_wheel(source, chosen, tag):
    given = {"bdist_wheel": {"py_limited_api": chosen}} if chosen else {}
    assert tag_of(command(CppExtension("answer", [source]), options=given)).startswith(f"{tag}-abi3-")


def test_a_wheel_with_another_extension_is_for_this_python(source):
    assert "abi3" not in tag_of(command(CppExtension("answer", [source]), Extension("plain", ["plain.c"])))


@pytest.mark.slow
def test_a_wheel(project, python, tmp_path):
    folder = project()
    words = ["--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", tmp_path, "."]
    python(folder, "-m", "pip", "wheel", *words)
    (wheel,) = tmp_path.glob("*.whl")
    assert wheel.name.startswith("adding-1.0-cp310-abi3-linux_")
    archive = zipfile.ZipFile(wheel)
    assert {"adding/_C.abi3.so", "adding/__init__.py"} <= {*archive.namelist()}
    assert b"Requires-Dist: torch\n" in archive.read("adding-1.0.dist-info/METADATA")
    assert b"torchthaw" not in archive.read("adding-1.0.dist-info/METADATA")
    archive.extractall(tmp_path / "site")
    assert python(tmp_path, "-c", USE, path=[str(tmp_path / "site")]) == "[2.0, 2.0]\n"


@pytest.mark.slow
def test_a_living_project(project, python):
    """In place, as develop and an editable installation build; nothing is compiled again without a change."""
    folder = project()
    python(folder, "setup.py", "build_ext", "--inplace")
    (built,) = (folder / "adding").glob("*.so")
    assert built.name == "_C.abi3.so" and python(folder, "-c", USE) == "[2.0, 2.0]\n"
    (made,) = folder.rglob("0-add.o")
    before = made.stat().st_mtime_ns
    python(folder, "setup.py", "build_ext", "--inplace")
    assert made.stat().st_mtime_ns == before
    (folder / "add.cpp").write_text((folder / "add.cpp").read_text().replace("a + b", "at::zork(a)"))
    said = python(folder, "setup.py", "build_ext", "--inplace", code=1)
    assert "at::zork is not served" in said and "Traceback" not in said
