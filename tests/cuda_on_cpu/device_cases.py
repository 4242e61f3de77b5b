"""tests/cuda_on_cpu/device_cases.py: what a PyTorch whose CUDA device is the CPU must do; test_device.py runs it.

Run as a program, it prints one line of JSON: for each function here, "" or the traceback of its failure.
"""

import contextlib
import copy
import io
import json
import os
import sys
import traceback
import types

import torch
from torch.nn import functional as F

HERE = torch.device("cuda", 0)
# Where PyTorch was built for CUDA, torch.cuda's own functions answer, with a card's words.
BUILT_FOR_CUDA = isinstance(torch._C._cuda_getDevice, types.BuiltinFunctionType)


@contextlib.contextmanager
def raises(*words, error=RuntimeError):
    try:
        yield
    except error as found:
        missing = [word for word in words if word not in str(found)]
        assert not missing, f"{missing} not in {found}"
    else:
        raise AssertionError(f"expected {error}")


def on_both(function, *inputs):
    """Compares a function of tensors, and its gradients, on the CPU and on the device."""
    results = []
    for device in ("cpu", "cuda"):
        given = [x.detach().to(device, copy=True).requires_grad_(x.is_floating_point()) for x in inputs]
        outputs = function(*given)
        outputs = outputs if isinstance(outputs, (tuple, list)) else [outputs]
        assert all(each.device.type == device for each in outputs), [each.device for each in outputs]
        torch.manual_seed(1)
        loss = sum((each.double() * each.double().detach().sin()).sum() for each in outputs if each.is_floating_point())
        if isinstance(loss, torch.Tensor) and loss.requires_grad:
            loss.backward()
        results.append([each.cpu() for each in [*outputs, *(x.grad for x in given if x.grad is not None)]])
    torch.testing.assert_close(*results)


def what_a_tensor_says():
    x = torch.arange(6.0, device="cuda").reshape(2, 3)
    assert x.device == HERE and x.is_cuda and x.get_device() == 0 and not x.is_cpu
    assert x.type() == "torch.cuda.FloatTensor" and "device='cuda:0'" in repr(x)
    assert x.cpu().tolist() == [[0, 1, 2], [3, 4, 5]] and x.cpu().device.type == "cpu"
    assert x.untyped_storage().device == HERE and x.data_ptr() == x.view(-1).data_ptr()
    assert isinstance(x, torch.cuda.FloatTensor) and not isinstance(x.cpu(), torch.cuda.FloatTensor)


def types_of_torch_cuda_make_tensors():
    assert torch.cuda.FloatTensor([1, 2]).tolist() == [1, 2] and torch.cuda.LongTensor(2, 3).shape == (2, 3)
    assert torch.cuda.ByteTensor(4).device == HERE
    assert torch.ones(2).type(torch.cuda.DoubleTensor).dtype == torch.float64
    assert torch.ones(2).type("torch.cuda.HalfTensor").device == HERE


def views_share_memory_and_resizes_are_seen():
    x = torch.zeros(2, 3, device="cuda")
    x[:, 1] += 2
    x.t()[2] = 5
    assert x.tolist() == [[0, 2, 5], [0, 2, 5]]
    row = x[1]
    assert row._base is x and row.storage_offset() == 3
    x.resize_(40, 3)
    assert x.shape == (40, 3) and x.untyped_storage().nbytes() == 480 and row.tolist() == [0, 2, 5]
    y = torch.empty(0, device="cuda")
    y.set_(x.untyped_storage(), 1, (2,), (3,))
    assert y.tolist() == [2, 2] and y.untyped_storage().data_ptr() == x.untyped_storage().data_ptr()
    torch.add(torch.ones(5, device="cuda"), 1, out=y.resize_(0))
    assert y.tolist() == [2] * 5 and x[0, 1].item() == 2
    z = torch.ones(3, device="cuda")
    with torch.no_grad():
        z.data = x[0]
    assert z.tolist() == [0, 2, 2]


def storages_are_made_and_resized():
    storage = torch.UntypedStorage(8, device="cuda")
    assert storage.device == HERE and storage.nbytes() == 8
    x = torch.ones(4, device="cuda")
    x.untyped_storage().resize_(0)
    assert x.untyped_storage().nbytes() == 0
    x.untyped_storage().resize_(16)
    assert x.fill_(2).tolist() == [2] * 4
    assert copy.deepcopy(x).tolist() == x.tolist()
    with raises("size", "-1"):
        torch.ops.cuda_on_cpu.resize_storage(x.untyped_storage(), -1)


