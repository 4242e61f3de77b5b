import torch

import lltm_native
from lltm import LLTM, LLTMFunction


def reference(input, weights, bias, old_h, old_cell):
    gates = torch.nn.functional.linear(torch.cat([old_h, input], dim=1), weights, bias)
    input_gate, output_gate, candidate = gates.chunk(3, dim=1)
    new_cell = old_cell + torch.nn.functional.elu(candidate) * torch.sigmoid(input_gate)
    return torch.tanh(new_cell) * torch.sigmoid(output_gate), new_cell


def check(device):
    torch.manual_seed(0)
    batch, features, state = 3, 5, 4
    shapes = (batch, features), (3 * state, features + state), (3 * state,), (batch, state), (batch, state)
    arguments = [torch.randn(*shape, dtype=torch.double, device=device, requires_grad=True) for shape in shapes]
    for got, expected in zip(LLTMFunction.apply(*arguments), reference(*arguments)):
        assert torch.allclose(got, expected), (got, expected)
    assert torch.autograd.gradcheck(LLTMFunction.apply, arguments)

    layer = LLTM(features, state).to(device)
    h, cell = layer(torch.randn(batch, features, device=device), (torch.zeros(batch, state, device=device),) * 2)
    (h.sum() + cell.sum()).backward()
    assert layer.weights.grad.abs().sum() > 0


check('cpu')
if torch.cuda.is_available():
    check('cuda')
try:
    lltm_native.forward(*[torch.ones(2, 2)] * 5)
except RuntimeError as error:
    assert 'weights: expected 6 rows, got 2' in str(error), error
else:
    raise AssertionError('a wrong shape was accepted')
print('lltm: ok')
