"""tests/bridge/test_bridge_kernels_failing.py: PyTorch's C functions fail under a kernel, or pretend a GPU.

No PyTorch does that here, so the tests put their own functions into the bridge's table.
"""

import ctypes
import importlib

import pytest
import torch

import torchthaw
from support import kernels_probe, shim
from support.messages import names
from torchthaw.bridge import _bridge

RELEASE = tuple(map(int, torch.__version__.split(".")[:2]))
pytestmark = pytest.mark.skipif(RELEASE < (2, 10), reason="PyTorch has no stable C interface for kernels before 2.10")


@pytest.fixture(scope="module")
def ops():
    return kernels_probe.probe()[1]


@pytest.fixture(scope="module")
def table(ops):
    try:
        return shim.Table()
    except LookupError as error:
        pytest.skip(str(error))


A, B = torch.arange(6.0).reshape(2, 3), torch.ones(3)
SCALED = 2 * A + B
# Calls: what is given to an operator and what it gives back.
CALLS = {
    "scale": lambda ops: ops.scale(A, B, 2.0),
    "of columns": lambda ops: ops.scale(A.t().contiguous().t(), B, 2.0),
    "in place": lambda ops: [out := torch.zeros(2, 3), ops.scale.out(A, B, 2.0, out)][0],
    "full": lambda ops: ops.full(torch.tensor(7, dtype=torch.int32), [2, 3], 2),
}
GIVEN = {"scale": SCALED, "of columns": SCALED, "in place": SCALED, "full": torch.full((2, 3), 7, dtype=torch.int32)}
FAILURES = [
    ("aoti_torch_get_dtype", "scale", "input"),
    ("aoti_torch_get_device_type", "scale", "input"),
    ("aoti_torch_get_dim", "scale", "input"),
    ("aoti_torch_get_sizes", "scale", "input"),
    ("aoti_torch_is_contiguous", "scale", "input"),
    ("aoti_torch_get_strides", "of columns", "input"),
    ("torch_get_const_data_ptr", "scale", "input"),
    ("torch_get_mutable_data_ptr", "scale", "output"),
    ("torch_get_mutable_data_ptr", "in place", "output"),
    ("aoti_torch_empty_strided", "scale", "output"),
    ("aoti_torch_empty_strided", "of columns", "input"),
    ("aoti_torch_copy_", "of columns", "input"),
    ("aoti_torch_copy_", "in place", "output"),
    ("torch_list_size", "full", "shape"),
    ("torch_list_get_item", "full", "shape"),
]


@pytest.mark.slow
@pytest.mark.parametrize("function, call, argument", FAILURES, ids=lambda each: each)
def test_a_function_of_pytorch_fails(ops, table, function, call, argument):
    with table.replaced(**{function: shim.failing}), pytest.raises(RuntimeError, match=names(f"{argument}:")):
        CALLS[call](ops)
    assert torch.equal(CALLS[call](ops), GIVEN[call])


@pytest.mark.slow
@pytest.mark.parametrize("said", [None, b"", b"no such thing"])
def test_what_pytorch_said_is_part_of_the_error(ops, table, said):
    text = ctypes.create_string_buffer(said) if said is not None else None
    more = {"torch_exception_get_what_without_backtrace": lambda: ctypes.addressof(text) if text else 0}
    with table.replaced(aoti_torch_get_dim=shim.failing, **more), pytest.raises(RuntimeError) as raised:
        ops.scale(A, B, 2.0)
    assert ("no such thing" in str(raised.value)) == (said == b"no such thing")


@pytest.mark.slow
def test_a_pytorch_without_what_came_later(ops, table):
    missing = dict.fromkeys(["torch_delete_stable_ivalue", "torch_exception_get_what_without_backtrace"])
    with table.replaced(**missing):
        assert torch.equal(ops.scale(A, None, 2.0), 2 * A) and torch.equal(ops.scale(A, B, 2.0), SCALED)
        with table.replaced(aoti_torch_get_dim=shim.failing), pytest.raises(RuntimeError):
            ops.scale(A, B, 2.0)


