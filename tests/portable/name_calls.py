"""tests/portable/name_calls.py MODULE.so: calls the functions of names.cpp, and prints what each gives."""

import importlib.util
import json
import sys
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import torch
from tensor_calls import outcome

warnings.simplefilter("ignore")
X = torch.arange(8.0).reshape(4, 2).sub(3)
IMAGE = torch.arange(32.0).reshape(1, 2, 4, 4)


def cases(module):
    """{name: a function without arguments}"""
    weight = torch.ones(1, 2, 3, 3)
    leaf = X.clone().requires_grad_()
    return {
        "padded": lambda: module.padded(IMAGE[0]),
        # Rounded: the last digits are those of the processor.
        "activations": lambda: [made.round(decimals=4) for made in module.activations(X)],
        "gradient": lambda: torch.autograd.grad(module.activations(leaf)[1][:, 0].sum(), leaf),
        "images": lambda: module.images(IMAGE, weight),
        "losses": lambda: module.losses(X, X.flip(0)),
        "wrong pad": lambda: module.wrong_pad(IMAGE[0]),
        "ranges": module.ranges,
        "logged": lambda: [module.logged(n) for n in (0, 3, -4)],
        **{
            f"types {kind}": lambda kind=kind: module.by_types(torch.ones(1, dtype=kind))
            for kind in (torch.float16, torch.float64, torch.int64, torch.int8)
        },
        "allocated": module.allocated,
        "dlpack": lambda: module.by_dlpack(torch.arange(6.0).reshape(2, 3).t()),
        "drawn": lambda: module.drawn(torch.Generator().manual_seed(3)),
        "drawn, default": lambda: torch.manual_seed(4) and module.drawn(None),
        "drawn in C++": lambda: module.drawn_in_cpp(torch.Generator().manual_seed(5)),
        "drawn in C++, default": lambda: torch.manual_seed(6) and module.drawn_in_cpp(torch.default_generator),
        "drawn halves": lambda: [module.drawn_halves(torch.Generator().manual_seed(seed)) for seed in range(9)],
        **{f"drawn by seed {seed}": lambda seed=seed: module.drawn_by_seed(seed) for seed in (0, 9, 2**32 + 9)},
        "rounded": lambda: (
            [module.rounded(a, 3) for a in (0, 1, 5, 6)] + [module.rounded(-7, b)[:1] for b in (2, -2, 7)]
        ),
        "generator": lambda: module.of_generator(torch.Generator()),
        "same generator": lambda: (lambda one: module.same_generator(one) is one)(torch.Generator()),
        "wrong generator": lambda: module.drawn_in_cpp(3),
        "launched": module.launched,
        "devices": module.devices,
        "ops": lambda: module.by_ops(X),
    }


def main(path):
    spec = importlib.util.spec_from_file_location("names", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    print(json.dumps({name: outcome(run, ()) for name, run in cases(module).items()}, indent=1))


if __name__ == "__main__":
    main(sys.argv[1])
