"""tests/bridge/test_bridge_kernels.py: PyTorch operators whose kernels are the C functions themselves."""

import ctypes
import gc
import os
import re
import subprocess
import sys
import threading
import weakref

import numpy
import pytest
import torch
from torch.autograd import forward_ad

from support import ROOT, TESTS, kernels_probe
from support.messages import names
from torchthaw.bridge import _bridge

RELEASE = tuple(map(int, torch.__version__.split(".")[:2]))
pytestmark = pytest.mark.skipif(RELEASE < (2, 10), reason="PyTorch has no stable C interface for kernels before 2.10")


@pytest.fixture(scope="module")
def ops():
    return kernels_probe.probe()[1]


# ---- my_lib: every operator, against its trampoline ------------------------------------------------------------------

SIZES = {"batch": 3, "in_features": 5, "out_features": 4, "input_size": 5, "state_size": 4, "seq_len": 2, "channels": 3,
         "height": 4, "width": 2}  # fmt: skip


def my_lib_functions():
    from _ext.my_lib import _my_lib

    return {each["name"]: each for each in kernels_probe.described(_my_lib)}


def shape_of(parameter):
    (shape, *_) = parameter["shapes"]
    return tuple(eval(dim, dict(SIZES)) for dim in shape["dims"]) if "dims" in shape else (3, 4)


def arguments_of(function, dtype):
    """{parameter: argument} for every parameter that is no workspace."""
    made = {}
    for each in function["parameters"]:
        if each["kind"] == "array":
            made[each["name"]] = torch.rand(shape_of(each)).to(dtype)
        elif each["kind"] in ("integer", "float"):
            made[each["name"]] = SIZES.get(each["name"], 2) if each["kind"] == "integer" else 0.5
        elif each["kind"] == "sizes":
            made[each["name"]] = (3, 4)
    return made


def call_trampoline(function, suffix, arguments):
    """The outputs of the C function, called as Python calls it."""
    package, _ = kernels_probe.my_lib()
    values, nbytes = [], 0
    for each in function["parameters"]:
        if each["kind"] == "workspace":
            name, sizes = each["call"]
            nbytes = getattr(package, name + suffix)(*(arguments[size] for size in sizes))
            values.append(torch.empty(nbytes, dtype=torch.uint8))
        else:
            value = nbytes if each["kind"] == "workspace_size" else arguments[each["name"]]
            values.append(value.clone() if isinstance(value, torch.Tensor) else value)
    assert getattr(package, function["name"] + suffix)(*values)
    return [value for value, each in zip(values, function["parameters"]) if each["kind"] == "array" and each["written"]]


@pytest.mark.parametrize("dtype, suffix", [(torch.float32, ""), (torch.float64, "_f64")])
@pytest.mark.parametrize("name", sorted(my_lib_functions()))
def test_an_operator_of_my_lib_computes_what_its_function_computes(name, dtype, suffix):
    function = my_lib_functions()[name]
    arguments = arguments_of(function, dtype)
    expected = call_trampoline(function, suffix, arguments)
    given = [each for each in function["parameters"] if each["name"] in arguments and not each.get("source")]
    operator = getattr(kernels_probe.my_lib()[1], name)
    got = operator(*(arguments[each["name"]] for each in given if not each.get("written")))
    got = got if isinstance(got, tuple) else (got,)
    assert all(map(torch.equal, got, expected)) and len(got) == len(expected)
    outputs = {each["name"]: torch.empty_like(arguments[each["name"]]) for each in given if each.get("written")}
    assert operator.out(*({**arguments, **outputs}[each["name"]] for each in given)) is None
    assert all(map(torch.equal, outputs.values(), expected))


# ---- Arguments -------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_numbers_arrive_as_their_c_types(ops):
    like = torch.zeros((), dtype=torch.float64)
    got = ops.numbers(like, -128, 65535, -(2**62), 0.1, 0.1, True)
    assert got.tolist() == [-128, 65535, -(2.0**62), torch.tensor(0.1).item(), 0.1, 1]
    for a, b in (128, 0), (0, -1), (0, 65536):
        with pytest.raises(OverflowError, match=names("a", "integer", "int8_t", "128")
                           if a else names("b", "integer", "uint16_t", b)):  # fmt: skip
            ops.numbers(like, a, b, 0, 0.0, 0.0, False)


