"""test.py: the package on small tensors, on the GPU as well where there is one."""

import torch
from my_package import add
from my_package._ext import my_lib

assert callable(my_lib.my_lib_add_forward_cuda)
a, b = torch.randn(3, 4), torch.randn(3, 4)
assert torch.equal(add(a, b), a + b)
if torch.cuda.is_available():
    x, y = a.cuda(), b.cuda()
    assert torch.equal(add(x, y), x + y)
    assert torch.equal(add(x.t(), y.t()), (x + y).t())
print("ok")
