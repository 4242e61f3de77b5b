"""benchmarks/lltm_threads.py: the LLTM on one thread and on two

Each call on one thread and on two, in turns, each thread bound to a core of its
own. The command runs this only while two cores are otherwise idle: a two-thread
figure from a busy machine is noise.
"""

from dataclasses import replace
from functools import partial

import torch

from .harness import Contender, Outcome, compare
from .lltm import SHAPES, backward, bound, parameters
from .lltm_gemm import raw_forward
from .peers import eager
from .training import backward_contender


def on(threads, contender):
    """``contender`` with that many threads."""
    return replace(
        contender,
        name=f"{contender.name}, {threads} thread{'s' * (threads > 1)}",
        enter=partial(torch.set_num_threads, threads),
    )


def measure(effort, shapes=SHAPES):
    from functions.lltm import lltm

    outcome = Outcome()
    for batch, input_size, state_size in shapes:
        shape = f"{batch}, {input_size}, {state_size}"
        generator = torch.Generator().manual_seed(0)
        weights, bias = parameters(input_size, state_size, generator)
        input = torch.randn(batch, input_size, generator=generator, requires_grad=True)
        state = torch.randn(2, batch, state_size, generator=generator)
        inputs = (input, weights, bias, *(s.clone().requires_grad_() for s in state))
        call, _ = raw_forward(*(t.detach() for t in inputs))
        cases = {"raw forward": [Contender("torchthaw", call)]}
        for name, step in (("torchthaw", lltm), ("eager", eager.lltm_cell)):
            run = bound(step, *inputs)
            cases.setdefault("forward", []).append(Contender(name, run))
            cases.setdefault("backward", []).append(backward_contender(name, run, backward, inputs))
        for case, contenders in cases.items():
            both = [on(threads, c) for c in contenders for threads in (1, 2)]
            outcome.groups.append(compare("lltm_threads", case, shape, both, effort, threads=2))
    torch.set_num_threads(1)
    return outcome