def operators_and_their_gradients():
    g = torch.Generator().manual_seed(0)
    a, b = torch.randn(5, 7, generator=g), torch.randn(7, 3, generator=g)
    indices = torch.tensor([2, 0, 2])
    on_both(torch.mm, a, b)
    on_both(lambda x: torch.linalg.svd(x)[1], a)
    on_both(lambda x: x.sort(dim=1, descending=True), a)
    on_both(lambda x: (x[indices.to(x.device)], x[x > 0], x.cumsum(1), x.logsumexp(0)), a)
    on_both(lambda x: torch.cat([x, x]).split(2), a)
    on_both(lambda x: torch.einsum("ij,ik->jk", x, x).inverse(), a.double().t().contiguous())
    on_both(lambda x: torch.fft.rfft(x).abs(), a)
    on_both(lambda x: x.unique(return_counts=True), torch.tensor([3, 1, 3]))
    on_both(lambda x: F.grid_sample(x, torch.zeros(1, 2, 2, 2, device=x.device), align_corners=False), a[None, None])
    on_both(lambda x: torch.where(x > 0, x, torch.tensor(2.0)), a)
    x = torch.zeros(3, 7, device="cuda").index_put_((torch.tensor([1]),), torch.ones(7, device="cuda"))
    assert x.sum() == 7  # indices may be on the CPU
    conj = torch.tensor([1 + 2j], device="cuda").conj()
    assert conj.is_conj() and conj.cpu().item() == 1 - 2j


def layers_train_as_on_the_cpu():
    torch.manual_seed(0)
    layers = [
        torch.nn.Conv2d(3, 4, 3, bias=False), torch.nn.BatchNorm2d(4), torch.nn.ReLU(), torch.nn.Conv2d(4, 4, 3, groups=4),
        torch.nn.ConvTranspose2d(4, 4, 2), torch.nn.MaxPool2d(2), torch.nn.Flatten(), torch.nn.Linear(36, 8),
        torch.nn.Unflatten(1, (2, 4)), torch.nn.LayerNorm(4),
    ]  # fmt: skip
    model = torch.nn.Sequential(*layers)
    models = [model, copy.deepcopy(model).cuda()]
    assert all(p.is_cuda and isinstance(p, torch.nn.Parameter) for p in models[1].parameters())
    x = torch.randn(2, 3, 9, 9)
    for optimizer in (torch.optim.SGD, torch.optim.Adam):
        for model in models:
            steps = optimizer(model.parameters(), lr=0.01)
            for _ in range(2):
                steps.zero_grad()
                model(x.to(next(model.parameters()).device)).pow(2).sum().backward()
                steps.step()
    for mine, theirs in zip(models[1].state_dict().values(), models[0].state_dict().values()):
        torch.testing.assert_close(mine.cpu(), theirs, atol=1e-5, rtol=1e-4)


def recurrent_and_attention_layers():
    for make in (torch.nn.LSTM, torch.nn.GRU, torch.nn.RNN):
        torch.manual_seed(0)
        layer, x = make(3, 4, num_layers=2, bidirectional=True), torch.randn(5, 2, 3)
        on_device = copy.deepcopy(layer).cuda()
        expected, found = layer(x)[0], on_device(x.cuda())[0]
        torch.testing.assert_close(found.cpu(), expected)
        expected.pow(2).sum().backward()
        found.pow(2).sum().backward()
        for mine, theirs in zip(on_device.parameters(), layer.parameters()):
            torch.testing.assert_close(mine.grad.cpu(), theirs.grad)
    cell = torch.nn.GRUCell(3, 4, bias=False).cuda()
    assert torch.autograd.gradcheck(
        cell.double(), [torch.rand(2, n, device="cuda").double().requires_grad_() for n in (3, 4)]
    )
    torch.manual_seed(0)
    layer = torch.nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0)
    on_device, x = copy.deepcopy(layer).cuda(), torch.randn(5, 2, 8)
    torch.testing.assert_close(on_device(x.cuda()).cpu(), layer(x))


def gradcheck_and_functions_of_autograd():
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, grad):
            assert grad.is_cuda
            return 2 * grad * ctx.saved_tensors[0]

    x = torch.rand(4, dtype=torch.double, device="cuda", requires_grad=True)
    assert torch.autograd.gradcheck(Square.apply, [x])
    assert torch.autograd.gradgradcheck(lambda a: (a.cumsum(0) * a).sin(), [x])
    torch.testing.assert_close(torch.func.jacrev(torch.square)(x.detach()), torch.diag(2 * x.detach()))
    with torch.inference_mode():
        assert (x + 1).is_inference()


