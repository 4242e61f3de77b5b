"""tests/derivatives/sharded.py: one of two processes that compute every pair of my_lib.h on DTensors.

usage: sharded.py INIT_METHOD RANK
"""

import sys

import torch
from torch import Tensor, distributed
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor, Replicate, Shard, distribute_tensor
from torch.testing import assert_close

from support.derivative_table import arguments, pair
from support.derivatives import as_tuple

# Operator -> the dimension along which each argument is sharded, and then the first result; None: it is whole.
PLACES = {
    "add": ((0, 0), 0), "scale_add": ((1, 1), 1), "mul_constant": ((0, None), 0), "cube": ((1,), 1),
    "linear": ((0, None, None), 0), "batch_norm2d": ((1, None), 1), "lltm": ((0, None, None, 0, 0), 0),
    "lltm_sequence": ((1, None, None, 0, 0), 1),
}  # fmt: skip


def whole(tensors):
    return [x.full_tensor() if isinstance(x, DTensor) else x for x in tensors]


def check(name, mesh, only_first):
    places, place_of_result = PLACES[name]
    function = pair(name)
    given = [x.detach() if isinstance(x, Tensor) else x for x in arguments(name)]
    given = [x if d is None else torch.cat([x, x.flip(d) / 2], d) for x, d in zip(given, places)]
    needs = [isinstance(x, Tensor) and (i == 0 or not only_first) for i, x in enumerate(given)]
    parts = [
        distribute_tensor(x, mesh, [Replicate() if d is None else Shard(d)]) if isinstance(x, Tensor) else x
        for x, d in zip(given, places)
    ]
    for inputs in given, parts:
        inputs[:] = [x.detach().requires_grad_(need) if isinstance(x, Tensor) else x for x, need in zip(inputs, needs)]
    results, expected = as_tuple(function(*parts)), as_tuple(function(*given))
    assert results[0].placements == (Shard(place_of_result),), results[0].placements
    assert_close(whole(results), list(expected))
    summed = torch.autograd.grad(sum(y.sum() for y in results), [x for x, need in zip(parts, needs) if need])
    alone = torch.autograd.grad(sum(y.sum() for y in expected), [x for x, need in zip(given, needs) if need])
    assert_close(whole(summed), list(alone))


def takes_entries(mesh):
    """Whether DTensor knows x[0], as lltm_sequence takes the last entry of its results; in PyTorch 2.7 it does not."""
    try:
        return distribute_tensor(torch.ones(2, 2), mesh, [Replicate()])[0].ndim == 1
    except NotImplementedError:
        return False


distributed.init_process_group("gloo", init_method=sys.argv[1], rank=int(sys.argv[2]), world_size=2)
mesh = init_device_mesh("cpu", (2,))
for name in PLACES if takes_entries(mesh) else [each for each in PLACES if each != "lltm_sequence"]:
    for only_first in (False, True):
        check(name, mesh, only_first)
print("sharded results and gradients are those of whole tensors")
distributed.destroy_process_group()
