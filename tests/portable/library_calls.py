"""tests/portable/library_calls.py MODULE.so: calls the operators of library.cpp, and prints what each gives."""

import importlib.util
import json
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import torch
from tensor_calls import outcome

warnings.simplefilter("ignore")


def cases():
    """{name: a function without arguments}"""
    ops = torch.ops.portable_test
    x, y = torch.arange(4.0), torch.ones(4)
    leaf = x.clone().requires_grad_()

    def compiled():
        return torch.compile(lambda x, y: ops.add(x, y, times=3) + 1, backend="aot_eager", fullgraph=True)(x, y)

    def fake():
        from torch._subclasses.fake_tensor import FakeTensorMode

        with FakeTensorMode() as mode:
            made = ops.add(mode.from_tensor(x), mode.from_tensor(y))
            return type(made).__name__, made.shape

    def changed():
        z = x.clone()
        same = ops.scale_(z, 3.0)
        ops.nothing(z)
        return z, same.data_ptr() == z.data_ptr()

    def two_threads():
        with ThreadPoolExecutor(2) as pool:
            return [*pool.map(ops.meets, (x, y))]

    return {
        "default": lambda: ops.add(x, y),
        "keyword": lambda: ops.add(x, y, times=-1),
        "by name": lambda: ops.add(y=y, x=x),
        "meta": lambda: ops.add(x.to("meta"), y.to("meta")),
        "all": lambda: ops.all_kinds(x, [y, x], [1, 2], 2.5, False, "b", 7, number=3, type=torch.float64),
        "all, defaults": lambda: ops.all_kinds(None, [y], [1, 2]),
        "all, some": lambda: ops.all_kinds(x, [y], [], text="c", number=2.5),
        "in place": changed,
        "list": lambda: ops.halves(x),
        "inferred": lambda: ops.inferred(x, 3, 0.5, True),
        "tuples": lambda: ops.joined([("a", 2), ("b", -1)], [3, 4]),
        "wrong tuple": lambda: ops.joined([("a", 2), ("b",)], [3, 4]),
        "lambda": lambda: ops.doubled(x),
        "fragment": lambda: ops.tripled(x),
        "below autograd": lambda: [ops.below(x), ops.below(leaf), ops.below_views(x), ops.below_views(leaf)],
        "above autograd again": lambda: torch.autograd.grad((leaf * 2).sum(), leaf),
        "fails": lambda: ops.failing(x),
        "wrong type": lambda: ops.add(x, 3),
        "missing argument": lambda: ops.add(x),
        "schema": lambda: [
            str(getattr(ops, name).default._schema)
            for name in ("add", "all_kinds", "scale_", "nothing", "inferred", "joined")
        ],
        "gradient": lambda: torch.autograd.grad(ops.doubled(leaf).sum(), leaf),
        "opcheck": lambda: torch.library.opcheck(ops.add.default, (x, y)),
        "compile": compiled,
        "fake": fake,
        "two threads": two_threads,
    }


def main(path):
    spec = importlib.util.spec_from_file_location("library", path)
    spec.loader.exec_module(importlib.util.module_from_spec(spec))
    print(json.dumps({name: outcome(run, ()) for name, run in cases().items()}, indent=1))


if __name__ == "__main__":
    main(sys.argv[1])