def random_numbers():
    torch.cuda.manual_seed(3)
    first = torch.rand(4, device="cuda")
    torch.rand(4)  # the CPU's are others
    state = torch.cuda.get_rng_state()
    second = F.dropout(torch.ones(50, device="cuda")), torch.randperm(9, device="cuda"), torch.randn_like(first)
    torch.cuda.set_rng_state(state)
    again = F.dropout(torch.ones(50, device="cuda")), torch.randperm(9, device="cuda"), torch.randn_like(first)
    torch.testing.assert_close(second, again)
    torch.manual_seed(3)
    assert torch.equal(first, torch.rand(4, device="cuda"))
    assert torch.cuda.initial_seed() == 3
    generator = torch.Generator("cuda").manual_seed(5)
    assert torch.equal(
        torch.randn(2, generator=generator, device="cuda"),
        torch.randn(2, generator=generator.manual_seed(5), device="cuda"),
    )
    with raises("generator", "cuda", "cpu"):
        torch.randn(2, generator=torch.Generator(), device="cuda")
    with torch.random.fork_rng():
        torch.rand(1, device="cuda")


def tensors_are_saved_and_loaded():
    layer, file = torch.nn.Linear(3, 2).cuda(), io.BytesIO()
    torch.save(layer.state_dict(), file)
    for where, expected in ((None, "cuda"), ("cpu", "cpu"), ("cuda:0", "cuda"), (HERE, "cuda")):
        file.seek(0)
        weight = torch.load(file, map_location=where)["weight"]
        assert weight.device.type == expected and torch.equal(weight.cuda(), layer.weight)


def pinned_memory():
    x = torch.ones(3).pin_memory()
    assert x.is_pinned() and not torch.ones(3).is_pinned() and not x.cuda().is_pinned()
    assert torch.empty(2, pin_memory=True).is_pinned()
    data = torch.utils.data.TensorDataset(torch.ones(4, 2))
    assert all(batch.is_pinned() for (batch,) in torch.utils.data.DataLoader(data, batch_size=2, pin_memory=True))
    with raises("pin"):
        torch.empty(2, device="cuda", pin_memory=True)


def mixed_precision():
    layer = torch.nn.Linear(3, 2).cuda()
    steps, scaler = torch.optim.SGD(layer.parameters(), lr=0.1), torch.amp.GradScaler("cuda")
    with torch.autocast("cuda", dtype=torch.float16):
        out = layer(torch.ones(2, 3, device="cuda"))
        assert out.dtype == torch.float16
    scaler.scale(out.float().mean()).backward()
    scaler.step(steps)
    scaler.update()
    assert scaler.get_scale() == 65536
    with torch.cuda.amp.autocast():
        assert torch.mm(torch.ones(2, 2, device="cuda"), torch.ones(2, 2, device="cuda")).dtype == torch.float16


def devices_are_not_mixed():
    x, y = torch.ones(3, device="cuda"), torch.ones(3)
    with raises("same device", "cuda:0", "cpu"):
        x + y
    with raises("same device", "cuda:0", "cpu"):
        torch.mm(torch.ones(2, 2, device="cuda"), torch.ones(2, 2))
    with raises("same device", "cuda:0", "cpu"):
        F.conv2d(torch.ones(1, 1, 3, 3, device="cuda"), torch.ones(1, 1, 3, 3))
    with raises("same device", "cuda:0", "cpu"):
        torch.add(x, 1, out=y)
    places = torch.tensor([0, 1], device="cuda")
    for values in (torch.ones(1), torch.ones(2)):
        with raises("same device", "cuda:0", "cpu", "values"):
            x.index_put_((places,), values)
    with raises("same device", "cuda:0", "cpu", "values"):
        x[places] = torch.ones(2)
    x[torch.tensor([0, 1])] = torch.tensor(1.0)
    assert (x + torch.tensor(1.0)).is_cuda  # a number may be on the CPU
    y.copy_(x + 1)
    assert y.tolist() == [2] * 3 and y.is_cpu
    x.copy_(y)
    assert x.tolist() == [2] * 3 and x.is_cuda


def events_without_timing_have_no_time():
    events = [torch.cuda.Event(), torch.cuda.Event()]
    for event in events:
        event.record()
    with raises(
        *(["enable_timing"] if BUILT_FOR_CUDA else ["invalid resource handle"]), error=(RuntimeError, ValueError)
    ):
        events[0].elapsed_time(events[1])


def a_forked_child_has_no_cuda():
    torch.zeros(2, device="cuda")
    child = os.fork()
    if not child:
        status = 1
        try:
            with raises("forked subprocess", "spawn"):
                torch.cuda.init() or torch.zeros(2, device="cuda")
            with raises("forked subprocess" if BUILT_FOR_CUDA else "initialization error"):
                torch.empty(2).to("cuda")
            status = 0
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0


