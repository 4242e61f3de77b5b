"""test.py: the module and both Functions on small tensors."""

import torch
from functions.add import MyStaticAddFunction
from modules.add import MyAddModule
from torch.autograd import Variable

for add in (MyAddModule(), MyStaticAddFunction.apply):
    input1 = Variable(torch.randn(5, 5), requires_grad=True)
    input2 = Variable(torch.randn(5, 5), requires_grad=True)
    output = add(input1, input2)
    assert torch.equal(output.data, input1.data + input2.data)
    output.backward(2 * torch.ones(5, 5))
    assert torch.equal(input1.grad.data, 2 * torch.ones(5, 5))
    assert torch.equal(input2.grad.data, 2 * torch.ones(5, 5))
    try:
        add(input1, Variable(torch.randn(5, 4)))
    except ValueError as error:
        assert str(error) == "expected two tensors of one shape"
    else:
        raise AssertionError("two shapes were added")
print("ok")
