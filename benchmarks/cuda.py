"""benchmarks/cuda.py: the CUDA code against its peers on this machine's GPU; a table, and JSON.

    python -m benchmarks.cuda [seconds per group [folder for the results]]

Times are microseconds per call between two CUDA events around a block of calls, those of small calls of the host alone;
contenders take turns, and the median of the rounds counts. "TF32" rounds the factors of products to TensorFloat-32, for
cuDNN PyTorch's setting when nothing is said; without it products of float32 are in float32. Nothing is written where
there is no GPU; a group that fails is named, and the others count.
"""

import copy
import random
import statistics
import sys
import time
import traceback
from functools import partial
from pathlib import Path

import torch
from torch import nn

from _ext import my_lib_cuda
from functions.add import add
from functions.cube import cube
from functions.lltm import lltm
from functions.mul_constant import mul_constant
from modules import LLTMLayer

from . import cards
from .peers import eager, extension_cuda, thc_call

STEP = 64, 1024, 128
# Steps, batch, input, state.
SEQUENCES = [
    *((100, 64, 1024, state) for state in (128, 256, 512, 768, 1024)),
    *((1000, 16, 128, state) for state in (128, 256, 512, 768)),
]
LARGE = 100, 64, 1024, 2048  # goes step by step: hundreds of kernels in a call


def measure(calls, seconds):
    """{name: median microseconds per call} for {name: call}, in turns for about ``seconds``."""

    def block(call, count):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        for _ in range(count):
            call()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end) * 1000 / count

    counts = {}
    for name, call in calls.items():
        for _ in range(10):
            call()
        counts[name] = max(1, min(200, int(5000 / max(1.0, block(call, 5)))))  # blocks of about 5 ms
    rounds, order, until = {name: [] for name in calls}, list(calls), time.monotonic() + seconds
    while time.monotonic() < until or len(rounds[order[0]]) < 7:
        random.shuffle(order)
        for name in order:
            rounds[name].append(block(calls[name], counts[name]))
    return {name: statistics.median(values) for name, values in rounds.items()}


def random_leaves(*shapes):
    return [(torch.randn(shape, device="cuda") * 0.1).requires_grad_() for shape in shapes]


def both_of(function, arguments):
    """A call of ``function`` and then of its backward, for all gradients."""
    ones = [torch.ones_like(output) for output in function(*arguments)]
    return lambda: torch.autograd.grad(function(*arguments), arguments, ones)


def step(seconds):
    """The LLTM step's times: {direction: {contender: microseconds}}."""
    batch, input_size, state = STEP
    shapes = (batch, input_size), (3 * state, state + input_size), (3 * state,), (batch, state), (batch, state)
    arguments = random_leaves(*shapes)
    cells = {"torchthaw": lltm, "eager": eager.lltm_cell}
    for name, cell in ("compile", torch.compile(eager.lltm_cell)), ("extension", extension_cuda.lltm_cell):
        try:
            torch.autograd.grad([each.sum() for each in cell(*arguments)], arguments)
            cells[name] = cell
        except Exception as error:  # a compiler that is missing there; the table shows the gap
            print(f"{name}: left out: {type(error).__name__}: {str(error).splitlines()[0]}")
    expected = lltm(*arguments)
    for name, cell in cells.items():
        for got, want in zip(cell(*arguments), expected, strict=True):
            torch.testing.assert_close(got, want, rtol=1e-3, atol=1e-3, msg=name)
    forward = {name: partial(cell, *arguments) for name, cell in cells.items()}
    with torch.no_grad():
        lltm(*arguments)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            lltm(*arguments)
    forward["torchthaw, graph"] = graph.replay
    both = {name: both_of(cell, arguments) for name, cell in cells.items()}
    return {"forward": measure(forward, seconds), "forward+backward": measure(both, seconds)}


def sequence(shape, seconds):
    """An LLTM layer and cuDNN's LSTM: {direction: {contender: microseconds}}."""
    steps, batch, input_size, state = shape
    x = torch.randn(steps, batch, input_size, device="cuda")
    layers = {"torchthaw": LLTMLayer(input_size, state).to("cuda"), "nn.LSTM": nn.LSTM(input_size, state).to("cuda")}
    # What follows a contender's name: whether products may be in TF32, and the dtype of all.
    modes = {"": (False, torch.float32), ", TF32": (True, torch.float32), ", bfloat16": (False, torch.bfloat16)}

    def forward(layer, x, tf32):
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = tf32
        with torch.no_grad():
            layer(x)

    def both(layer, x, tf32):
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = tf32
        layer(x)[0].sum().backward()

    arguments = {
        name + mode: (copy.deepcopy(layer).to(dtype), x.to(dtype), tf32)
        for name, layer in layers.items()
        for mode, (tf32, dtype) in modes.items()
    }
    try:
        return {
            direction: measure({name: partial(call, *each) for name, each in arguments.items()}, seconds)
            for direction, call in {"forward": forward, "forward+backward": both}.items()
        }
    finally:
        torch.backends.cuda.matmul.allow_tf32, torch.backends.cudnn.allow_tf32 = False, True


def bandwidths(seconds, mebibytes=256):
    """Bytes per microsecond of the pointwise operators and of a copy."""
    size = mebibytes * 2**20 // 4
    a, b, output = (torch.randn(size, device="cuda") for _ in range(3))
    moved = {"copy": 2, "add": 3, "mul_constant": 2, "cube": 2}
    calls = {
        "copy": lambda: output.copy_(a),
        "add": lambda: add(a, b),
        "mul_constant": lambda: mul_constant(a, 1.5),
        "cube": lambda: cube(a),
    }
    with torch.no_grad():
        return {name: moved[name] * size * 4 / each for name, each in measure(calls, seconds).items()}


