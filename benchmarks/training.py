"""benchmarks/training.py: forward and backward passes as contenders doing the same work."""

import torch

from .harness import Contender


def forward_contender(name, run):
    """Times ``run()``."""
    return Contender(name, run)


def backward_contender(name, run, backward, leaves):
    """Times ``backward(result)`` on a fresh graph from ``run()``, with empty ``.grad`` to fill."""

    def prepare():
        clear(leaves)
        return run()

    return Contender(name, backward, prepare)


def accumulating_contender(name, run, backward, leaves, graphs):
    """Times ``graphs`` backward passes in a row, the first with empty ``.grad``, which the others add to."""

    def prepare():
        clear(leaves)
        return [run() for _ in range(graphs)]

    def all_backward(results):
        for result in results:
            backward(result)

    return Contender(name, all_backward, prepare)


def clear(leaves):
    for leaf in leaves:
        leaf.grad = None


def check_same_work(runs, backward, leaves, tolerance=1e-3):
    """Every run must give the first one's results and gradients, or AssertionError.

    ``runs``: {name: callable returning a (nested) tuple of tensors}. ``tolerance``
    is relative to the largest magnitude in each tensor.
    """
    reference = reference_name = None
    for name, run in runs.items():
        clear(leaves)
        result = run()
        backward(result)
        values = [*_flat(result), *(leaf.grad for leaf in leaves)]
        if reference is None:
            reference, reference_name = values, name
        assert len(values) == len(reference), f"{name} returns {len(values)} tensors"
        for index, (found, wanted) in enumerate(zip(values, reference)):
            error = (found - wanted).abs().max().item()
            allowed = tolerance * wanted.abs().max().item()
            assert error <= allowed, (
                f"{name} differs from {reference_name} in tensor {index}: {error:.2g} > {allowed:.2g}"
            )


def _flat(result):
    if isinstance(result, torch.Tensor):
        return [result.detach()]
    return [tensor for part in result for tensor in _flat(part)]
