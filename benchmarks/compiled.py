"""benchmarks/compiled.py: operators of PyTorch, eager and compiled

float32, one thread. "step" is one LLTM step without gradients: the operator of
``lltm_forward``, whose kernel is C, against the same operator by hand with
``torch.library.custom_op``, and against ``functions.lltm``. "100 steps, forward"
is a Python loop over the step, and the same loop in ``torch.compile``; "100
steps, forward with gradients" builds the graph as well, and its backward is
``(h.sum() + cell.sum()).backward()``.
"""

import time
from dataclasses import replace

import torch

from .harness import Outcome, compare
from .lltm import backward, bound, parameters
from .training import backward_contender, check_same_work, forward_contender

SHAPES = ((1, 8, 8), (16, 32, 128))  # batch, input, state
STEPS = 100


def loop(step):
    """Every step's input is the same; the state goes through all of them."""

    def run(input, weights, bias, h, cell):
        for _ in range(STEPS):
            h, cell = step(input, weights, bias, h, cell)
        return h, cell

    return run


def agree(runs):
    """AssertionError unless all of them give the first one's tensors."""
    wanted, *others = (run()[:2] for run in runs.values())
    for found in others:
        torch.testing.assert_close(found, wanted)


def without_grad(run):
    def call():
        with torch.no_grad():
            return run()

    return call


def measure(effort, shapes=SHAPES):
    from functions.lltm import lltm

    from .peers import custom_op

    outcome = Outcome()
    effort = replace(effort, group_seconds=effort.group_seconds / 2)  # half the time goes to torch.compile
    compiles = "torch.compile" not in effort.without
    compiling = 0.0
    for batch, input_size, state_size in shapes:
        shape = f"{batch}, {input_size}, {state_size}"
        generator = torch.Generator().manual_seed(0)
        weights, bias = parameters(input_size, state_size, generator)
        input = torch.randn(batch, input_size, generator=generator)
        state = tuple(torch.randn(batch, state_size, generator=generator).requires_grad_() for _ in range(2))
        arguments = input, weights, bias, *state

        with torch.no_grad():
            steps = {
                "operator": bound(torch.ops.my_lib.lltm_forward.default, *arguments),
                "custom_op": bound(custom_op.lltm_forward, *arguments),
                "functions": bound(lltm, *arguments),
            }
            agree(steps)
            forward = [forward_contender(name, run) for name, run in steps.items()]
            outcome.groups.append(compare("compiled", "step", shape, forward, effort))

        loops = {"eager": loop(lltm)}
        if compiles:
            torch._dynamo.reset()
            loops["compiled"] = torch.compile(loop(lltm), fullgraph=True, dynamic=False)
        runs = {name: bound(run, *arguments) for name, run in loops.items()}
        if compiles:
            start = time.perf_counter()
            without_grad(runs["compiled"])()
            backward(runs["compiled"]())
            compiling += time.perf_counter() - start
        with torch.no_grad():
            agree(runs)
            forward = [forward_contender(name, run) for name, run in runs.items()]
            outcome.groups.append(compare("compiled", f"{STEPS} steps, forward", shape, forward, effort))

        leaves = [weights, bias, *state]
        check_same_work(runs, backward, leaves)
        forward = [forward_contender(name, run) for name, run in runs.items()]
        outcome.groups.append(compare("compiled", f"{STEPS} steps, forward with gradients", shape, forward, effort))
        passes = [backward_contender(name, run, backward, leaves) for name, run in runs.items()]
        outcome.groups.append(compare("compiled", f"{STEPS} steps, backward", shape, passes, effort))
    outcome.notes.append(
        f"torch.compile took {compiling:.0f} s to compile {2 * len(shapes)} loops of {STEPS} steps"
        if compiles
        else "torch.compile left out: slow to set up"
    )
    return outcome