def what_is_not_served_is_named():
    with raises("graphs"):
        torch.cuda.CUDAGraph()
    with raises("NCCL"):
        torch.cuda.nccl.version()
    with raises(*(["invalid device ordinal"] if BUILT_FOR_CUDA else ["expected", "0", "1"])):
        torch.cuda.set_device(1)
    for call in (
        lambda: torch.ones(2, device="cuda:1"), lambda: torch.ones(2).cuda(1),
        lambda: torch.arange(3, device="cuda:1"), lambda: torch.Generator("cuda:1"),
    ):  # fmt: skip
        with raises("expected", "0", "1"):
            call()
    with raises("Sparse", "TORCHTHAW_CUDA=cpu" if BUILT_FOR_CUDA else "CUDA", error=NotImplementedError):
        torch.sparse_coo_tensor([[0]], [1.0], (2,), device="cuda", check_invariants=False)
    with raises("cudnn_convolution", "GPU", error=NotImplementedError):
        x = torch.ones(1, 1, 3, 3, device="cuda")
        torch.cudnn_convolution(x, x, [0, 0], [1, 1], [1, 1], 1, False, False, False)
    library = torch.library.Library("of_device_cases", "FRAGMENT")
    library.define("on_cpu(Tensor x) -> Tensor")
    library.impl("on_cpu", lambda x: x + 1, "CPU")
    with raises("of_device_cases::on_cpu", "CUDA", error=NotImplementedError):
        torch.ops.of_device_cases.on_cpu(torch.ones(1, device="cuda"))


def functions_of_torch_cuda():
    cuda = torch.cuda
    assert cuda.is_available() and cuda.device_count() == 1 and cuda.current_device() == 0 and cuda.is_initialized()
    assert torch.version.cuda == "13.0" or (BUILT_FOR_CUDA and torch.version.cuda.startswith(("12.", "13.")))
    assert torch.backends.cuda.is_built() and not torch.backends.cudnn.is_available()
    properties = cuda.get_device_properties(0)
    assert cuda.get_device_capability() == (properties.major, properties.minor) and properties.warp_size == 32
    assert cuda.get_device_name() == properties.name and properties.total_memory > 1 << 20
    assert f"sm_{properties.major}{properties.minor}" in cuda.get_arch_list() and torch.backends.cudnn.version() is None
    with cuda.device(0), cuda.device_of(torch.ones(1, device="cuda")):
        cuda.synchronize()
    cuda.empty_cache()
    cuda.ipc_collect()
    free, total = cuda.mem_get_info()
    assert 0 < free <= total
    cuda.nvtx.range_push("here")
    cuda.nvtx.range_pop()
    assert torch.accelerator.current_accelerator().type == "cuda"


def streams_and_events():
    cuda = torch.cuda
    stream, default = cuda.Stream(), cuda.current_stream()
    assert stream != default and default == cuda.default_stream() and default.cuda_stream == 0 and stream.cuda_stream
    with cuda.stream(stream):
        assert cuda.current_stream() == stream
        begin, end = (cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        end.record(stream)
    assert cuda.current_stream() == default and 0 <= begin.elapsed_time(end) < 1e4
    stream.wait_stream(default)
    default.wait_event(end)
    stream.synchronize()
    assert stream.query() and end.query()
    torch.ones(2, device="cuda").record_stream(stream)
    external = cuda.ExternalStream(stream.cuda_stream)
    assert external.cuda_stream == stream.cuda_stream


def memory_is_counted():
    cuda = torch.cuda
    before = cuda.memory_allocated()
    cuda.reset_peak_memory_stats()
    x = torch.ones(1000, device="cuda")
    y = x + 1
    assert cuda.memory_allocated() == before + 8000
    if hasattr(torch.accelerator, "memory_allocated"):
        assert torch.accelerator.memory_allocated() == before + 8000
    del x, y
    assert cuda.memory_allocated() == before and cuda.max_memory_allocated() >= before + 8000
    address = cuda.caching_allocator_alloc(64)
    assert cuda.memory_allocated() == before + 64
    cuda.caching_allocator_delete(address)
    assert cuda.memory_allocated() == before and "Allocated memory" in cuda.memory_summary()
    with raises("out of memory", error=cuda.OutOfMemoryError):
        torch.empty(1 << 50, device="cuda")


def data_parallel_with_one_device():
    layer = torch.nn.DataParallel(torch.nn.Linear(3, 2).cuda())
    assert layer(torch.ones(2, 3).cuda()).device == HERE


def the_default_type_can_be_cuda():
    torch.set_default_tensor_type("torch.cuda.FloatTensor")
    try:
        assert torch.zeros(2).is_cuda
    finally:
        torch.set_default_tensor_type(torch.FloatTensor)
    assert torch.zeros(2).is_cpu


CASES = {name: each for name, each in vars().items() if callable(each) and getattr(each, "__module__", "") == __name__}
for helper in ("raises", "on_both"):
    del CASES[helper]


def main():
    results = {}
    for name, case in CASES.items():
        try:
            case()
            results[name] = ""
        except BaseException:
            results[name] = traceback.format_exc()
    print(json.dumps(results))


if __name__ == "__main__":
    sys.exit(main())
