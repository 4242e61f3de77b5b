# tests/legacy/doctor/test_doctor_portable.py: doctor --portable: which names of a C++ extension torchthaw's headers have.
import json

import pytest

from support.doctor_project import project  # noqa: F401
from torchthaw import cli
from torchthaw.doctor import portable
from torchthaw.portable import operators, served

SOURCE = """
#include <torch/extension.h>
#include "torch/own.h"
// #include <ATen/InAComment.h>
namespace py = pybind11;
namespace F = torch::nn::functional;
#define AT_MINE(x) x
#ifdef WITH_CUDA
#include <ATen/cuda/CUDAContext.h>
at::Tensor cuda = at::cuda::one();
#else
at::Tensor cpu(at::Tensor x) { return AT_MINE(x).fresh_one(2); }
#endif
#if !defined(USE_HIP) && !defined(WITH_CUDA)
const char *text = "at::in_a_string";
at::Tensor more(at::Tensor x) { return ::at::more(F::pad(x), mine::at::other, AT_CHECK(x)); }
#endif
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { py::arg("x"); }
"""
NAMES = {
    "torch/extension.h", "at::Tensor", "at::more", "torch::nn::functional", "torch::nn::functional::pad", "AT_CHECK",
    "PYBIND11_MODULE", "pybind11::arg",
}  # fmt: skip


@pytest.fixture
def asked(monkeypatch):
    """The names that were asked of the compiler, of which these two are missing; PyTorch 2.10 has a new operator."""
    names = []
    monkeypatch.setattr(served, "missing", lambda given: names.extend(given) or {"at::more", "AT_CHECK"} & {*given})
    monkeypatch.setattr(operators, "newer", lambda: {"fresh_one": "2.10"})
    monkeypatch.setattr(served, "toolkit", list)
    return names


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch/own.h").write_text("#pragma once\n")
    (tmp_path / "a.cpp").write_text(SOURCE)
    (tmp_path / "plain.c").write_text("int one(void) { return 1; }\n")
    return tmp_path


def doctor(*words):
    return cli.main(["doctor", "--portable", *map(str, words)])


def test_the_names_of_a_project(folder, asked):
    answer = portable.examine(folder)
    assert {*asked} == NAMES and len(asked) == answer.names == len(NAMES)
    assert answer.files == 1 and answer.unseen == [] and answer.unread == {}
    assert answer.missing == [portable.Use("at::more", "a.cpp", 16), portable.Use("AT_CHECK", "a.cpp", 16)]
    assert answer.newer == [portable.Use("fresh_one", "a.cpp", 12, "2.10")] and answer.oldest == "2.10"


def test_the_report(folder, asked, capsys):
    (folder / "b.cu").write_text("#include <torch/extension.h>\n")
    assert doctor(folder) == 1
    more, check, fresh, sums, cuda, oldest, how = capsys.readouterr().out.splitlines()
    assert more.startswith("a.cpp:16: at::more is not served") and check.startswith("a.cpp:16: AT_CHECK is not")
    assert "a.cpp:12: fresh_one" in fresh and "2.10" in fresh and "2.10" in oldest
    assert f"{len(NAMES) - 2} of {len(NAMES)} names" in sums
    assert (
        cuda.startswith("not looked at: CUDA code, b.cu: no toolkit")
        and f"cd {folder}" in how
        and "--portable=auto" in how
    )


def test_with_a_toolkit_cuda_is_looked_at(folder, asked, capsys, monkeypatch):
    monkeypatch.setattr(served, "toolkit", lambda: ["include"])
    (folder / "b.cu").write_text("#include <c10/cuda/CUDAGuard.h>\nat::more more; c10::cuda::CUDAGuard guard(0);\n")
    assert doctor(folder) == 1
    assert "not looked at" not in capsys.readouterr().out
    others = {"ATen/cuda/CUDAContext.h", "at::cuda::one", "c10/cuda/CUDAGuard.h", "c10::cuda::CUDAGuard"}
    assert {*asked} == NAMES | others


def test_all_is_served(folder, asked, capsys):
    (folder / "a.cpp").write_text("#include <torch/extension.h>\nat::Tensor f(at::Tensor x) { return x; }\n")
    assert doctor(folder) == 0
    sums, oldest, how = capsys.readouterr().out.splitlines()
    assert (
        "2 of 2 names" in sums
        and "PyTorch 2.4 and later" in oldest
        and how.endswith("run --portable pip wheel --no-deps .")
    )


def test_json(folder, asked, capsys):
    assert doctor("--json", folder) == 1
    said = json.loads(capsys.readouterr().out)
    assert said["oldest"] == "2.10" and said["missing"][0] == {
        "name": "at::more",
        "file": "a.cpp",
        "line": 16,
        "since": "",
    }


def test_a_file_that_cannot_be_read_is_named(folder, asked, capsys):
    (folder / "long.cpp").write_text("//" * 200_000)
    assert doctor(folder) == 1
    assert any(line.startswith("long.cpp: ") for line in capsys.readouterr().out.splitlines())


def test_wrong_use(folder, asked, capsys):
    assert doctor(folder / "gone") == 2 and "gone" in capsys.readouterr().err
    assert doctor(folder / "plain.c") == 2 and "C++ or CUDA" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        doctor("--apply", folder)
    assert "--apply" in capsys.readouterr().err


@pytest.mark.slow
def test_with_the_compiler(folder, capsys):
    (folder / "a.cpp").write_text("#include <torch/torch.h>\nauto one = at::zeros({1}), two = at::zork();\n")
    assert doctor(folder / "a.cpp") == 1
    first, sums, *_ = capsys.readouterr().out.splitlines()
    assert first.startswith("a.cpp:2: at::zork is not served") and "nor by those of PyTorch" in first
    assert "2 of 3 names" in sums
