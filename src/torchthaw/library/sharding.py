"""torchthaw/library/sharding.py: how DTensor may shard the operators of a pair, as the words of its header say.

THAW_ELEMENTWISE: along every dimension. THAW_BATCH(size): along that size; a result without it is a sum over it, so each
process has a part of the sum. PyTorch has had a public way to say so since 2.5.
"""

import torch

from ..base.import_hook import after_import


def register(pair):
    """Tells DTensor, as soon as it is imported, about both operators of a pair."""
    if pair.fold:
        after_import("torch.distributed.tensor", lambda: _register(pair))


def _register(pair):
    try:
        from torch.distributed.tensor.experimental import register_sharding
    except ImportError:
        return
    for operator in pair.forward, pair.backward:
        if operator.base.fold:
            register_sharding(operator.overload("default"))(_rule(operator.base))


def _rule(function):
    from torch.distributed.tensor import Partial, Replicate, Shard

    def rule(*arguments):
        """[(placements of the results, placements of the arguments)]"""
        given = [(each, argument) for each, argument in zip(function.inputs, arguments)]
        given += [(each, None) for each in function.inputs[len(arguments) :]]

        def placed(of_result, of_argument):
            return (
                [of_result(each) for each in function.written],
                [of_argument(each) if is_tensor_like(x) else None for each, x in given],
            )

        found = [placed(lambda each: Replicate(), lambda each: Replicate())]
        if function.fold is True:
            dimensions = next(x.ndim for _, x in given if is_tensor_like(x))
            found += [placed(lambda each, d=d: Shard(d), lambda each, d=d: Shard(d)) for d in range(dimensions)]
        else:

            def sharded(each, otherwise):
                place = function.fold.get(each.name)
                return otherwise() if place is None else Shard(place)

            found.append(placed(lambda each: sharded(each, Partial), lambda each: sharded(each, Replicate)))
        return found

    return rule


def is_tensor_like(x):
    """Whether an argument is a tensor; DTensor gives something like one."""
    return hasattr(x, "ndim") and not isinstance(x, (int, float, torch.SymInt))
