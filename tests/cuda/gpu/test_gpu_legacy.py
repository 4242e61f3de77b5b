"""tests/cuda/gpu/test_gpu_legacy.py: the extension of tests/cuda/probe on a GPU, and with CUDA on the CPU.

Needs nvcc, and libthc in build/lib. Run by make gpu-check, and by tests/cuda_on_cpu/test_libraries.py.
"""

import gc
import shutil
import sys
import threading

import pytest
import torch

from support import TESTS, bridge_probe
from torchthaw.base import config

on_a_card = pytest.mark.skipif(config.cuda_is_cpu(), reason="CUDA on the CPU waits for all work, and limits no memory")
pytestmark = [
    pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU"),
    pytest.mark.filterwarnings("ignore:TypedStorage is deprecated"),
]


@pytest.fixture(scope="module")
def probe(tmp_path_factory):
    from torchthaw.legacy.ffi.create import create_extension

    folder = tmp_path_factory.mktemp("probe")
    shutil.copytree(TESTS / "cuda" / "probe", folder, dirs_exist_ok=True)
    create_extension(
        "probe", "probe.h", ["probe.c", "kernel.cu"], False, with_cuda=True, relative_to=str(folder / "build.py")
    ).build()
    return bridge_probe.load(folder / "probe", "probe")


def address(pointer):
    ffi = sys.modules["probe._probe"].ffi
    return int(ffi.cast("uintptr_t", pointer))


LAYOUTS = {
    "dense": lambda x: x, "transposed": lambda x: x.t(), "strided": lambda x: x.flatten()[1::4],
    "offset": lambda x: x[5:], "expanded": lambda x: x[:1].expand(7, 40), "number": lambda x: x[3, 3],
}  # fmt: skip


@pytest.mark.parametrize("name", LAYOUTS)
def test_values_and_sizes(probe, name):
    x = LAYOUTS[name](torch.randn(30, 40, device="cuda"))
    output = torch.empty(0, device="cuda")
    storage = output.untyped_storage()
    assert probe.add_cuda(x, x, output) == 1
    assert torch.equal(output.view(x.shape), x + x) and output.untyped_storage().data_ptr() == storage.data_ptr()
    assert probe.sum_cuda(x) == pytest.approx(x.double().sum().item(), rel=1e-3, abs=1e-2)
    assert output._version == 2 and x._version == 0, "resized, then written"


@pytest.mark.parametrize("name, dtype", [
    ("double", torch.float64), ("byte", torch.uint8), ("char", torch.int8), ("short", torch.int16),
    ("int", torch.int32), ("long", torch.int64), ("half", torch.float16),
])  # fmt: skip
def test_types(probe, name, dtype):
    x = torch.tensor([1, 2, 100], device="cuda").to(dtype)
    assert [getattr(probe, f"get_{name}_cuda")(x[1:], i) for i in range(2)] == [2, 100]


def test_growth(probe):
    base = torch.arange(12.0, device="cuda")
    view = base[8:]
    probe.resize_cuda(view, 1 << 22)
    assert view[:4].tolist() == [8, 9, 10, 11] and not view[4:].any() and base.tolist() == list(range(12))
    assert probe.resize_one_sum_other_cuda(base[8:], 1 << 23, base[:4]) == 6


def test_refusals(probe):
    here, there = torch.ones(2), torch.ones(2, device="cuda")
    with pytest.raises(TypeError, match="struct THFloatTensor .*; tensor: expected a CUDA tensor, got one on the CPU"):
        probe.sum_cuda(here)
    with pytest.raises(TypeError, match="struct THCudaTensor .*; tensor: expected a CPU tensor, got one on a GPU"):
        probe.add_up(there)
    with pytest.raises(TypeError, match="not cdata 'struct THCudaDoubleTensor"):
        probe.sum_cuda(there.double())
    with pytest.raises(TypeError, match="expected a CUDA tensor of a type that THC has, got torch.bool"):
        probe.sum_cuda(there > 0)


@on_a_card
def test_work_goes_to_the_current_stream(probe):
    side = torch.cuda.Stream()
    a, output = torch.zeros(1 << 20, device="cuda"), torch.empty(0, device="cuda")
    probe.add_cuda(a, a, output)
    torch.cuda.synchronize()
    with torch.cuda.stream(side):
        torch.cuda._sleep(2_000_000_000)  # work on any other stream would come before what follows
        a.fill_(3)
        assert address(probe.stream_of(a)) == address(probe.stream_now()) == side.cuda_stream
        probe.add_cuda(a, a, output)
    assert not side.query(), "the call waited for its stream"
    side.synchronize()
    assert (output == 6).all()


def test_threads_on_streams_of_their_own(probe):
    wrong = []

    def work(seed):
        try:
            with torch.cuda.stream(torch.cuda.Stream()):
                x = torch.full((1000 + seed,), float(seed), device="cuda")
                for _ in range(50):
                    output = torch.empty(0, device="cuda")
                    probe.add_cuda(x, x, output)
                    if probe.sum_cuda(output) != 2 * seed * (1000 + seed):
                        wrong.append(seed)
        except Exception as error:
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_memory_is_pytorch_s(probe):
    x = torch.ones(1, device="cuda")
    gc.collect()
    before = torch.cuda.memory_allocated()
    block = probe.allocate_block(x, 1 << 20)
    assert torch.cuda.memory_allocated() == before + (1 << 20)
    probe.free_block(block)
    assert torch.cuda.memory_allocated() == before
    made = probe.fresh_cuda(1000, 2.0)
    assert made.is_cuda and (made == 2).all()
    probe.lie_on_own_cuda(x, 7, 3.0)
    assert x.tolist() == [3] * 7
    with pytest.raises(torch.FatalError, match=r"^cuda runtime error \(2\) : out of memory at "):
        probe.allocate_and_free(1 << 50)
    assert probe.sum_cuda(x) == 21


@on_a_card
def test_memory_that_pytorch_does_not_give(probe):
    x = torch.ones(1, device="cuda")
    torch.cuda.set_per_process_memory_fraction(0.01)
    try:
        with pytest.raises(torch.FatalError, match=r"^cuda runtime error \(2\) : out of memory at "):
            probe.resize_cuda(x, 1 << 30)
    finally:
        torch.cuda.set_per_process_memory_fraction(1.0)
    assert probe.sum_cuda(x) == 1


def test_what_c_keeps(probe):
    x = torch.arange(4.0, device="cuda")
    probe.keep_cuda(x)
    x.untyped_storage().resize_(1 << 20)
    x[3] = 10
    assert probe.sum_of_kept_cuda() == 13
    probe.resize_kept_cuda(1 << 19)
    assert x.untyped_storage().nbytes() == 1 << 21
    probe.release_cuda()


def test_between_the_cpu_and_a_gpu(probe):
    x, there, back = torch.arange(5.0), torch.empty(0, device="cuda"), torch.empty(0)
    probe.mixed(there, x)
    probe.back(back, there)
    assert back.tolist() == there.tolist() == x.tolist()


@pytest.mark.skipif(torch.cuda.device_count() < 2, reason="one GPU")
def test_another_gpu_than_the_current_one(probe):
    x, output = torch.ones(5, device="cuda:1"), torch.empty(0, device="cuda:1")
    probe.add_cuda(x, x, output)
    assert output.tolist() == [2] * 5 and torch.cuda.current_device() == 0 and probe.device_of_storage(output) == 1
    with pytest.raises(TypeError, match="input2: expected a tensor on cuda:1, where those before it are, got one on c"):
        probe.add_cuda(x, torch.ones(5, device="cuda"), output)
