import torch
from softmax import softmax

torch.manual_seed(0)
x = torch.randn(3, 300, device="cuda", requires_grad=True)
grad_y = torch.randn_like(x)
y, expected = softmax(x), torch.softmax(x, dim=1)
torch.testing.assert_close(y, expected)
torch.testing.assert_close(*(torch.autograd.grad(each, x, grad_y) for each in (y, expected)))
small = torch.randn(2, 5, dtype=torch.double, device="cuda", requires_grad=True)
assert torch.autograd.gradcheck(softmax, small)
print("softmax: values and gradients are right on", y.device)
