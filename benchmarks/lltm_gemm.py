"""benchmarks/lltm_gemm.py: the whole LLTM step in C beside its matrix product alone

``my_lib.lltm_forward`` called through the bridge, all outputs and the workspace
allocated beforehand, gates kept as for training, against
``torch.addmm(bias, X, weights.t())`` on a ready X of (batch, state + input):
that product and nothing else, once with ``out=`` allocated beforehand and once
returning a new tensor. No grad; float32, one thread. "raw forward, bfloat16" is
the step on bfloat16 beside the same step on float32; the contender's name says
whether the CPU has instructions for it, because the goals differ.
"""

import torch

from .harness import Contender, Outcome, compare
from .lltm import SHAPES, parameters
from .machine import describe
from .peers import eager


def raw_forward(input, weights, bias, old_h, old_cell):
    """(call, (new_h, new_cell)): one ``lltm_forward`` of the inputs' dtype into preallocated outputs."""
    from _ext import my_lib

    suffix = {torch.float32: "", torch.bfloat16: "_bf16"}[input.dtype]
    batch, input_size = input.shape
    state_size = old_h.size(1)
    new_h, new_cell = torch.empty_like(old_h), torch.empty_like(old_cell)
    gates = input.new_empty(batch, 3 * state_size)
    size = getattr(my_lib, f"lltm_forward_workspace_size{suffix}")(batch, input_size, state_size)
    workspace = torch.empty(size, dtype=torch.uint8)
    arguments = (input, weights, bias, old_h, old_cell, batch, input_size, state_size,
                 new_h, new_cell, gates, workspace, size)  # fmt: skip
    forward = getattr(my_lib, f"lltm_forward{suffix}")
    return lambda: forward(*arguments), (new_h, new_cell)


def bfloat16_name():
    """The contender on bfloat16, which the CPU has instructions for, or converts to float32."""
    has_instructions = "_bf16 " in describe()["my_lib"]
    return f"bfloat16, {'with' if has_instructions else 'without'} instructions"


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

        rounded = (tensor.to(torch.bfloat16) for tensor in (input, weights, bias, old_h, old_cell))
        low_call, low_outputs = raw_forward(*rounded)
        assert low_call() == 1
        for found, wanted in zip(low_outputs, outputs):
            torch.testing.assert_close(found.float(), wanted, rtol=0.02, atol=0.1)
        contenders = [Contender(bfloat16_name(), low_call), Contender("float32", call)]
        outcome.groups.append(compare("lltm_gemm", "raw forward, bfloat16", shape, contenders, effort))
    return outcome
