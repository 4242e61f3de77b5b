"""tests/guide/test_autograd_lltm.py: the LLTM four ways: Python, an autograd Function, a C++ extension, this
repository."""

import shutil

import pytest
import torch
from torch.autograd import Function
from torch.nn import functional as F

from benchmarks.peers import eager, extension
from functions.lltm import lltm
from modules import LLTM

BATCH, INPUT_SIZE, STATE_SIZE = 16, 32, 128


class PythonLLTM(Function):
    """Forward and backward by hand, each in PyTorch's operators."""

    @staticmethod
    def forward(ctx, input, weights, bias, old_h, old_cell):
        X = torch.cat([old_h, input], dim=1)
        pre = F.linear(X, weights, bias)
        input_gate, output_gate, candidate = pre.chunk(3, dim=1)
        i, o, c = input_gate.sigmoid(), output_gate.sigmoid(), F.elu(candidate)
        new_cell = old_cell + c * i
        ctx.save_for_backward(X, weights, i, o, c, new_cell)
        return new_cell.tanh() * o, new_cell

    @staticmethod
    def backward(ctx, grad_h, grad_cell):
        X, weights, i, o, c, new_cell = ctx.saved_tensors
        t = new_cell.tanh()
        d_old_cell = grad_cell + grad_h * o * (1 - t * t)
        slope = torch.where(c > 0, torch.ones_like(c), c + 1)
        d_pre = torch.cat([d_old_cell * c * i * (1 - i), grad_h * t * o * (1 - o), d_old_cell * i * slope], dim=1)
        d_old_h, d_input = (d_pre @ weights).split([grad_h.shape[1], X.shape[1] - grad_h.shape[1]], dim=1)
        return d_input, d_pre.t() @ X, d_pre.sum(0), d_old_h, d_old_cell


def arguments(dtype):
    torch.manual_seed(0)
    shapes = (
        (BATCH, INPUT_SIZE),
        (3 * STATE_SIZE, STATE_SIZE + INPUT_SIZE),
        (3 * STATE_SIZE,),
        (BATCH, STATE_SIZE),
        (BATCH, STATE_SIZE),
    )
    return [(0.5 * torch.randn(shape, dtype=dtype)).requires_grad_() for shape in shapes]


def step_and_gradients(cell, inputs):
    new_h, new_cell = cell(*inputs)
    loss = new_h.sum() + new_cell.square().sum()
    return (new_h, new_cell, *torch.autograd.grad(loss, inputs))


WAYS = {
    "Function in Python": PythonLLTM.apply,
    "C++ extension": extension.lltm_cell,
    "this repository": lltm,
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("dtype, tolerance", [(torch.float32, 1e-4), (torch.float64, 1e-10)])
def test_same_numbers(way, dtype, tolerance):
    if way == "C++ extension" and shutil.which("c++") is None:
        pytest.skip("PyTorch's C++ extensions need c++ on PATH")
    inputs = arguments(dtype)
    expected = step_and_gradients(eager.lltm_cell, inputs)
    actual = step_and_gradients(WAYS[way], inputs)
    for left, right in zip(actual, expected, strict=True):
        torch.testing.assert_close(left, right, rtol=tolerance, atol=tolerance)


def test_training_gives_the_same_weights():
    def train(step):
        torch.manual_seed(1)
        cell = LLTM(4, 8)
        x, target = torch.randn(20, 3, 4), torch.randn(3, 8)
        optimizer = torch.optim.SGD(cell.parameters(), lr=0.1)
        for _ in range(3):
            state = torch.zeros(3, 8), torch.zeros(3, 8)
            for row in x.unbind(0):
                state = step(cell, row, state)
            optimizer.zero_grad()
            F.mse_loss(state[0], target).backward()
            optimizer.step()
        return cell.state_dict()

    ours = train(lambda cell, row, state: cell(row, state))
    theirs = train(lambda cell, row, state: eager.lltm_cell(row, cell.weights, cell.bias, *state))
    for name, value in theirs.items():
        torch.testing.assert_close(ours[name], value, rtol=1e-4, atol=1e-5)
