"""benchmarks/operators.py: the other operators beside PyTorch's own, and three made differentiable in several ways

Each lower-case function of this repository and the PyTorch expression of the
same value, float32, one thread, inputs that require grad. "backward" is
``(output * pattern).sum().backward()``: the factor keeps the gradients from
being trivial and costs all contenders the same.

Rows such as "add, forward" have the same C functions made differentiable in the
ways of peers/autograd.py; all tensors require grad. "without grad" is a call
under ``torch.no_grad()``. "forward" builds the graph and drops it. "forward and
backward" is ``backward(f(...), grad_outputs)``, all leaves without ``.grad``.
"vmap" is over 8 entries, "jvp" with a tangent for each tensor. Statements run as
timeit runs them; minima over the rounds.
"""

from dataclasses import replace
from functools import partial

import torch
from torch.nn import functional as F

from .harness import Outcome, compare, statement
from .lltm import bound
from .peers import autograd
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
    outcome = Outcome(list(in_several_ways(replace(effort, group_seconds=effort.group_seconds / 2))))
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


ENTRIES = 8  # of vmap
TRANSFORMED = "torchthaw", "PyTorch"  # the ways with rules for torch.func
SEVERAL = (  # operator, its shape in the tables, shapes of its tensors and numbers, what varies in vmap
    ("mul_constant", "5, 5", [(5, 5), 3.5], (0, None)),
    ("add", "5, 5", [(5, 5), (5, 5)], (0, 0)),
    ("lltm", "16, 32, 128", [(16, 32), (384, 160), (384,), (16, 128), (16, 128)], (0, None, None, 0, 0)),
)


def in_several_ways(effort):
    """The groups of SEVERAL."""
    ways = {way: make() for way, make in autograd.WAYS.items() if way not in effort.without}
    for operator, shape, described, dims in SEVERAL:
        generator = torch.Generator().manual_seed(0)
        given = [0.3 * torch.randn(x, generator=generator) if isinstance(x, tuple) else x for x in described]
        functions = {way: getattr(of, operator) for way, of in ways.items()}
        for case, source, named, calls in (*plain_cases(functions, given), *transformed_cases(functions, given, dims)):
            contenders = [statement(way, source, f=function, **named) for way, function in calls.items()]
            with torch.set_grad_enabled(case != "without grad"):
                group = compare("operators", f"{operator}, {case}", shape, contenders, effort, statistic="minimum")
            yield group


def plain_cases(functions, given):
    """(case, statement, its names, {way: what it calls f}) of calls with and without gradients."""
    named = {f"x{i}": x for i, x in enumerate(given)}
    leaves = [x for x in named if isinstance(named[x], torch.Tensor)]
    for leaf in leaves:
        named[leaf].requires_grad_()
    call = f"f({', '.join(named)})"
    results = functions["torchthaw"](*given)
    named["grads"] = torch.ones_like(results) if isinstance(results, torch.Tensor) else [*map(torch.ones_like, results)]
    named["backward"] = torch.autograd.backward
    finish = partial(torch.autograd.backward, grad_tensors=named["grads"])
    runs = {way: bound(function, *given) for way, function in functions.items()}
    check_same_work(runs, finish, [named[leaf] for leaf in leaves])
    yield "without grad", call, named, functions
    yield "forward", call, named, functions
    empty = "; ".join(f"{leaf}.grad = None" for leaf in leaves)
    yield "forward and backward", f"{empty}; backward({call}, grads)", named, functions


def transformed_cases(functions, given, dims):
    """The same inside transforms of torch.func."""
    given = [x.detach() if isinstance(x, torch.Tensor) else x for x in given]
    varying = [x if dim is None else torch.stack([x] * ENTRIES) for x, dim in zip(given, dims)]
    primals = tuple(x for x in given if isinstance(x, torch.Tensor))
    numbers = [x for x in given if not isinstance(x, torch.Tensor)]  # behind the tensors
    tangents = tuple(map(torch.ones_like, primals))

    def pushed(function):
        return lambda: torch.func.jvp(lambda *tensors: function(*tensors, *numbers), primals, tangents)

    def mapped(function):
        return bound(torch.vmap(function, dims), *varying)

    for case, transform in ("vmap", mapped), ("jvp", pushed):
        runs = {way: transform(functions[way]) for way in TRANSFORMED}
        check_same_work(runs, lambda results: None, [])
        yield case, "f()", {}, runs
