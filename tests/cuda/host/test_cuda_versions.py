"""tests/cuda/host/test_cuda_versions.py: an nvcc of another version than PyTorch's CUDA, and those that read PyTorch wrongly."""

import os
import re
import subprocess
import sys

import pytest

from support import ROOT
from support.messages import names
from torchthaw.extension import cuda, nvidia_packages
from torchthaw.legacy.cpp import cpp_extension, cxx_standard, nvcc
from torchthaw.legacy.run import compiler_launchers, last_line

PAGE = (ROOT / "docs" / "build-stops.md").read_text()
HEADINGS = re.findall(r"^## (.*)", PAGE, re.MULTILINE)
LIST = "return {list.begin() + static_cast<typename decltype(impl_->list)::difference_type>(pos)};\n"


@pytest.fixture
def nvcc_of(tmp_path, monkeypatch):
    """nvcc_of(version, place): a program that says it is an nvcc of this version; PATH has no other one."""

    def make(version, place="path"):
        file = tmp_path / place / "bin" / "nvcc"
        file.parent.mkdir(parents=True)
        (file.parents[1] / "include").mkdir()
        file.write_text(
            f'#!/bin/sh\ncase "$*" in *dryrun*) echo "#$ TOP={file.parents[1]}" >&2;;\n'
            f'*list-gpu-code*) echo sm_80;;\n*) echo "Cuda compilation tools, release {version}, V{version}.1";; esac\n'
        )
        file.chmod(0o755)
        return file

    for variable in ("CUDA_HOME", "CUDA_PATH", "TORCHTHAW_CUDA", "CC"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("PATH", os.pathsep.join([str(tmp_path / "path" / "bin"), "/usr/bin", "/bin"]))
    monkeypatch.setattr(cuda, "_output", cuda._output.__wrapped__)
    monkeypatch.setattr(cuda, "_root", cuda._root.__wrapped__)
    return make


@pytest.fixture
def only(monkeypatch):
    """only(files): these are all nvccs of the machine."""
    return lambda *files: monkeypatch.setattr(cuda, "_candidates", lambda: iter(files))


@pytest.mark.parametrize("of_pytorch, taken", [("13.2", "13.0"), ("12.6", "12.4"), ("11.8", "12.4"), (None, "12.4")])
def test_the_nvcc_of_pytorch_s_cuda_comes_first(nvcc_of, only, monkeypatch, of_pytorch, taken):
    first, second = nvcc_of("12.4"), nvcc_of("13.0", "other")
    only(first, second)
    monkeypatch.setattr(nvidia_packages, "cuda_of_pytorch", lambda: of_pytorch)
    toolkit = cuda.toolkit()
    assert (toolkit.version, toolkit.root) == (taken, (second if taken == "13.0" else first).parents[1])
    line = cuda.other_toolkit(toolkit)
    assert re.search(names(str(first), "12.4", "13.2", str(second)), line) if taken == "13.0" else not line


def test_a_variable_comes_before_all(nvcc_of, only, monkeypatch):
    first, second = nvcc_of("12.4"), nvcc_of("13.0", "other")
    only(first, second)
    monkeypatch.setattr(nvidia_packages, "cuda_of_pytorch", lambda: "13.0")
    monkeypatch.setenv("CUDA_HOME", str(first.parents[1]))
    assert cuda.toolkit().nvcc == first and not cuda.other_toolkit(cuda.toolkit())


def test_a_program_that_is_no_nvcc_is_left_out(nvcc_of, only, monkeypatch):
    first, second = nvcc_of("12.4"), nvcc_of("13.0", "other")
    first.write_text("#!/bin/sh\necho nothing\n")
    only(first, second)
    monkeypatch.setattr(nvidia_packages, "cuda_of_pytorch", lambda: "13.0")
    assert cuda.toolkit().nvcc == second


def test_packages_and_folders_are_looked_at(nvcc_of, tmp_path, monkeypatch):
    """An nvcc on PATH, and one of pip's packages, whose namespace may lie in several folders."""
    first, second = nvcc_of("12.4"), nvcc_of("13.0", "packages/nvidia/cu13")
    monkeypatch.syspath_prepend(str(tmp_path / "packages"))
    monkeypatch.setattr(nvidia_packages, "cuda_of_pytorch", lambda: "13.2")
    monkeypatch.setattr(sys, "modules", {name: each for name, each in sys.modules.items() if name != "nvidia"})
    assert {first, second} <= set(cuda._candidates())


def test_run_takes_it_and_says_so(nvcc_of, only, monkeypatch, capsys):
    first, second = nvcc_of("12.4"), nvcc_of("13.0", "other")
    only(first, second)
    monkeypatch.setattr(nvidia_packages, "cuda_of_pytorch", lambda: "13.2")
    for variable in ("CMAKE_CXX_COMPILER_LAUNCHER", *compiler_launchers.OF_CMAKE, "CUDA_HOME", "CUDA_PATH"):
        monkeypatch.setenv(variable, "")
        monkeypatch.delenv(variable)
    monkeypatch.setattr(compiler_launchers.cmake, "point_at_cuda", lambda toolkit: None)
    compiler_launchers.put_in_place()
    assert str(second) in capsys.readouterr().err
    launcher = os.environ["PATH"].partition(os.pathsep)[0]
    assert os.readlink(os.path.join(launcher, cuda.BEHIND)) == str(second)


@pytest.mark.parametrize("wanted, words", [
    ("13.2", ("12.4", "13.2", "pip install", "'nvidia-cuda-nvcc==13.2.*'")), ("12.6", ("12.4", "12.6", "cuda-toolkit-12-6")),
])  # fmt: skip
def test_no_nvcc_fits(wanted, words):
    from torch.utils import cpp_extension as of_pytorch

    template = of_pytorch.CUDA_MISMATCH_MESSAGE
    is_put_in = "%s" not in template  # of 2.7; in 2.10 it is printed as it is, with the versions behind it
    error = RuntimeError(template.format("12.4", wanted)) if is_put_in else RuntimeError(template, "12.4", wanted)
    assert re.search(names(*words), last_line.found(error))
    assert last_line.found(RuntimeError("another one")) == last_line.found(RuntimeError("a", "b", "c")) == ""
    texts = [heading for heading in HEADINGS if "detected CUDA version" in heading]
    assert texts and squeezed(str(error).replace(wanted, "13.0")) in squeezed(PAGE)


def test_the_check_of_pytorch_itself(nvcc_of, only, monkeypatch):
    """What BuildExtension raises beside an nvcc of another major version is understood."""
    import torch
    from torch.utils import cpp_extension as of_pytorch

    check = getattr(of_pytorch, "_check_cuda_version", None)
    if check is None:
        pytest.skip("this PyTorch checks elsewhere")
    monkeypatch.setattr(of_pytorch, "CUDA_HOME", str(nvcc_of("12.4").parents[1]))
    monkeypatch.setattr(torch.version, "cuda", "13.0")
    with pytest.raises(RuntimeError) as caught:
        check("g++", torch.torch_version.TorchVersion("12.0"))
    assert last_line._mismatch(caught.value) == ("12.4", "13.0")


def squeezed(text):
    return re.sub(r"\s+", "", text)


@pytest.mark.parametrize("version, is_raised", [("13.2", False), ("13.3", True), ("13.4", True), ("13.5", False)])
@pytest.mark.parametrize("place", ["header", "source", "nowhere"])
def test_an_nvcc_that_reads_cxx_17_wrongly(tmp_path, version, is_raised, place):
    (tmp_path / "ATen" / "core").mkdir(parents=True)
    (tmp_path / "ATen" / "core" / "List_inl.h").write_text(LIST if place == "header" else "typename T::type f();\n")
    (tmp_path / "a.cu").write_text(LIST if place == "source" else "")
    files = [tmp_path / "a.cu", tmp_path / "absent.cu"]
    for given in (
        ["-std=c++17", "-O2"],
        ["-O2"],
        ["-std=c++14", "-DX=-std=c++17"],
        ["-std c++17"],
        ["-std", "c++17"],
        ["-std=c++20"],
        ["-std", "c++20"],
        ["-DA=-std=c++20"],
    ):
        cxx_standard._has_typename.cache_clear()
        words, changes = cxx_standard.for_nvcc(given, version, [str(tmp_path)], files)
        wanted = is_raised and place != "nowhere"
        if not wanted or given in (["-std=c++20"], ["-std", "c++20"]):
            assert words == given and changes == []
        else:
            assert "-std=c++20" in words and words.count("-std=c++17") == 0 and len(changes) == 1
            assert "--no_char8_t" in words  # as in C++17
            assert re.search(names(version, "List_inl.h" if place == "header" else "a.cu", "-std=c++20"), changes[0])


@pytest.mark.parametrize("is_raised", [True, False])
def test_nvcc_of_scripts_and_of_builds(nvcc_of, only, tmp_path, monkeypatch, capsys, is_raised):
    only(nvcc_of("13.3" if is_raised else "13.2"))
    (tmp_path / "ATen" / "core").mkdir(parents=True)
    (tmp_path / "ATen" / "core" / "List_inl.h").write_text(LIST)
    (tmp_path / "a.cu").write_text("")
    standard = "-std=c++20" if is_raised else "-std=c++17"
    words, _ = nvcc.rewrite(["-std=c++17", f"-I{tmp_path}", "-c", str(tmp_path / "a.cu")], cuda.toolkit())
    assert standard in words
    assert standard in cpp_extension.nvcc_flags(["-std=c++17"], "native", [str(tmp_path)])
    monkeypatch.setattr(cxx_standard, "installed", lambda: [str(tmp_path)])
    assert standard in cpp_extension.nvcc_flags(["-std=c++17"], "native")
    (tmp_path / "ATen" / "core" / "List_inl.h").unlink()
    (tmp_path / "a.cu").write_text(LIST)
    cxx_standard._has_typename.cache_clear()
    assert standard in cpp_extension.nvcc_flags(["-std=c++17"], "native", [], [str(tmp_path / "a.cu")])
    assert ("compiles" in capsys.readouterr().err) == is_raised
    heading = "`List_inl.h: error: need 'typename' before 'decltype`"
    assert heading in HEADINGS


def test_the_code_is_that_of_pytorch(tmp_path):
    """What is looked for stands in PyTorch's header up to 2.12, and g++ asks for the word that nvcc dropped."""
    (tmp_path / "n.cpp").write_text(
        "struct Impl { struct List { using difference_type = long; } list; };\n"
        "template <class T> struct Pointer { T *p; T *operator->() const { return p; } };\n"
        "template <class T> struct Holder { Pointer<Impl> impl_;\n"
        "long size(long pos) const { return static_cast<decltype(impl_->list)::difference_type>(pos); } };\n"
    )
    done = subprocess.run(["g++", "-std=c++17", "-fsyntax-only", "n.cpp"], cwd=tmp_path, capture_output=True, text=True)
    assert "need 'typename' before 'decltype" in re.sub("[‘’]", "'", done.stderr)
    assert cxx_standard.TYPENAME.search(LIST)