@pytest.mark.slow
@pytest.mark.parametrize("function", ["aoti_torch_library_init_impl", "torch_library_impl"])
def test_pytorch_takes_no_kernel(table, function):
    from probe_kernels import _probe_kernels

    library = torch.library.Library("kernels_refused", "FRAGMENT")
    library.define(f"add_{function}(Tensor a, Tensor b) -> Tensor")
    given = _probe_kernels, "kernels_refused", {f"add_{function}": "add"}, "CPU"
    with table.replaced(**{function: shim.failing}):
        with pytest.raises((ValueError, RuntimeError), match="kernels_refused|add_"):
            _bridge.register_kernels(*given)
        with pytest.raises((ValueError, RuntimeError)):
            _bridge.register_failure("kernels_refused", f"add_{function}")
    assert _bridge.register_kernels(*given) == [f"add_{function}"]
    assert torch.equal(getattr(torch.ops.kernels_refused, f"add_{function}")(B, B), 2 * B)


@pytest.mark.slow
def test_an_operator_that_was_defined_anew(ops):
    """PyTorch keeps the kernel, which is for the schema of before."""
    from probe_kernels import _probe_kernels

    library = torch.library.Library("kernels_anew", "FRAGMENT")
    library.define("add(Tensor a, Tensor b) -> Tensor")
    assert _bridge.register_kernels(_probe_kernels, "kernels_anew", {"add": "add"}, "CPU") == ["add"]
    library._destroy()
    again = torch.library.Library("kernels_anew", "FRAGMENT")
    again.define("add(Tensor a, Tensor b, Tensor c) -> Tensor")
    with pytest.raises(RuntimeError, match=names("add", "2 arguments", "3")):
        torch.ops.kernels_anew.add(B, B, B)


# ---- A GPU that is not there -----------------------------------------------------------------------------------------

CUDA_HEADER = """
#include <stddef.h>
#include <stdint.h>
#include <torchthaw/annotate.h>
THAW_STATUS
int shift_cuda(const float *input THAW_SHAPE(count), const float *by THAW_SHAPE(count) THAW_NULLABLE, int64_t count,
               float *output THAW_SHAPE(count), float *rest THAW_SHAPE(count) THAW_NULLABLE,
               void *workspace THAW_WORKSPACE(workspace_size, shift_workspace_size(count)), size_t workspace_size,
               void *stream);
size_t shift_workspace_size(int64_t count);
uint64_t last_stream(void);
"""
CUDA_SOURCE = """
#include "shift.h"
static void *last;
size_t shift_workspace_size(int64_t count) { return count > 100 ? SIZE_MAX : (size_t)count * sizeof(float); }
uint64_t last_stream(void) { return (uint64_t)(uintptr_t)last; }
int shift_cuda(const float *input, const float *by, int64_t count, float *output, float *rest, void *workspace,
               size_t workspace_size, void *stream) {
    float *sums = workspace;
    if (workspace_size < (size_t)count * sizeof *sums) return 0;
    for (int64_t i = 0; i < count; i++) sums[i] = input[i] + (by ? by[i] : 1);
    for (int64_t i = 0; i < count; i++) output[i] = sums[i];
    for (int64_t i = 0; rest && i < count; i++) rest[i] = 0;
    last = stream;
    return 1;
}
"""
STREAM, GUARD = 0x1230, 0x4560


