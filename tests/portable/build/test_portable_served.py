"""tests/portable/build/test_portable_served.py: which names torchthaw's headers have, and what PyTorch's have of the others."""

import re
from importlib import metadata

import pytest

from torchthaw.base import child, toolchain
from torchthaw.base.errors import BuildError
from torchthaw.portable import headers, operators, pytorch_headers, served

THERE = {
    "torch/extension.h", "torch/headeronly/core/ScalarType.h", "AT_DISPATCH_ALL_TYPES", "at::sum", "at::Tensor",
    "at::Tensor::data_ptr", "c10::ScalarType::Float", "pybind11::class_", "pybind11::return_value_policy::copy",
    "pybind11::array::c_style", "torch::indexing", "torch::kFloat", "torch::autograd::Function",
}  # fmt: skip
ABSENT = {
    "ATen/Nope.h", "AT_DISPATCH_STRANGE", "at::nope", "at::Tensor::zork", "c10::ScalarType::Flot", "at::nope::below",
    "pybind11::array::d_style",
}  # fmt: skip


@pytest.mark.slow
def test_names_of_every_kind():
    assert served.missing([*THERE, *ABSENT]) == ABSENT


def test_no_names():
    assert served.missing([]) == set()


def test_headers_that_do_not_compile(monkeypatch):
    monkeypatch.setattr(headers, "NAMES", {"gone.h": ()})
    with pytest.raises(BuildError, match="gone.h"):
        served.missing(["AT_ONE"])


def test_what_pytorch_has_of_them():
    lacks = f", nor by those of PyTorch {metadata.version('torch')}"
    assert pytorch_headers.note(["at::_safe_softmax", "torch::nn::Conv2dImpl", "ATen/native/TensorIterator.h"]) == {
        "at::_safe_softmax": "; PyTorch has it since 2.7", "torch::nn::Conv2dImpl": "", "ATen/native/TensorIterator.h": "",
    }  # fmt: skip
    assert {
        *pytorch_headers.note([name for name in ABSENT if "::" not in name or name == "at::Tensor::zork"]).values()
    } == {lacks}


def test_the_standard_headers_that_pytorch_s_bring_come_along(tmp_path):
    """Extensions use what these declare without including them."""
    from torch.utils import cpp_extension

    source = tmp_path / "a.cpp"
    source.write_text("#include <torch/extension.h>\n")
    operators.write(tmp_path, [source])
    found = []
    for folders in (cpp_extension.include_paths(), [tmp_path, *headers.include_paths()]):
        flags = [f"-I{folder}" for folder in [*folders, toolchain.python_include()]]
        command = [*toolchain.cxx_compiler(), "-std=c++17", "-M", *flags, source]
        text = child.answer(list(map(str, command))).out
        found.append({path.rpartition("/")[2] for path in re.findall(r"\S+/c\+\+/\d+/[a-z_]+(?=\s)", text)})
    assert len(found[0]) > 40 and found[0] <= found[1], found[0] - found[1]
