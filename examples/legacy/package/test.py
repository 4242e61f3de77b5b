"""test.py: the package on small tensors, by the module and by the function."""

import torch
from my_package import MyAddModule, add
from torch.autograd import Variable

for f in (MyAddModule(), add):
    input1 = Variable(torch.randn(3, 4), requires_grad=True)
    input2 = Variable(torch.randn(3, 4))
    output = f(input1, input2)
    assert torch.equal(output.data, input1.data + input2.data)
    output.sum().backward()
    assert torch.equal(input1.grad.data, torch.ones(3, 4)) and input2.grad is None
print("ok")
