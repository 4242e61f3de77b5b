"""tests/cuda/host/pretended/test_pretended_structs.py: THC structs of pretended CUDA tensors, through
tests/cuda/probe/.

Run by tests/cuda/host/test_bridge_thc.py, with the plugin `legacy`; THAW_EXACT says how much of a storage C is shown.
"""

import gc
import os
import shutil
import subprocess
import sys
import warnings
import weakref
from pathlib import Path

import numpy as np
import pytest
import torch

from support import TESTS, bridge_probe
from support.cuda_recorder import legacy, pretend
from support.cuda_recorder.legacy import allocated, machine
from support.cuda_recorder.pretend import elsewhere
from support.messages import names
from torchthaw.legacy.ffi import storage_semantics
from torchthaw.legacy.run import patches

EXACT = os.environ["THAW_EXACT"] == "1"
FOLDER = Path(os.environ["THAW_PRETENDED"]).parent


def build():
    """The extension module, built for CUDA on the CPU."""
    from torchthaw.legacy.ffi.create import create_extension

    folder = FOLDER / f"probe-{EXACT}"
    storage_semantics.is_exact = lambda *given: EXACT
    shutil.copytree(TESTS / "cuda" / "probe", folder, dirs_exist_ok=True)
    create_extension(
        "probe", "probe.h", ["probe.c", "kernel.cu"], False, with_cuda=True, relative_to=str(folder / "build.py")
    ).build()
    return bridge_probe.load(folder / "probe", "probe")


pytestmark = pytest.mark.filterwarnings("ignore:TypedStorage is deprecated")

probe = build()
STATE_AT_FIRST = probe.has_state()
AT_FIRST_ON_CPU = probe.add_up(torch.ones(3))
STATE_AFTER_CPU = probe.has_state()
ffi = sys.modules["probe._probe"].ffi


def ones(*size, device=0):
    return elsewhere(torch.ones(*size), device)


def arange(count, device=0):
    return elsewhere(torch.arange(float(count)), device)


def empty(device=0):
    return elsewhere(torch.empty(0), device)


def address(pointer):
    return int(ffi.cast("uintptr_t", pointer))


@pytest.fixture(autouse=True)
def at_rest():
    legacy.initialize()
    legacy.streams.clear()
    legacy.asked.clear()
    yield
    probe.release_cuda()
    assert pretend.current == [0] and probe.current_device() == 0, "the device is not the one before"
    gc.collect()
    assert allocated == {}, "C's memory was not given back"
    pretend.exchanged.clear()
    legacy.allocator.update(limit=1 << 30, fault=None)


# ---- The state, and calls without a GPU


def test_the_state_comes_with_cuda():
    assert (STATE_AT_FIRST, AT_FIRST_ON_CPU, STATE_AFTER_CPU) == (0, 3, 0)
    assert probe.has_state() == 1, "torch.cuda told of it"


def test_the_first_tensor_brings_the_state():
    script = (
        "import torch; from support.cuda_recorder import pretend; legacy.waiting.clear(); print(probe.has_state()); "
    )
    script += "print(probe.sum_cuda(pretend.elsewhere(torch.ones(2), 0)), probe.has_state())"
    assert run(script) == "0\n2.0 1\n"


