"""benchmarks/lltm_gemm.py: the whole LLTM step in C beside its matrix product alone

``my_lib.lltm_forward`` called through the bridge, all outputs and the workspace
allocated beforehand, gates kept as for training, against
``torch.addmm(bias, X, weights.t())`` on a ready X of (batch, state + input):
that product and nothing else, once with ``out=`` allocated beforehand and once
returning a new tensor. No grad; float32, one thread.
"""

import torch

from .harness import Outcome, Contender, compare
from .lltm import SHAPES, parameters
from .peers import eager


def raw_forward(input, weights, bias, old_h, old_cell):
    """(call, (new_h, new_cell)): one ``lltm_forward`` into preallocated outputs."""
    from _ext import my_lib

    batch, input_size = input.shape
    state_size = old_h.size(1)
    new_h, new_cell = torch.empty_like(old_h), torch.empty_like(old_cell)
    gates = input.new_empty(batch, 3 * state_size)
    size = my_lib.lltm_forward_workspace_size(batch, input_size, state_size)
    workspace = torch.empty(size, dtype=torch.uint8)
    arguments = (input, weights, bias, old_h, old_cell, batch, input_size, state_size,
                 new_h, new_cell, gates, workspace, size)  # fmt: skip
    forward = my_lib.lltm_forward
    return lambda: forward(*arguments), (new_h, new_cell)


@torch.no_grad()
def measure(effort, shapes=SHAPES):
    outcome = Outcome()
    for batch, input_size, state_size in shapes:
        generator = torch.Generator().manual_seed(0)
        weights, bias = (p.data for p in parameters(input_size, state_size, generator))
        input = torch.randn(batch, input_size, generator=generator)
        old_h, old_cell = torch.randn(2, batch, state_size, generator=generator)
        call, outputs = raw_forward(input, weights, bias, old_h, old_cell)
        assert call() == 1
        for found, wanted in zip(outputs, eager.lltm_cell(input, weights, bias, old_h, old_cell)):
            torch.testing.assert_close(found, wanted, rtol=1e-4, atol=1e-4)

        X = torch.cat((old_h, input), dim=1)
        product = torch.empty(batch, 3 * state_size)
        contenders = [
            Contender("torchthaw, raw C", call),
            Contender("addmm(out=)", lambda: torch.addmm(bias, X, weights.t(), out=product)),
            Contender("addmm", lambda: torch.addmm(bias, X, weights.t())),
        ]
        shape = f"{batch}, {input_size}, {state_size}"
        outcome.groups.append(compare("lltm_gemm", "raw forward", shape, contenders, effort))
    return outcome
