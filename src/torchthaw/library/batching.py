"""torchthaw/library/batching.py: an operator under torch.vmap: a call for each element of the batch.

A rule gets (batch size, the batched dimension of each argument or None, arguments) and returns what the operator does,
batched in the first dimension.
"""

from .folding import entries, one_by_one


def out(operator):
    """The rule of the overload ``out``. What C writes must be batched, as the rest of it would not fit one array."""

    def rule(count, dims, arguments):
        for each, dim, argument in zip(operator.base.given, dims, arguments):
            if each.is_written and dim is None and argument is not None:
                raise ValueError(f"{each.name}: expected a tensor that torch.vmap batches, to write to, got another")
        for one in entries(count, dims, arguments):
            operator.overload("out")(*one)

    return rule


def default(operator):
    """The rule of the overload ``default``."""

    def rule(count, dims, arguments):
        found = one_by_one(operator.overload("default"), count, dims, arguments)
        return found[0] if len(found) == 1 else found

    return rule
