"""benchmarks/operators.py: the other operators beside PyTorch's own

Each lower-case function of this repository and the PyTorch expression of the
same value, float32, one thread, inputs that require grad. "backward" is
``(output * pattern).sum().backward()``: the factor keeps the gradients from
being trivial and costs all contenders the same.
"""

from dataclasses import replace
from functools import partial

import torch
from torch.nn import functional as F

from .harness import Outcome, compare
from .lltm import bound
from .training import backward_contender, check_same_work, forward_contender


def torch_batch_norm2d(x, eps):
    """Training statistics, unbiased deviation, eps outside the root, as this repository's."""
    mean = x.mean((0, 2, 3), keepdim=True)
    std = x.var((0, 2, 3), unbiased=True, keepdim=True).sqrt()
    return (x - mean) / (std + eps)


def work():
    """(name, shapes of the inputs, ours, {peer: its function}) of each operator."""
    from functions.add import add
    from functions.batch_norm2d import batch_norm2d
    from functions.cube import cube
    from functions.linear import linear
    from functions.mul_constant import mul_constant
    from functions.scale_add import scale_add

    eps = 1e-3
    for n in (5, 64, 1000):
        pair, one = [(n, n), (n, n)], [(n, n)]
        yield "add", pair, add, {"PyTorch": torch.add}
        yield "scale_add", pair, scale_add, {"PyTorch": lambda x, y: torch.add(y, x, alpha=2)}
        yield "mul_constant", one, lambda x: mul_constant(x, 3.5), {"PyTorch": lambda x: x * 3.5}
        yield "cube", one, cube, {"PyTorch": lambda x: x**3}
    for batch, inner, outer in ((1, 128, 128), (32, 64, 256), (64, 1024, 384), (128, 1024, 1536)):
        yield "linear", [(batch, inner), (outer, inner), (outer,)], linear, {"PyTorch": F.linear}
    for shape in ((8, 16, 8, 8), (32, 64, 30, 30)):
        peers = {
            "PyTorch": lambda x: F.batch_norm(x, None, None, training=True, eps=eps),
            "PyTorch operators": lambda x: torch_batch_norm2d(x, eps),
        }
        yield "batch_norm2d", [shape], lambda x: batch_norm2d(x, eps), peers


def measure(effort):
    outcome = Outcome()
    effort = replace(effort, group_seconds=effort.group_seconds / 4)
    for name, shapes, ours, peers in work():
        generator = torch.Generator().manual_seed(0)
        inputs = [torch.randn(s, generator=generator).requires_grad_() for s in shapes]
        runs = {"torchthaw": bound(ours, *inputs)}
        runs |= {peer: bound(function, *inputs) for peer, function in peers.items()}
        grad_output = torch.randn(runs["torchthaw"]().shape, generator=generator)
        finish = partial(torch.autograd.backward, grad_tensors=grad_output)
        check_same_work(runs, finish, inputs, tolerance=1e-2)
        shape = " · ".join(", ".join(map(str, s)) for s in shapes)
        forward = [forward_contender(peer, run) for peer, run in runs.items()]
        outcome.groups.append(compare("operators", f"{name} forward", shape, forward, effort))
        backward = [backward_contender(peer, run, finish, inputs) for peer, run in runs.items()]
        outcome.groups.append(compare("operators", f"{name} backward", shape, backward, effort))
    return outcome
