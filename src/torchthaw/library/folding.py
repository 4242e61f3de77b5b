"""torchthaw/library/folding.py: a differentiable operator under vmap: one call on a larger array, or one for each entry.

The rule ``fold`` of an operator is True where all of its arrays have one shape and their entries are independent
(THAW_ELEMENTWISE). With THAW_BATCH(size) it is the place of that size in each array, {name: dimension}: entries along it
are independent, so vmap is one call with a larger size. An argument without the size must not vary; else each entry
gets a call.
"""

import torch
from torch import Tensor

from .derivatives.higher_derivatives import as_tuple


def batch(operator, count, dims, arguments):
    """What ``operator`` gives for arguments whose dimension ``dims[i]`` is vmap's; it becomes the first of each result."""
    if operator.fold is True and count:
        return operator.operator(*in_front(count, dims, arguments))
    names = [each.name for each in operator.parameters]
    if operator.fold and count and _folds(operator, names, dims):
        return _folded(operator, count, names, dims, arguments)
    found = one_by_one(operator.operator, count, dims, arguments)
    return found[0] if operator.results == 1 else found


def in_front(count, dims, arguments):
    """The tensors with vmap's dimension as the first; those that do not vary are expanded."""
    return [
        x if not isinstance(x, Tensor) else x.expand(count, *x.shape) if dim is None else x.movedim(dim, 0)
        for x, dim in zip(arguments, dims)
    ]


def _folds(operator, names, dims):
    return all(dim is None or name in operator.fold for name, dim in zip(names, dims)) and None not in operator.folded


def _folded(operator, count, names, dims, arguments):
    given, size = [], None
    for name, x, in_first in zip(names, arguments, in_front(count, dims, arguments)):
        place = operator.fold.get(name)
        if isinstance(x, Tensor) and place is not None:
            moved = in_first.movedim(0, place)
            size = moved.shape[place + 1]
            x = moved.reshape(*moved.shape[:place], count * size, *moved.shape[place + 2 :])
        given.append(x)
    results = as_tuple(operator.operator(*given))
    found = [
        x.reshape(*x.shape[:place], count, size, *x.shape[place + 1 :]).movedim(place, 0)
        for x, place in zip(results, operator.folded)
    ]
    return found[0] if operator.results == 1 else tuple(found)


def one_by_one(call, count, dims, arguments):
    """The results of a call for each entry, stacked; of no entry, the shapes are those of a call on zeros."""
    if count == 0:
        blank = [x if dim is None else x.new_zeros(x.movedim(dim, 0).shape[1:]) for x, dim in zip(arguments, dims)]
        return tuple(x.new_empty((0, *x.shape)) for x in as_tuple(call(*blank)))
    calls = [as_tuple(call(*each)) for each in entries(count, dims, arguments)]
    return tuple(map(torch.stack, zip(*calls)))


def entries(count, dims, arguments):
    """The arguments of each entry of vmap's batch."""
    for i in range(count):
        yield [x if dim is None else x.select(dim, i) for x, dim in zip(arguments, dims)]
