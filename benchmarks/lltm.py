"""benchmarks/lltm.py: one LLTM step, forward and backward

Functions of (input, weights, bias, old_h, old_cell), float32, one thread; all
five require grad. "forward" builds the graph. "backward" is
``(new_h.sum() + new_cell.sum()).backward()`` on a fresh graph with empty
``.grad``, for all five gradients; in "backward, input without grad" the input
needs none. "backward, eight graphs" is eight such backward passes, one graph
after the other, whose gradients accumulate. "forward, as modules" adds what
``nn.Module`` costs each of them. "empty Function" computes nothing: its time is
what PyTorch takes for the step of any autograd Function. "products alone" adds
PyTorch's matrix products to its backward pass: the least time.
"""

import time
import warnings

import torch

from .harness import Outcome, compare
from .peers import eager, extension
from .peers.empty import EmptyFunction, ProductsFunction
from .training import accumulating_contender, backward_contender, check_same_work, forward_contender

SHAPES = ((16, 32, 128), (64, 1024, 128), (1, 32, 128), (128, 512, 512))  # batch, input, state
GRAPHS = 8


def parameters(input_size, state_size, generator):
    """weights (3·state, state + input) and bias (3·state), uniform ±1/√state."""
    bound = state_size**-0.5

    def uniform(*shape):
        return torch.nn.Parameter(torch.empty(shape).uniform_(-bound, bound, generator=generator))

    return uniform(3 * state_size, state_size + input_size), uniform(3 * state_size)


def ours(kind, input_size, state_size, weights, bias):
    """A module of this repository's class ``kind`` on the given parameters."""
    module = kind(input_size, state_size)
    module.weights, module.bias = weights, bias
    return module


def scripted(function):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return torch.jit.script(function)


def backward(result):
    new_h, new_cell = result
    (new_h.sum() + new_cell.sum()).backward()


def bound(function, *arguments):
    """``function`` with its arguments fixed, without a layer that times itself."""
    return lambda: function(*arguments)


def measure(effort, shapes=SHAPES):
    from functions.lltm import lltm
    from modules import LLTM

    outcome = Outcome()
    compiling = 0.0
    for batch, input_size, state_size in shapes:
        shape = f"{batch}, {input_size}, {state_size}"
        generator = torch.Generator().manual_seed(0)
        weights, bias = parameters(input_size, state_size, generator)
        input = torch.randn(batch, input_size, generator=generator)
        state = tuple(torch.randn(batch, state_size, generator=generator).requires_grad_() for _ in range(2))
        steps = {
            "torchthaw": lltm,
            "eager": eager.lltm_cell,
            "C++ extension": extension.lltm_cell,
            "jit.script": scripted(eager.lltm_cell),
        }
        steps = {name: step for name, step in steps.items() if name not in effort.without}
        if "torch.compile" not in effort.without:
            torch._dynamo.reset()  # else the fourth shape is one too many for it
            steps["torch.compile"] = torch.compile(eager.lltm_cell, dynamic=False)
        runs = {name: bound(step, input, weights, bias, *state) for name, step in steps.items()}
        for input_grad, case in ((True, "backward"), (False, "backward, input without grad")):
            input.requires_grad_(input_grad)
            leaves = [weights, bias, *state] + [input] * input_grad
            if "torch.compile" in runs:
                start = time.perf_counter()
                backward(runs["torch.compile"]())
                compiling += time.perf_counter() - start
            for run in runs.values():
                for _ in range(3):  # jit.script specialises in its first calls
                    backward(run())
            check_same_work(runs, backward, leaves)
            timed = {**runs, "empty Function": bound(EmptyFunction.apply, input, weights, bias, *state)}
            if input_grad:
                forward = [forward_contender(name, run) for name, run in timed.items()]
                outcome.groups.append(compare("lltm", "forward", shape, forward, effort))
                passes = [accumulating_contender(name, run, backward, leaves, GRAPHS) for name, run in timed.items()]
                outcome.groups.append(compare("lltm", "backward, eight graphs", shape, passes, effort))
            timed["products alone"] = bound(ProductsFunction.apply, input, weights, bias, *state)
            passes = [backward_contender(name, run, backward, leaves) for name, run in timed.items()]
            outcome.groups.append(compare("lltm", case, shape, passes, effort))

        modules = {
            "torchthaw": ours(LLTM, input_size, state_size, weights, bias),
            "eager": eager.Cell(eager.lltm_cell, weights, bias),
            "C++ extension": eager.Cell(extension.lltm_cell, weights, bias),
        }
        forward = [
            forward_contender(name, bound(module, input, state))
            for name, module in modules.items()
            if name not in effort.without
        ]
        outcome.groups.append(compare("lltm", "forward, as modules", shape, forward, effort))
    outcome.notes.append(
        f"torch.compile took {compiling:.0f} s to compile the {2 * len(shapes)} variants"
        if compiling
        else "torch.compile left out: slow to set up"
    )
    return outcome
