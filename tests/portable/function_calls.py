"""tests/portable/function_calls.py MODULE.so: uses the functions of functions.cpp with gradients, and prints what each gives."""

import importlib.util
import json
import sys
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import torch
import torch.utils.checkpoint
from tensor_calls import outcome

warnings.simplefilter("ignore")


def leaf(*values):
    return torch.tensor(values, dtype=torch.float64, requires_grad=True)


def gradients(result, *inputs):
    return result.detach(), *torch.autograd.grad(result.sum() * 2, inputs)


def cases(module):
    """{name: a function without arguments}"""
    x, y = leaf(1.0, -2.0, 3.0), leaf(0.5, 0.25, -1.0)

    def in_place():
        changed = x.clone()
        return gradients(module.in_place(changed), x)[1:], changed._version

    def second_backward():
        result = module.scaled(x)
        result.sum().backward()
        result.sum().backward()

    def changed_since():
        a = x.clone()
        result = module.scaled(a)
        a.add_(1)
        result.sum().backward()

    def hooked():
        seen, result = [], module.scaled(x)
        result.register_hook(lambda grad: seen.append(grad.clone()))
        result.sum().backward()
        return seen

    def checkpointed():
        return gradients(torch.utils.checkpoint.checkpoint(lambda x: module.scaled(x) * 2, x, use_reentrant=False), x)

    return {
        "without a graph": lambda: module.scaled(x.detach(), 3.0),
        "no_grad": lambda: torch.no_grad()(module.scaled)(x),
        "gradient": lambda: gradients(module.scaled(x, 1.5), x),
        "optional": lambda: gradients(module.scaled(x, 1.5, y), x, y),
        "optional alone": lambda: gradients(module.scaled(x.detach(), 1.5, y), y),
        "list": lambda: gradients(sum(module.several(x, y, 3)[:2]), x, y),
        "list, one needed": lambda: gradients(module.several(x, y.detach(), 3)[0], x),
        "list, not differentiable": lambda: module.several(x, y, 3)[2].requires_grad,
        "list, unused": lambda: [*torch.autograd.grad(module.several(x, y, 3)[1].sum(), (x, y), allow_unused=True)],
        "vector": lambda: gradients(module.of_vector(x, y), y),
        "vector, needed": lambda: torch.autograd.grad(module.of_vector(x, y).sum(), (x, y), allow_unused=True),
        "in place": in_place,
        "in place on a leaf": lambda: module.in_place(x),
        "in place without a graph": lambda: module.in_place(x.detach().clone()),
        "gradcheck": lambda: torch.autograd.gradcheck(module.scaled, (x, 1.5, y)),
        "gradgradcheck": lambda: torch.autograd.gradgradcheck(module.scaled, (x, 1.5, y)),
        "grad of C++": lambda: torch.autograd.grad(module.grad_of_sum(x)[0].sum(), x),
        "fails in forward": lambda: module.failing(x, True),
        "fails in forward, without a graph": lambda: module.failing(x.detach(), True),
        "fails in backward": lambda: module.failing(x, False).sum().backward(),
        "second backward": second_backward,
        "changed since": changed_since,
        "hook": hooked,
        "checkpoint": checkpointed,
        "vmap": lambda: torch.func.vmap(module.scaled)(x),
        "functional": lambda: torch.func.grad(lambda x: module.scaled(x).sum())(x.detach()),
        "parameter": lambda: gradients(module.scaled(torch.nn.Parameter(x.detach())), x),
        "float32": lambda: module.scaled(x.float()),
        "grad_fn": lambda: module.scaled(x).grad_fn is not None,
    }


def main(path):
    spec = importlib.util.spec_from_file_location("functions", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    print(json.dumps({name: outcome(run, ()) for name, run in cases(module).items()}, indent=1))


if __name__ == "__main__":
    main(sys.argv[1])
