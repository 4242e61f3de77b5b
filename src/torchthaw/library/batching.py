"""torchthaw/library/batching.py: an operator under torch.vmap: a call for each element of the batch.

A rule gets (batch size, the batched dimension of each argument or None, arguments) and returns what the operator does,
batched in the first dimension.
"""

import torch


def out(operator):
    """The rule of the overload ``out``. What C writes must be batched, as the rest of it would not fit one array."""

    def rule(count, dims, arguments):
        for each, dim, argument in zip(operator.base.given, dims, arguments):
            if each.is_written and dim is None and argument is not None:
                raise ValueError(f"{each.name}: expected a tensor that torch.vmap batches, to write to, got another")
        for one in _each(count, dims, arguments):
            operator.overload("out")(*one)

    return rule


def default(operator):
    """The rule of the overload ``default``."""

    def rule(count, dims, arguments):
        if count == 0:
            blank = [_blank(argument, dim) for argument, dim in zip(arguments, dims)]
            results = operator.overload("default")(*blank)
            stacked = [each.new_empty((0, *each.shape)) for each in _as_tuple(results)]
        else:
            results = [operator.overload("default")(*one) for one in _each(count, dims, arguments)]
            stacked = [torch.stack(each) for each in zip(*map(_as_tuple, results))]
        return stacked[0] if len(stacked) == 1 else tuple(stacked)

    return rule


def _each(count, dims, arguments):
    """The arguments for each element of the batch."""
    for index in range(count):
        yield [value if dim is None else value.select(dim, index) for value, dim in zip(arguments, dims)]


def _blank(value, dim):
    """Zeros in the shape of an element of an empty batch."""
    if dim is None:
        return value
    shape = list(value.shape)
    del shape[dim]
    return value.new_zeros(shape)


def _as_tuple(results):
    return results if isinstance(results, (tuple, list)) else (results,)