@pytest.mark.slow
def test_many_parameters(ops):
    like = torch.zeros((), dtype=torch.float64)
    given = [None if i % 3 == 0 else torch.tensor(float(i), dtype=torch.float64) for i in range(26)]
    assert ops.many(like, *given).tolist() == [-1 if i % 3 == 0 else i for i in range(26)]


@pytest.mark.slow
def test_a_list_of_integers_arrives_as_sizes(ops):
    value = torch.tensor(7, dtype=torch.int32)
    assert torch.equal(ops.full(value, [2, 3], 2), torch.full((2, 3), 7, dtype=torch.int32))
    assert ops.full(value, [], 0).shape == ()
    with pytest.raises(ValueError, match=names("shape", "(3,)", "(2,)")):
        ops.full(value, [2, 3], 3)


@pytest.mark.slow
@pytest.mark.parametrize("bias", [None, torch.tensor([1.0, 2.0])])
def test_an_optional_tensor(ops, bias):
    x = torch.rand(3, 2)
    assert torch.equal(ops.scale(x, bias, 2.0), 2 * x + (0 if bias is None else bias))


@pytest.mark.slow
def test_tensors_are_made_contiguous(ops):
    x, bias = torch.rand(2, 3).t(), torch.rand(4)[::2]
    assert torch.equal(ops.scale(x, bias, 2.0), 2 * x + bias)
    assert ops.scale(x, bias, 2.0).is_contiguous()
    assert torch.equal(ops.scale(torch.rand(1, 2).expand(3, 2), None, 0.0), torch.zeros(3, 2))


@pytest.mark.slow
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("shape", [(1, 1), (3, 1), (1, 7), (3, 2), (5, 13), (0, 4)])
def test_one_element_expanded_is_repeated(ops, shape, dtype):
    whole = torch.arange(4.0, dtype=dtype)
    x, bias = whole[2].expand(shape), whole[3:].expand(shape[1])
    expected = torch.full(shape, 7.0, dtype=dtype)
    assert torch.equal(ops.scale(x, bias, 2.0), expected)
    ops.scale.out(x, bias, 2.0, output := torch.empty(shape, dtype=dtype))
    assert torch.equal(output, expected) and whole.tolist() == [0, 1, 2, 3]
    with pytest.raises(ValueError, match=r"bias: expected shape"):
        ops.scale(x, whole[3:].expand(shape[1] + 1), 2.0)


@pytest.mark.slow
def test_outputs_of_any_strides_are_written(ops):
    x, whole = torch.rand(3, 2), torch.full((4, 3), 9.0)
    ops.scale.out(x, None, 2.0, whole[1:, :2].t().t())
    assert torch.equal(whole[1:, :2], 2 * x) and whole[0].tolist() == [9, 9, 9] and whole[:, 2].tolist() == [9] * 4
    total = torch.ones(2, 3).t()
    ops.accumulate.out(x, total)
    assert torch.equal(total, x + 1)
    values = torch.arange(6.0, dtype=torch.float64)
    ops.twice.out(values[::2], 3)  # it reads what it writes, and says nothing of it
    assert values.tolist() == [0, 1, 4, 3, 8, 5]


@pytest.mark.slow
def test_the_functional_form_copies_what_is_read_and_written(ops):
    x, total = torch.rand(2, 3), torch.ones(2, 3)
    assert torch.equal(ops.accumulate(x, total), x + 1) and torch.equal(total, torch.ones(2, 3))
    assert torch.equal(ops.accumulate(x.t(), total.t()), x.t() + 1) and torch.equal(total, torch.ones(2, 3))


@pytest.mark.slow
def test_the_dtype_chooses_the_variant(ops):
    for dtype in torch.float32, torch.float64:
        x = torch.rand(3, 2, dtype=dtype)
        assert torch.equal(ops.scale(x, None, 3.0), 3 * x)


