"""benchmarks/lltm_sequence.py: 100 LLTM steps as one layer

``LLTMLayer`` against ``nn.LSTM`` (which has four gates to the LLTM's three) and
against loops over the rows with an eager and a compiled LLTM cell. x does not
require grad; float32, one thread. "forward, without grad" runs under
``torch.no_grad()``, which each call enters. "backward" is
``(output.sum() + cell.sum()).backward()`` on a fresh graph, with empty
``.grad``, for the gradients of the parameters. "inference" is what a served
model does: both layers under ``torch.inference_mode()``, and ONNX Runtime's
LSTM with the weights of ``nn.LSTM`` and bound inputs and outputs.
"""

import time
from importlib.util import find_spec

import torch

from .harness import Outcome, compare
from .lltm import bound, ours, parameters
from .peers import eager
from .training import backward_contender, check_same_work, forward_contender

SHAPES = ((16, 32, 128), (64, 1024, 128))  # batch, input, state
SERVED = tuple((batch, input_size, 128) for batch in (1, 4, 16, 64) for input_size in (32, 1024))
STEPS = 100


def backward(result):
    output, (_, cell) = result
    (output.sum() + cell.sum()).backward()


def inference(effort, batch, input_size, state_size, steps):
    """The forward pass alone, of layers that are served."""
    from modules import LLTMLayer

    generator = torch.Generator().manual_seed(0)
    layer = LLTMLayer(input_size, state_size)
    lstm = torch.nn.LSTM(input_size, state_size)
    x = torch.randn(steps, batch, input_size, generator=generator)
    runs = {
        name: torch.inference_mode()(bound(module, x)) for name, module in (("torchthaw", layer), ("nn.LSTM", lstm))
    }
    if find_spec("onnxruntime"):
        from .peers import onnx_lstm

        runs["ONNX Runtime"], output = onnx_lstm.run(lstm, x)
        (expected, _), _ = runs["nn.LSTM"](), runs["ONNX Runtime"]()
        torch.testing.assert_close(output, expected, rtol=1e-4, atol=1e-4)
    contenders = [forward_contender(name, run) for name, run in runs.items()]
    return compare("lltm_sequence", "inference", f"{batch}, {input_size}, {state_size}", contenders, effort)


def measure(effort, shapes=SHAPES, served=SERVED, steps=STEPS):
    from modules import LLTMLayer

    outcome = Outcome()
    compiling = 0.0
    for batch, input_size, state_size in shapes:
        generator = torch.Generator().manual_seed(0)
        weights, bias = parameters(input_size, state_size, generator)
        x = torch.randn(steps, batch, input_size, generator=generator)
        state = (torch.zeros(batch, state_size), torch.zeros(batch, state_size))
        loop = eager.Loop(eager.Cell(eager.lltm_cell, weights, bias))
        lstm = torch.nn.LSTM(input_size, state_size)
        lltm = {
            "torchthaw": bound(ours(LLTMLayer, input_size, state_size, weights, bias), x, state),
            "eager": bound(loop, x, state),
        }
        if "compiled cell" not in effort.without:
            torch._dynamo.reset()
            cell = torch.compile(eager.lltm_cell, dynamic=False)
            lltm["compiled cell"] = bound(eager.Loop(eager.Cell(cell, weights, bias)), x, state)
            start = time.perf_counter()
            backward(lltm["compiled cell"]())
            compiling += time.perf_counter() - start
        check_same_work(lltm, backward, [weights, bias])

        runs = {**lltm, "nn.LSTM": bound(lstm, x, tuple(s.unsqueeze(0) for s in state))}
        leaves = {name: [weights, bias] for name in lltm} | {"nn.LSTM": list(lstm.parameters())}
        shape = f"{batch}, {input_size}, {state_size}"
        forward = [forward_contender(name, run) for name, run in runs.items()]
        outcome.groups.append(compare("lltm_sequence", "forward", shape, forward, effort))
        forward = [forward_contender(name, torch.no_grad()(run)) for name, run in runs.items()]
        outcome.groups.append(compare("lltm_sequence", "forward, without grad", shape, forward, effort))
        passes = [backward_contender(name, run, backward, leaves[name]) for name, run in runs.items()]
        outcome.groups.append(compare("lltm_sequence", "backward", shape, passes, effort))
    if not find_spec("onnxruntime"):
        outcome.notes.append("ONNX Runtime left out: it has no release for this Python")
    for shape in served:
        outcome.groups.append(inference(effort, *shape, steps))
    outcome.notes.append(
        f"torch.compile took {compiling:.0f} s to compile the cell for {len(shapes)} shapes; "
        "the whole sequence in one graph is left out, it compiles for minutes"
        if compiling
        else "compiled cell left out: slow to set up"
    )
    return outcome
