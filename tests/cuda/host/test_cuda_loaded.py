"""tests/cuda/host/test_cuda_loaded.py: CUDA sources that PyTorch's load and load_inline get where no GPU is."""

import re

import pytest
import torch

from support.messages import names
from torchthaw.legacy.cpp import cpp_extension

pytestmark = pytest.mark.skipif(torch.cuda.device_count() > 0, reason="needs a machine without a GPU")
SOURCES = [
    {"cuda_sources": "__global__ void f() {}"}, {"cpp_sources": "", "with_cuda": True}, {"sources": ["a.cpp", "f.cu"]},
]  # fmt: skip


@pytest.fixture
def load(monkeypatch):
    """PyTorch's functions as `run` has them, without the build."""
    monkeypatch.delenv("TORCHTHAW_CUDA", raising=False)
    cpp_extension._tell.cache_clear()  # it says a line once

    def build(name, cpp_sources=None, cuda_sources=None, sources=None, with_cuda=None, extra_cflags=None,
              extra_cuda_cflags=None, extra_ldflags=None, extra_include_paths=None):  # fmt: skip
        return "built"

    return cpp_extension._loading(build)


@pytest.mark.parametrize("given", SOURCES)
def test_a_pytorch_without_cuda_is_an_error_that_says_what_runs(load, given, monkeypatch):
    monkeypatch.setattr(torch.version, "cuda", None)
    monkeypatch.setattr(torch.version, "hip", None)
    with pytest.raises(RuntimeError) as error:
        load("twice", **given)
    assert re.search(names("twice", "CUDA", torch.__version__, "TORCHTHAW_CUDA=cpu"), str(error.value))


@pytest.mark.parametrize("given", SOURCES)
def test_a_pytorch_with_cuda_and_no_gpu_builds_and_says_that_nothing_runs(load, given, monkeypatch, capsys):
    monkeypatch.setattr(torch.version, "cuda", "13.0")
    assert load("twice", **given) == "built"
    assert re.search(names("twice", "no GPU", "TORCHTHAW_CUDA=cpu"), capsys.readouterr().err)


def test_cuda_on_the_cpu_and_code_without_cuda_are_left_alone(load, monkeypatch, capsys):
    monkeypatch.setattr(torch.version, "cuda", None)
    assert load("twice", cpp_sources="") == "built"
    monkeypatch.setenv("TORCHTHAW_CUDA", "cpu")
    assert load("twice", cuda_sources="") == load("twice", cuda_sources="__global__ void f() {}") == "built"
    assert capsys.readouterr().err == ""