@pytest.mark.slow
def test_an_array_of_any_dtype(ops):
    to = torch.empty(8, dtype=torch.uint8)
    ops.bytes.out(torch.tensor([1, 2], dtype=torch.int32), 8, to)
    assert to.tolist() == [1, 0, 0, 0, 2, 0, 0, 0]


@pytest.mark.slow
@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0, 0)])
def test_sizes_of_zero(ops, shape):
    assert ops.scale(torch.empty(shape), None, 1.0).shape == shape
    assert ops.scale(torch.empty(shape), None, 1.0).stride() == torch.empty(shape).stride()
    assert ops.reversed(torch.empty(0, dtype=torch.uint8)).shape == (0,)


@pytest.mark.slow
@pytest.mark.parametrize("size", [5, 1 << 20, (1 << 20) + 1, 1 << 23])
def test_the_workspace(ops, size):
    x = torch.randint(256, (size,), dtype=torch.uint8)
    assert torch.equal(ops.reversed(x), x.flip(0))


@pytest.mark.slow
def test_shapes_that_broadcast(ops):
    assert ops.add(torch.ones(3), torch.ones(1)).tolist() == [2, 2, 2]
    assert ops.add(torch.ones(()), torch.ones(2)).tolist() == [2, 2]
    with pytest.raises(ValueError, match=names("output")):
        ops.add(torch.ones(3), torch.ones(2))


@pytest.mark.slow
@pytest.mark.parametrize("bit", ["negative", "conjugate"])
def test_negative_and_conjugate_bits_are_resolved(ops, bit):
    z = torch.tensor([[1 + 2j, 3 - 4j]])
    x = z.conj().imag if bit == "negative" else torch.view_as_real(z.conj().resolve_conj())[..., 1]
    assert torch.equal(ops.scale(x, None, 1.0), torch.tensor([[-2.0, 4.0]]))


# ---- Autograd --------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_write_moves_the_version_counter(ops):
    x, output = torch.rand(3, 2), torch.empty(3, 2)
    for out in output, output.t().t()[:, :2]:
        before = output._version
        ops.scale.out(x, None, 2.0, out)
        assert output._version > before
    before = x._version
    ops.scale(x, None, 1.0)
    assert x._version == before


@pytest.mark.slow
def test_what_autograd_would_lose_is_refused(ops):
    x, leaf = torch.rand(3, 2), torch.ones(3, 2, requires_grad=True)
    for call, text in (
        (lambda: ops.scale(leaf, None, 2.0), "scale: input requires grad, but "),
        (lambda: ops.scale(x, leaf[0], 2.0), "scale: bias requires grad, but "),
        (lambda: ops.scale.out(x, None, 2.0, leaf), "scale.out: output requires grad, but "),
    ):
        with pytest.raises(RuntimeError) as caught:
            call()
        assert str(caught.value).startswith(text)
    assert torch.equal(leaf, torch.ones(3, 2))
    with torch.no_grad():
        assert torch.equal(ops.scale(leaf, leaf[0], 2.0), torch.full((3, 2), 3.0))
        ops.scale.out(x, None, 2.0, leaf)
    assert torch.equal(leaf, 2 * x)
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(x, torch.ones(3, 2))
        for grad_mode in True, False:
            with torch.set_grad_enabled(grad_mode), pytest.raises(RuntimeError, match="scale: input has a tangent"):
                ops.scale(dual, None, 2.0)
    assert torch.equal(ops.scale(x, None, 2.0), 2 * x)


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, ops, x):
        return ops.scale(x, None, 2.0)

    @staticmethod
    def backward(ctx, gradient):
        return None, 2 * gradient

    @staticmethod
    def jvp(ctx, ops, tangent):
        return 2 * tangent


@pytest.mark.slow
def test_an_autograd_function_calls_an_operator(ops):
    x = torch.rand(3, 2, requires_grad=True)
    Scale.apply(ops, x).sum().backward()
    assert torch.equal(x.grad, torch.full((3, 2), 2.0))
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(x.detach(), torch.ones(3, 2))
        assert torch.equal(forward_ad.unpack_dual(Scale.apply(ops, dual)).tangent, torch.full((3, 2), 2.0))