@pytest.fixture(scope="module")
def gpu(table, tmp_path_factory):
    """(an operator's module, replacements under which tensors of the CPU are on a GPU, what the guard heard)."""
    folder = tmp_path_factory.mktemp("shift")
    (folder / "shift.h").write_text(CUDA_HEADER)
    (folder / "shift.c").write_text(CUDA_SOURCE)
    module = torchthaw.load("shift", headers=folder / "shift.h", sources=[folder / "shift.c"])
    heard, devices, on_cpu = [], {}, ctypes.create_string_buffer(b"CPU")

    def write(address, value, kind=ctypes.c_int32):
        kind.from_address(address).value = value
        return 0

    def create_guard(device, to):
        heard.append(("enter", device & 0xFFFFFFFF))
        return write(to, GUARD, ctypes.c_uint64)

    def delete_guard(guard):
        heard.append(("leave", guard))
        return 0

    def empty(dimensions, size, stride, dtype, device_type, device, to):
        assert device_type & 0xFFFFFFFF == table.cuda
        return real["aoti_torch_empty_strided"](dimensions, size, stride, dtype, table.cpu, 0, to)

    def library(space, key, file, line, to):
        return real["aoti_torch_library_init_impl"](space, ctypes.addressof(on_cpu), file, line, to)

    def type_of(tensor, to):
        return write(to, devices.get("type", table.cuda))

    def index_of(tensor, to):
        return write(to, 0)

    functions = {
        "aoti_torch_get_device_type": type_of,
        "aoti_torch_get_device_index": index_of,
        "aoti_torch_empty_strided": empty,
        "aoti_torch_library_init_impl": library,
        "aoti_torch_get_current_cuda_stream": lambda device, to: write(to, STREAM, ctypes.c_uint64),
        "aoti_torch_create_cuda_guard": create_guard,
        "aoti_torch_delete_cuda_guard": delete_guard,
    }
    real = {
        name: ctypes.CFUNCTYPE(ctypes.c_int32, *[shim.WORDS] * functions[name].__code__.co_argcount)(
            table.slot(name).value
        )
        for name in ("aoti_torch_empty_strided", "aoti_torch_library_init_impl")
    }
    keep = torch.library.Library("kernels_of_gpu", "FRAGMENT")
    keep.define("shift(Tensor input, Tensor? by) -> (Tensor, Tensor)")
    keep.define("shift.out(Tensor input, Tensor? by, Tensor(a!) output, Tensor(b!)? rest) -> ()")
    operators = {"shift": "shift_cuda", "shift.out": "shift_cuda"}
    extension = importlib.import_module("shift._shift")
    missing = dict.fromkeys(["aoti_torch_get_current_cuda_stream", "aoti_torch_create_cuda_guard"])
    with table.replaced(**missing):  # a PyTorch for CPUs
        assert _bridge.register_kernels(extension, "kernels_of_gpu", operators, "CUDA") == []
    with table.replaced(**functions):
        assert _bridge.register_kernels(extension, "kernels_of_gpu", operators, "CUDA") == [*operators]
    yield torch.ops.kernels_of_gpu, module, functions, heard, devices
    del keep


@pytest.mark.slow
def test_a_kernel_on_a_gpu(table, gpu):
    ops, module, functions, heard, devices = gpu
    heard.clear()
    with table.replaced(**functions):
        output, rest = ops.shift(B, None)
    assert torch.equal(output, B + 1) and rest.tolist() == [0, 0, 0]
    assert module.last_stream() == STREAM and heard == [("enter", 0), ("leave", GUARD)]
    with table.replaced(**functions):
        ops.shift.out(B, B, output, None)
    assert torch.equal(output, 2 * B)


@pytest.mark.slow
def test_a_tensor_that_is_not_on_the_gpu(table, gpu):
    ops, module, functions, heard, devices = gpu
    with pytest.raises(ValueError, match=names("input", "cuda:0", "the CPU")):  # nothing is replaced
        ops.shift(B, None)
    turn = iter([0, 1])
    other = {**functions, "aoti_torch_get_device_index": lambda tensor, to: ctypes.memset(to, next(turn), 1) * 0}
    with table.replaced(**other), pytest.raises(ValueError, match=names("by", "cuda:0", "cuda:1")):
        ops.shift(B, B)


@pytest.mark.slow
def test_a_tensor_on_a_gpu_for_the_cpu(ops, table, gpu):
    *_, functions, heard, devices = gpu
    for type_, where in ((table.cuda, "cuda:0"), (99, "another device")):
        devices["type"] = type_
        try:
            with table.replaced(**functions), pytest.raises(ValueError, match=names("input", "the CPU", where)):
                ops.scale(A, B, 2.0)
        finally:
            del devices["type"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "function, argument",
    [
        ("aoti_torch_create_cuda_guard", "device"),
        ("aoti_torch_get_current_cuda_stream", "stream"),
        ("aoti_torch_get_device_index", "input"),
        ("torch_get_mutable_data_ptr", "output"),
    ],
)
def test_a_function_of_pytorch_fails_on_a_gpu(table, gpu, function, argument):
    ops, module, functions, heard, devices = gpu
    heard.clear()
    with (
        table.replaced(**{**functions, function: shim.failing}),
        pytest.raises(RuntimeError, match=names(f"{argument}:")),
    ):
        ops.shift(B, None)
    assert len([what for what, _ in heard if what == "enter"]) == len([what for what, _ in heard if what == "leave"])


@pytest.mark.slow
def test_sizes_that_need_too_much(table, gpu):
    ops, module, functions, heard, devices = gpu
    with table.replaced(**functions), pytest.raises(ValueError, match=names("shift_cuda", "SIZE_MAX")):
        ops.shift(torch.ones(200), None)
