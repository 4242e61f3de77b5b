# What the built extension, whose folder and name are the arguments, does with tensors on cuda:0.
import importlib
import sys

import torch

sys.path.insert(0, sys.argv[1])
extension = importlib.import_module(sys.argv[2])
for dtype in (torch.float, torch.double, torch.half):
    x = torch.randint(0, 4, (3, 50), device="cuda").to(dtype)
    out, total = extension.scale(x.t(), 2)
    assert out.is_cuda and torch.equal(out, x.t() * 2) and total.item() == 2 * x.sum().item()
for call, word in ((lambda: extension.scale(torch.ones(3), 2), "cpu"), (extension.launch_too_many, "CUDA error")):
    try:
        call()
    except RuntimeError as error:
        assert word in str(error), error
    else:
        raise AssertionError(word)
assert torch.ones(2, device="cuda").sum().item() == 2  # the error was reported once
torch.cuda.manual_seed(7)
assert extension.answers() == [1, 1, 1, 1, 1, 32, 7, 8, 1], extension.answers()
extension.ask_headers()
print("right")
