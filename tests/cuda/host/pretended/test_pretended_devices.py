"""tests/cuda/host/pretended/test_pretended_devices.py: devices and streams as the raw-pointer bridge handles them, on
pretended GPUs."""

import ctypes
import importlib
import os
import sys

import cffi
import pytest
import torch

import _ext
import torchthaw
from _ext import my_lib_cuda
from functions._library import allow_tf32, check_cuda, my_lib_cuda as my_lib_cuda_of_functions
from support.cuda_recorder import pretend
from support.cuda_recorder.pretend import STREAM, elsewhere
from support.messages import names

cublas = ctypes.CDLL(os.environ["THAW_RECORDER"])
cublas.recorder_blas_stream.restype = ctypes.c_size_t


def arguments(*tensors):
    a, b, output = tensors
    return a, a.shape, a.dim(), b, b.shape, b.dim(), output


def ones(device=0):
    return elsewhere(torch.ones(5), device)


@pytest.fixture(autouse=True)
def at_rest():
    yield
    assert pretend.current == [0], "the device is not the one before"
    pretend.exchanged.clear()


def test_the_device_of_the_tensors_is_current_during_the_call():
    output = ones(1)
    assert my_lib_cuda.my_lib_add_forward_cuda(*arguments(ones(1), ones(1), output))
    assert pretend.exchanged == [1, 0] and output.tolist() == [2] * 5


def test_a_call_that_fails_leaves_the_device_as_it_was():
    images, output, sums = elsewhere(torch.ones(1, 1, 1, 1), 1), elsewhere(torch.ones(1, 1, 1, 1), 1), ones(1)[:1]
    with pytest.raises(ValueError, match="input: expected more than 1 value per channel"):
        my_lib_cuda.my_lib_batch_norm2d_forward_cuda(images, 1, 1, 1, 1, 0.1, output, sums, ones(1)[:1])
    assert pretend.exchanged == [1, 0]


def test_an_error_of_cffi_leaves_the_device_as_it_was():
    no_sizes = cffi.FFI().new("double[1]")  # which only cffi knows
    with pytest.raises(TypeError, match=names("shape2", "cffi", "double")):
        my_lib_cuda.my_lib_add_forward_cuda(ones(1), (5,), 1, ones(1), no_sizes, 1, ones(1))
    assert pretend.exchanged == [], "it is refused before the device changes"


def test_no_exchange_back_to_the_same_device():
    my_lib_cuda.my_lib_add_forward_cuda(*arguments(ones(), ones(), ones()))
    assert pretend.exchanged == [0]


@pytest.mark.parametrize("first, second, output, name", [(0, 1, 0, "input2"), (1, 1, 0, "output")])
def test_mixed_devices_are_refused(first, second, output, name):
    written = ones(output)
    with pytest.raises(TypeError, match=names(name, "contiguous", "float32", "tensor", f"cuda:{first}")):
        my_lib_cuda.my_lib_add_forward_cuda(*arguments(ones(first), ones(second), written))
    assert written.tolist() == [1] * 5 and pretend.exchanged == []


def test_wrong_dtype_and_layout_are_refused():
    with pytest.raises(TypeError, match=names("input1", "contiguous", "float32", "CUDA", "tensor", "torch.float64")):
        my_lib_cuda.my_lib_add_forward_cuda(*arguments(ones().double(), ones(), ones()))
    with pytest.raises(ValueError, match="input2: .*strides"):
        my_lib_cuda.my_lib_add_forward_cuda(*arguments(ones(), torch.ones(10)[::2], ones()))


def product(rows=2, device=0, **stream):
    x, output = (elsewhere(torch.ones(2, 2), device) for _ in range(2))
    size = my_lib_cuda.my_lib_linear_forward_workspace_size_cuda(2, 2, 2)
    workspace = elsewhere(torch.empty(size, dtype=torch.uint8), device)
    assert my_lib_cuda.my_lib_linear_forward_cuda(x, x, None, rows, 2, 2, output, workspace, size, **stream)
    return cublas.recorder_blas_stream()