@pytest.mark.slow
def test_without_the_c_functions_a_kernel_does_not_look_for_gradients():
    """Operators of extensions have kernels in Python then, see test_what_a_kernel_in_c_needs()."""
    script = """
import torch
from torchthaw.bridge import private_names
find = private_names.find
private_names.find = lambda path: private_names._ABSENT if "requires_grad" in path else find(path)
from support import kernels_probe
from torchthaw.bridge import _bridge
_, ops = kernels_probe.my_lib()
x = torch.ones(2, requires_grad=True)
print(_bridge.kernels_refuse_gradients(), ops.my_lib_add_forward(x, x).tolist())
"""
    assert run(script) == "False [2.0, 2.0]"


# ---- Errors ----------------------------------------------------------------------------------------------------------

X = torch.rand(3, 2)
REFUSED = {
    "shape": (lambda ops: ops.scale(X, torch.rand(3), 1.0), ValueError, names("bias", "(2,)", "(3,)")),
    "dimensions": (
        lambda ops: ops.scale(X[0], None, 1.0), ValueError, names("input", "2", "columns", "1"),
    ),
    "dtype": (
        lambda ops: ops.scale(X.int(), None, 1.0), ValueError,
        names("input", "torch.float32", "torch.float64", "torch.int32", "tensor.to(torch.float32)"),
    ),
    "dtype of another": (
        lambda ops: ops.scale(X, torch.rand(2).double(), 1.0), ValueError,
        names("bias", "torch.float32", "torch.float64", "tensor.to(torch.float32)"),
    ),
    "output": (
        lambda ops: ops.scale.out(X, None, 1.0, torch.empty(2, 3)), ValueError,
        names("output", "(3, 2)", "(2, 3)"),
    ),
    "expanded output": (
        lambda ops: ops.scale.out(X, None, 1.0, torch.empty(3, 1).expand(3, 2)), ValueError,
        names("output", "stride", "0"),
    ),
    "overlap": (
        lambda ops: (lambda x: ops.scale.out(x[:3], None, 1.0, x[1:]))(torch.rand(4, 2)), ValueError,
        names("output", "input", "overlaps"),
    ),
    "value": (lambda ops: ops.scale(X, None, float("nan")), ValueError, names("by", "number", "NaN")),
    "broken": (lambda ops: ops.scale(X, None, float("inf")), RuntimeError, "the machine broke"),
    "exception": (lambda ops: ops.throwing(X[:, 0], 1), RuntimeError, r"thrown in C\+\+"),
    "no memory": (lambda ops: ops.throwing(X[:, 0], 2), MemoryError, ""),
    "foreign exception": (lambda ops: ops.throwing(X[:, 0], 3), RuntimeError, names("exception", "std::exception")),
    "memory": (lambda ops: ops.scale(without_memory(), None, 1.0), ValueError, names("input", "6", "storage", "0")),
}  # fmt: skip


def without_memory():
    tensor = torch.rand(3, 2)
    tensor.untyped_storage().resize_(0)
    return tensor


@pytest.mark.slow
@pytest.mark.parametrize("case", REFUSED)
def test_a_wrong_argument_is_named(ops, case):
    call, error, text = REFUSED[case]
    with pytest.raises(Exception) as caught:  # of another class, pytest would print the arguments: one has no memory
        call(ops)
    assert type(caught.value) is error and re.search(text, str(caught.value))


@pytest.mark.slow
def test_an_output_may_be_the_input(ops):
    x = torch.rand(3, 2)
    expected = 2 * x
    ops.scale.out(x, None, 2.0, x)
    assert torch.equal(x, expected)


