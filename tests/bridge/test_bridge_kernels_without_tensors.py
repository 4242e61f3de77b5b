"""tests/bridge/test_bridge_kernels_without_tensors.py: a kernel that is to allocate an output, and gets no tensor that says
where. Extensions that torchthaw builds have no such kernel; another's may."""

import importlib

import pytest
import torch

import torchthaw
from support import bridge_probe, kernels_probe
from support.messages import names
from torchthaw.header.description import Function
from torchthaw.library import functions

RELEASE = tuple(map(int, torch.__version__.split(".")[:2]))
pytestmark = pytest.mark.skipif(RELEASE < (2, 10), reason="PyTorch has no stable C interface for kernels before 2.10")

HEADER = """
#include <stdint.h>
#include <torchthaw/annotate.h>
static inline void repeated(const float *value THAW_SHAPE() THAW_NULLABLE, int64_t count, float *output THAW_SHAPE(count)) {
    for (int64_t i = 0; i < count; ++i) output[i] = value == 0 ? 1 : *value;
}
"""


def test_it_is_an_error(tmp_path, monkeypatch):
    for each in Function, functions.Function:  # as the build and as the operators see the header
        monkeypatch.setattr(each, "is_functional", True)
    (tmp_path / "only_optional.h").write_text(HEADER)
    torchthaw.create_extension("only_optional", headers="only_optional.h", relative_to=tmp_path / "build.py").build()
    bridge_probe.load(tmp_path / "only_optional", "only_optional")
    module = importlib.import_module("only_optional._only_optional")
    schemas = {"repeated": "(Tensor? value, SymInt count) -> Tensor"}
    repeated = kernels_probe.operators("kernels_without_tensors", module, schemas).repeated.default
    assert repeated(torch.tensor(2.0), 3).tolist() == [2, 2, 2]
    for _ in range(3):
        with pytest.raises(ValueError, match=names("repeated", "tensor", "outputs", "none")):
            repeated._op_dk(torch._C.DispatchKey.CPU, None, 3)  # PyTorch's own way to the kernel needs a tensor
