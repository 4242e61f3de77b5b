import torch

from pairwise import pairwise_distance


def check(device):
    torch.manual_seed(0)
    x = torch.randn(4, 3, dtype=torch.double, device=device, requires_grad=True)
    y = torch.randn(5, 3, dtype=torch.double, device=device, requires_grad=True)
    expected = (x.unsqueeze(1) - y).pow(2).sum(2)
    assert torch.allclose(pairwise_distance(x, y), expected)
    assert torch.autograd.gradcheck(pairwise_distance, (x, y))
    single = pairwise_distance(x.detach().float(), y.detach().float())
    assert torch.allclose(single.double(), expected, atol=1e-4)
    assert pairwise_distance(x[:0], y).shape == (0, 5)


check('cpu')
if torch.cuda.is_available():
    check('cuda')
try:
    pairwise_distance(torch.ones(2, 3), torch.ones(2, 4))
except RuntimeError as error:
    assert 'invalid argument 2: expected 3 columns, got 4' in str(error), error
else:
    raise AssertionError('a wrong shape was accepted')
print('pairwise: ok')