@pytest.mark.slow
def test_a_failure_in_a_compiled_graph(ops):
    torch.library.register_fake("kernels_of_probe::scale", lambda input, bias, by: torch.empty_like(input))
    compiled = torch.compile(lambda x, by: ops.scale(x, None, by) + 1, backend="aot_eager", fullgraph=True)
    assert torch.equal(compiled(X, 2.0), 2 * X + 1)
    with pytest.raises(ValueError, match="by: expected a number"):
        compiled(X, float("nan"))
    with pytest.raises(RuntimeError, match="the machine broke"):
        compiled(X, float("inf"))


# ---- Ownership -------------------------------------------------------------------------------------------------------

CALLS = {
    "values": lambda ops, x: ops.scale(x, x[0], 2.0),
    "copies": lambda ops, x: ops.scale(x.t(), None, 2.0),
    "out": lambda ops, x: ops.scale.out(x, x[0], 2.0, torch.empty(3, 2)),
    "out, copied": lambda ops, x: ops.scale.out(x, x[0], 2.0, torch.empty(2, 3).t()),
    "inout": lambda ops, x: ops.accumulate(x, x),
    "many": lambda ops, x: ops.many(*[torch.zeros((), dtype=torch.float64)] * 27),
    "list": lambda ops, x: ops.full(torch.tensor(1, dtype=torch.int32), [2] * 9, 9),
    "workspace": lambda ops, x: ops.reversed(torch.zeros(1 << 21, dtype=torch.uint8)),
    "throws": lambda ops, x: ops.throwing(x[:, 0], 1),
    "fails": lambda ops, x: ops.scale(x, x[0], float("nan")),
    "wrong shape": lambda ops, x: ops.scale(x, x[:, 0], 1.0),
    "wrong dtype": lambda ops, x: ops.scale(x, x[0].double(), 1.0),
    "no variant": lambda ops, x: ops.scale(x.int(), x[0], 1.0),
    "wrong output": lambda ops, x: ops.scale.out(x, x[0], 1.0, torch.empty(1, 1)),
    "wrong list": lambda ops, x: ops.full(torch.tensor(1, dtype=torch.int32), [2] * 9, 8),
    "out of range": lambda ops, x: ops.numbers(torch.zeros((), dtype=torch.float64), 128, 0, 0, 0.0, 0.0, False),
}


def attempt(call, ops, x):
    try:
        return call(ops, x)
    except (ValueError, RuntimeError, OverflowError):
        return None


@pytest.mark.slow
@pytest.mark.parametrize("case", CALLS)
def test_a_call_keeps_no_tensor(ops, case):
    memory = numpy.random.rand(3, 2).astype(numpy.float32)
    x, seen = torch.from_numpy(memory), weakref.ref(memory)
    del memory
    for _ in range(10):
        attempt(CALLS[case], ops, x)
    assert seen() is not None
    del x
    gc.collect()
    assert seen() is None


class Mallinfo(ctypes.Structure):
    """What glibc says of its heap: bytes that are in use, in the heap and mapped."""

    names = "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost"
    _fields_ = [(name, ctypes.c_size_t) for name in names.split()]


