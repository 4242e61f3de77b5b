"""benchmarks/cuda.py: the CUDA operators against their peers on this machine's GPU; a table, and JSON.

    python -m benchmarks.cuda [seconds per group]

Times are microseconds per call between two CUDA events around a block of calls; contenders take turns, and the median
of the rounds counts. Nothing is written where there is no GPU.
"""

import json
import random
import re
import statistics
import sys
import time
from datetime import date
from functools import partial
from pathlib import Path

import torch
from torch import nn

from functions.add import add
from functions.cube import cube
from functions.lltm import lltm
from functions.mul_constant import mul_constant
from modules import LLTMLayer

from .peers import eager, extension_cuda

RESULTS = Path(__file__).resolve().parent / "results"
STEP = 64, 1024, 128
SEQUENCES = (100, 64, 1024, 128), (1000, 16, 128, 128)


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


def backward_of(function, arguments):
    """A call that computes all gradients of ``function``, on a graph that is kept."""
    outputs = function(*arguments)
    ones = [torch.ones_like(output) for output in outputs]
    return lambda: torch.autograd.grad(outputs, arguments, ones, retain_graph=True)


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
    backward = {name: backward_of(cell, arguments) for name, cell in cells.items()}
    return {"forward": measure(forward, seconds), "backward": measure(backward, seconds)}


def sequence(shape, seconds):
    """An LLTM layer and cuDNN's LSTM: {direction: {contender: microseconds}}."""
    steps, batch, input_size, state = shape
    x = torch.randn(steps, batch, input_size, device="cuda")
    layers = {
        "torchthaw": LLTMLayer(input_size, state).to("cuda"),
        "cuDNN nn.LSTM": nn.LSTM(input_size, state).to("cuda"),
    }

    def forward(layer):
        with torch.no_grad():
            layer(x)

    def both(layer):
        layer(x)[0].sum().backward()

    return {
        direction: measure({name: partial(call, layer) for name, layer in layers.items()}, seconds)
        for direction, call in {"forward": forward, "forward+backward": both}.items()
    }


def bandwidths(seconds, mebibytes=64):
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


def rows(seconds):
    """(what, value, bound, unit of comparison) for every goal, and all times behind them."""
    times = {"step": step(seconds), "bandwidth, bytes per us": bandwidths(seconds)}
    for direction, measured in times["step"].items():
        for peer, bound in ("eager", 0.5), ("compile", 0.5), ("extension", 0.6):
            if peer in measured:
                yield f"LLTM step {STEP} {direction} / {peer}", measured["torchthaw"] / measured[peer], bound, "<="
    for shape in SEQUENCES:
        times[f"sequence {shape}"] = measured_sequence = sequence(shape, seconds)
        for direction, measured in measured_sequence.items():
            ratio = measured["torchthaw"] / 3 / (measured["cuDNN nn.LSTM"] / 4)  # gates: the work of each
            yield f"LLTM sequence {shape} {direction} / cuDNN nn.LSTM, per FLOP", ratio, 1.0, "<="
    speeds = times["bandwidth, bytes per us"]
    for name in speeds:
        if name != "copy":
            yield f"{name}, 64 MiB: bandwidth / copy's", speeds[name] / speeds["copy"], 0.85, ">="
    yield times


def main():
    if not torch.cuda.is_available():
        sys.exit("benchmarks.cuda: PyTorch sees no GPU here, nothing was timed.")
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 3.0
    torch.manual_seed(0)
    *goals, times = rows(seconds)
    table = []
    for what, value, bound, relation in goals:
        met = value <= bound if relation == "<=" else value >= bound
        table.append({"of": what, "value": value, "bound": f"{relation} {bound}", "met": met})
        print(f"{what:75} {value:8.2f}  {relation} {bound:<5} {'met' if met else 'NOT MET'}")
    device = torch.cuda.get_device_properties(0)
    result = {
        "device": device.name, "processors": device.multi_processor_count, "date": date.today().isoformat(),
        "torch": torch.__version__, "cuda": torch.version.cuda, "cudnn": torch.backends.cudnn.version(),
        "goals": table, "times, us per call": times,
    }  # fmt: skip
    path = RESULTS / f"{re.sub(r'[^a-z0-9]+', '-', device.name.lower())}.json"
    path.write_text(json.dumps(result, indent=1) + "\n")
    print(f"written to {path.relative_to(RESULTS.parents[1])}")


if __name__ == "__main__":
    main()