def run(script):
    """What a script prints in a process of its own, where PyTorch and the extension are as here."""
    begin = (
        f"import sys; sys.path[:0] = [{str(FOLDER / f'probe-{EXACT}')!r}]; from support.cuda_recorder import legacy\n"
    )
    begin += "import torchthaw, probe\n"
    done = subprocess.run([sys.executable, "-c", begin + script], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and done.stderr == "", done.stdout + done.stderr
    return done.stdout


# ---- Values

LAYOUTS = {
    "dense": lambda: arange(12).view(3, 4),
    "transposed": lambda: arange(12).view(3, 4).t(),
    "strided": lambda: arange(12)[1::4],
    "offset": lambda: arange(12)[5:],
    "expanded": lambda: arange(3)[1:2].expand(4),
    "number": lambda: arange(3)[2],
    "one": lambda: arange(1),
    "four": lambda: arange(16).view(2, 2, 2, 2).transpose(0, 3),
    "parameter": lambda: elsewhere(torch.nn.Parameter(torch.ones(3))),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_layouts(name):
    x = LAYOUTS[name]()
    device = pretend.device_of(x)
    y = elsewhere(torch.full(tuple(x.shape), 0.5), device)
    output = empty(device)
    assert probe.add_cuda(x.detach(), y, output) == 1
    assert torch.equal(output.view(x.shape), x + y) and pretend.device_of(output) == device
    assert probe.dimensions_cuda(x) == max(x.dim(), 1)
    assert [probe.stride_cuda(x, i) for i in range(x.dim())] == list(x.stride())
    assert probe.sum_cuda(x) == x.sum().item()


def test_no_elements():
    for x in (empty(), elsewhere(torch.empty(0, 4)), elsewhere(torch.ones(3))[:0]):
        output = elsewhere(torch.ones(2), pretend.device_of(x))
        assert probe.dimensions_cuda(x) == 0 and probe.sum_cuda(x) == 0
        probe.add_cuda(x, x, output)
        assert output.shape == (0,)


@pytest.mark.parametrize("name, dtype", [
    ("double", torch.float64), ("byte", torch.uint8), ("char", torch.int8), ("short", torch.int16),
    ("int", torch.int32), ("long", torch.int64), ("half", torch.float16),
])  # fmt: skip
def test_types(name, dtype):
    x = elsewhere(torch.tensor([1, 2, 100]).to(dtype))
    get = getattr(probe, f"get_{name}_cuda")
    assert [get(x[1:], i) for i in range(2)] == [2, 100]


def test_random_layouts():
    generator = torch.Generator().manual_seed(3)

    def number(n):
        return int(torch.randint(n, (), generator=generator))

    for _ in range(60):
        sizes = [1 + number(4) for _ in range(1 + number(4))]
        x = elsewhere(torch.rand([size + number(2) for size in sizes], generator=generator), number(3))
        for dimension, size in enumerate(sizes):
            x = x.narrow(dimension, x.shape[dimension] - size, size)
        x = x.permute(*torch.randperm(x.dim(), generator=generator).tolist())
        output = elsewhere(torch.rand(number(30), generator=generator), pretend.device_of(x))
        probe.add_cuda(x, x, output)
        assert torch.equal(output, x + x)


def test_between_the_cpu_and_a_gpu():
    x, there, back = torch.arange(5.0), empty(1), torch.empty(0)
    probe.mixed(there, x)
    assert there.tolist() == x.tolist() and pretend.device_of(there) == 1
    probe.back(back, there)
    assert back.tolist() == x.tolist() and pretend.device_of(back) == -1
    versions = there._version, back._version
    probe.mixed(there, x)
    probe.back(back, there)
    assert (there._version, back._version) == (versions[0] + 1, versions[1] + 1) and x._version == 0


# ---- Sizes


def test_an_output_grows_in_its_own_memory():
    output = empty(1)
    storage, twin = output.untyped_storage(), output.view(-1)
    probe.add_cuda(ones(3, 4, device=1), ones(3, 4, device=1), output)
    assert output.shape == (3, 4) and output.untyped_storage() is storage
    assert twin.untyped_storage().nbytes() == 48 and pretend.device_of(output) == 1


def test_growth_is_zero():
    x = ones(2)
    probe.resize_cuda(x, 1000)
    assert x[:2].tolist() == [1, 1] and not x[2:].any()
    probe.resize_storage_cuda(x.storage(), 3000)
    assert x.untyped_storage().nbytes() == 12000 and not x.new().set_(x.untyped_storage())[2:].any()


def test_a_view_grows_where_it_begins():
    base = arange(12)
    view = base[8:]
    probe.resize_cuda(view, 1000)
    assert view.storage_offset() == 8 and view[:4].tolist() == [8, 9, 10, 11] and not view[4:].any()
    assert base.tolist() == list(range(12)) and base.untyped_storage().nbytes() == 4 * 1008


def test_another_view_of_the_call_sees_a_storage_that_moved():
    base = arange(12)
    assert probe.resize_one_sum_other_cuda(base[8:], 1_000_000, base[:4]) == 6


def test_sizes_that_shrink():
    x = arange(12).view(3, 4)
    probe.resize2d_cuda(x, 2, 3)
    assert x.tolist() == [[0, 1, 2], [3, 4, 5]] and x.untyped_storage().nbytes() == 48
    probe.resize_cuda(x, 0)
    assert x.shape == (0,)


def test_storages():
    base = arange(12, device=2)
    assert probe.sum_of_storage_cuda(base.storage()) == 66
    assert probe.device_of_memory(base.storage()) == 2 and probe.device_of_storage(base[3:5]) == 2
    assert probe.size_below_cuda(base[3:5]) == (12 if EXACT else 2)
    assert probe.offset_cuda(base[3:5]) == (3 if EXACT else 0)


def test_tensors_on_one_storage():
    base = arange(12, device=2)
    assert probe.one_storage_cuda(base, base[3:]) == EXACT and not probe.one_storage_cuda(base, base.clone())
    assert probe.is_set_to_cuda(base, base.view(12)) and not probe.is_set_to_cuda(base, base[1:])
    assert probe.lies_on_cuda(base[3:], base.storage()) == EXACT
    assert probe.size_after_cuda(base[8:], 100, base) == (108 if EXACT else 12)
    assert base.tolist() == list(range(12)) and base.untyped_storage().nbytes() == 432


def test_a_tensor_on_another_s_storage():
    base, tensor = arange(12, device=1), empty(1)
    probe.lie_on_cuda(tensor, base[5:8])
    tensor[0] = -1
    assert tensor.shape == (3,) and tensor.storage_offset() == 5 and base[5] == -1


def test_a_tensor_on_memory_of_c():
    tensor = ones(2, device=1)
    for value in range(5):
        probe.lie_on_own_cuda(tensor, 4 + value, value)
        assert tensor.tolist() == [value] * (4 + value) and pretend.device_of(tensor) == 1
    tensor.resize_(100)


def test_growth_that_is_refused():
    leaf = elsewhere(torch.ones(3).requires_grad_())
    lent = elsewhere(torch.from_numpy(np.ones(3, dtype=np.float32)))  # as memory of another process
    for tensor, why in ((leaf, "cannot resize variables that require grad"), (lent, "not resizable")):
        with pytest.raises(torch.FatalError, match=why):
            probe.resize_cuda(tensor, 9)
        assert tensor.shape == (3,) and tensor.tolist() == [1, 1, 1]
    with torch.no_grad():
        probe.resize_cuda(leaf, 9)
    assert leaf.shape == (9,)


def test_the_same_tensor_twice():
    x = ones(2)
    assert probe.same_pointer_cuda(x, x) == 1 and probe.same_pointer_cuda(x, ones(2)) == 0
    probe.add_cuda(x, x, x)
    assert x.tolist() == [2, 2]


def test_versions():
    x, y, output = ones(2), ones(2), ones(3)
    probe.sum_cuda(x)
    probe.keep_cuda(x)
    probe.release_cuda()
    assert x._version == 0
    probe.fill_cuda(x, 3)
    assert x._version == 1
    probe.add_cuda(x, y, output)
    assert (x._version, y._version) == (1, 0) and output._version > 0
    kept = elsewhere(torch.ones(2).requires_grad_())
    result = (kept * kept).sum()
    with torch.no_grad():
        probe.fill_cuda(kept, 5)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        result.backward()


# ---- Refusals

CUDA = "'struct THCudaTensor *'"
REFUSED = {
    "another type": (lambda: elsewhere(torch.ones(2).double()),
                     names(CUDA, "'struct THCudaDoubleTensor *'")),
    "half": (lambda: elsewhere(torch.ones(2).half()),
             names(CUDA, "'struct THCudaHalfTensor *'")),
    "a storage": (lambda: ones(2).storage(), names(CUDA, "'struct THCudaStorage *'")),
    "None": (lambda: None, names(CUDA, "NoneType")),
    "a number": (lambda: 1.5, names(CUDA, "float")),
    "bool": (lambda: elsewhere(torch.ones(2) > 0), names("CUDA", "THC", "torch.bool")),
    "bfloat16": (lambda: elsewhere(torch.ones(2).bfloat16()),
                 names("CUDA", "THC", "torch.bfloat16")),
    "on the CPU": (lambda: torch.ones(2),
                   names(CUDA, "'struct THFloatTensor *'", "tensor", "CUDA", "CPU")),
    "storage on the CPU": (lambda: torch.ones(2).storage(),
                           names(CUDA, "'struct THFloatStorage *'", "tensor", "CUDA", "CPU")),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    make, message = REFUSED[name]
    with pytest.raises(TypeError, match=message):
        probe.sum_cuda(make())


def test_a_cuda_tensor_for_the_cpu_is_refused():
    expected = names("'struct THFloatTensor *'", "'struct THCudaTensor *'", "tensor", "CPU", "GPU")
    with pytest.raises(TypeError, match=expected):
        probe.add_up(ones(2))
    with pytest.raises(TypeError, match=names("storage", "CUDA", "CPU")):
        probe.sum_of_storage_cuda(torch.ones(2).storage())


@pytest.mark.parametrize("devices, name, wrong", [((0, 1, 0), "input2", 1), ((1, 1, 2), "output", 2)])
def test_mixed_devices_are_refused(devices, name, wrong):
    tensors = [ones(2, device=device) for device in devices]
    expected = f"a tensor on cuda:{devices[0]}, where those before it are, got one on cuda:{wrong}"
    with pytest.raises(TypeError, match=f"^{name}: expected {expected}$"):
        probe.add_cuda(*tensors)
    assert all(tensor.tolist() == [1, 1] for tensor in tensors) and pretend.exchanged == []


def test_the_negative_bit_is_refused():
    negative = elsewhere(torch.randn(3, dtype=torch.complex64).conj().imag)
    with pytest.raises(ValueError, match="negative bit"):
        probe.sum_cuda(negative)


# ---- Devices and streams


def test_the_device_is_current_during_the_call():
    assert probe.switch_device(ones(2, device=2), 2) == 2 and pretend.exchanged == [2, 0]
    assert probe.current_device() == 0
    pretend.exchanged.clear()
    assert probe.sum_cuda(ones(2)) == 2 and pretend.exchanged == [0], "no exchange back to the same device"
    legacy.use_device(1)
    try:
        assert probe.sum_cuda(ones(2, device=2)) == 2 and probe.current_device() == 1
    finally:
        legacy.use_device(0)


def test_a_call_that_fails_leaves_the_device():
    with pytest.raises(torch.FatalError, match="^oh at "):
        probe.fail_cuda(ones(2, device=1), b"oh")
    assert pretend.exchanged == [1, 0]
    with pytest.raises(TypeError):
        probe.resize_cuda(ones(2, device=1), "x")
    assert probe.current_device() == 0


def test_the_stream_is_pytorch_s():
    assert address(probe.stream_of(ones(1))) == pretend.STREAM and legacy.asked == [0], "asked once"
    assert address(probe.stream_of(ones(1, device=2))) == pretend.STREAM + 2
    legacy.streams[0] = 77
    assert address(probe.stream_of(ones(1))) == 77
    probe.add_cuda(ones(2), ones(2), ones(2))
    assert machine.recorder_last_stream() == 77
    probe.fill_cuda(ones(2), 1)
    assert machine.recorder_last_stream() == 77
    assert address(probe.stream_now()) == 77, "without a tensor libthc asks"
    legacy.streams[0] = 78
    assert address(probe.stream_now()) == 78
    assert address(probe.stream_on_thread(ones(1, device=0))) == 78, "a thread of C's asks"


def test_calls_nest():
    seen = []

    def between(value):
        seen.append(address(probe.stream_of(ones(1, device=2))))
        seen.append(probe.sum_cuda(ones(value, device=1)))

    callback = ffi.callback("void(int)", between)
    legacy.streams[1] = 55
    tensor = ones(3, device=1)
    assert probe.call_between_cuda(tensor, callback, 4) == 3
    assert seen == [pretend.STREAM + 2, 4] and pretend.exchanged == [1, 2, 1, 1, 0]
    assert legacy.asked == [1, 2, 1], "the outer call still knows its stream"
    assert machine.recorder_last_stream() == 55


# ---- Memory


def test_memory_is_pytorch_s():
    legacy.streams[1] = 99
    block = probe.allocate_block(ones(1, device=1), 4096)
    assert list(allocated.values()) == [(4096, 1, 99)] and list(allocated) == [address(block)]
    probe.free_block(block)
    assert allocated == {}
    made = probe.fresh_cuda(1000, 2.0)
    assert made.tolist() == [2] * 1000 and allocated == {}, "moved to a tensor of PyTorch's"


def test_no_memory():
    legacy.allocator["limit"] = 1000
    message = r"^cuda runtime error \(2\) : .* at .*:\d+$"
    with pytest.raises(torch.FatalError, match=message):
        probe.allocate_and_free(5000)
    with pytest.raises(torch.FatalError, match=message):
        probe.fresh_cuda(5000, 1.0)
    probe.allocate_and_free(500)


def test_no_memory_for_an_output(monkeypatch):
    def resize(self, size):
        raise torch.cuda.OutOfMemoryError("CUDA out of memory.")

    x = ones(2)
    monkeypatch.setattr(torch.UntypedStorage, "resize_", resize, raising=False)
    with pytest.raises(torch.FatalError, match=r"^cuda runtime error \(2\) : "):
        probe.resize_cuda(x, 100)
    assert x.tolist() == [1, 1]


def test_a_fault_that_pytorch_sees_first_is_pytorch_s():
    legacy.allocator["fault"] = "CUDA error: an illegal memory access was encountered"
    with pytest.raises(torch.FatalError, match=names("CUDA", "illegal", "access")):
        probe.allocate_and_free(5)


def test_a_fault_of_a_kernel_is_told_by_the_next_check():
    message = r"^cuda runtime error \(700\) : an illegal memory access was encountered; a kernel failed, and CUDA "
    message += r"works again only after the process was started anew at .*:\d+$"
    machine.recorder_fail_next(700)
    with pytest.raises(torch.FatalError, match=message):
        probe.fill_cuda(ones(300), 2)
    machine.recorder_fail_next(700)
    with pytest.raises(torch.FatalError, match=message):
        probe.add_cuda(ones(2), ones(2), ones(2))
    probe.check_cuda(ones(1))


def test_errors_have_the_text_of_old():
    with pytest.raises(torch.FatalError, match=r"^invalid argument 2: expected no negative number, .* at .*:\d+$"):
        probe.fail_argument_cuda(ones(2), -5)
    x = ones(2)
    with pytest.raises(RuntimeError, match="^after the resize at "):
        probe.fail_after_resize_cuda(x, 50)
    assert x.shape == (2,)
    probe.resize_cuda(x, 3)
    assert x.tolist() == [1, 1, 0]


# ---- What C returns and keeps


def test_results():
    made = probe.fresh_cuda(3, 7.0)
    assert made.tolist() == [7, 7, 7] and pretend.device_of(made) == 0
    made.resize_(1000)
    legacy.use_device(1)
    try:
        other, nothing = probe.fresh_cuda(3, 7.0), probe.no_memory_cuda()
        assert pretend.device_of(other) == 1 and pretend.device_of(nothing) == 1 and nothing.shape == (0,)
    finally:
        legacy.use_device(0)
    matrix = arange(6, device=2).view(2, 3)
    row = probe.row_cuda(matrix, 1)
    row[0] = -1
    assert matrix[1, 0] == -1 and pretend.device_of(row) == 2
    del matrix
    assert row.tolist() == [-1, 4, 5]
    assert probe.same_cuda(row) is row


def test_results_that_are_storages():
    x = arange(4)
    storage = probe.storage_cuda(x)
    assert storage.dtype is torch.float32 and storage.data_ptr() == x.data_ptr()
    made = probe.fresh_storage_cuda(3, 2.0)
    assert list(made) == [2, 2, 2]


def test_what_c_keeps_lives_on():
    x = arange(4, device=1)
    alive = weakref.ref(x.untyped_storage())
    probe.keep_cuda(x)
    del x
    gc.collect()
    assert probe.sum_of_kept_cuda() == 6 and alive() is not None
    probe.release_cuda()
    gc.collect()
    assert alive() is None


def test_what_c_keeps_follows_python():
    x = arange(4)
    probe.keep_cuda(x)
    x.untyped_storage().resize_(1 << 20)
    x[3] = 10
    assert probe.sum_of_kept_cuda() == 13
    probe.resize_kept_cuda(1 << 19)
    assert x.untyped_storage().nbytes() == 1 << 21
    probe.keep_cuda(empty())
    probe.release_cuda()
    assert probe.sum_cuda(x) == 13


def test_c_resizes_on_a_thread_of_its_own():
    x = ones(2, device=0)
    probe.resize_on_thread_cuda(x, 50)
    assert x.shape == (50,) and x.sum() == 2


@pytest.mark.parametrize("what", ["keep_own_cuda(5)", "keep_until_exit_cuda(tensor)", "keep_cuda(tensor)"])
def test_what_c_keeps_until_the_end(what):
    script = "import torch\nfrom support.cuda_recorder import pretend\ntensor = pretend.elsewhere(torch.ones(2), 0)\n"
    script += f"probe.{what}\nprint('end')\n"
    assert run(script) == "end\n"


@pytest.mark.parametrize("name", ["add", "refuse", "fail", "grow", "result", "own"])
def test_calls_leave_nothing_behind(name):
    x, output = ones(2, device=1), empty(1)

    def refuse():
        with pytest.raises(TypeError):
            probe.add_cuda(x, ones(2), output)

    def fail():
        with pytest.raises(torch.FatalError):
            probe.fail_cuda(x, b"oh")

    calls = {
        "add": lambda: probe.add_cuda(x, x, output), "refuse": refuse, "fail": fail,
        "grow": lambda: probe.resize_cuda(empty(), 10), "result": lambda: probe.row_cuda(x.view(2, 1), 1),
        "own": lambda: probe.lie_on_own_cuda(output, 5, 1.0),
    }  # fmt: skip
    call = calls[name]
    for _ in range(20):
        call()
    gc.collect()
    before = len(gc.get_objects()), sys.getrefcount(x), sys.getrefcount(output)
    for _ in range(200):
        call()
    gc.collect()
    after = len(gc.get_objects()), sys.getrefcount(x), sys.getrefcount(output)
    assert after[0] - before[0] < 20 and after[1:] == before[1:]


@pytest.mark.parametrize("times", [1, 1000])
def test_c_that_frees_its_arguments(times):
    x = arange(6)
    for _ in range(50):
        assert probe.free_argument_cuda(x, times) == probe.free_storage_cuda(x.storage(), times) == 1
    probe.resize_cuda(x, 1000)
    assert x.shape == (1000,) and x[:6].tolist() == [0, 1, 2, 3, 4, 5] and probe.sum_of_storage_cuda(x.storage()) == 15


def test_debug_mode_names_the_tensor(monkeypatch):
    from torchthaw.legacy.ffi import debug

    watched = debug.watch(probe.sum_cuda)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        watched(arange(6).view(2, 3).t())
    assert "sum_cuda: tensor is not contiguous" in str(caught[0].message)


# ---- The layers above


class Add(torch.autograd.Function):
    """As the layers of old choose their function."""

    def forward(self, input1, input2):
        if not input1.is_cuda:
            return input1 + input2
        output = input1.new()
        probe.add_cuda(input1, input2, output)
        return output

    def backward(self, gradient):
        twice = gradient.new()
        probe.add_cuda(gradient, gradient, twice)
        return twice, gradient if gradient.is_cuda else None


@pytest.fixture
def instances():
    patches.install("instance_functions")
    yield
    patches.uninstall()


@pytest.mark.usefixtures("instances")
def test_an_instance_function_chooses_by_device():
    x, y = elsewhere(torch.ones(3), 2).requires_grad_(), elsewhere(torch.ones(3), 2).requires_grad_()
    output = Add()(x, y)
    assert output.tolist() == [2, 2, 2] and output.is_cuda and output.requires_grad
    output.backward(elsewhere(torch.full((3,), 3.0), 2))
    assert x.grad.tolist() == [6, 6, 6] and y.grad.tolist() == [3, 3, 3]
    assert Add()(torch.ones(3), torch.ones(3)).tolist() == [2, 2, 2] and pretend.exchanged == [2, 0, 2, 0]