def test_the_stream_is_the_current_one_unless_it_is_given():
    assert product() == STREAM
    assert product(device=1) == STREAM + 1
    assert product(stream=None) == STREAM
    assert product(stream=8192) == 8192
    rows = cffi.FFI().cast("int64_t", 2)  # with a value that only cffi converts
    assert product(rows=rows) == STREAM and product(rows=rows, stream=8192) == 8192


def test_a_workspace_is_not_made_on_a_gpu():
    x, output = ones(1)[:4].view(2, 2), ones(1)[:4].view(2, 2)
    size = my_lib_cuda.my_lib_linear_forward_workspace_size_cuda(2, 2, 2)
    wanted = names("workspace", "CUDA", f"{size} bytes", f"torch.empty({size}")
    with pytest.raises(TypeError, match=wanted):
        my_lib_cuda.my_lib_linear_forward_cuda(input=x, weight=x, bias=None, output=output)
    assert output.tolist() == [[1, 1], [1, 1]] and pretend.exchanged == []


@pytest.mark.parametrize("stream, got", [("legacy", "str"), (1.5, "float"), (torch.ones(1), "Tensor")])
def test_what_is_no_stream_is_refused(stream, got):
    with pytest.raises(TypeError, match=names("stream", "address", got)):
        product(stream=stream)


@pytest.fixture(scope="module")
def others(tmp_path_factory):
    """Functions that only look as if they took a stream."""
    folder = tmp_path_factory.mktemp("others")
    prototypes = "int on_host(const float *x, void *stream)", "int queue_cuda(const float *x, void *queue)"
    (folder / "others.h").write_text("".join(f"{each};\n" for each in prototypes))
    (folder / "others.c").write_text("".join(f"{each} {{ return x != 0; }}\n" for each in prototypes))
    torchthaw.create_extension("others", "others.h", ["others.c"], folder / "build.py").build()
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        yield importlib.import_module("others")


def test_a_function_takes_a_stream_by_its_name_and_by_that_of_the_parameter(others):
    for function in others.on_host, others.queue_cuda:
        with pytest.raises((TypeError, ValueError), match="x: expected a contiguous float32 CPU tensor"):
            function(ones(), None)
    with pytest.raises(TypeError, match=names("queue_cuda", "2", "1")):
        others.queue_cuda(ones())


def test_arguments_are_counted():
    with pytest.raises(TypeError, match=names("my_lib_add_forward_cuda", "8", "6")):
        my_lib_cuda.my_lib_add_forward_cuda(*arguments(ones(), ones(), ones())[:-1])
    with pytest.raises(TypeError, match=names("my_lib_add_forward_cuda", "output", "7")):
        my_lib_cuda.my_lib_add_forward_cuda(*arguments(ones(), ones(), ones())[:-1], stream=None)


@pytest.mark.parametrize("allowed", [True, False])
def test_products_may_be_in_tf32(allowed):
    allow_tf32(allowed)
    try:
        nbytes = my_lib_cuda.my_lib_linear_forward_workspace_size_cuda(2, 3, 4)
        workspace = torch.empty(nbytes, dtype=torch.uint8)
        my_lib_cuda.my_lib_linear_forward_cuda(
            torch.ones(2, 3), torch.ones(4, 3), None, 2, 3, 4, torch.empty(2, 4), workspace, nbytes
        )
        assert cublas.recorder_blas_math_mode() == (3 if allowed else 0)
    finally:
        allow_tf32(False)


def test_without_the_library_the_reason_is_clear(monkeypatch):
    monkeypatch.delattr(_ext, "my_lib_cuda")
    monkeypatch.setitem(sys.modules, "_ext.my_lib_cuda", None)
    assert my_lib_cuda_of_functions() is None
    with pytest.raises(RuntimeError, match=names("CUDA", "_ext.my_lib_cuda", "nvcc")):
        check_cuda(ones())
