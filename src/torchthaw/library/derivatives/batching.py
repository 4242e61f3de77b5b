"""torchthaw/library/derivatives/batching.py: an operator under torch.vmap: one call, or a call for each element of the batch.

A rule gets (batch size, the batched dimension of each argument or None, arguments) and returns what the operator does,
batched in the first dimension.
"""

from types import SimpleNamespace

from ..folding import batch, entries


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
    """The rule of the overload ``default``: one call, where the header says that entries are independent."""
    function = operator.base
    fold = function.fold
    folded = SimpleNamespace(
        fold=fold, parameters=function.inputs, results=len(function.written),
        folded=[fold.get(each.name) if isinstance(fold, dict) else None for each in function.written],
    )  # fmt: skip

    def rule(count, dims, arguments):
        folded.operator = operator.overload("default")
        return batch(folded, count, dims, arguments)

    return rule