@pytest.mark.slow
@pytest.mark.parametrize("case", CALLS)
def test_memory_does_not_grow(ops, case):
    """Cells of optional arguments, lists and allocated outputs, which no tensor counts."""
    mallinfo = getattr(ctypes.CDLL(None), "mallinfo2", None)
    if mallinfo is None:
        pytest.skip("this C library does not count its memory")
    mallinfo.restype = Mallinfo
    x, calls = torch.rand(3, 2), 100 if case == "workspace" else 1000

    def in_use():
        gc.collect()
        found = mallinfo()
        return found.uordblks + found.hblkhd

    for _ in range(calls // 10):
        attempt(CALLS[case], ops, x)
    before = in_use()
    for _ in range(calls):
        attempt(CALLS[case], ops, x)
    assert in_use() - before < 16 * calls  # the least that malloc gives are 32


# ---- Threads ---------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_threads_have_workspaces_of_their_own(ops):
    wrong = []

    def work(seed):
        x = torch.randint(256, (1 << 20,), dtype=torch.uint8, generator=torch.Generator().manual_seed(seed))
        expected = x.flip(0)
        for _ in range(20):
            if not torch.equal(ops.reversed(x), expected):
                wrong.append(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.slow
def test_a_new_thread_has_pytorchs_number_of_threads(ops):
    before, counts = torch.get_num_threads(), []
    torch.set_num_threads(before + 2)
    try:
        thread = threading.Thread(target=lambda: counts.append(ops.thread_count(torch.zeros(())).item()))
        thread.start()
        thread.join()
    finally:
        torch.set_num_threads(before)
    assert counts == [before + 2]


@pytest.mark.slow
def test_python_goes_on_while_c_computes(ops):
    """The GIL is free: another thread runs Python code during a call that takes long."""
    x, at = torch.zeros(1 << 27, dtype=torch.uint8), []
    done = threading.Event()

    def tick():
        while not done.is_set():
            at.append(None)

    thread = threading.Thread(target=tick)
    thread.start()
    before = len(at)
    ops.reversed(x)
    ticks = len(at) - before
    done.set()
    thread.join()
    assert ticks > 1000


# ---- Registration ----------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_what_has_no_kernel_is_left_out(ops):
    from probe_kernels import _probe_kernels as module

    assert _bridge.register_kernels(module, "kernels_left_out", {"handles.out": "handles"}, "CPU") == []


@pytest.mark.slow
@pytest.mark.parametrize("arguments, error, text", [
    ((None, "n", {}, "CPU"), TypeError, names("module", "extension", "None")),
    (("module", "n", {}, "MPS"), ValueError, names("dispatch_key", '"CPU"', '"CUDA"', '"MPS"')),
    (("module", "n", {"scale": "none"}, "CPU"), KeyError, "'none'"),
    (("module", "n", {"scale.in": "scale"}, "CPU"), ValueError, names("operators", ".out")),
])  # fmt: skip
def test_wrong_registrations(ops, arguments, error, text):
    import probe_kernels._probe_kernels as module

    with pytest.raises(error, match=text):
        _bridge.register_kernels(*(module if each == "module" else each for each in arguments))


def run(script, **environment):
    """What a script prints, in a process of its own."""
    path = os.pathsep.join((str(ROOT), str(TESTS)))
    environment = {**os.environ, "PYTHONPATH": path, **environment}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.slow
def test_without_the_c_interface_nothing_is_registered():
    script = """
import torch
from _ext.my_lib import _my_lib
from torchthaw.bridge import _bridge
from support import kernels_probe
schema = kernels_probe.my_lib_schemas(_my_lib)["lltm_forward"]
torch.library.define("my_lib_without::lltm_forward", schema)
print(_bridge.register_kernels(_my_lib, "my_lib_without", {"lltm_forward": "lltm_forward"}, "CPU"))
"""
    assert run(script, TORCHTHAW_NO_NATIVE_KERNELS="1") == "[]"
    assert run(script, TORCHTHAW_NO_NATIVE_KERNELS="0") == "['lltm_forward']"


@pytest.mark.slow
def test_before_pytorch_is_there_nothing_is_registered():
    script = """
from _ext.my_lib import _my_lib
from torchthaw.bridge import _bridge
arguments = _my_lib, "my_lib_early", {"lltm_forward": "lltm_forward"}, "CPU"
print(_bridge.register_kernels(*arguments))
from support import kernels_probe
import torch
torch.library.define("my_lib_early::lltm_forward", kernels_probe.my_lib_schemas(_my_lib)["lltm_forward"])
print(_bridge.register_kernels(*arguments))
"""
    assert run(script).split() == ["[]", "['lltm_forward']"]


WRONG = {
    "one less": ("add", "(Tensor a) -> Tensor", "(Tensor) -> (Tensor)"),
    "one more": ("add", "(Tensor a, Tensor b, Tensor c) -> Tensor", "(Tensor, Tensor, Tensor) -> (Tensor)"),
    "no result": ("add", "(Tensor a, Tensor b) -> ()", "(Tensor, Tensor) -> ()"),
    "optional": ("add", "(Tensor a, Tensor? b) -> Tensor", "(Tensor, Optional[Tensor]) -> (Tensor)"),
    "number": ("add", "(Tensor a, SymInt b) -> Tensor", "(Tensor, int) -> (Tensor)"),
    "float for int": (
        "full", "(Tensor value, SymInt[] shape, float ndim) -> Tensor", "(Tensor, List[int], float) -> (Tensor)",
    ),
    "none": ("add", None, "no schema"),
}  # fmt: skip
TYPES = {"add": "(Tensor, Tensor) -> (Tensor)", "full": "(Tensor, List[int], int) -> (Tensor)"}


@pytest.mark.slow
@pytest.mark.parametrize("case", WRONG)
def test_a_schema_that_does_not_fit_its_function_is_refused(ops, case):
    """Before a call, which would not know what the values are that it has to give back."""
    import probe_kernels._probe_kernels as module

    name, schema, types = WRONG[case]
    space = "kernels_of_wrong_schemas_" + case.replace(" ", "_")
    library = torch.library.Library(space, "FRAGMENT")
    if schema:
        library.define(name + schema)
    with pytest.raises(ValueError) as caught:
        _bridge.register_kernels(module, space, {name: name}, "CPU")
    assert re.search(names(f"{space}::{name}", TYPES[name], types), str(caught.value))
    if case in ("one less", "one more"):
        memory = numpy.ones(3, dtype=numpy.float32)
        x, seen = torch.from_numpy(memory), weakref.ref(memory)
        del memory
        with pytest.raises(NotImplementedError):
            getattr(getattr(torch.ops, space), name)(*[x] * types.partition("->")[0].count("Tensor"))
        del x
        gc.collect()
        assert seen() is None


# ---- Which PyTorch takes kernels in C --------------------------------------------------------------------------------

WHERE = """
import torch
from torchthaw.bridge import private_names
from torchthaw.bridge import _bridge

find, register, registered = private_names.find, _bridge.register_kernels, []


def without(name):
    path = private_names.NAMES[name].path
    private_names.find = lambda asked: private_names._ABSENT if asked == path else find(asked)


def register_kernels(*arguments):
    names = register(*arguments)
    registered.extend(names)
    return names


_bridge.register_kernels = register_kernels
"""
USE = """
from functions.add import add
x, y = torch.ones(2), torch.ones(2, requires_grad=True)
assert torch.ops.my_lib.my_lib_add_forward(x, x).tolist() == [2, 2]
add(y, y).sum().backward()
assert y.grad.tolist() == [2, 2]
try:
    torch.ops.my_lib.my_lib_add_forward.out(x, x, torch.ones(3))
except ValueError as error:
    print("C" if "my_lib_add_forward" in registered else "Python", error)
"""
REFUSAL = names("output", "(2,)", "(3,)")


@pytest.mark.slow
@pytest.mark.parametrize("lost, kernels", [
    ("", "C"),
    ("without('requires_grad_in_c')", "Python"),
    ("without('tangent_in_c')", "Python"),
    ("without('operator_schemas')", "Python"),
    ("_bridge.register_failure = lambda space, name: True", "Python"),  # the trial ends with another class
])  # fmt: skip
def test_what_a_kernel_in_c_needs(lost, kernels):
    assert re.search(REFUSAL + f"{kernels} ", run(WHERE + lost + USE))


@pytest.mark.slow
def test_without_the_c_interface_kernels_are_python():
    assert re.search(REFUSAL + "Python ", run(WHERE + USE, TORCHTHAW_NO_NATIVE_KERNELS="1"))


@pytest.mark.slow
def test_the_trial_is_made_outside_of_modes():
    """And its operator stays: decompositions of torch.compile look up every operator that PyTorch has ever seen."""
    script = """
import torch
from torch._subclasses import FakeTensorMode
from torchthaw.library import registration
with FakeTensorMode(), torch.device("meta"), torch.inference_mode():
    print(registration.takes_kernels_in_c())
print([getattr(torch.ops.torchthaw, name).default for name in torch.ops.torchthaw])
"""
    assert run(script).splitlines() == ["True", "[<OpOverload(op='torchthaw.fail', overload='default')>]"]
