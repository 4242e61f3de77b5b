"""tests/portable/build/test_portable_survey.py: make portable-survey: which files it takes, and what it says of each."""

import importlib
from types import SimpleNamespace

import pytest

from support import ROOT
from torchthaw.base import toolchain
from torchthaw.extension import nvidia_packages
from torchthaw.portable import operators

FILES = {
    "setup.py": "",
    "include/own.h": "#pragma once\n#include <torch/extension.h>\n",
    "src/by_own_header.cpp": '#include "own.h"\nat::Tensor twice(at::Tensor x) { return x + x; }\n',
    "src/lacking.cpp": "#include <ATen/ATen.h>\nat::NoSuchName name;\n",
    "src/kernel.cu": "#include <ATen/ATen.h>\nat::NoSuchName name;\n",
    "src/cuda.cpp": "#include <c10/cuda/CUDAGuard.h>\n",
    "src/plain.cpp": "#include <vector>\n",
    "third_party/other/src/other.cpp": "#include <torch/extension.h>\n",
}


@pytest.fixture
def survey(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(str(ROOT / ".ci"))
    survey = importlib.import_module("portable_survey")
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(survey, "clone", lambda record: tmp_path)
    # In place of nvcc's, a call of the C++ compiler, which sees no <<< >>>.
    monkeypatch.setattr(survey, "toolkit", lambda: SimpleNamespace(include=tmp_path / "toolkit"))
    monkeypatch.setattr(nvidia_packages, "headers", lambda toolkit: [])
    own = [*toolchain.cxx_compiler(), "-x", "c++", "-fsyntax-only"]
    monkeypatch.setattr(survey, "of_nvcc", lambda words, added: [*own, *words])
    monkeypatch.setattr(survey, "added_by_run", lambda path, folders: [])
    return survey


def test_sources_are_those_of_the_project_that_include_pytorch(survey, tmp_path):
    found = {str(path.relative_to(tmp_path)): folders for path, folders in survey.sources(tmp_path)}
    assert {*found} == {"src/by_own_header.cpp", "src/lacking.cpp", "src/cuda.cpp", "src/kernel.cu"}
    assert found["src/lacking.cpp"][0] == tmp_path / "src" and tmp_path / "include" in found["src/lacking.cpp"]


@pytest.mark.slow
def test_a_file_is_compiled_or_lacks_a_name_or_does_not_count(survey, monkeypatch, capsys):
    monkeypatch.setattr(survey, "by_pytorch", lambda *given: "")
    record = next(iter(survey.repositories(["extension-cpp"]).values()))
    assert survey.survey(record) == {"C++": [1, 2, 1], "CUDA": [0, 1, 0]}  # there is no cuda_runtime_api.h
    told = capsys.readouterr().out
    assert record.repository in told and "NoSuchName" in told and "src/cuda.cpp" in told
    monkeypatch.setattr(survey, "by_pytorch", lambda *given: "error: of PyTorch's headers")
    assert survey.survey(record) == {"C++": [1, 1, 2], "CUDA": [0, 0, 1]}


def test_headers_of_operators_are_written_where_they_are_included(tmp_path):
    source = tmp_path / "source.cpp"
    source.write_text(
        "#include <ATen/ops/add.h>\n#include <ATen/ops/mul_native.h>\n#include <ATen/ops/no_operator.h>\n"
    )
    operators.write(tmp_path / "made", [source])
    assert {path.name for path in (tmp_path / "made" / "ATen" / "ops").iterdir()} == {"add.h", "mul_native.h"}
