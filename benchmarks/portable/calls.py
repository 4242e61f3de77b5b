"""benchmarks/portable/calls.py MODULE.so: the least time in nanoseconds of each call of sample.cpp, as JSON."""

import importlib.util
import json
import sys
import timeit

import torch

torch.set_num_threads(1)
spec = importlib.util.spec_from_file_location("sample", sys.argv[1])
assert spec and spec.loader
sample = importlib.util.module_from_spec(spec)
spec.loader.exec_module(sample)


def least(call, n=2000):
    call()
    return min(timeit.repeat(call, number=n, repeat=25)) / n * 1e9


x, five, leaf, counter = (
    torch.rand(2, 3),
    [torch.rand(2, 3) for _ in range(5)],
    torch.rand(2, 3, requires_grad=True),
    sample.Counter(1),
)
nothing = least(lambda: None)
calls = {
    "a function that reads one tensor": lambda: sample.reads(x),
    "returns its argument": lambda: sample.returns(x),
    "five tensors in, three out": lambda: sample.five(*five),
    "a method": lambda: counter.add(1),
    "a property": lambda: counter.value,
    "a construction": lambda: sample.Counter(1),
}
found = {name: least(call) - nothing for name, call in calls.items()}
found |= {f"operator: {name}": value for name, value in sample.operators().items()}
found["Function::apply without a graph"] = least(lambda: sample.square(x))
found["Function::apply with a graph"] = least(lambda: sample.square(leaf), 500)
found["the same and backward"] = least(lambda: sample.square(leaf).sum().backward(), 200)
found["an operator of TORCH_LIBRARY"] = least(lambda: torch.ops.portable_benchmark.twice(x))
print(json.dumps(found))