def large_sequence(seconds):
    """A state that no kernel holds: a call as it is, the same captured in a graph, and cuDNN's LSTM, forward."""
    steps, batch, input_size, state = LARGE
    x = torch.randn(steps, batch, input_size, device="cuda")
    layer, lstm = LLTMLayer(input_size, state).to("cuda"), nn.LSTM(input_size, state).to("cuda")
    with torch.no_grad():
        expected = layer(x)[0]
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            captured = layer(x)[0]
        graph.replay()
        torch.testing.assert_close(captured, expected)
        return measure({"call": lambda: layer(x), "graph": graph.replay, "nn.LSTM": lambda: lstm(x)}, seconds)


def small_calls(seconds, count=200):
    """Microseconds of the host for what launches one kernel of three small tensors, and for a launch alone."""
    legacy = thc_call.load()
    a, b, output = (torch.randn(5, 5, device="cuda") for _ in range(3))

    def times(call):
        begin = time.perf_counter()
        for _ in range(count):
            call()
        return (time.perf_counter() - begin) / count

    contenders = {
        "THC call": partial(times, lambda: legacy.thc_call(a, b, output)),
        "my_lib_add_forward_cuda": partial(times, lambda: add_cuda(input1=a, input2=b, output=output)),
        "torch.add(out=)": partial(times, lambda: torch.add(a, b, out=output)),
        "launch": lambda: legacy.thc_call_launch(a, count),
    }
    add_cuda = my_lib_cuda.my_lib_add_forward_cuda
    rounds, until = {name: [] for name in contenders}, time.monotonic() + seconds
    while time.monotonic() < until or len(rounds["launch"]) < 7:
        for name, contender in contenders.items():
            torch.cuda.synchronize()  # else the queue fills, and a launch waits
            rounds[name].append(contender() * 1e6)
    return {name: statistics.median(values) for name, values in rounds.items()}


# Each group: seconds -> all its times, and (what, value, bound, relation) for each of its goals.


def step_goals(seconds):
    times = step(seconds)
    return times, [
        (f"LLTM step {STEP} {direction} / {peer}", measured["torchthaw"] / measured[peer], bound, "<=")
        for direction, measured in times.items()
        for peer, bound in (("eager", 0.5), ("compile", 0.5), ("extension", 0.6))
        if peer in measured
    ]


def sequence_goals(shape, seconds):
    times = sequence(shape, seconds)
    goals = []
    for direction, measured in times.items():
        for mode in "", ", TF32", ", bfloat16":
            ours, theirs = measured[f"torchthaw{mode}"] / 3, measured[f"nn.LSTM{mode}"] / 4  # gates, the work of each
            goals.append((f"LLTM sequence {shape} {direction}{mode} / nn.LSTM, per FLOP", ours / theirs, 1.0, "<="))
    return times, goals


def bandwidth_goals(seconds):
    speeds = bandwidths(seconds)
    return speeds, [
        (f"{name}, 256 MiB: bandwidth / copy's", speed / speeds["copy"], 0.90, ">=")
        for name, speed in speeds.items()
        if name != "copy"
    ]


def large_goals(seconds):
    return large_sequence(seconds), []  # what a graph of the caller's gains is to be seen, and bound to nothing


def small_goals(seconds):
    times = small_calls(seconds)
    eager = times["torch.add(out=)"]
    return times, [
        ("THC call of three tensors, us of host time over the launch", times["THC call"] - times["launch"], 1.0, "<="),
        ("THC call of three tensors / torch.add(out=)", times["THC call"] / eager, 0.5, "<="),
        ("my_lib_add_forward_cuda / torch.add(out=)", times["my_lib_add_forward_cuda"] / eager, 0.5, "<="),
    ]


GROUPS = {
    **{f"LLTM sequence {shape}, us": partial(sequence_goals, shape) for shape in SEQUENCES},
    f"LLTM sequence {LARGE} forward, us": large_goals,
    "bandwidth, bytes per us": bandwidth_goals,
    "small calls, us of host time": small_goals,
    "LLTM step, us": step_goals,
}


def main():
    if not torch.cuda.is_available():
        sys.exit("benchmarks.cuda: PyTorch sees no GPU here, nothing was timed.")
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 3.0
    folder = Path(sys.argv[2]) if len(sys.argv) > 2 else cards.RESULTS
    torch.manual_seed(0)
    device = torch.cuda.get_device_properties(0)
    found = {
        "processors": device.multi_processor_count, "torch": torch.__version__, "cuda": torch.version.cuda,
        "cudnn": torch.backends.cudnn.version(), "goals": [], "times": {},
    }  # fmt: skip
    written, failed = "", []
    for name, group in GROUPS.items():
        try:
            found["times"][name], goals = group(seconds)
        except Exception:
            traceback.print_exc()
            failed.append(name)
            continue
        print(f"{name}:", *(f"{key} {value}" for key, value in found["times"][name].items()))
        for what, value, bound, relation in goals:
            met = value <= bound if relation == "<=" else value >= bound
            found["goals"].append({"of": what, "value": value, "bound": f"{relation} {bound}", "met": met})
        written = cards.keep(device.name, "times", found, folder)  # a machine may be there for minutes only
    for goal in found["goals"]:
        print(f"{goal['of']:75} {goal['value']:8.2f}  {goal['bound']:<8} {'met' if goal['met'] else 'NOT MET'}")
    print(f"written to {written}")
    sys.exit(f"benchmarks.cuda: failed: {', '.join(failed)}" if failed else 0)


if __name__ == "__main__":
    main()
